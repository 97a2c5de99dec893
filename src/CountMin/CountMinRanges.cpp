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

/// Values that a level tells apart, held at 2^63.
[[nodiscard]] UInt64 sizeOfLevel(UInt32 bits, UInt32 level) noexcept
{
    return UInt64{1} << std::min<UInt32>(bits - level, 63);
}

[[noreturn]] void throwIncorrect(UInt64 offset, UInt64 expected, UInt64 found)
{
    throwError(
        ErrorCodes::INCORRECT_DATA,
        concat("Incorrect count-min ranges at byte ", offset, ": expected a total of ", expected, " in each level, found ", found));
}
}

CountMinRanges::CountMinRanges(const CountMinParameters & parameters_, UInt32 bits_) : shape(&parameters_), domain_bits(bits_)
{
    if (bits_ < 1 || bits_ > 64)
        throwError(ErrorCodes::BAD_ARGUMENTS, concat("Count-min ranges: bits must be from 1 to 64, found ", bits_));
    first_exact = estimatedLevels(parameters_, bits_);
    const UInt64 cells = (UInt64{first_exact} + 1) * parameters_.cells();
    if (cells >= COUNT_MIN_CELLS_LIMIT)
        throwError(
            ErrorCodes::BAD_ARGUMENTS,
            concat("Count-min ranges of ", bits_, " bits: all levels together must have less than ", COUNT_MIN_CELLS_LIMIT,
                   " cells, found ", cells));
    sketches.assign(first_exact, CountMinSketch<UInt64>(parameters_));
}

void CountMinRanges::allocateExact()
{
    TrackedVector<TrackedVector<UInt64>> levels;
    for (UInt32 level = first_exact; level <= domain_bits; ++level)
        levels.emplace_back(static_cast<size_t>(sizeOfLevel(domain_bits, level)));
    exact = std::move(levels);
}

void CountMinRanges::fillExactFromFinest() noexcept
{
    for (size_t level = 1; level < exact.size(); ++level)
        for (size_t i = 0; i < exact[level].size(); ++i)
            exact[level][i] = exact[level - 1][2 * i] + exact[level - 1][2 * i + 1];
}

void CountMinRanges::addToLevels(UInt64 value, UInt64 weight)
{
    for (UInt32 level = 0; level < first_exact; ++level)
        sketches[level].update(PrefixKey(value >> level).view(), weight);
    for (UInt32 level = first_exact; level <= domain_bits; ++level)
        exact[level - first_exact][static_cast<size_t>(level == 64 ? 0 : value >> level)] += weight;
    weight_total += weight;
}

void CountMinRanges::add(UInt64 value, UInt64 weight)
{
    if (value > last())
        throwError(ErrorCodes::BAD_ARGUMENTS, concat("Count-min ranges of ", domain_bits, " bits: found the value ", value));
    if (weight == 0)
        return;
    static_cast<void>(countMinCheckedTotal<UInt64>(weight_total, weight));
    if (weight_total != 0)
    {
        /// Every table is there, and no level's total exceeds the whole's: nothing below fails.
        addToLevels(value, weight);
        return;
    }
    CountMinRanges fed(*shape, domain_bits);
    fed.allocateExact();
    fed.addToLevels(value, weight);
    *this = std::move(fed);
}

void CountMinRanges::merge(const CountMinRanges & other)
{
    if (!(*shape == *other.shape))
        throwIncompatibleCountMin(*shape, *other.shape);
    if (domain_bits != other.domain_bits)
        throwError(ErrorCodes::BAD_ARGUMENTS, concat("Cannot merge count-min ranges of ", domain_bits, " and of ", other.domain_bits, " bits"));
    if (other.weight_total == 0)
        return;
    if (weight_total == 0)
    {
        *this = CountMinRanges(other);
        return;
    }
    weight_total = countMinCheckedTotal<UInt64>(weight_total, other.weight_total);
    for (UInt32 level = 0; level < first_exact; ++level)
        sketches[level].merge(other.sketches[level]);
    for (size_t level = 0; level < exact.size(); ++level)
        for (size_t i = 0; i < exact[level].size(); ++i)
            exact[level][i] += other.exact[level][i];
}

