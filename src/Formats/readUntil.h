#pragma once

#include "../IO/ReadBuffer.h"

#include <string>
#include <string_view>

namespace DB::inline statewire
{

namespace detail
{
[[noreturn]] void throwTooLargeField(UInt64 limit);
}

/** Reads up to the byte at which `scan(begin, end)` stops, which is left in the buffer, or up to the end of input.
 *
 * `scan` looks at the next piece of the input and returns where it stops in it, or `end` to go on; it keeps its own state between pieces.
 * Returns what was passed: in place when it lay in one piece, otherwise gathered in `gathered`. Valid until the next call on `in`.
 * `stopped` says whether `scan` stopped. TOO_LARGE_STRING_SIZE above `limit` bytes.
 */
template <typename Scan>
[[nodiscard]] std::string_view readUntil(ReadBuffer & in, std::string & gathered, UInt64 limit, bool & stopped, Scan && scan)
{
    gathered.clear();
    stopped = false;
    for (bool in_place = true; !in.eof(); in_place = false)
    {
        const char * const begin = in.position();
        const char * const end = begin + in.available();
        const char * const pos = scan(begin, end);
        const std::string_view piece(begin, static_cast<size_t>(pos - begin));
        in.position() += pos - begin;
        stopped = pos != end;
        if (gathered.size() + piece.size() > limit)
            detail::throwTooLargeField(limit);
        if (stopped && in_place)
            return piece;
        gathered += piece;
        if (stopped)
            break;
    }
    return gathered;
}

}
