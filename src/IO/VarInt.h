#pragma once

#include "ReadBuffer.h"
#include "WriteBuffer.h"

#include <bit>

/** Variable-length integers: LEB128, seven bits a byte, the lowest first, bit 0x80 = more follow (ClickHouse's VarUInt).
  *
  * Reading is strict: at most 10 bytes, nothing above 64 bits, and no overlong form (a last byte of 0 after a continued one), so that
  * one number has one spelling. A violation is INCORRECT_DATA with the byte offset; a missing byte is ATTEMPT_TO_READ_AFTER_EOF.
  */
namespace DB::inline statewire
{

inline constexpr size_t VAR_UINT_MAX_SIZE = 10;

/// 1..10.
[[nodiscard]] constexpr size_t getLengthOfVarUInt(UInt64 value) noexcept
{
    return (static_cast<size_t>(std::bit_width(value | 1)) + 6) / 7;
}

/// Encodes at `to`, which has room for getLengthOfVarUInt(value) bytes. Returns the end.
inline char * writeVarUInt(UInt64 value, char * to) noexcept
{
    while (value >= 0x80)
    {
        *to++ = static_cast<char>(0x80 | (value & 0x7f));
        value >>= 7;
    }
    *to++ = static_cast<char>(value);
    return to;
}

inline void writeVarUInt(UInt64 value, WriteBuffer & out)
{
    if (out.available() >= VAR_UINT_MAX_SIZE) [[likely]]
    {
        out.position() = writeVarUInt(value, out.position());
        return;
    }
    char scratch[VAR_UINT_MAX_SIZE];
    out.write(scratch, static_cast<size_t>(writeVarUInt(value, scratch) - scratch));
}

enum class VarUIntResult : UInt8
{
    Done,
    Truncated,
    TooLong, /// more than 64 bits
    Overlong /// a shorter spelling exists
};

/// Decodes from [from, end); on Done `value` is set and `from` moved behind the number, otherwise neither is touched.
[[nodiscard]] VarUIntResult tryReadVarUInt(UInt64 & value, const char *& from, const char * end) noexcept;

namespace detail
{
void readVarUIntSlow(UInt64 & value, ReadBuffer & in);
}

inline void readVarUInt(UInt64 & value, ReadBuffer & in)
{
    /// Most lengths and counts take one byte.
    if (in.available() != 0 && static_cast<UInt8>(*in.position()) < 0x80) [[likely]]
    {
        value = static_cast<UInt8>(*in.position());
        ++in.position();
        return;
    }
    detail::readVarUIntSlow(value, in);
}

}
