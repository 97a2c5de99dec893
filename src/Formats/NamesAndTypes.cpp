#include "NamesAndTypes.h"

#include <algorithm>

namespace DB::inline statewire
{

std::optional<size_t> findName(const NamesAndTypes & columns, std::string_view name) noexcept
{
    for (size_t i = 0; i < columns.size(); ++i)
        if (columns[i].name == name)
            return i;
    return std::nullopt;
}

bool equalStructures(const NamesAndTypes & left, const NamesAndTypes & right)
{
    return std::equal(left.begin(), left.end(), right.begin(), right.end(), [](const NameAndType & a, const NameAndType & b) {
        return a.name == b.name && a.type->equals(*b.type);
    });
}

std::string quoteName(std::string_view name)
{
    constexpr size_t LIMIT = 64;
    constexpr char HEX[] = "0123456789ABCDEF";
    std::string result = "'";
    for (const char c : name.substr(0, LIMIT))
    {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte != 0x7f)
        {
            result += c;
            continue;
        }
        result += "\\x";
        result += HEX[byte >> 4];
        result += HEX[byte & 15];
    }
    result += name.size() > LIMIT ? "...'" : "'";
    return result;
}

}
