#include "backQuote.h"

#include "../base/asciiCase.h"

#include <algorithm>
#include <iterator>

namespace DB::inline statewire
{

namespace
{
/// Words that ClickHouse quotes, in any case, since they would be read as something else.
constexpr std::string_view RESERVED[] = {"all", "distinct", "from", "null", "select", "table", "values"};

bool isReserved(std::string_view name) noexcept
{
    return std::any_of(std::begin(RESERVED), std::end(RESERVED), [name](std::string_view word) { return equalsIgnoringCase(word, name); });
}

bool isWordPart(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }
}

std::string backQuoteIfNeed(std::string_view name)
{
    const bool starts_with_digit = !name.empty() && name[0] >= '0' && name[0] <= '9';
    if (!name.empty() && !starts_with_digit && std::all_of(name.begin(), name.end(), isWordPart) && !isReserved(name))
        return std::string(name);
    constexpr std::string_view SPECIAL{"`\\\b\f\n\r\t\0", 8};
    constexpr std::string_view LETTERS = "`\\bfnrt0";
    std::string result = "`";
    for (const char c : name)
    {
        if (const size_t special = SPECIAL.find(c); special != std::string_view::npos)
            (result += '\\') += LETTERS[special];
        else
            result += c;
    }
    return result + '`';
}

}
