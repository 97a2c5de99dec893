#include "QueryError.h"

#include <algorithm>

namespace DB::inline statewire
{

namespace
{
/// Bytes of the line on either side of the place; more would wrap in a terminal, and then the caret points nowhere.
constexpr size_t SHOWN_BEFORE = 60;
constexpr size_t SHOWN_AFTER = 40;

bool isInsideCharacter(char c) noexcept { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }
}

void QueryError::showIn(std::string_view text)
{
    if (!shown.empty())
        return;
    const size_t at = std::min(place, text.size());
    const size_t line_feed = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
    size_t begin = line_feed == std::string_view::npos ? 0 : line_feed + 1;
    size_t end = std::min(text.find('\n', at), text.size());
    if (at - begin > SHOWN_BEFORE)
        begin = at - SHOWN_BEFORE;
    end = std::min(end, at + SHOWN_AFTER);
    while (begin < at && isInsideCharacter(text[begin]))
        ++begin;
    while (end > at && end < text.size() && isInsideCharacter(text[end]))
        --end;

    std::string line;
    std::string caret;
    for (size_t i = begin; i < end; ++i)
    {
        const bool control = static_cast<unsigned char>(text[i]) < ' ';
        line += control ? ' ' : text[i];
        if (i < at && !isInsideCharacter(text[i]))
            caret += ' ';
    }
    shown = line + '\n' + caret + '^';
}

}
