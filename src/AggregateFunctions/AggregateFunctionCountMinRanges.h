#pragma once

#include "IAggregateFunction.h"

#include <bit>
#include <optional>
#include <type_traits>

namespace DB::inline statewire
{

/// The integer type of the values of a function whose places hold a CountMinRangesState: countMinRanges, with or without combinators. Nothing for
/// other functions.
[[nodiscard]] std::optional<TypeIndex> countMinRangesValueType(const IAggregateFunction & function);

/// A value of an integer column as the unsigned number by which the state orders it: signed ones with their sign bit flipped. And back.
template <typename T>
[[nodiscard]] constexpr UInt64 toRangesValue(T value) noexcept
{
    using U = std::make_unsigned_t<T>;
    return std::is_signed_v<T> ? static_cast<U>(static_cast<U>(value) ^ (U{1} << (sizeof(T) * 8 - 1))) : static_cast<U>(value);
}
template <typename T>
[[nodiscard]] constexpr T fromRangesValue(UInt64 value) noexcept
{
    using U = std::make_unsigned_t<T>;
    const auto bits = static_cast<U>(value);
    return static_cast<T>(std::is_signed_v<T> ? static_cast<U>(bits ^ (U{1} << (sizeof(T) * 8 - 1))) : bits);
}

}
