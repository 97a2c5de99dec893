#include "../Common/ErrorCodes.h"
#include "../Common/TrackedAllocator.h"
#include "../Common/throwError.h"
#include "CountMinArithmetic.h"
#include "CountMinBatchKernels.h"
#include "CountMinInstantiate.h"
#include "CountMinSketch.h"
#include "CountMinView.h"

#include <algorithm>

/** The calls of owners and views that take a column of keys. */
namespace DB::inline statewire
{

namespace
{
void requireOneWeightAKey(size_t keys, size_t weights)
{
    if (weights != 0 && weights != keys) [[unlikely]]
        throwError(ErrorCodes::BAD_ARGUMENTS, concat("Count-min sketch: found ", weights, " weights for ", keys, " keys"));
}
}

template <CountMinWeight W>
W countMinTotalOfBatch(W total, CountMinOverflow policy, size_t keys, std::span<const W> weights)
{
    constexpr W LARGEST = std::numeric_limits<W>::max();
    requireOneWeightAKey(keys, weights.size());
    const auto add = [&](W weight) {
        const CountMinMagnitude<W> magnitude = countMinMagnitude<W>(weight);
        if (policy == CountMinOverflow::Error)
            total = countMinCheckedTotal<W>(total, magnitude);
        else if (policy == CountMinOverflow::Saturate)
            total = countMinTotalOverflows<W>(total, magnitude) ? LARGEST : static_cast<W>(total + static_cast<W>(magnitude));
        else
            total = countMinWrappingSum<W>(total, static_cast<W>(magnitude));
    };
    if constexpr (std::is_same_v<W, UInt64>)
        if (weights.empty() && keys <= LARGEST - total)
            return total + keys;
    if (weights.empty())
        for (size_t i = 0; i < keys; ++i)
            add(W{1});
    for (const W weight : weights)
    {
        countMinRequireFinite<W>(weight);
        add(weight);
    }
    return total;
}

template <CountMinWeight W>
void CountMinSketch<W>::updateMany(const CountMinKeys & keys, std::span<const W> weights)
{
    const W new_total = countMinTotalOfBatch<W>(weight_total, policy, keys.size(), weights);
    const bool nothing = weights.empty() ? keys.size() == 0 : std::all_of(weights.begin(), weights.end(), [](W weight) { return weight == 0; });
    if (nothing)
        return;
    requireOption();
    if (shape->isConservative())
    {
        updateManyConservatively(keys, weights, new_total);
        return;
    }
    allocate();
    detail::addKeys<W>(table, *shape, keys, weights.empty() ? nullptr : weights.data(), policy == CountMinOverflow::Saturate);
    weight_total = new_total;
}

/// Key by key, for each decides by what the ones before it left; only the hashing is done for many.
template <CountMinWeight W>
void CountMinSketch<W>::updateManyConservatively(const CountMinKeys & keys, std::span<const W> weights, W new_total)
{
    constexpr size_t SIZE = detail::CountMinKeyBlock::SIZE;
    /// Cells of a key this far ahead are asked for.
    constexpr size_t AHEAD = 4;
    TrackedVector<UInt32> buckets(shape->numHashes() * SIZE);
    allocate();
    detail::CountMinKeyBlock block(*shape);
    for (size_t begin = 0; begin < keys.size(); begin += SIZE)
    {
        const size_t n = std::min(SIZE, keys.size() - begin);
        block.load(keys.slice(begin, n));
        block.bucketsOfRows(buckets.data());
        for (size_t i = 0; i < n; ++i)
        {
            if (i + AHEAD < n)
                prefetchHashed(buckets.data() + i + AHEAD, SIZE);
            if (const W weight = weights.empty() ? W{1} : weights[begin + i]; weight != 0)
                detail::raiseCells<W>(
                    table,
                    shape->numHashes(),
                    [&](UInt32 row) { return static_cast<size_t>(row) * shape->numBuckets() + buckets[row * SIZE + i]; },
                    weight,
                    policy == CountMinOverflow::Saturate);
        }
    }
    weight_total = new_total;
}

template <CountMinWeight W>
void CountMinSketch<W>::estimateMany(const CountMinKeys & keys, W * to) const noexcept
{
    if (isEmpty())
        std::fill_n(to, keys.size(), W{0});
    else
        detail::smallestCells<W>(*shape, detail::NativeCells<W>{table}, keys, to);
}

template <CountMinWeight W>
void CountMinView<W>::estimateMany(const CountMinKeys & keys, W * to) const noexcept
{
    if (is_empty)
        std::fill_n(to, keys.size(), W{0});
    else
        detail::smallestCells<W>(*shape, detail::ImageCells<W>{data + COUNT_MIN_HEADER_SIZE + sizeof(W)}, keys, to);
}

#define INSTANTIATE(W) \
    template W countMinTotalOfBatch<W>(W, CountMinOverflow, size_t, std::span<const W>); \
    template void CountMinSketch<W>::updateMany(const CountMinKeys &, std::span<const W>); \
    template void CountMinSketch<W>::estimateMany(const CountMinKeys &, W *) const noexcept; \
    template void CountMinView<W>::estimateMany(const CountMinKeys &, W *) const noexcept;
STATEWIRE_FOR_EACH_COUNT_MIN_WEIGHT(INSTANTIATE)
#undef INSTANTIATE

}
