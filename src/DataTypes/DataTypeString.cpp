#include "DataTypeString.h"

#include "../Columns/ColumnString.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../IO/ReadEscaped.h"
#include "../IO/VarInt.h"
#include "../IO/WriteEscaped.h"

#include <algorithm>

namespace DB::inline statewire
{

namespace
{
/// Lets `fill` append the bytes of one row; on an exception the column is as it was.
template <typename Fill>
void appendRow(IColumn & column, Fill && fill)
{
    auto & strings = static_cast<ColumnString &>(column);
    try
    {
        fill(strings.getChars());
        strings.closeRow();
    }
    catch (...)
    {
        strings.dropOpenRow();
        throw;
    }
}
}

MutableColumnPtr DataTypeString::createColumn() const
{
    return std::make_unique<ColumnString>();
}

void DataTypeString::serializeBinary(const IColumn & column, size_t row, WriteBuffer & out) const
{
    const std::string_view value = static_cast<const ColumnString &>(column)[row];
    writeVarUInt(value.size(), out);
    out.write(value.data(), value.size());
}

void DataTypeString::deserializeBinary(IColumn & column, ReadBuffer & in) const
{
    UInt64 size = 0;
    readVarUInt(size, in);
    if (size > MAX_SIZE)
        throwError(
            ErrorCodes::TOO_LARGE_STRING_SIZE, concat("A string of ", size, " bytes is larger than the limit of ", MAX_SIZE, " bytes"));
    appendRow(column, [&](ColumnString::Chars & chars) {
        for (UInt64 left = size; left != 0;)
        {
            if (in.eof())
                throwError(
                    ErrorCodes::CANNOT_READ_ALL_DATA,
                    concat("Cannot read all data of a string. Bytes read: ", size - left, ". Bytes expected: ", size, "."));
            const auto piece = static_cast<size_t>(std::min<UInt64>(left, in.available()));
            chars.append(in.position(), piece);
            in.position() += piece;
            left -= piece;
        }
    });
}

void DataTypeString::serializeTextEscaped(const IColumn & column, size_t row, WriteBuffer & out) const
{
    writeEscapedString(static_cast<const ColumnString &>(column)[row], out);
}

void DataTypeString::deserializeTextEscaped(IColumn & column, std::string_view text) const
{
    appendRow(column, [&](ColumnString::Chars & chars) { readEscapedString(chars, text); });
}

void DataTypeString::serializeTextQuoted(const IColumn & column, size_t row, WriteBuffer & out) const
{
    writeQuotedString(static_cast<const ColumnString &>(column)[row], out);
}

void DataTypeString::deserializeTextQuoted(IColumn & column, const char *& pos, const char * end) const
{
    const char * after = pos;
    appendRow(column, [&](ColumnString::Chars & chars) { readQuotedString(chars, after, end); });
    pos = after;
}

}
