#include "ColumnString.h"

namespace DB::inline statewire
{

void ColumnString::insert(std::string_view value)
{
    chars.append(value);
    try
    {
        closeRow();
    }
    catch (...)
    {
        dropOpenRow();
        throw;
    }
}

void ColumnString::closeRow()
{
    offsets.push_back(chars.size());
}

void ColumnString::popBack(size_t n) noexcept
{
    offsets.resize(offsets.size() - n);
    dropOpenRow();
}

int ColumnString::compareAt(size_t row, const IColumn & other, size_t other_row) const
{
    const int order = (*this)[row].compare(static_cast<const ColumnString &>(other)[other_row]);
    return order < 0 ? -1 : (order > 0 ? 1 : 0);
}

}
