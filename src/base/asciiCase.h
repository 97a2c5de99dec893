#pragma once

#include <algorithm>
#include <string_view>

namespace DB::inline statewire
{

/// Letters A to Z alone have two cases here, whatever the locale.
constexpr char toLowerASCII(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

[[nodiscard]] constexpr bool equalsIgnoringCase(std::string_view a, std::string_view b) noexcept
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return toLowerASCII(x) == toLowerASCII(y); });
}

}
