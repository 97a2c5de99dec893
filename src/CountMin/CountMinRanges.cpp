#include "CountMinRanges.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../base/unaligned.h"
#include "CountMinArithmetic.h"

#include <algorithm>
#include <string_view>

namespace DB::inline statewire
{

namespace
{
/// A prefix as the key of its level's sketch: 8 little-endian bytes.
struct PrefixKey
{
    explicit PrefixKey(UInt64 prefix) noexcept { unalignedStoreLittleEndian<UInt64>(bytes, prefix); }
    [[nodiscard]] std::string_view view() const noexcept { return {bytes, sizeof(bytes)}; }

    char bytes[sizeof(UInt64)];
};
}

CountMinRanges::CountMinRanges(const CountMinParameters & parameters_, UInt32 bits_) : parameters(&parameters_), domain_bits(bits_)
{
    if (bits_ < 1 || bits_ > 64)
        throwError(ErrorCodes::BAD_ARGUMENTS, concat("Count-min ranges: bits must be from 1 to 64, found ", bits_));
    sketches.assign(domain_bits + 1, CountMinSketch<UInt64>(parameters_));
    exact.resize(domain_bits + 1);
}

UInt64 CountMinRanges::sizeOf(UInt32 level) const noexcept
{
    return UInt64{1} << std::min<UInt32>(domain_bits - level, 63);
}

void CountMinRanges::add(UInt64 value, UInt64 weight)
{
    if (value > last())
        throwError(ErrorCodes::BAD_ARGUMENTS, concat("Count-min ranges of ", domain_bits, " bits: found the value ", value));
    if (weight == 0)
        return;
    const UInt64 new_total = countMinCheckedTotal<UInt64>(weight_total, weight);
    if (weight_total == 0)
        for (UInt32 level = 0; level <= domain_bits; ++level)
            if (isExact(level))
                exact[level].resize(static_cast<size_t>(sizeOf(level)));
    /// No level's total exceeds the whole's, so that none can overflow.
    for (UInt32 level = 0; level <= domain_bits; ++level)
    {
        const UInt64 prefix = level == 64 ? 0 : value >> level;
        if (isExact(level))
            exact[level][static_cast<size_t>(prefix)] += weight;
        else
            sketches[level].update(PrefixKey(prefix).view(), weight);
    }
    weight_total = new_total;
}

void CountMinRanges::merge(const CountMinRanges & other)
{
    if (!(*parameters == *other.parameters))
        throwIncompatibleCountMin(*parameters, *other.parameters);
    if (domain_bits != other.domain_bits)
        throwError(ErrorCodes::BAD_ARGUMENTS, concat("Cannot merge count-min ranges of ", domain_bits, " and of ", other.domain_bits, " bits"));
    if (other.weight_total == 0)
        return;
    const UInt64 new_total = countMinCheckedTotal<UInt64>(weight_total, other.weight_total);
    for (UInt32 level = 0; level <= domain_bits; ++level)
    {
        sketches[level].merge(other.sketches[level]);
        exact[level].resize(other.exact[level].size());
        for (size_t i = 0; i < exact[level].size(); ++i)
            exact[level][i] += other.exact[level][i];
    }
    weight_total = new_total;
}

UInt64 CountMinRanges::estimate(UInt32 level, UInt64 prefix) const noexcept
{
    if (weight_total == 0)
        return 0;
    return isExact(level) ? exact[level][static_cast<size_t>(prefix)] : sketches[level].estimate(PrefixKey(prefix).view());
}

UInt64 CountMinRanges::count(UInt64 first, UInt64 last_value) const noexcept
{
    UInt64 end = std::min(last_value, last());
    if (first > end)
        return 0;
    UInt64 sum = 0;
    const auto add_interval = [&](UInt32 level, UInt64 prefix) { sum = countMinSaturatingSum<UInt64>(sum, estimate(level, prefix)); };
    /// From the finest level up: an end that is no left (or right) sibling stands alone; what is left is a range of parents.
    for (UInt32 level = 0;; ++level)
    {
        if (first == end)
        {
            add_interval(level, first);
            break;
        }
        if (first % 2 == 1)
            add_interval(level, first++);
        if (end % 2 == 0)
            add_interval(level, end--);
        if (first > end)
            break;
        first /= 2;
        end /= 2;
    }
    return std::min(sum, weight_total);
}

UInt64 CountMinRanges::quantile(double level) const noexcept
{
    if (weight_total == 0)
        return 0;
    /// Written so that NaN is 0.
    const double fraction = level > 0 ? std::min(level, 1.0) : 0.0;
    const double wanted = fraction * static_cast<double>(weight_total);
    UInt64 low = 0;
    UInt64 high = last();
    while (low < high)
    {
        const UInt64 middle = low + (high - low) / 2;
        if (const UInt64 reached = count(0, middle); reached != 0 && static_cast<double>(reached) >= wanted)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

}
