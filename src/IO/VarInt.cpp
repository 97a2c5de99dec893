#include "VarInt.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../base/unaligned.h"

#include <algorithm>
#include <bit>

namespace DB::inline statewire
{

namespace
{
[[noreturn]] void throwBadVarUInt(VarUIntResult result, UInt64 offset)
{
    switch (result)
    {
        case VarUIntResult::TooLong:
            throwError(
                ErrorCodes::INCORRECT_DATA,
                concat("Incorrect VarUInt at byte ", offset, ": expected at most 64 bits in 10 bytes, found more"));
        case VarUIntResult::Overlong:
            throwError(
                ErrorCodes::INCORRECT_DATA,
                concat("Incorrect VarUInt at byte ", offset, ": expected the shortest form, found trailing zero groups"));
        default:
            throwError(ErrorCodes::ATTEMPT_TO_READ_AFTER_EOF, concat("Attempt to read after the end inside a VarUInt at byte ", offset));
    }
}
}

VarUIntResult tryReadVarUInt(UInt64 & value, const char *& from, const char * end) noexcept
{
    if (end - from >= static_cast<std::ptrdiff_t>(sizeof(UInt64)))
    {
        /// Up to eight bytes without a branch for each: the first byte without its high bit ends the number.
        UInt64 bits = unalignedLoadLittleEndian<UInt64>(from);
        if (const UInt64 ends = ~bits & 0x8080808080808080; ends != 0)
        {
            const int last = std::countr_zero(ends) / 8;
            if (last != 0 && from[last] == 0)
                return VarUIntResult::Overlong;
            bits &= ends ^ (ends - 1);
            bits = (bits & 0x7f007f007f007f00) >> 1 | (bits & 0x007f007f007f007f);
            bits = (bits & 0x3fff00003fff0000) >> 2 | (bits & 0x00003fff00003fff);
            value = (bits & 0x0fffffff00000000) >> 4 | (bits & 0x000000000fffffff);
            from += last + 1;
            return VarUIntResult::Done;
        }
    }
    UInt64 result = 0;
    const size_t limit = std::min(static_cast<size_t>(end - from), VAR_UINT_MAX_SIZE);
    for (size_t i = 0; i < limit; ++i)
    {
        const auto byte = static_cast<UInt8>(from[i]);
        if (i == VAR_UINT_MAX_SIZE - 1 && byte > 1)
            return VarUIntResult::TooLong;
        result |= static_cast<UInt64>(byte & 0x7f) << (7 * i);
        if (byte < 0x80)
        {
            if (byte == 0 && i != 0)
                return VarUIntResult::Overlong;
            value = result;
            from += i + 1;
            return VarUIntResult::Done;
        }
    }
    return VarUIntResult::Truncated;
}

void detail::readVarUIntSlow(UInt64 & value, ReadBuffer & in)
{
    const UInt64 start = in.count();
    const char * from = in.position();
    VarUIntResult result = tryReadVarUInt(value, from, in.position() + in.available());
    if (result == VarUIntResult::Done)
    {
        in.position() += from - in.position();
        return;
    }
    if (result != VarUIntResult::Truncated)
        throwBadVarUInt(result, start);
    /// The number crosses the end of the working buffer: gather its bytes.
    char gathered[VAR_UINT_MAX_SIZE];
    size_t size = 0;
    while (result == VarUIntResult::Truncated && size < VAR_UINT_MAX_SIZE && !in.eof())
    {
        gathered[size++] = *in.position()++;
        const char * begin = gathered;
        result = tryReadVarUInt(value, begin, gathered + size);
    }
    if (result != VarUIntResult::Done)
        throwBadVarUInt(result, start);
}

}
