#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace DB::inline statewire
{

/** The text as a terminal may show it: printable ASCII and valid UTF-8 as they are, every other byte as \xHH; cut at `max_width` columns, with
 * a mark (⋯) for what is missing. `width` becomes the number of columns that the result takes: two for wide East Asian characters, none for
 * combining marks.
 */
[[nodiscard]] std::string visibleText(std::string_view text, size_t max_width, size_t & width);

}
