#pragma once

#include "../base/types.h"

#include <cstddef>
#include <string>
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

/// 32 lower-case digits.
[[nodiscard]] std::string toHex(UInt128Hash hash);

/** CityHash128 of CityHash version 1.0.2, the checksum of ClickHouse's compressed frames and part files. Frozen: version 1.1 and later
  * give other values. Independent of the host's byte order. Not for adversarial use.
  * Source of the algorithm: CityHash 1.0.2 (G. Pike, J. Alakuijala; MIT licence), as documented in docs/compressed_frame_format.md.
  */
[[nodiscard]] UInt128Hash cityHash128(std::string_view bytes) noexcept;
[[nodiscard]] UInt128Hash cityHash128WithSeed(std::string_view bytes, UInt128Hash seed) noexcept;
/** The same hash step by step, for whoever hashes many variants of the same bytes and wants to start behind what they share. For at least
  * 128 bytes, [begin, end):
  *     state = cityHash128Begin(begin, size, seed), then cityHash128Mix for every whole block of 128 bytes, then cityHash128End(state, end, rest)
  * where rest = size % 128. Begin looks at the first 96 bytes; End at the rest and, when that is no multiple of 32, up to 31 bytes before it.
  */
struct CityHash128State
{
    UInt64 x;
    UInt64 y;
    UInt64 z;
    UInt64 v_first;
    UInt64 v_second;
    UInt64 w_first;
    UInt64 w_second;
};
inline constexpr size_t CITY_HASH_BLOCK = 128;
/// What cityHash128 makes of the first 16 bytes; the hash of at least 16 bytes is that of the others with this seed.
[[nodiscard]] UInt128Hash cityHash128Seed(std::string_view bytes) noexcept;
[[nodiscard]] CityHash128State cityHash128Begin(const char * begin, size_t size, UInt128Hash seed) noexcept;
void cityHash128Mix(CityHash128State & state, const char * begin, size_t blocks) noexcept;
[[nodiscard]] UInt128Hash cityHash128End(CityHash128State state, const char * end, size_t rest) noexcept;

/// The hash of `head` followed by `tail`, which need not lie together. head has at most 16 bytes: the function turns the first 16 into a seed.
[[nodiscard]] UInt128Hash cityHash128(std::string_view head, std::string_view tail) noexcept;

}
