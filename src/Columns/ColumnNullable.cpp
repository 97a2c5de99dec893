#include "ColumnNullable.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

namespace DB::inline statewire
{

void ColumnNullable::insertFrom(const IColumn & source, size_t row)
{
    const auto & from = static_cast<const ColumnNullable &>(source);
    if (from.isNullAt(row))
        insertDefault();
    else
        insertNotNull([&](IColumn & values) { values.insertFrom(*from.nested, row); });
}

void ColumnNullable::insertDefault()
{
    insertNotNull([](IColumn & values) { values.insertDefault(); });
    null_map.back() = 1;
}

void ColumnNullable::popBack(size_t n) noexcept
{
    null_map.resize(null_map.size() - n);
    nested->popBack(n);
}

int ColumnNullable::compareAt(size_t row, const IColumn & other, size_t other_row) const
{
    const auto & right = static_cast<const ColumnNullable &>(other);
    if (isNullAt(row) || right.isNullAt(other_row))
        return static_cast<int>(isNullAt(row)) - static_cast<int>(right.isNullAt(other_row));
    return nested->compareAt(row, *right.nested, other_row);
}

std::string_view ColumnNullable::getDataAt(size_t) const
{
    throwError(ErrorCodes::NOT_IMPLEMENTED, "A Nullable value has no bytes in one piece");
}

}
