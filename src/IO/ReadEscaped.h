#pragma once

#include <string>
#include <string_view>

/** The way back from IO/WriteEscaped.h. Besides what is written there, readers take what ClickHouse takes: \a \v \e \" \` \/ \= and \xHH,
  * and a backslash before any other control character (a line feed, say) stands for that character. Before anything else the backslash
  * stands for itself, so `\d` is two bytes. Stricter than ClickHouse: a text that ends with a backslash, \x without two hexadecimal digits
  * and \N (NULL, which readers look for themselves) are CANNOT_PARSE_ESCAPE_SEQUENCE with the offset in the text.
  */
namespace DB::inline statewire
{

/// Appends what the escaped `field` stands for. When it throws, `to` may have been appended to.
void readEscapedString(std::string & to, std::string_view field);

/// Reads a string in single quotes from the front of [pos, end), appends what it stands for and moves `pos` behind the closing quote. Two
/// quotes in it stand for one.
/// CANNOT_PARSE_INPUT_ASSERTION_FAILED when there is no opening or no closing quote. When it throws, `pos` is where it was.
void readQuotedString(std::string & to, const char *& pos, const char * end);

}
