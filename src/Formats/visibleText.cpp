#include "visibleText.h"

#include "../base/types.h"

#include <algorithm>
#include <cstdio>

namespace DB::inline statewire
{

namespace
{
struct Range
{
    UInt32 first;
    UInt32 last;
};

/// The blocks of Unicode whose characters take two columns, roughly.
constexpr Range WIDE[]
    = {{0x1100, 0x115f},
       {0x2e80, 0xa4cf},
       {0xac00, 0xd7a3},
       {0xf900, 0xfaff},
       {0xfe30, 0xfe6f},
       {0xff00, 0xff60},
       {0xffe0, 0xffe6},
       {0x1f300, 0x1f64f},
       {0x1f900, 0x1f9ff},
       {0x20000, 0x3fffd}};
/// Marks that stand on the character before, and characters without a shape.
constexpr Range ZERO[]
    = {{0x300, 0x36f},
       {0x483, 0x489},
       {0x591, 0x5bd},
       {0x610, 0x61a},
       {0x64b, 0x65f},
       {0x1ab0, 0x1aff},
       {0x1dc0, 0x1dff},
       {0x20d0, 0x20ff},
       {0xfe00, 0xfe0f},
       {0xfe20, 0xfe2f}};
/// What changes the direction or the layout of the text around it.
constexpr Range HIDDEN[] = {{0x80, 0x9f}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}};

template <size_t N>
bool isIn(UInt32 code, const Range (&ranges)[N]) noexcept
{
    return std::any_of(
        std::begin(ranges), std::end(ranges), [=](const Range & range) { return code >= range.first && code <= range.last; });
}

/// Bytes of the well-formed character at the front, and its code; 0 when there is none.
size_t decode(std::string_view text, UInt32 & code) noexcept
{
    const auto first = static_cast<UInt8>(text[0]);
    if (first < 0x80)
    {
        code = first;
        return 1;
    }
    const size_t size = first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xc2 && first < 0xe0 ? 2 : 0;
    if (size == 0 || text.size() < size)
        return 0;
    code = first & (0xffU >> (size + 1));
    for (size_t i = 1; i < size; ++i)
    {
        const auto byte = static_cast<UInt8>(text[i]);
        if ((byte & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (byte & 0x3f);
    }
    const bool overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
    return overlong || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : size;
}
}

std::string visibleText(std::string_view text, size_t max_width, size_t & width)
{
    constexpr std::string_view MARK = "⋯";
    std::string result;
    width = 0;
    while (!text.empty())
    {
        UInt32 code = 0;
        size_t size = decode(text, code);
        size_t columns = 1;
        char escape[5];
        std::string_view shown;
        if (size == 0 || code < 0x20 || code == 0x7f || isIn(code, HIDDEN))
        {
            size = 1;
            columns = 4;
            std::snprintf(escape, sizeof(escape), "\\x%02X", static_cast<unsigned>(static_cast<UInt8>(text[0])));
            shown = {escape, 4};
        }
        else
        {
            columns = isIn(code, ZERO) ? 0 : isIn(code, WIDE) ? 2 : 1;
            shown = text.substr(0, size);
        }
        if (width + columns > max_width)
        {
            ++width;
            return result.append(MARK);
        }
        result += shown;
        width += columns;
        text.remove_prefix(size);
    }
    return result;
}

}
