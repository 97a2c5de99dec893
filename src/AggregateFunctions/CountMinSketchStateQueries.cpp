#include "CountMinSketchState.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../CountMin/CountMinArithmetic.h"
#include "../CountMin/CountMinJoin.h"

#include <limits>
#include <type_traits>
#include <utility>

/** Questions about two states, estimates without noise, scaled merges, images. */
namespace DB::inline statewire
{

namespace
{
/// Scaled entries with a total that covers them: near 0 products of floats round by more than the part in a million that a reader allows, the
/// weights up and the total down.
template <CountMinStateWeight W>
[[nodiscard]] CountMinEntries<W> covered(CountMinEntries<W> && entries)
{
    if constexpr (std::is_floating_point_v<W>)
    {
        W sum = 0;
        for (UInt32 i = 0; i < entries.count(); ++i)
            sum += countMinMagnitude<W>(entries.weight(i));
        if (sum > entries.total() && sum <= std::numeric_limits<W>::max())
            entries.setTotal(sum);
    }
    return std::move(entries);
}
}

template <CountMinStateWeight W>
template <typename F>
auto CountMinSketchState<W>::visitSketch(F && f) const
{
    if (kind == Storage::Borrowed)
        return f(view());
    return f(owned);
}

template <CountMinStateWeight W>
double CountMinSketchState<W>::innerProduct(const CountMinSketchState & a, const CountMinSketchState & b)
{
    if (!(a.shape == b.shape || *a.shape == *b.shape)) [[unlikely]]
        throwIncompatibleCountMin(*a.shape, *b.shape);
    a.requireSameKeySize(b);
    requireCountMinCellsAreSums(*a.shape);
    /// A small side names its keys, so that the other side is asked about these alone.
    const bool a_is_asked = a.kind != Storage::Small || (b.kind == Storage::Small && b.small.count() < a.small.count());
    const CountMinSketchState & asked = a_is_asked ? a : b;
    const CountMinSketchState & asking = a_is_asked ? b : a;
    if (asking.kind == Storage::Small)
    {
        double sum = 0;
        for (UInt32 i = 0; i < asking.small.count(); ++i)
            sum += static_cast<double>(asking.small.weight(i)) * static_cast<double>(asked.estimate(asking.small.key(i)));
        return sum;
    }
    return a.visitSketch(
        [&](const auto & left) { return b.visitSketch([&](const auto & right) { return countMinInnerProduct<W>(left, right); }); });
}

template <CountMinStateWeight W>
double CountMinSketchState<W>::correctedEstimate(std::string_view key) const
{
    requireCountMinCellsAreSums(*shape);
    if (kind == Storage::Small)
        return static_cast<double>(estimate(key));
    return visitSketch([&](const auto & sketch) { return countMinCorrectedEstimate<W>(sketch, key); });
}

template <CountMinStateWeight W>
void CountMinSketchState<W>::mergeImage(std::string_view image)
{
    const CountMinView<W> parsed = CountMinView<W>::parse(image, *shape);
    if (parsed.sizeInBytes() != image.size()) [[unlikely]]
        throwError(
            ErrorCodes::INCORRECT_DATA,
            concat("Expected a count-min image of ", parsed.sizeInBytes(), " bytes, found ", image.size() - parsed.sizeInBytes(), " more"));
    if (!parsed.isEmpty())
        mergeSketch(parsed);
}

template <CountMinStateWeight W>
void CountMinSketchState<W>::mergeWeighted(const CountMinSketchState & other, W factor)
{
    if (!(shape == other.shape || *shape == *other.shape)) [[unlikely]]
        throwIncompatibleCountMin(*shape, *other.shape);
    requireSameKeySize(other);
    countMinRequireFinite<W>(factor);
    if (factor == 0)
        return;
    CountMinSketchState product(*shape, key_size);
    if (other.kind == Storage::Small)
        product.become(covered<W>(other.small.scaled(countMinCheckedProduct<W>(other.small.total(), factor), false, [&](W weight) {
            return countMinWrappingProduct<W>(weight, factor);
        })));
    else
    {
        CountMinSketch<W> sketch(*shape);
        other.visitSketch([&](const auto & from) { sketch.mergeWeighted(from, factor); });
        if (!sketch.isEmpty())
            product.become(std::move(sketch));
    }
    merge(product);
}

template <CountMinStateWeight W>
void CountMinSketchState<W>::mergeDecayed(const CountMinSketchState & other, const CountMinDecay & decay)
{
    if (!shape->isDecayOf(*other.shape)) [[unlikely]]
        throwIncompatibleCountMin(*shape, *other.shape);
    requireSameKeySize(other);
    CountMinSketchState left(*shape, key_size);
    if (other.kind == Storage::Small)
        left.become(covered<W>(
            other.small.scaled(decay.total<W>(other.small.total()), true, [&](W weight) { return decay.weight<W>(weight); })));
    else
    {
        CountMinSketch<W> sketch(*shape);
        other.visitSketch([&](const auto & from) { sketch.mergeDecayed(from, decay); });
        if (!sketch.isEmpty())
            left.become(std::move(sketch));
    }
    merge(left);
}

template <CountMinStateWeight W>
UInt64 CountMinSketchState<W>::filledCells() const
{
    switch (kind)
    {
        case Storage::Small:
            return small.filledCells(*shape);
        case Storage::Borrowed:
            return view().filledCells();
        case Storage::Owned:
            break;
    }
    return owned.filledCells();
}

template <CountMinStateWeight W>
CountMinSketch<W> CountMinSketchState<W>::toSketch() const
{
    if (kind == Storage::Owned)
        return owned;
    CountMinSketch<W> sketch(*shape);
    if (kind == Storage::Borrowed)
        sketch.merge(view());
    else
        sketch.merge(small);
    return sketch;
}

template <CountMinStateWeight W>
std::string CountMinSketchState<W>::toImage() const
{
    return kind == Storage::Borrowed ? std::string(borrowed.bytes()) : kind == Storage::Owned ? owned.toString() : toSketch().toString();
}

#define INSTANTIATE(W) \
    template UInt64 CountMinSketchState<W>::filledCells() const; \
    template CountMinSketch<W> CountMinSketchState<W>::toSketch() const; \
    template std::string CountMinSketchState<W>::toImage() const; \
    template double CountMinSketchState<W>::innerProduct(const CountMinSketchState &, const CountMinSketchState &); \
    template double CountMinSketchState<W>::correctedEstimate(std::string_view) const; \
    template void CountMinSketchState<W>::mergeWeighted(const CountMinSketchState<W> &, W); \
    template void CountMinSketchState<W>::mergeDecayed(const CountMinSketchState<W> &, const CountMinDecay &); \
    template void CountMinSketchState<W>::mergeImage(std::string_view);
INSTANTIATE(UInt64)
INSTANTIATE(Int64)
INSTANTIATE(Float64)
#undef INSTANTIATE

}
