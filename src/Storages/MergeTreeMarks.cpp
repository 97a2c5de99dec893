#include "MergeTreeMarks.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../base/unaligned.h"

#include <algorithm>

namespace DB::inline statewire
{

namespace
{
constexpr size_t POSITION_SIZE = 16;

CompressedPosition readPosition(const char * from) noexcept
{
    return {unalignedLoadLittleEndian<UInt64>(from), unalignedLoadLittleEndian<UInt64>(from + 8)};
}

void requireWholeMarks(std::string_view bytes, size_t mark_size, std::string_view file)
{
    if (bytes.size() % mark_size != 0)
        throwError(
            ErrorCodes::INCORRECT_DATA,
            concat(
                "The file ",
                file,
                " has ",
                bytes.size(),
                " bytes of marks, which is no multiple of ",
                mark_size,
                ": the mark at byte ",
                bytes.size() / mark_size * mark_size,
                " is cut off"));
}
}

MergeTreeMarks MergeTreeMarks::parseAdaptive(std::string_view bytes, size_t streams, std::string_view file)
{
    const size_t mark_size = streams * POSITION_SIZE + sizeof(UInt64);
    requireWholeMarks(bytes, mark_size, file);
    MergeTreeMarks marks;
    marks.path = file;
    marks.streams = streams;
    for (size_t begin = 0; begin < bytes.size(); begin += mark_size)
    {
        const char * const mark = bytes.data() + begin;
        const auto rows = unalignedLoadLittleEndian<UInt64>(mark + streams * POSITION_SIZE);
        /// The final mark, which says where the file ends.
        if (rows == 0 && begin + mark_size == bytes.size() && !marks.rows.empty())
            break;
        if (rows == 0 || marks.total + rows < marks.total)
            throwError(
                ErrorCodes::INCORRECT_DATA,
                concat("The mark at byte ", begin, " of the file ", file, " has ", rows, " rows, behind ", marks.total, " rows before it"));
        for (size_t stream = 0; stream < streams; ++stream)
            marks.positions.push_back(readPosition(mark + stream * POSITION_SIZE));
        marks.rows.push_back(rows);
        marks.total += rows;
    }
    return marks;
}

MergeTreeMarks MergeTreeMarks::parseFixed(std::string_view bytes, UInt64 rows, UInt64 granularity, std::string_view file)
{
    requireWholeMarks(bytes, POSITION_SIZE, file);
    const UInt64 granules = rows / granularity + (rows % granularity != 0 ? 1 : 0);
    if (bytes.size() / POSITION_SIZE != granules)
        throwError(
            ErrorCodes::INCORRECT_DATA,
            concat(
                "The file ",
                file,
                " has ",
                bytes.size() / POSITION_SIZE,
                " marks, but ",
                rows,
                " rows in granules of ",
                granularity,
                " make ",
                granules,
                "; the table's index_granularity may be another"));
    MergeTreeMarks marks;
    marks.path = file;
    for (size_t begin = 0; begin < bytes.size(); begin += POSITION_SIZE)
    {
        marks.positions.push_back(readPosition(bytes.data() + begin));
        marks.rows.push_back(std::min(granularity, rows - marks.total));
        marks.total += marks.rows.back();
    }
    return marks;
}

}
