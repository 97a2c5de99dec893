#pragma once

#include "../Compression/SeekableCompressedReadBuffer.h"
#include "../DataTypes/DataTypeLowCardinality.h"

namespace DB::inline statewire
{

/** The dictionaries of a LowCardinality column in a wide part, which granules share: `<column>.dict.bin`.
 *
 *     u64 version, 1; then one dictionary behind the other, each as u64 n and n keys
 *
 * The mark of a granule points to the dictionary with which it begins; within the granule others may follow. A dictionary that was read stays while
 * marks point to it. Behind the last may be one that no row has.
 *
 * Lifetime: the frames and the type outlive it.
 * Errors: INCORRECT_DATA where a mark points neither to the dictionary in force nor behind it, those of DataTypeLowCardinality and of frames.
 */
class MergeTreeDictionary
{
public:
    MergeTreeDictionary(SeekableCompressedReadBuffer & frames_, DataTypePtr type_);

    /// Goes to a granule's mark. `follows`: the granule before it was read last, or it is the first one of the file.
    void seek(CompressedPosition mark, bool follows);
    /// Those of the dictionary in force, or with `update` of the next one; behind a seek of the one at the mark.
    [[nodiscard]] const IColumn & keys(bool update);
    /// Passes the last dictionary when nobody has read it.
    void finish();

private:
    void read();

    SeekableCompressedReadBuffer & frames;
    DataTypePtr type;
    bool is_version_read = false;
    /// Nobody has asked for keys since the last seek.
    bool is_at_mark = false;
    /// Nothing where the next dictionary is to be read.
    MutableColumnPtr current;
    /// Where that begins: as the mark said it, and as the frames do, who have one name for the end of a frame and the begin of the next.
    CompressedPosition mark_of_current;
    CompressedPosition begin_of_current;
    CompressedPosition sought;
};

}
