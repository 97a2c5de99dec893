#include "IDataType.h"

namespace DB::inline statewire
{

void IDataType::serializeBinaryBulk(const IColumn & column, WriteBuffer & out, size_t begin, size_t rows) const
{
    for (size_t row = begin; row < begin + rows; ++row)
        serializeBinary(column, row, out);
}

void IDataType::deserializeBinaryBulk(IColumn & column, ReadBuffer & in, size_t rows) const
{
    const size_t size_before = column.size();
    try
    {
        for (size_t i = 0; i < rows; ++i)
            deserializeBinary(column, in);
    }
    catch (...)
    {
        column.popBack(column.size() - size_before);
        throw;
    }
}

void IDataType::serializeTextQuoted(const IColumn & column, size_t row, WriteBuffer & out) const
{
    serializeTextEscaped(column, row, out);
}

}
