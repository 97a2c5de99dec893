#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace statewire_tests
{

/// The lines of a text without their ends; the last one needs none.
inline std::vector<std::string> linesOf(const std::string & text)
{
    std::vector<std::string> result;
    for (size_t pos = 0; pos < text.size();)
    {
        const size_t end = std::min(text.find('\n', pos), text.size());
        result.push_back(text.substr(pos, end - pos));
        pos = end + 1;
    }
    return result;
}

}
