#include "SortedTable.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/throwError.h>

#include <algorithm>

using namespace DB;

namespace statewire_program
{

namespace
{
InputOptions withFile(InputOptions options, const std::string & path)
{
    options.files = {path};
    return options;
}
}

SortedTable::SortedTable(InputOptions options_, std::string path_, bool sort_)
    : options(withFile(std::move(options_), path_)), path(std::move(path_)), sort(sort_), reader(options, "Native")
{
}

void SortedTable::start(const std::vector<std::string> & key_names)
{
    for (const std::string & name : key_names)
    {
        const auto position = findName(getStructure(), name);
        if (!position)
            throwError(ErrorCodes::UNKNOWN_IDENTIFIER, concat("There is no column ", quoteName(name), " in ", inputName(path)));
        keys.push_back(*position);
    }
    if (sort)
        readAllSorted();
    next();
}

bool SortedTable::readRow(Row & to)
{
    if (!current_block || next_row == current_block->rows())
    {
        auto block = std::make_shared<Block>();
        if (!reader.read(*block))
            return false;
        current_block = std::move(block);
        next_row = 0;
    }
    to = {current_block, next_row++};
    return true;
}

void SortedTable::readAllSorted()
{
    Row read;
    while (readRow(read))
        sorted.push_back(read);
    std::stable_sort(sorted.begin(), sorted.end(), [&](const Row & left, const Row & right) { return compare(left, right) < 0; });
}

int SortedTable::compare(const Row & left, const Row & right) const
{
    for (const size_t column : keys)
    {
        const int order
            = left.block->getByPosition(column).column->compareAt(left.row, *right.block->getByPosition(column).column, right.row);
        if (order != 0)
            return order;
    }
    return 0;
}

void SortedTable::next()
{
    Row found;
    const bool any = sort ? next_sorted < sorted.size() : readRow(found);
    if (any && sort)
        found = std::move(sorted[next_sorted++]);
    if (any && row)
    {
        const int order = compare(*row, found);
        if (order == 0)
            throwError(
                ErrorCodes::INCORRECT_DATA,
                concat("Row ", rows + 1, " of ", inputName(path), " has the keys of the row before: merge the file first"));
        if (order > 0)
            throwError(
                ErrorCodes::INCORRECT_DATA,
                concat("Row ", rows + 1, " of ", inputName(path), " is out of order: sort the file by its keys, or give --sort"));
    }
    row = any ? std::make_unique<Row>(std::move(found)) : nullptr;
    rows += any;
}

int SortedTable::compareKeys(const SortedTable & other) const
{
    for (size_t i = 0; i < keys.size(); ++i)
        if (const int order = key(i).compareAt(rowInBlock(), other.key(i), other.rowInBlock()); order != 0)
            return order;
    return 0;
}

}
