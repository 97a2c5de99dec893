#pragma once

#include "IDataType.h"

#include <optional>
#include <string_view>

namespace DB::inline statewire
{

class AggregateFunctionFactory;

/// Deeper nesting than any real type has; it bounds the stack of everything that walks a type.
inline constexpr size_t MAX_TYPE_DEPTH = 64;
/// Longer than any real type name; it bounds the work that a name from a file can cause.
inline constexpr size_t MAX_TYPE_NAME_SIZE = 65536;

/** The type that a name such as `AggregateFunction(countMinSketch(5, 272), String)` stands for; names are case-sensitive, and white space
  * between their parts is free. The whole text must be one type name.
  *
  * Errors, each with the position in the text: SYNTAX_ERROR, UNKNOWN_TYPE (with the nearest names), and what the factory says of an
  * aggregate function (UNKNOWN_AGGREGATE_FUNCTION, ILLEGAL_TYPE_OF_ARGUMENT, ...).
  */
/// `missing_version` is the version of states whose type has versions and names none; without it, the function's default.
[[nodiscard]] DataTypePtr parseDataType(
    std::string_view name, const AggregateFunctionFactory & factory, std::optional<size_t> missing_version = std::nullopt);
/// The same with defaultAggregateFunctionFactory().
[[nodiscard]] DataTypePtr parseDataType(std::string_view name);

}
