#include "ColumnTuple.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

namespace DB::inline statewire
{

void ColumnTuple::truncate(size_t rows) noexcept
{
    for (const MutableColumnPtr & element : elements)
        if (element->size() > rows)
            element->popBack(element->size() - rows);
}

MutableColumnPtr ColumnTuple::cloneEmpty() const
{
    std::vector<MutableColumnPtr> empty;
    for (const MutableColumnPtr & element : elements)
        empty.push_back(element->cloneEmpty());
    return std::make_unique<ColumnTuple>(std::move(empty));
}

void ColumnTuple::insertFrom(const IColumn & source, size_t row)
{
    const auto & from = static_cast<const ColumnTuple &>(source);
    appendToEach([&](IColumn & column, size_t i) { column.insertFrom(*from.elements[i], row); });
}

void ColumnTuple::insertDefault()
{
    appendToEach([](IColumn & column, size_t) { column.insertDefault(); });
}

int ColumnTuple::compareAt(size_t row, const IColumn & other, size_t other_row) const
{
    const auto & right = static_cast<const ColumnTuple &>(other);
    for (size_t i = 0; i < elements.size(); ++i)
        if (const int order = elements[i]->compareAt(row, *right.elements[i], other_row))
            return order;
    return 0;
}

size_t ColumnTuple::byteSize() const noexcept
{
    size_t bytes = 0;
    for (const MutableColumnPtr & element : elements)
        bytes += element->byteSize();
    return bytes;
}

std::string_view ColumnTuple::getDataAt(size_t) const { throwError(ErrorCodes::NOT_IMPLEMENTED, "A tuple cannot be a key"); }

}
