#pragma once

#include <string>
#include <string_view>

/** The way back from IO/WriteEscaped.h. Besides what is written there, readers take the other escapes that ClickHouse takes:
  * \a \v \e \" \` \/ \= and \xHH. Anything else behind a backslash, or nothing, is CANNOT_PARSE_ESCAPE_SEQUENCE with the offset in the
  * text; so is \N, because no type here has NULL.
  */
namespace DB::inline statewire
{

/// Appends what the escaped `field` stands for. When it throws, `to` may have been appended to.
void readEscapedString(std::string & to, std::string_view field);

/// Reads a string in single quotes from the front of [pos, end), appends what it stands for and moves `pos` behind the closing quote.
/// CANNOT_PARSE_INPUT_ASSERTION_FAILED when there is no opening or no closing quote. When it throws, `pos` is where it was.
void readQuotedString(std::string & to, const char *& pos, const char * end);

}
