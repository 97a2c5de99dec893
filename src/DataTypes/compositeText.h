#pragma once

#include <string_view>

/** What the text forms of types made of others, arrays and tuples, share. */
namespace DB::inline statewire
{

void skipSpaces(const char *& pos, const char * end) noexcept;

/// Takes `c` from the front, or CANNOT_PARSE_INPUT_ASSERTION_FAILED saying that `expected` was. `what` is such as "an array"; the offset counts
/// from `start`.
void takeCharacter(char c, std::string_view what, std::string_view expected, const char * start, const char *& pos, const char * end);

[[noreturn]] void
throwExpectedText(std::string_view what, std::string_view expected, const char * start, const char * pos, const char * end);

}
