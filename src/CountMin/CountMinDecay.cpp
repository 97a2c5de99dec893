#include "CountMinDecay.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

#include <cmath>

namespace DB::inline statewire
{

CountMinDecay::CountMinDecay(double factor_) : factor(factor_)
{
    constexpr int DIGITS = std::numeric_limits<double>::digits;
    constexpr int MAX_SHIFT = 126;
    /// Written so that NaN fails.
    if (!(factor >= 0) || !(factor <= 1))
        throwError(ErrorCodes::BAD_ARGUMENTS, "Count-min sketch: the factor of a decay must be from 0 to 1");
    if (factor == 0)
        return;
    int exponent = 0;
    const double fraction = std::frexp(factor, &exponent);
    if (DIGITS - exponent > MAX_SHIFT)
    {
        /// Below every whole weight, and not 0: totals round up to 1.
        multiplier = 1;
        shift = MAX_SHIFT;
        return;
    }
    multiplier = static_cast<UInt64>(std::ldexp(fraction, DIGITS));
    shift = static_cast<UInt32>(DIGITS - exponent);
}

}
