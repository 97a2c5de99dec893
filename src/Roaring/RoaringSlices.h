#pragma once

#include "RoaringBitmap.h"

/** New sets cut out of a set, an owner or a view, or moved along the number line. Ranges are closed, [first, last].
  *
  * Results are never larger than the source, so nothing here needs a limit. Cost: the containers that the result has, and finding the
  * first of them.
  */
namespace DB::inline statewire
{

/// The values in [first, last].
[[nodiscard]] RoaringBitmap roaringSubset(const RoaringSnapshot & set, UInt64 first, UInt64 last);
/// The `limit` smallest values that are at least `start`.
[[nodiscard]] RoaringBitmap roaringSubsetLimit(const RoaringSnapshot & set, UInt64 start, UInt64 limit);
/// The values whose index (number of smaller values) is in [offset, offset + limit).
[[nodiscard]] RoaringBitmap roaringSlice(const RoaringSnapshot & set, UInt64 offset, UInt64 limit);
/// Every value moved by `distance`, downwards when `down`; what leaves [0, last] is dropped. 2^32 - 1 keeps a set in the 32-bit formats.
[[nodiscard]] RoaringBitmap roaringShift(const RoaringSnapshot & set, UInt64 distance, bool down = false, UInt64 last = ~UInt64{0});

}
