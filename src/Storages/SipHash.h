#pragma once

#include "../Common/CityHash102.h"

#include <string_view>

namespace DB::inline statewire
{

/** SipHash-2-4 with the key 0 and ClickHouse's 128 bits: the four words of the finished state, taken together two by two. Not the 128-bit
  * variant of the SipHash paper. Frozen. Independent of the host's byte order.
  * Source of the algorithm: SipHash (J.-P. Aumasson, D. J. Bernstein; CC0).
  */
[[nodiscard]] UInt128Hash sipHash128(std::string_view bytes) noexcept;

}
