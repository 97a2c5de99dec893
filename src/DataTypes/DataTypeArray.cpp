#include "DataTypeArray.h"

#include "../Columns/ColumnArray.h"
#include "../Columns/ColumnVector.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../IO/VarInt.h"
#include "DataTypeNumber.h"
#include "compositeText.h"

namespace DB::inline statewire
{

namespace
{
/// Lets `fill` append the elements of one row; on an exception the column is as it was.
template <typename Fill>
void appendRow(ColumnArray & column, Fill && fill)
{
    try
    {
        fill(column.getData());
        column.closeRow();
    }
    catch (...)
    {
        column.dropOpenRow();
        throw;
    }
}

constexpr std::string_view WHAT = "an array";
}

MutableColumnPtr DataTypeArray::createColumn() const
{
    return std::make_unique<ColumnArray>(nested->createColumn());
}

bool DataTypeArray::equals(const IDataType & other) const
{
    return other.getTypeId() == TypeIndex::Array && nested->equals(*static_cast<const DataTypeArray &>(other).nested);
}

void DataTypeArray::serializeBinary(const IColumn & column, size_t row, WriteBuffer & out) const
{
    const auto & arrays = static_cast<const ColumnArray &>(column);
    writeVarUInt(arrays.sizeAt(row), out);
    for (UInt64 i = arrays.offsetAt(row); i < arrays.getOffsets()[row]; ++i)
        nested->serializeBinary(arrays.getData(), i, out);
}

void DataTypeArray::deserializeBinary(IColumn & column, ReadBuffer & in) const
{
    UInt64 size = 0;
    readVarUInt(size, in);
    if (size > MAX_SIZE)
        throwError(
            ErrorCodes::TOO_LARGE_ARRAY_SIZE,
            concat("An array of ", size, " elements is larger than the limit of ", MAX_SIZE, " elements"));
    appendRow(static_cast<ColumnArray &>(column), [&](IColumn & elements) {
        for (UInt64 i = 0; i < size; ++i)
            nested->deserializeBinary(elements, in);
    });
}

void DataTypeArray::serializeBinaryBulk(const IColumn & column, WriteBuffer & out, size_t begin, size_t rows) const
{
    const auto & arrays = static_cast<const ColumnArray &>(column);
    if (rows == 0)
        return;
    const UInt64 first = arrays.offsetAt(begin);
    const UInt64 last = arrays.getOffsets()[begin + rows - 1];
    ColumnUInt64 ends;
    for (size_t row = begin; row < begin + rows; ++row)
        ends.getData().push_back(arrays.getOffsets()[row] - first);
    DataTypeUInt64().serializeBinaryBulk(ends, out, 0, rows);
    nested->serializeBinaryBulk(arrays.getData(), out, first, last - first);
}

void DataTypeArray::deserializeBinaryBulk(IColumn & column, ReadBuffer & in, size_t rows) const
{
    auto & arrays = static_cast<ColumnArray &>(column);
    if (rows == 0)
        return;
    ColumnUInt64 ends;
    DataTypeUInt64().deserializeBinaryBulk(ends, in, rows);
    UInt64 previous = 0;
    for (const UInt64 end : ends.getData())
    {
        if (end < previous)
            throwError(ErrorCodes::INCORRECT_DATA, concat("Array offsets are not ascending: ", end, " behind ", previous));
        if (end - previous > MAX_SIZE)
            throwError(
                ErrorCodes::TOO_LARGE_ARRAY_SIZE,
                concat("An array of ", end - previous, " elements is larger than the limit of ", MAX_SIZE, " elements"));
        previous = end;
    }

    const size_t size_before = arrays.size();
    const UInt64 base = arrays.getData().size();
    nested->deserializeBinaryBulk(arrays.getData(), in, previous);
    try
    {
        for (const UInt64 end : ends.getData())
            arrays.getOffsets().push_back(base + end);
    }
    catch (...)
    {
        arrays.popBack(arrays.size() - size_before);
        throw;
    }
}

void DataTypeArray::serializeTextEscaped(const IColumn & column, size_t row, WriteBuffer & out) const
{
    const auto & arrays = static_cast<const ColumnArray &>(column);
    out.write('[');
    for (UInt64 i = arrays.offsetAt(row); i < arrays.getOffsets()[row]; ++i)
    {
        if (i != arrays.offsetAt(row))
            out.write(',');
        nested->serializeTextQuoted(arrays.getData(), i, out);
    }
    out.write(']');
}

void DataTypeArray::deserializeTextEscaped(IColumn & column, std::string_view text) const
{
    const char * pos = text.data();
    const char * const end = pos + text.size();
    const size_t size_before = column.size();
    deserializeTextQuoted(column, pos, end);
    if (pos != end)
    {
        column.popBack(column.size() - size_before);
        throwExpectedText(WHAT, "nothing behind the array", text.data(), pos, end);
    }
}

void DataTypeArray::deserializeTextQuoted(IColumn & column, const char *& pos, const char * end) const
{
    const char * const start = pos;
    const char * at = pos;
    appendRow(static_cast<ColumnArray &>(column), [&](IColumn & elements) {
        takeCharacter('[', WHAT, "'['", start, at, end);
        skipSpaces(at, end);
        for (bool first = true; at == end || *at != ']'; first = false)
        {
            if (!first)
            {
                takeCharacter(',', WHAT, "',' or ']'", start, at, end);
                skipSpaces(at, end);
            }
            if (at == end)
                throwExpectedText(WHAT, "an element", start, at, end);
            nested->deserializeTextQuoted(elements, at, end);
            skipSpaces(at, end);
        }
        ++at;
    });
    pos = at;
}

}
