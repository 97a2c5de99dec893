#pragma once

#include "MergeTreeChecksums.h"
#include "MergeTreeColumns.h"
#include "MergeTreeMarks.h"

#include <optional>
#include <string>

namespace DB::inline statewire
{

/// What of a part is compared with its checksums.txt. A part without that file has nothing to compare.
enum class PartVerification
{
    Sizes, /// of all files, before anything is read
    Hashes, /// and those of the files that are read, each before its first byte is: it is read twice
    AllHashes /// of all files, before anything is read; and those that are compressed are decompressed
};

struct PartSettings
{
    PartVerification verification = PartVerification::Hashes;
    /// Rows of a granule in parts with .mrk, which do not say it: the table's setting.
    UInt64 index_granularity = 8192;
    /// Rows of this granule alone are read. To read no other bytes of the files either, leave their hashes alone.
    std::optional<UInt64> only_granule = std::nullopt;
    FrameLimits frame_limits;
    /// Blocks end at the granule with which they reach this many rows, or bytes.
    UInt64 max_block_rows = 65536;
    UInt64 max_block_bytes = UInt64{64} << 20;
    /// Of a text file of the part, and of marks.
    UInt64 max_text_bytes = UInt64{64} << 20;
    UInt64 max_mark_bytes = UInt64{1} << 30;
};

/** A MergeTree part's folder: what its small files say.
 *
 * Wide: a file `<column>.bin` a stream, each with its marks. Compact: all columns in data.bin, with marks in data.mrk3 or data.mrk4.
 * Errors: FILE_DOESNT_EXIST when columns.txt or count.txt are missing; those of MergeTreeColumns and MergeTreeChecksums; all with the path.
 * Threads: reading it is const.
 */
class MergeTreePart
{
public:
    /// Whether the path is a folder with columns.txt and count.txt in it.
    [[nodiscard]] static bool isPart(const std::string & path);
    /// Reads and checks; the folder's files are not to change meanwhile.
    MergeTreePart(const std::string & folder_, const PartSettings & settings_);

    [[nodiscard]] const std::string & folder() const noexcept { return path; }
    [[nodiscard]] const MergeTreeColumns & columns() const noexcept { return part_columns; }
    [[nodiscard]] UInt64 rows() const noexcept { return row_count; }
    [[nodiscard]] bool isCompact() const noexcept { return !compact_marks.empty(); }
    /// The marks of a wide part's stream, or of a compact part's data, by their file without its extension. INCORRECT_DATA when their rows are not
    /// those of count.txt.
    [[nodiscard]] MergeTreeMarks readMarks(const std::string & stream_file) const;
    /// A stream's file without its extension: the stream's name or, where it was too long for a file, the name's hash.
    [[nodiscard]] std::string fileOf(const std::string & stream) const;
    [[nodiscard]] std::string pathOf(const std::string & file) const { return path + "/" + file; }
    /// For who reads a file: compares its hash, where that was asked for. CHECKSUM_DOESNT_MATCH.
    void checkHashOf(const std::string & file) const;
    /// Where the streams of a column begin among those of the marks of a compact part.
    [[nodiscard]] size_t firstStreamOf(size_t column) const noexcept;

private:
    [[nodiscard]] std::string readText(const std::string & file) const;
    [[nodiscard]] std::optional<std::string> readTextIfThere(const std::string & file) const;

    std::string path;
    PartSettings settings;
    std::optional<MergeTreeChecksums> checksums;
    MergeTreeColumns part_columns;
    UInt64 row_count = 0;
    /// The extension of a compact part's marks; empty for a wide one.
    std::string compact_marks;
};

}
