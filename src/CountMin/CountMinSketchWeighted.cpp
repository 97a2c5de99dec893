#include "CountMinArithmetic.h"
#include "CountMinDecay.h"
#include "CountMinInstantiate.h"
#include "CountMinSketch.h"

/** Merging a sketch several times over, or a part of it. */
namespace DB::inline statewire
{

/// A copy of `other` whose cells and total are scaled before they are added.
template <CountMinWeight W>
template <typename Other, typename ScaleTotal, typename ScaleCell>
void CountMinSketch<W>::mergeScaled(const Other & other, ScaleTotal && scale_total, ScaleCell && scale_cell)
{
    /// With the Error policy, whatever `other` is: what it lets through keeps every cell within its total.
    CountMinSketch product(other.parameters());
    product.merge(other);
    if (product.isEmpty())
        return;
    product.weight_total = scale_total(product.weight_total);
    bool any = false;
    for (UInt64 i = 0; i < cells(); ++i)
    {
        product.table[i] = scale_cell(product.table[i]);
        any |= product.table[i] != 0;
    }
    /// Nothing left, or less than a float can tell from nothing.
    if (product.weight_total == 0 || (shape->isDecayed() && !any))
        return;
    product.shape = shape;
    merge(product);
}

template <CountMinWeight W>
template <typename Other>
void CountMinSketch<W>::mergeProducts(const Other & other, W factor)
{
    countMinRequireFinite<W>(factor);
    if (other.cells() == 0)
        return;
    requireSameParameters(other.parameters());
    if (factor == 0)
        return;
    mergeScaled(
        other,
        [&](W total) { return countMinCheckedProduct<W>(total, factor); },
        [&](W cell) { return countMinWrappingProduct<W>(cell, factor); });
}

template <CountMinWeight W>
template <typename Other>
void CountMinSketch<W>::mergeDecays(const Other & other, const CountMinDecay & decay)
{
    if (other.cells() == 0)
        return;
    if (!shape->isDecayOf(other.parameters()))
        throwIncompatibleCountMin(*shape, other.parameters());
    mergeScaled(
        other, [&](W total) { return decay.total<W>(total); }, [&](W cell) { return decay.weight<W>(cell); });
}

template <CountMinWeight W>
void CountMinSketch<W>::mergeDecayed(const CountMinView<W> & other, const CountMinDecay & decay)
{
    mergeDecays(other, decay);
}

template <CountMinWeight W>
void CountMinSketch<W>::mergeDecayed(const CountMinSketch & other, const CountMinDecay & decay)
{
    mergeDecays(other, decay);
}

template <CountMinWeight W>
void CountMinSketch<W>::mergeWeighted(const CountMinView<W> & other, W factor)
{
    mergeProducts(other, factor);
}

template <CountMinWeight W>
void CountMinSketch<W>::mergeWeighted(const CountMinSketch & other, W factor)
{
    mergeProducts(other, factor);
}

#define INSTANTIATE(W) \
    template void CountMinSketch<W>::mergeWeighted(const CountMinView<W> &, W); \
    template void CountMinSketch<W>::mergeWeighted(const CountMinSketch<W> &, W); \
    template void CountMinSketch<W>::mergeDecayed(const CountMinView<W> &, const CountMinDecay &); \
    template void CountMinSketch<W>::mergeDecayed(const CountMinSketch<W> &, const CountMinDecay &);
STATEWIRE_FOR_EACH_COUNT_MIN_WEIGHT(INSTANTIATE)
#undef INSTANTIATE

}