UInt64 CountMinRanges::estimate(UInt32 level, UInt64 prefix) const noexcept
{
    return level >= first_exact ? exact[level - first_exact][static_cast<size_t>(prefix)]
                                : sketches[level].estimate(PrefixKey(prefix).view());
}

CountMinRanges::Sum CountMinRanges::sum(UInt64 first, UInt64 last_value) const noexcept
{
    Sum result;
    UInt64 end = std::min(last_value, last());
    if (first > end || weight_total == 0)
        return result;
    const auto add_interval = [&](UInt32 level, UInt64 prefix) {
        result.estimate = countMinSaturatingSum<UInt64>(result.estimate, estimate(level, prefix));
        result.inexact += level < first_exact;
    };
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
    result.estimate = std::min(result.estimate, weight_total);
    return result;
}

UInt64 CountMinRanges::lowerBound(UInt64 first, UInt64 last_value) const noexcept
{
    const Sum found = sum(first, last_value);
    const UInt64 error = shape->absoluteError(weight_total);
    return found.inexact != 0 && error > found.estimate / found.inexact ? 0 : found.estimate - found.inexact * error;
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

size_t CountMinRanges::heldBytes() const noexcept
{
    size_t bytes = sketches.capacity() * sizeof(CountMinSketch<UInt64>) + exact.capacity() * sizeof(exact[0]);
    for (const auto & sketch : sketches)
        bytes += sketch.heldBytes();
    for (const auto & counts : exact)
        bytes += counts.capacity() * sizeof(UInt64);
    return bytes;
}

UInt32 CountMinRanges::estimatedLevels(const CountMinParameters & parameters, UInt32 bits) noexcept
{
    /// The first exact one has no more values than a table has cells.
    UInt32 level = 0;
    while (sizeOfLevel(bits, level) > parameters.cells())
        ++level;
    return level;
}

UInt64 CountMinRanges::imageSize(const CountMinParameters & parameters, UInt32 bits) noexcept
{
    const UInt32 level = estimatedLevels(parameters, bits);
    return sizeOfLevel(bits, level) * sizeof(UInt64) + level * countMinImageSize<UInt64>(parameters.cells());
}

CountMinRanges CountMinRanges::read(std::string_view bytes, const CountMinParameters & parameters, UInt32 bits, UInt64 base_offset)
{
    CountMinRanges ranges(parameters, bits);
    const UInt64 size = imageSize(parameters, bits);
    if (bytes.size() != size)
        throwError(
            ErrorCodes::INCORRECT_DATA,
            concat("Incorrect count-min ranges at byte ", base_offset, ": expected ", size, " bytes, found ", bytes.size()));
    ranges.allocateExact();
    for (UInt64 & weight : ranges.exact.front())
    {
        weight = unalignedLoadLittleEndian<UInt64>(bytes.data());
        bytes.remove_prefix(sizeof(UInt64));
        if (weight > ~UInt64{0} - ranges.weight_total)
            throwError(
                ErrorCodes::INCORRECT_DATA,
                concat("Incorrect count-min ranges at byte ", base_offset + size - bytes.size() - sizeof(UInt64),
                       ": the total leaves UInt64"));
        ranges.weight_total += weight;
    }
    if (ranges.weight_total == 0)
        throwError(
            ErrorCodes::INCORRECT_DATA, concat("Incorrect count-min ranges at byte ", base_offset, ": expected a total above 0, found 0"));
    ranges.fillExactFromFinest();
    for (UInt32 level = ranges.first_exact; level-- > 0;)
    {
        const UInt64 offset = base_offset + size - bytes.size();
        CountMinView<UInt64> view;
        const auto result = CountMinView<UInt64>::tryParse(bytes, parameters, Validation::Full, view);
        if (!result.ok())
            throwError(result.code(), result.describe(offset));
        if (view.isEmpty() || view.total() != ranges.weight_total)
            throwIncorrect(offset + COUNT_MIN_HEADER_SIZE, ranges.weight_total, view.total());
        ranges.sketches[level].merge(view);
        bytes.remove_prefix(static_cast<size_t>(view.sizeInBytes()));
    }
    return ranges;
}

}
