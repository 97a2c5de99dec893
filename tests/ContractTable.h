#pragma once

#include "Vectors.h"

#include <string>
#include <vector>

namespace statewire_tests
{

/// A row of a table in docs/buffer_contract.md.
struct ContractRow
{
    std::string state;
    std::string call;
    std::string effect;
    std::string state_after;

    [[nodiscard]] std::string text() const { return state + " | " + call + " | " + effect + " | " + state_after; }
};

/// The rows of the table with four columns in one section of the document.
inline std::vector<ContractRow> readContract(const std::string & section)
{
    const std::string document = readFile(dataDirectory() / ".." / ".." / "docs" / "buffer_contract.md");
    std::vector<ContractRow> rows;
    bool inside = false;
    for (size_t begin = 0; begin < document.size();)
    {
        size_t end = document.find('\n', begin);
        end = end == std::string::npos ? document.size() : end;
        const std::string line = document.substr(begin, end - begin);
        begin = end + 1;
        if (line.starts_with("## "))
            inside = line == "## " + section;
        else if (line.starts_with("### "))
            inside = false;
        if (!inside || !line.starts_with("| "))
            continue;
        std::vector<std::string> cells;
        for (size_t at = 1; at < line.size();)
        {
            const size_t bar = line.find('|', at);
            if (bar == std::string::npos)
                break;
            const std::string cell = line.substr(at, bar - at);
            const size_t first = cell.find_first_not_of(' ');
            cells.push_back(first == std::string::npos ? "" : cell.substr(first, cell.find_last_not_of(' ') - first + 1));
            at = bar + 1;
        }
        if (cells.size() == 4 && cells[0] != "State")
            rows.push_back({cells[0], cells[1], cells[2], cells[3]});
    }
    return rows;
}

}
