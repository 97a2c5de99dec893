#pragma once

#include "RoaringBitmap.h"
#include "RoaringLimits.h"

#include <span>
#include <vector>

/** Sets as plain arrays of values and as dense bits.
  *
  * Errors: MEMORY_LIMIT_EXCEEDED, before anything is allocated, when the result would be larger than `max_bytes`; ARGUMENT_OUT_OF_BOUND
  * when a value does not fit 32 bits.
  */
namespace DB::inline statewire
{

/// All values, ascending.
[[nodiscard]] std::vector<UInt64> roaringToArray(const RoaringSnapshot & set, UInt64 max_bytes = DEFAULT_MAX_EXPANSION_BYTES);
[[nodiscard]] std::vector<UInt32> roaringToArray32(const RoaringSnapshot & set, UInt64 max_bytes = DEFAULT_MAX_EXPANSION_BYTES);

/// Bit i % 64 of word i / 64 says whether i is in the set; as many words as the largest value needs.
[[nodiscard]] std::vector<UInt64> roaringToBits(const RoaringSnapshot & set, UInt64 max_bytes = DEFAULT_MAX_EXPANSION_BYTES);
[[nodiscard]] RoaringBitmap roaringFromBits(std::span<const UInt64> words);

}
