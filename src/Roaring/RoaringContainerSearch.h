#pragma once

#include "RoaringKernels.h"

/** Questions about the order of one container's values. Safe for any payload bytes, as everything about containers. Positions are UInt32,
  * so that CONTAINER_VALUES can mean "none" and arguments may lie behind the last value.
  */
namespace DB::inline statewire
{

/// Values that are at most `value`.
[[nodiscard]] UInt32 containerRank(ContainerView container, UInt16 value) noexcept;
/// The value that has `index` smaller ones; CONTAINER_VALUES when there is none.
[[nodiscard]] UInt32 containerSelect(ContainerView container, UInt32 index) noexcept;
/// The smallest value not below `from`; CONTAINER_VALUES when there is none.
[[nodiscard]] UInt32 containerNext(ContainerView container, UInt32 from) noexcept;
/// The largest value not above `from`; CONTAINER_VALUES when there is none.
[[nodiscard]] UInt32 containerPrevious(ContainerView container, UInt16 from) noexcept;
/// The same for numbers that are not in the container.
[[nodiscard]] UInt32 containerNextAbsent(ContainerView container, UInt32 from) noexcept;
[[nodiscard]] UInt32 containerPreviousAbsent(ContainerView container, UInt16 from) noexcept;
/// Values in [first, last].
[[nodiscard]] UInt32 containerRangeCardinality(ContainerView container, UInt16 first, UInt16 last) noexcept;
/// The values in [first, last].
[[nodiscard]] RoaringContainer containerRange(ContainerView container, UInt16 first, UInt16 last);

}
