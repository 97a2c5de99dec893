#include "CountMinSketchState.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../CountMin/CountMinJoin.h"

/** Questions about two states, estimates without noise, and images from outside. */
namespace DB::inline statewire
{

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
    if (a.key_size != b.key_size) [[unlikely]]
        throwError(
            ErrorCodes::BAD_ARGUMENTS,
            concat("Cannot join count-min sketches of keys of ", a.key_size, " and of ", b.key_size, " bytes (0: strings)"));
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

#define INSTANTIATE(W) \
    template double CountMinSketchState<W>::innerProduct(const CountMinSketchState &, const CountMinSketchState &); \
    template double CountMinSketchState<W>::correctedEstimate(std::string_view) const; \
    template void CountMinSketchState<W>::mergeImage(std::string_view);
INSTANTIATE(UInt64)
INSTANTIATE(Int64)
INSTANTIATE(Float64)
#undef INSTANTIATE

}
