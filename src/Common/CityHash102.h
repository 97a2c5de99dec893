#pragma once

#include "../base/types.h"

#include <string_view>

namespace DB::inline statewire
{

/// A 128-bit hash value. Ordered nowhere; printed high half first, stored low half first.
struct UInt128Hash
{
    UInt64 low = 0;
    UInt64 high = 0;

    bool operator==(const UInt128Hash &) const = default;
};

/** CityHash128 of CityHash version 1.0.2, the checksum of ClickHouse's compressed frames and part files. Frozen: version 1.1 and later
  * give other values. Independent of the host's byte order. Not for adversarial use.
  * Source of the algorithm: CityHash 1.0.2 (G. Pike, J. Alakuijala; MIT licence), as documented in docs/compressed_frame_format.md.
  */
[[nodiscard]] UInt128Hash cityHash128(std::string_view bytes) noexcept;
[[nodiscard]] UInt128Hash cityHash128WithSeed(std::string_view bytes, UInt128Hash seed) noexcept;
/// The hash of `head` followed by `tail`, which need not lie together. head has at most 16 bytes: the function turns the first 16 into a seed.
[[nodiscard]] UInt128Hash cityHash128(std::string_view head, std::string_view tail) noexcept;

}
