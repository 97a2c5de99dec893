#pragma once

#include "IDataType.h"

#include <string_view>

/** The names of types that stand alone, and what is said of names that are none. */
namespace DB::inline statewire
{

/// The type of a name without arguments, such as UInt8 or Date; null for other names.
[[nodiscard]] DataTypePtr tryMakeSimpleType(std::string_view name);

/// NOT_IMPLEMENTED for a type of ClickHouse that is not here, UNKNOWN_TYPE with the nearest names for any other. `position` is in a type name.
[[noreturn]] void throwUnknownType(std::string_view name, size_t position);

}
