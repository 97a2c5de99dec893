#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "CountMinArithmetic.h"
#include "CountMinBatchKernels.h"
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
    allocate();
    detail::addKeys<W>(table.get(), *shape, keys, weights.empty() ? nullptr : weights.data(), policy == CountMinOverflow::Saturate);
    weight_total = new_total;
}

template <CountMinWeight W>
void CountMinSketch<W>::estimateMany(const CountMinKeys & keys, W * to) const noexcept
{
    if (isEmpty())
        std::fill_n(to, keys.size(), W{0});
    else
        detail::smallestCells<W>(*shape, detail::NativeCells<W>{table.get()}, keys, to);
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
INSTANTIATE(UInt8)
INSTANTIATE(UInt16)
INSTANTIATE(UInt32)
INSTANTIATE(UInt64)
INSTANTIATE(Int8)
INSTANTIATE(Int16)
INSTANTIATE(Int32)
INSTANTIATE(Int64)
INSTANTIATE(Float32)
INSTANTIATE(Float64)
#undef INSTANTIATE

}
