#pragma once

#include "CountMinFormat.h"

#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>

/** Sums of weights, totals and cells, with and without overflow. Signed sums go through the unsigned type, so none of them is undefined. */
namespace DB::inline statewire
{

/// "UInt64", "Float32": the type as ClickHouse names it.
template <CountMinWeight W>
[[nodiscard]] constexpr std::string_view countMinWeightName() noexcept
{
    if constexpr (std::is_floating_point_v<W>)
        return sizeof(W) == 4 ? "Float32" : "Float64";
    else if constexpr (std::is_signed_v<W>)
        return sizeof(W) == 1 ? "Int8" : sizeof(W) == 2 ? "Int16" : sizeof(W) == 4 ? "Int32" : "Int64";
    else
        return sizeof(W) == 1 ? "UInt8" : sizeof(W) == 2 ? "UInt16" : sizeof(W) == 4 ? "UInt32" : "UInt64";
}

namespace detail
{
template <CountMinWeight W, bool = std::is_integral_v<W>>
struct MagnitudeOf
{
    using Type = std::make_unsigned_t<W>;
};
template <CountMinWeight W>
struct MagnitudeOf<W, false>
{
    using Type = W;
};

[[noreturn]] void throwCountMinOverflow(std::string_view weight_name, std::string_view what);
[[noreturn]] void throwCountMinWeightNotFinite();
}

/// Wide enough for every |weight|: the unsigned type of W's width, or W.
template <CountMinWeight W>
using CountMinMagnitude = typename detail::MagnitudeOf<W>::Type;

template <CountMinWeight W>
[[nodiscard]] inline CountMinMagnitude<W> countMinMagnitude(W weight) noexcept
{
    using U = CountMinMagnitude<W>;
    if constexpr (std::is_floating_point_v<W>)
        return std::fabs(weight);
    else
        return weight < 0 ? static_cast<U>(U{0} - static_cast<U>(weight)) : static_cast<U>(weight);
}

/// a + b as W's arithmetic has it: modulo 2^bits, or rounded.
template <CountMinWeight W>
[[nodiscard]] inline W countMinWrappingSum(W a, W b) noexcept
{
    using U = CountMinMagnitude<W>;
    return static_cast<W>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
}

/// a + b, held at the largest magnitude, which is the same on both sides of 0.
template <CountMinWeight W>
[[nodiscard]] inline W countMinSaturatingSum(W a, W b) noexcept
{
    constexpr W LARGEST = std::numeric_limits<W>::max();
    if constexpr (std::is_floating_point_v<W>)
    {
        const W sum = a + b;
        return sum > LARGEST ? LARGEST : sum < -LARGEST ? -LARGEST : sum;
    }
    else
    {
        W sum;
        if (__builtin_add_overflow(a, b, &sum))
            return a < 0 ? static_cast<W>(-LARGEST) : LARGEST;
        if constexpr (std::is_signed_v<W>)
            return sum < -LARGEST ? static_cast<W>(-LARGEST) : sum;
        else
            return sum;
    }
}

/// True when total + magnitude leaves W. The total is not negative.
template <CountMinWeight W>
[[nodiscard]] inline bool countMinTotalOverflows(W total, CountMinMagnitude<W> magnitude) noexcept
{
    constexpr W LARGEST = std::numeric_limits<W>::max();
    if constexpr (std::is_floating_point_v<W>)
        return !(total + magnitude <= LARGEST);
    else
        return magnitude > static_cast<CountMinMagnitude<W>>(LARGEST - total);
}

/// total + magnitude, or DECIMAL_OVERFLOW.
template <CountMinWeight W>
[[nodiscard]] inline W countMinCheckedTotal(W total, CountMinMagnitude<W> magnitude)
{
    if (countMinTotalOverflows<W>(total, magnitude)) [[unlikely]]
        detail::throwCountMinOverflow(countMinWeightName<W>(), "total weight");
    return static_cast<W>(total + static_cast<W>(magnitude));
}

/// a * b in W's arithmetic: integers modulo 2^bits; never -0.
template <CountMinWeight W>
[[nodiscard]] inline W countMinWrappingProduct(W a, W b) noexcept
{
    if constexpr (std::is_floating_point_v<W>)
        return a * b + W{0};
    else
        return static_cast<W>(UInt64{static_cast<CountMinMagnitude<W>>(a)} * static_cast<CountMinMagnitude<W>>(b));
}

/// total * |factor|, or DECIMAL_OVERFLOW.
template <CountMinWeight W>
[[nodiscard]] inline W countMinCheckedProduct(W total, W factor)
{
    using U = CountMinMagnitude<W>;
    const U magnitude = countMinMagnitude<W>(factor);
    if constexpr (std::is_floating_point_v<W>)
    {
        if (!(total * magnitude <= std::numeric_limits<W>::max())) [[unlikely]]
            detail::throwCountMinOverflow(countMinWeightName<W>(), "weighted total");
        return total * magnitude;
    }
    else
    {
        U product;
        if (__builtin_mul_overflow(static_cast<U>(total), magnitude, &product) || product > static_cast<U>(std::numeric_limits<W>::max()))
            [[unlikely]]
            detail::throwCountMinOverflow(countMinWeightName<W>(), "weighted total");
        return static_cast<W>(product);
    }
}

/// Refuses infinities and NaN with BAD_ARGUMENTS; an integer is always finite.
template <CountMinWeight W>
inline void countMinRequireFinite([[maybe_unused]] W weight)
{
    if constexpr (std::is_floating_point_v<W>)
        if (!std::isfinite(weight)) [[unlikely]]
            detail::throwCountMinWeightNotFinite();
}

}
