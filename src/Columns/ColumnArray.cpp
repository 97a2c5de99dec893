#include "ColumnArray.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

#include <algorithm>

namespace DB::inline statewire
{

void ColumnArray::insertFrom(const IColumn & source, size_t row)
{
    const auto & from = static_cast<const ColumnArray &>(source);
    const UInt64 begin = from.offsetAt(row);
    const UInt64 end_of_row = from.offsets[row];
    try
    {
        for (UInt64 i = begin; i < end_of_row; ++i)
            nested->insertFrom(*from.nested, i);
        closeRow();
    }
    catch (...)
    {
        dropOpenRow();
        throw;
    }
}

void ColumnArray::popBack(size_t n) noexcept
{
    offsets.resize(offsets.size() - n);
    dropOpenRow();
}

int ColumnArray::compareAt(size_t row, const IColumn & other, size_t other_row) const
{
    const auto & right = static_cast<const ColumnArray &>(other);
    const UInt64 left_size = sizeAt(row);
    const UInt64 right_size = right.sizeAt(other_row);
    for (UInt64 i = 0; i < std::min(left_size, right_size); ++i)
        if (const int order = nested->compareAt(offsetAt(row) + i, *right.nested, right.offsetAt(other_row) + i))
            return order;
    return left_size < right_size ? -1 : (left_size > right_size ? 1 : 0);
}

std::string_view ColumnArray::getDataAt(size_t) const
{
    throwError(ErrorCodes::NOT_IMPLEMENTED, "An array cannot be a key");
}

}
