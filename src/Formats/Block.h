#pragma once

#include "NamesAndTypes.h"

#include "../Columns/IColumn.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace DB::inline statewire
{

struct ColumnWithTypeAndName
{
    ColumnPtr column;
    DataTypePtr type;
    std::string name;
};

/** A part of a table in memory: columns of one length, each with its name and type. A value; copying shares the columns.
 *
 * Invariant: all columns have the same size. insert() throws LOGICAL_ERROR otherwise. Columns are immutable once they are in a block, so
 * threads may read one block together.
 */
class Block
{
public:
    void insert(ColumnWithTypeAndName column);
    void clear() noexcept { data.clear(); }

    [[nodiscard]] size_t columns() const noexcept { return data.size(); }
    [[nodiscard]] size_t rows() const noexcept { return data.empty() ? 0 : data.front().column->size(); }
    [[nodiscard]] const ColumnWithTypeAndName & getByPosition(size_t i) const { return data[i]; }
    /// nullptr when there is none.
    [[nodiscard]] const ColumnWithTypeAndName * findByName(std::string_view name) const noexcept;
    [[nodiscard]] NamesAndTypes getNamesAndTypes() const;

private:
    std::vector<ColumnWithTypeAndName> data;
};

}
