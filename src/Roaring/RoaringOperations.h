#pragma once

#include "RoaringBitmap.h"
#include "RoaringKernels.h"

/** Set operations over two sets, each an owner or a view: `roaringCombine(SetOperation::And, view, bitmap)`. Inputs are only read. */
namespace DB::inline statewire
{

[[nodiscard]] RoaringBitmap roaringCombine(SetOperation operation, const RoaringSnapshot & a, const RoaringSnapshot & b);
/// The result's cardinality, without building it.
[[nodiscard]] UInt64 roaringCombinedCardinality(SetOperation operation, const RoaringSnapshot & a, const RoaringSnapshot & b);
[[nodiscard]] bool roaringEquals(const RoaringSnapshot & a, const RoaringSnapshot & b);

/// Calls f(value) for every value, ascending.
template <typename F>
void forEachValue(const RoaringSnapshot & set, F && f)
{
    for (RoaringCursor i = set.cursor(); i.valid(); i.next())
    {
        const UInt64 base = i.key() << 16;
        forEachValue(i.container(), [&](UInt16 low) { f(base | low); });
    }
}

}
