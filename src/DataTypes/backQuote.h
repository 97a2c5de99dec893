#pragma once

#include <string>
#include <string_view>

namespace DB::inline statewire
{

/// A name as ClickHouse prints it in types and queries: bare when it is a word, otherwise between backquotes, with escapes.
[[nodiscard]] std::string backQuoteIfNeed(std::string_view name);

}
