#include "Block.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

namespace DB::inline statewire
{

void Block::insert(ColumnWithTypeAndName column)
{
    if (!data.empty() && column.column->size() != rows())
        throwError(
            ErrorCodes::LOGICAL_ERROR,
            concat("Cannot put column ", quoteName(column.name), " of ", column.column->size(), " rows into a block of ", rows(), " rows"));
    data.push_back(std::move(column));
}

const ColumnWithTypeAndName * Block::findByName(std::string_view name) const noexcept
{
    for (const ColumnWithTypeAndName & column : data)
        if (column.name == name)
            return &column;
    return nullptr;
}

NamesAndTypes Block::getNamesAndTypes() const
{
    NamesAndTypes result;
    result.reserve(data.size());
    for (const ColumnWithTypeAndName & column : data)
        result.push_back({column.name, column.type});
    return result;
}

}
