#include "MergeTreeDictionary.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

namespace DB::inline statewire
{

MergeTreeDictionary::MergeTreeDictionary(SeekableCompressedReadBuffer & frames_, DataTypePtr type_)
    : frames(frames_), type(std::move(type_))
{
}

void MergeTreeDictionary::seek(CompressedPosition mark, bool follows)
{
    if (!is_version_read)
    {
        frames.seek({});
        type->deserializeBinaryBulkStatePrefix(frames);
        is_version_read = true;
    }
    is_at_mark = true;
    if (current && mark == mark_of_current)
        return;
    const CompressedPosition end = frames.getPosition();
    const bool is_at_end = frames.isAt(mark);
    frames.seek(mark);
    const CompressedPosition begin = frames.getPosition();
    if (follows && !is_at_end && !(begin == end) && !(current && begin == begin_of_current))
        throwError(
            ErrorCodes::INCORRECT_DATA,
            concat(
                "The mark points to byte ",
                mark.offset_in_block,
                " of the frame at byte ",
                mark.offset_in_file,
                ", where no dictionary begins: the last one ends at byte ",
                end.offset_in_block,
                " of the frame at byte ",
                end.offset_in_file));
    current.reset();
    sought = mark;
}

const IColumn & MergeTreeDictionary::keys(bool update)
{
    if (!current || (update && !is_at_mark))
        read();
    is_at_mark = false;
    return *current;
}

void MergeTreeDictionary::read()
{
    const bool is_first = !current;
    begin_of_current = frames.getPosition();
    mark_of_current = is_first ? sought : begin_of_current;
    current = tryLowCardinality(*type)->readKeys(frames);
}

void MergeTreeDictionary::finish()
{
    if (!frames.eof())
        read();
}

}
