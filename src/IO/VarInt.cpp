#include "VarInt.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

#include <algorithm>

namespace DB::inline statewire
{

namespace
{
[[noreturn]] void throwBadVarUInt(VarUIntResult result, UInt64 offset)
{
    switch (result)
    {
        case VarUIntResult::TooLong:
            throwError(ErrorCodes::INCORRECT_DATA, concat("Incorrect VarUInt at byte ", offset, ": expected at most 64 bits in 10 bytes, found more"));
        case VarUIntResult::Overlong:
            throwError(ErrorCodes::INCORRECT_DATA, concat("Incorrect VarUInt at byte ", offset, ": expected the shortest form, found trailing zero groups"));
        default:
            throwError(ErrorCodes::ATTEMPT_TO_READ_AFTER_EOF, concat("Attempt to read after the end inside a VarUInt at byte ", offset));
    }
}
}

VarUIntResult tryReadVarUInt(UInt64 & value, const char *& from, const char * end) noexcept
{
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
