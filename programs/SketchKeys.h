#pragma once

#include <statewire/DataTypes/IDataType.h>

#include <optional>
#include <string>
#include <string_view>

/** Keys of count-min sketches: the bytes that are hashed, and what a person writes for them. */
namespace statewire_program
{

/// The bytes of a key that was given to --estimate: `u8:N` to `i64:N`, `hex:H`, or a literal of the key type; without one a string. A string may be
/// quoted, as in a query, or bare. `key_size` 0: of any size.
/// Errors: what the literal is refused for, and BAD_ARGUMENTS for another size, with the option's text.
[[nodiscard]] std::string givenSketchKey(std::string_view text, const std::optional<DB::TypeIndex> & key_type, DB::UInt64 key_size);

/// A number as it is printed, a string in quotes.
[[nodiscard]] std::string sketchKeyText(std::string_view key, DB::TypeIndex key_type);

}
