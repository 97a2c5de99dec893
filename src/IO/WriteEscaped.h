#pragma once

#include "WriteBuffer.h"

#include <string_view>

/** ClickHouse's escaping of byte strings in text formats: \b \f \n \r \t \0 \' and \\ for these eight bytes, every other byte as it is. */
namespace DB::inline statewire
{

/// A TabSeparated field: no tab and no line feed is left in it.
void writeEscapedString(std::string_view value, WriteBuffer & out);
/// The same in single quotes, as inside arrays.
void writeQuotedString(std::string_view value, WriteBuffer & out);

}
