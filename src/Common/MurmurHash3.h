#pragma once

#include "../base/types.h"

#include <string_view>

namespace DB::inline statewire
{

/** The first 64 bits (h1) of MurmurHash3 x64-128, with both lanes seeded by the same 64-bit seed, as Apache DataSketches hashes.
  * Frozen. Independent of the host's byte order. Source of the algorithm: MurmurHash3 (A. Appleby, public domain).
  */
[[nodiscard]] UInt64 murmurHash3X64First(std::string_view bytes, UInt64 seed) noexcept;

}
