#pragma once

#include "RoaringBitmap.h"

#include <optional>

/** Questions about one or two sets, each an owner or a view. Sets are only read; nothing is built.
  *
  * Ranges are closed, [first, last]; a range whose first is above its last is empty. Cost: one pass over the containers in question at
  * most; whatever asks a view many times builds a RoaringDirectory.
  */
namespace DB::inline statewire
{

/// Values that are at most `value`.
[[nodiscard]] UInt64 roaringRank(const RoaringSnapshot & set, UInt64 value);
/// The value that has `index` smaller ones in the set.
[[nodiscard]] std::optional<UInt64> roaringSelect(const RoaringSnapshot & set, UInt64 index);
/// The number of smaller values, if `value` is in the set: the inverse of select.
[[nodiscard]] std::optional<UInt64> roaringIndex(const RoaringSnapshot & set, UInt64 value);

[[nodiscard]] std::optional<UInt64> roaringMinimum(const RoaringSnapshot & set);
[[nodiscard]] std::optional<UInt64> roaringMaximum(const RoaringSnapshot & set);
/// The smallest value not below `from`, the largest not above it.
[[nodiscard]] std::optional<UInt64> roaringNext(const RoaringSnapshot & set, UInt64 from);
[[nodiscard]] std::optional<UInt64> roaringPrevious(const RoaringSnapshot & set, UInt64 from);
/// The same for numbers that are not in the set.
[[nodiscard]] std::optional<UInt64> roaringNextAbsent(const RoaringSnapshot & set, UInt64 from);
[[nodiscard]] std::optional<UInt64> roaringPreviousAbsent(const RoaringSnapshot & set, UInt64 from);

/// True when every value of the range is in the set; also for the empty range.
[[nodiscard]] bool roaringContainsRange(const RoaringSnapshot & set, UInt64 first, UInt64 last);
[[nodiscard]] bool roaringIntersectsRange(const RoaringSnapshot & set, UInt64 first, UInt64 last);
[[nodiscard]] UInt64 roaringRangeCardinality(const RoaringSnapshot & set, UInt64 first, UInt64 last);

[[nodiscard]] bool roaringIntersects(const RoaringSnapshot & a, const RoaringSnapshot & b);
/// True when b holds every value of a.
[[nodiscard]] bool roaringIsSubset(const RoaringSnapshot & a, const RoaringSnapshot & b);
[[nodiscard]] bool roaringIsStrictSubset(const RoaringSnapshot & a, const RoaringSnapshot & b);
/// |a and b| / |a or b|; 1 for two empty sets, which are equal.
[[nodiscard]] double roaringJaccard(const RoaringSnapshot & a, const RoaringSnapshot & b);

}
