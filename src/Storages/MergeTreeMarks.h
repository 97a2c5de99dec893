#pragma once

#include "../Compression/SeekableCompressedReadBuffer.h"
#include "../base/types.h"

#include <string>
#include <string_view>
#include <vector>

namespace DB::inline statewire
{

/** The marks of one file: where in it each granule (a run of rows) begins, for each of its streams.
 *
 *     .mrk            for each granule u64 offset of the frame, u64 offset in its decompressed bytes; the rows are the table's setting
 *     .mrk2           the same, then u64 rows; behind the last granule one of 0 rows
 *     .mrk3, .mrk4    the same for a file with several streams: two offsets a stream (.mrk3: a column), then u64 rows
 *
 * and .cmrk, .cmrk2, .cmrk3, .cmrk4: the same in compressed frames.
 * Errors: INCORRECT_DATA with the byte for a file of another length or a granule without rows, and those of frames.
 */
class MergeTreeMarks
{
public:
    /// `bytes` are decompressed. `streams` is 1 but for compact parts. `file` is the path for error texts.
    [[nodiscard]] static MergeTreeMarks parseAdaptive(std::string_view bytes, size_t streams, std::string_view file);
    /// .mrk: `rows` in all, in granules of `granularity` (at least 1) rows. The number of marks must agree.
    [[nodiscard]] static MergeTreeMarks parseFixed(std::string_view bytes, UInt64 rows, UInt64 granularity, std::string_view file);

    /// The path that the marks were read from.
    [[nodiscard]] const std::string & file() const noexcept { return path; }
    [[nodiscard]] size_t granules() const noexcept { return rows.size(); }
    [[nodiscard]] UInt64 rowsOf(size_t granule) const noexcept { return rows[granule]; }
    [[nodiscard]] UInt64 totalRows() const noexcept { return total; }
    [[nodiscard]] CompressedPosition position(size_t granule, size_t stream) const noexcept
    {
        return positions[granule * streams + stream];
    }
    [[nodiscard]] bool sameGranules(const MergeTreeMarks & other) const noexcept { return rows == other.rows; }

private:
    std::string path;
    std::vector<CompressedPosition> positions;
    std::vector<UInt64> rows;
    UInt64 total = 0;
    size_t streams = 1;
};

}
