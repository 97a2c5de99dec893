#pragma once

#include "../CountMin/CountMinParameters.h"
#include "../IO/ZeroCopyReader.h"
#include "../base/types.h"

#include <string_view>

/** The first byte of a serialized state over count-min sketches: 0 small, 1 and 2 tables by the scheme of their row seeds, and 16 more for each step
  * of CountMinOption.
  */
namespace DB::inline statewire
{

inline constexpr UInt8 COUNT_MIN_KIND_SMALL = 0;
inline constexpr UInt8 COUNT_MIN_KIND_LAST_TABLE = 2;
inline constexpr UInt8 COUNT_MIN_KINDS_OF_AN_OPTION = 16;
/// The largest small state whose table is not smaller still; part of the formats.
inline constexpr UInt64 COUNT_MIN_MAX_SMALL_BYTES = 4096;

[[nodiscard]] UInt8 countMinSmallKind(const CountMinParameters & parameters) noexcept;
[[nodiscard]] UInt8 countMinTableKind(const CountMinParameters & parameters) noexcept;

/// Reads the kind and says whether it is the small one. Behind the kind of a table comes its size, for which the parameters leave one choice.
/// INCORRECT_DATA for any other kind or size.
[[nodiscard]] bool readCountMinKindIsSmall(ZeroCopyReader & reader, const CountMinParameters & parameters, UInt64 table_size);

/// Passes over a state, up to what is behind its entries or its table, and says whether it is small. Checks only what is needed to find its end.
/// Errors as above.
bool skipCountMinState(ZeroCopyReader & reader);

[[noreturn]] void throwIncorrectCountMinState(UInt64 offset, std::string_view text);

}
