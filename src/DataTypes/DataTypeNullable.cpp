#include "DataTypeNullable.h"

#include "../Columns/ColumnNullable.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../base/asciiCase.h"
#include "DataTypeNumber.h"

#include <algorithm>

namespace DB::inline statewire
{

namespace
{
constexpr std::string_view ESCAPED_NULL = "\\N";
constexpr std::string_view QUOTED_NULL = "NULL";

const ColumnNullable & nullable(const IColumn & column) noexcept
{
    return static_cast<const ColumnNullable &>(column);
}

ColumnNullable & nullable(IColumn & column) noexcept
{
    return static_cast<ColumnNullable &>(column);
}

[[noreturn]] void throwBadFlag(UInt8 flag, size_t row)
{
    throwError(
        ErrorCodes::INCORRECT_DATA, concat("The byte that says whether a value is NULL must be 0 or 1, found ", flag, " for value ", row));
}
}

DataTypeNullable::DataTypeNullable(DataTypePtr nested_) : nested(std::move(nested_))
{
    if (!nested->canBeInsideNullable())
        throwError(ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT, concat("Nested type ", nested->getName(), " cannot be inside Nullable type"));
}

MutableColumnPtr DataTypeNullable::createColumn() const
{
    return std::make_unique<ColumnNullable>(nested->createColumn());
}

bool DataTypeNullable::equals(const IDataType & other) const
{
    return other.getTypeId() == TypeIndex::Nullable && nested->equals(*static_cast<const DataTypeNullable &>(other).nested);
}

void DataTypeNullable::serializeBinary(const IColumn & column, size_t row, WriteBuffer & out) const
{
    const bool is_null = nullable(column).isNullAt(row);
    out.write(static_cast<char>(is_null));
    if (!is_null)
        nested->serializeBinary(nullable(column).getNestedColumn(), row, out);
}

void DataTypeNullable::deserializeBinary(IColumn & column, ReadBuffer & in) const
{
    char flag = 0;
    in.readStrict(flag);
    if (flag == 1)
        column.insertDefault();
    else if (flag == 0)
        nullable(column).insertNotNull([&](IColumn & values) { nested->deserializeBinary(values, in); });
    else
        throwBadFlag(static_cast<UInt8>(flag), column.size());
}

void DataTypeNullable::serializeBinaryBulk(const IColumn & column, WriteBuffer & out, size_t begin, size_t rows) const
{
    out.write(reinterpret_cast<const char *>(nullable(column).getNullMap().data() + begin), rows);
    nested->serializeBinaryBulk(nullable(column).getNestedColumn(), out, begin, rows);
}

void DataTypeNullable::deserializeBinaryBulk(IColumn & column, ReadBuffer & in, size_t rows) const
{
    ColumnUInt8 flags;
    DataTypeUInt8().deserializeBinaryBulk(flags, in, rows);
    const auto bad = std::find_if(flags.getData().begin(), flags.getData().end(), [](UInt8 flag) { return flag > 1; });
    if (bad != flags.getData().end())
        throwBadFlag(*bad, static_cast<size_t>(bad - flags.getData().begin()));

    ColumnNullable::NullMap & null_map = nullable(column).getNullMap();
    const size_t size_before = null_map.size();
    null_map.insert(null_map.end(), flags.getData().begin(), flags.getData().end());
    try
    {
        nested->deserializeBinaryBulk(nullable(column).getNestedColumn(), in, rows);
    }
    catch (...)
    {
        null_map.resize(size_before);
        throw;
    }
}

void DataTypeNullable::serializeTextEscaped(const IColumn & column, size_t row, WriteBuffer & out) const
{
    if (nullable(column).isNullAt(row))
        out.write(ESCAPED_NULL.data(), ESCAPED_NULL.size());
    else
        nested->serializeTextEscaped(nullable(column).getNestedColumn(), row, out);
}

void DataTypeNullable::deserializeTextEscaped(IColumn & column, std::string_view text) const
{
    if (text == ESCAPED_NULL)
        column.insertDefault();
    else
        nullable(column).insertNotNull([&](IColumn & values) { nested->deserializeTextEscaped(values, text); });
}

void DataTypeNullable::serializeTextQuoted(const IColumn & column, size_t row, WriteBuffer & out) const
{
    if (nullable(column).isNullAt(row))
        out.write(QUOTED_NULL.data(), QUOTED_NULL.size());
    else
        nested->serializeTextQuoted(nullable(column).getNestedColumn(), row, out);
}

void DataTypeNullable::deserializeTextQuoted(IColumn & column, const char *& pos, const char * end) const
{
    if (equalsIgnoringCase(std::string_view(pos, static_cast<size_t>(end - pos)).substr(0, QUOTED_NULL.size()), QUOTED_NULL))
    {
        column.insertDefault();
        pos += QUOTED_NULL.size();
    }
    else
        nullable(column).insertNotNull([&](IColumn & values) { nested->deserializeTextQuoted(values, pos, end); });
}

bool anyIsNullable(const DataTypes & types) noexcept
{
    return std::any_of(types.begin(), types.end(), isNullable);
}

}
