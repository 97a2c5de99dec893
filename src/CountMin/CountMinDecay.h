#pragma once

#include "CountMinArithmetic.h"
#include "CountMinFormat.h"

namespace DB::inline statewire
{

/** Multiplies weights by a factor from 0 to 1. Integers are computed exactly, the factor being a whole number of 53 bits over a power of two, and
  * cut towards 0 (weights, cells) or rounded up (totals); floats round as a product does. A cut cell never exceeds its rounded total, and the sum
  * of cut weights never exceeds the cut sum: an estimate stays an upper bound of weights that were cut one by one.
  * Errors: BAD_ARGUMENTS from the constructor for any other factor. A small value; threads share it freely.
  */
class CountMinDecay
{
public:
    explicit CountMinDecay(double factor_);

    template <CountMinWeight W>
    [[nodiscard]] W weight(W value) const noexcept
    {
        if constexpr (std::is_floating_point_v<W>)
            /// 0 times a negative weight must not leave -0.
            return static_cast<W>(value * factor) + W{0};
        else
        {
            const auto cut = static_cast<CountMinMagnitude<W>>(scaled(countMinMagnitude<W>(value)) >> shift);
            return static_cast<W>(value < 0 ? static_cast<CountMinMagnitude<W>>(0 - cut) : cut);
        }
    }

    /// Of a total, which is not negative.
    template <CountMinWeight W>
    [[nodiscard]] W total(W value) const noexcept
    {
        if constexpr (std::is_floating_point_v<W>)
            return weight<W>(value);
        else
            return static_cast<W>((scaled(static_cast<CountMinMagnitude<W>>(value)) + ((UInt128{1} << shift) - 1)) >> shift);
    }

private:
    __extension__ using UInt128 = unsigned __int128;

    [[nodiscard]] UInt128 scaled(UInt64 magnitude) const noexcept { return UInt128{multiplier} * magnitude; }

    double factor;
    UInt64 multiplier = 0;
    /// At most 126: what is smaller than 2^-126 multiplies every weight to less than 1.
    UInt32 shift = 0;
};

}
