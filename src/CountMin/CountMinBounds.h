#pragma once

#include "CountMinParameters.h"

#include <limits>
#include <type_traits>

/** What an estimate says of the true frequency. Shared by owners, views and states, so that they cannot disagree. */
namespace DB::inline statewire
{

/// For non-negative weights a true frequency is at most the estimate, and at least this with the confidence that the number of rows gives:
/// max(0, estimate - eps * total). Integers are computed as integers, with eps * total rounded down: frequencies are whole. Those of a decayed
/// sketch are not, so that it is rounded up there.
template <CountMinWeight W>
[[nodiscard]] W countMinLowerBound(const CountMinParameters & parameters, W estimate, W total) noexcept
{
    if (!(estimate > 0) || !(total > 0))
        return 0;
    if constexpr (std::is_floating_point_v<W>)
    {
        const double bound = static_cast<double>(estimate) - parameters.relativeError() * static_cast<double>(total);
        return bound > 0 ? static_cast<W>(bound) : W{0};
    }
    else
    {
        /// Both are positive.
        const UInt64 error = parameters.absoluteError(static_cast<std::make_unsigned_t<W>>(total)) + (parameters.isDecayed() ? 1 : 0);
        const UInt64 whole = static_cast<std::make_unsigned_t<W>>(estimate);
        return error >= whole ? W{0} : static_cast<W>(whole - error);
    }
}

/// What DataSketches calls the upper bound: estimate + e / num_buckets * total, in double precision, cut towards zero. Where the library's
/// conversion back to W is undefined, this answers the nearest W.
template <CountMinWeight W>
[[nodiscard]] W countMinDataSketchesUpperBound(const CountMinParameters & parameters, W estimate, W total) noexcept
{
    const double bound = static_cast<double>(estimate) + parameters.relativeError() * static_cast<double>(total);
    if constexpr (std::is_same_v<W, Float64>)
        return bound;
    else if constexpr (std::is_same_v<W, Float32>)
    {
        constexpr double LARGEST = std::numeric_limits<Float32>::max();
        return bound > LARGEST ? std::numeric_limits<Float32>::infinity()
                               : (bound < -LARGEST ? -std::numeric_limits<Float32>::infinity() : static_cast<Float32>(bound));
    }
    else
    {
        /// 2^bits, the first double that is too large: the largest W itself has no double when it is 64 bits wide.
        constexpr double TOO_LARGE = static_cast<double>(UInt64{1} << (std::numeric_limits<W>::digits - 1)) * 2;
        if (bound >= TOO_LARGE)
            return std::numeric_limits<W>::max();
        if (bound <= static_cast<double>(std::numeric_limits<W>::min()))
            return std::numeric_limits<W>::min();
        return static_cast<W>(bound);
    }
}

}
