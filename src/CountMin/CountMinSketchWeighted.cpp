#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "CountMinArithmetic.h"
#include "CountMinSketch.h"

/** Merging a sketch several times over. */
namespace DB::inline statewire
{

namespace
{
/// a * b in W's arithmetic; integers modulo 2^bits.
template <CountMinWeight W>
[[nodiscard]] W wrappingProduct(W a, W b) noexcept
{
    if constexpr (std::is_floating_point_v<W>)
        /// 0 times a negative factor must not leave a -0 cell.
        return a * b + W{0};
    else
        return static_cast<W>(UInt64{static_cast<CountMinMagnitude<W>>(a)} * static_cast<CountMinMagnitude<W>>(b));
}

/// total * |factor|, or DECIMAL_OVERFLOW.
template <CountMinWeight W>
[[nodiscard]] W productOfTotal(W total, W factor)
{
    using U = CountMinMagnitude<W>;
    const U magnitude = countMinMagnitude<W>(factor);
    if constexpr (std::is_floating_point_v<W>)
    {
        if (!(total * magnitude <= std::numeric_limits<W>::max()))
            detail::throwCountMinOverflow(countMinWeightName<W>(), "weighted total");
        return total * magnitude;
    }
    else
    {
        U product;
        if (__builtin_mul_overflow(static_cast<U>(total), magnitude, &product) || product > static_cast<U>(std::numeric_limits<W>::max()))
            detail::throwCountMinOverflow(countMinWeightName<W>(), "weighted total");
        return static_cast<W>(product);
    }
}
}

template <CountMinWeight W>
template <typename Other>
void CountMinSketch<W>::mergeProducts(const Other & other, W factor)
{
    countMinRequireFinite<W>(factor);
    if (factor == 0)
    {
        if (other.cells() != 0)
            requireSameParameters(other.parameters());
        return;
    }
    /// With the Error policy, whatever `other` is: what it lets through keeps every cell within its total.
    CountMinSketch product(*shape);
    product.merge(other);
    if (product.isEmpty())
        return;
    product.weight_total = productOfTotal<W>(product.weight_total, factor);
    if (product.weight_total == 0)
        /// Smaller than a float can tell from nothing.
        return;
    for (UInt64 i = 0; i < cells(); ++i)
        product.table[i] = wrappingProduct<W>(product.table[i], factor);
    merge(product);
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
    template void CountMinSketch<W>::mergeWeighted(const CountMinSketch<W> &, W);
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
