#include "DataTypeNothing.h"

#include "../Columns/ColumnVector.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "DataTypeNumber.h"

#include <algorithm>

namespace DB::inline statewire
{

namespace
{
[[noreturn]] void throwNoValues()
{
    throwError(ErrorCodes::NOT_IMPLEMENTED, "The type Nothing has no values");
}
}

MutableColumnPtr DataTypeNothing::createColumn() const
{
    return std::make_unique<ColumnUInt8>();
}

void DataTypeNothing::serializeBinary(const IColumn &, size_t, WriteBuffer &) const { throwNoValues(); }
void DataTypeNothing::deserializeBinary(IColumn &, ReadBuffer &) const { throwNoValues(); }
void DataTypeNothing::serializeTextEscaped(const IColumn &, size_t, WriteBuffer &) const { throwNoValues(); }
void DataTypeNothing::deserializeTextEscaped(IColumn &, std::string_view) const { throwNoValues(); }
void DataTypeNothing::deserializeTextQuoted(IColumn &, const char *&, const char *) const { throwNoValues(); }

void DataTypeNothing::serializeBinaryBulk(const IColumn &, WriteBuffer & out, size_t, size_t rows) const
{
    for (size_t row = 0; row < rows; ++row)
        out.write('0');
}

void DataTypeNothing::deserializeBinaryBulk(IColumn & column, ReadBuffer & in, size_t rows) const
{
    DataTypeUInt8().deserializeBinaryBulk(column, in, rows);
    auto & data = static_cast<ColumnUInt8 &>(column).getData();
    std::fill(data.end() - static_cast<std::ptrdiff_t>(rows), data.end(), UInt8{0});
}

}
