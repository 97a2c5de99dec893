#pragma once

#include "types.h"

#include <bit>
#include <cstring>
#include <type_traits>

/** The only place where bytes become numbers and numbers become bytes.
  *
  * Every format here is little-endian and promises no alignment, so a load is a memcpy (one instruction on the hosts that matter)
  * and a byte swap on big-endian hosts.
  */
namespace DB::inline statewire
{

namespace detail
{
template <typename T>
constexpr T byteSwap(T value) noexcept
{
    if constexpr (sizeof(T) == 1)
        return value;
    else if constexpr (sizeof(T) == 2)
        return static_cast<T>(__builtin_bswap16(static_cast<UInt16>(value)));
    else if constexpr (sizeof(T) == 4)
        return static_cast<T>(__builtin_bswap32(static_cast<UInt32>(value)));
    else
        return static_cast<T>(__builtin_bswap64(static_cast<UInt64>(value)));
}

template <size_t size>
struct Bits;
template <>
struct Bits<1>
{
    using Type = UInt8;
};
template <>
struct Bits<2>
{
    using Type = UInt16;
};
template <>
struct Bits<4>
{
    using Type = UInt32;
};
template <>
struct Bits<8>
{
    using Type = UInt64;
};
}

/// Reads a T (an integer or a float) stored little-endian at `from`, whatever its alignment. Reads exactly sizeof(T) bytes.
template <typename T>
    requires std::is_arithmetic_v<T>
[[nodiscard]] inline T unalignedLoadLittleEndian(const void * from) noexcept
{
    typename detail::Bits<sizeof(T)>::Type bits;
    std::memcpy(&bits, from, sizeof(bits));
    if constexpr (std::endian::native == std::endian::big)
        bits = detail::byteSwap(bits);
    return std::bit_cast<T>(bits);
}

/// Writes `value` little-endian at `to`, whatever its alignment. Writes exactly sizeof(T) bytes.
template <typename T>
    requires std::is_arithmetic_v<T>
inline void unalignedStoreLittleEndian(void * to, std::type_identity_t<T> value) noexcept
{
    auto bits = std::bit_cast<typename detail::Bits<sizeof(T)>::Type>(value);
    if constexpr (std::endian::native == std::endian::big)
        bits = detail::byteSwap(bits);
    std::memcpy(to, &bits, sizeof(bits));
}

}
