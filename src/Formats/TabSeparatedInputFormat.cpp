#include "TabSeparatedInputFormat.h"

#include "defaultValues.h"
#include "readUntil.h"

#include "../Columns/ColumnNullable.h"
#include "../Columns/ColumnString.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeAggregateFunction.h"
#include "../DataTypes/DataTypeNullable.h"
#include "../DataTypes/StoredDataType.h"
#include "../IO/ReadEscaped.h"

namespace DB::inline statewire
{

std::string_view TabSeparatedInputFormat::readField()
{
    bool escaped = false;
    bool stopped = false;
    return readUntil(in, gathered, settings.max_field_bytes, stopped, [&](const char * pos, const char * end) {
        for (; pos != end; ++pos)
        {
            /// The character behind a backslash ends nothing, wherever the buffer was cut.
            if (escaped)
                escaped = false;
            else if (*pos == '\\')
                escaped = !raw;
            else if (*pos == '\t' || *pos == '\n')
                break;
        }
        return pos;
    });
}

void TabSeparatedInputFormat::readValue(const IDataType & column_type, IColumn & column, std::string_view field)
{
    const IDataType & type = textTypeOf(column_type);
    const TypeIndex id = type.getTypeId();
    if (field == "\\N")
        insertNullValue(type, column, settings);
    else if (id == TypeIndex::Nullable)
        static_cast<ColumnNullable &>(column).insertNotNull(
            [&](IColumn & values) { readValue(*static_cast<const DataTypeNullable &>(type).getNestedType(), values, field); });
    else if (raw && id == TypeIndex::String)
        static_cast<ColumnString &>(column).insert(field);
    else if (raw && id == TypeIndex::AggregateFunction)
        static_cast<const DataTypeAggregateFunction &>(type).deserializeWhole(column, field);
    else if (raw && id == TypeIndex::Stored)
        static_cast<const StoredDataType &>(type).parse(column, field);
    else
        type.deserializeTextEscaped(column, field);
}

void TabSeparatedInputFormat::requireNoCarriageReturn(std::string_view last_field)
{
    if (first_line && last_field.ends_with('\r'))
        throwError(
            ErrorCodes::INCORRECT_DATA,
            "A carriage return at the end of the first line: lines of TabSeparated end with a line feed alone, and a carriage return that "
            "belongs to a value is written as \\r");
    first_line = false;
}

void TabSeparatedInputFormat::passDelimiter(size_t field, size_t fields)
{
    const bool last = field + 1 == fields;
    if (in.eof())
    {
        if (!last)
            throwError(
                ErrorCodes::CANNOT_PARSE_INPUT_ASSERTION_FAILED,
                concat("The input ends after field ", field + 1, " of ", fields, " fields"));
        return;
    }
    const char delimiter = *in.position()++;
    if (last && delimiter == '\t')
        throwError(ErrorCodes::CANNOT_PARSE_INPUT_ASSERTION_FAILED, concat("Expected a line feed after ", fields, " fields, found a tab"));
    if (!last && delimiter == '\n')
        throwError(
            ErrorCodes::CANNOT_PARSE_INPUT_ASSERTION_FAILED, concat("The line ends after field ", field + 1, " of ", fields, " fields"));
}

void TabSeparatedInputFormat::readRow(const std::vector<IColumn *> & columns)
{
    for (size_t i = 0; i < columns.size(); ++i)
    {
        startValue(i);
        const std::string_view field = readField();
        if (i + 1 == columns.size())
            requireNoCarriageReturn(field);
        if (columns[i])
            readValue(*file_columns[i].type, *columns[i], field);
        passDelimiter(i, columns.size());
    }
}

std::vector<std::string> TabSeparatedInputFormat::readHeaderLine()
{
    if (in.eof())
        throwError(ErrorCodes::CANNOT_READ_ALL_DATA, "The input ends before its header");
    std::vector<std::string> fields;
    while (true)
    {
        const std::string_view field = readField();
        if (field.size() > settings.max_name_bytes || fields.size() == settings.max_columns)
            throwError(
                ErrorCodes::TOO_LARGE_STRING_SIZE,
                concat("Too large header: ", fields.size(), " fields, and one of ", field.size(), " bytes"));
        std::string & name = fields.emplace_back();
        if (raw)
            name = field;
        else
            readEscapedString(name, field);
        if (in.eof() || *in.position()++ == '\n')
        {
            requireNoCarriageReturn(name);
            return fields;
        }
    }
}

FileColumns TabSeparatedInputFormat::readPrefix()
{
    return readTextHeader("TabSeparated", header, [this] { return readHeaderLine(); });
}

}
