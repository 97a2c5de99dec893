#include "errorText.h"

#include "../base/asciiCase.h"
#include "../base/types.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace DB::inline statewire
{

namespace
{
/// Enough to recognize a value, short enough for one line.
constexpr size_t QUOTED_BYTES = 64;
/// Longer names are no misspelling of ours, and edit distance is quadratic.
constexpr size_t LONGEST_NAME_TO_COMPARE = 64;
constexpr size_t HINTS = 3;

/// Levenshtein's distance, case aside.
size_t editDistance(std::string_view left, std::string_view right)
{
    std::vector<size_t> row(right.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 0; i < left.size(); ++i)
    {
        size_t diagonal = std::exchange(row[0], i + 1);
        for (size_t j = 0; j < right.size(); ++j)
        {
            const size_t replaced = diagonal + (toLowerASCII(left[i]) == toLowerASCII(right[j]) ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}
}

std::string quoteForError(std::string_view text)
{
    static constexpr char DIGITS[] = "0123456789ABCDEF";
    std::string result = "'";
    for (const char c : text.substr(0, QUOTED_BYTES))
    {
        if (c >= ' ' && c <= '~')
        {
            result += c;
            continue;
        }
        result += "\\x";
        result += DIGITS[static_cast<UInt8>(c) >> 4];
        result += DIGITS[static_cast<UInt8>(c) & 15];
    }
    result += text.size() > QUOTED_BYTES ? "'..." : "'";
    return result;
}

std::string nearNamesHint(std::string_view name, const std::vector<std::string> & candidates)
{
    if (name.size() > LONGEST_NAME_TO_COMPARE)
        return {};
    std::vector<std::pair<size_t, std::string_view>> near;
    for (const std::string & candidate : candidates)
    {
        const size_t distance = editDistance(name, candidate);
        if (distance <= 1 + candidate.size() / 4)
            near.emplace_back(distance, candidate);
    }
    std::sort(near.begin(), near.end());
    near.resize(std::min(near.size(), HINTS));

    std::string result;
    for (const auto & [distance, candidate] : near)
    {
        result += result.empty() ? ". Maybe you meant: '" : ", '";
        result += candidate;
        result += '\'';
    }
    return result;
}

}
