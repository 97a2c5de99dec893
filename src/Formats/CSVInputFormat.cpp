#include "CSVInputFormat.h"

#include "defaultValues.h"
#include "readUntil.h"

#include "../Columns/ColumnNullable.h"
#include "../Columns/ColumnString.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeAggregateFunction.h"
#include "../DataTypes/DataTypeNullable.h"
#include "../DataTypes/StoredDataType.h"
#include "../DataTypes/dispatchNumber.h"
#include "../DataTypes/parseDataType.h"

#include <algorithm>

namespace DB::inline statewire
{

void CSVInputFormat::skipBlanks()
{
    while (!in.eof() && isBlank(*in.position()))
        ++in.position();
}

std::string_view CSVInputFormat::readQuoted()
{
    ++in.position();
    bool at_quote = false;
    bool any_pair = false;
    bool stopped = false;
    /// Stops behind the closing quote.
    std::string_view text = readUntil(in, gathered, settings.max_field_bytes, stopped, [&](const char * pos, const char * end) {
        for (; pos != end; ++pos)
        {
            if (*pos == '"')
            {
                any_pair |= at_quote;
                at_quote = !at_quote;
            }
            else if (at_quote)
                break;
        }
        return pos;
    });
    if (!at_quote)
        throwError(
            ErrorCodes::CANNOT_PARSE_INPUT_ASSERTION_FAILED,
            concat("The input ends at byte ", in.count(), " within a field in quotes: the closing quote is missing"));
    text.remove_suffix(1);
    if (!any_pair)
        return text;
    unquoted.clear();
    for (size_t pos = 0; pos < text.size();)
    {
        const size_t quote = std::min(text.find('"', pos), text.size());
        unquoted.append(text, pos, quote - pos + (quote == text.size() ? 0 : 1));
        pos = quote + 2;
    }
    return unquoted;
}

CSVInputFormat::Field CSVInputFormat::readField()
{
    skipBlanks();
    if (!in.eof() && *in.position() == '"')
    {
        const std::string_view text = readQuoted();
        return {text, true};
    }
    bool stopped = false;
    std::string_view text = readUntil(in, gathered, settings.max_field_bytes, stopped, [&](const char * pos, const char * end) {
        return std::find_if(pos, end, [delimiter = settings.csv_delimiter](char c) { return c == delimiter || c == '\n'; });
    });
    if (text.ends_with('\r') && (!stopped || *in.position() == '\n'))
        text.remove_suffix(1);
    while (!text.empty() && isBlank(text.back()))
        text.remove_suffix(1);
    return {text, false};
}

bool CSVInputFormat::passLineEnd()
{
    if (in.eof())
        return true;
    if (*in.position() == '\r')
    {
        ++in.position();
        if (!in.eof() && *in.position() != '\n')
            throwError(ErrorCodes::INCORRECT_DATA, concat("A carriage return at byte ", in.count() - 1, " without a line feed behind it"));
        if (in.eof())
            return true;
    }
    if (*in.position() != '\n')
        return false;
    ++in.position();
    return true;
}

void CSVInputFormat::passDelimiter(size_t field, size_t fields)
{
    const bool last = field + 1 == fields;
    if (const bool delimiter = !in.eof() && *in.position() == settings.csv_delimiter; delimiter)
    {
        ++in.position();
        if (!last)
            return;
        /// One delimiter may stand behind the last field.
        skipBlanks();
        if (!passLineEnd())
            throwError(
                ErrorCodes::INCORRECT_DATA,
                concat("Expected the end of the line after ", fields, " fields, found more at byte ", in.count()));
        return;
    }
    const bool ended = passLineEnd();
    if (ended && last)
        return;
    if (ended)
        throwError(
            ErrorCodes::CANNOT_PARSE_INPUT_ASSERTION_FAILED, concat("The line ends after field ", field + 1, " of ", fields, " fields"));
    throwError(
        ErrorCodes::CANNOT_PARSE_INPUT_ASSERTION_FAILED,
        concat("Expected a delimiter or the end of the line behind a field in quotes, at byte ", in.count()));
}

void CSVInputFormat::readValue(const IDataType & column_type, IColumn & column, Field field)
{
    const IDataType & type = textTypeOf(column_type);
    if (!field.quoted && field.text == "\\N")
        return insertNullValue(type, column, settings);
    if (!field.quoted && field.text.empty())
        return type.insertDefaultInto(column);
    const TypeIndex id = type.getTypeId();
    if (id == TypeIndex::Nullable)
        static_cast<ColumnNullable &>(column).insertNotNull(
            [&](IColumn & values) { readValue(*static_cast<const DataTypeNullable &>(type).getNestedType(), values, field); });
    else if (id == TypeIndex::String)
        static_cast<ColumnString &>(column).insert(field.text);
    else if (id == TypeIndex::AggregateFunction)
        static_cast<const DataTypeAggregateFunction &>(type).deserializeWhole(column, field.text);
    else if (const StoredDataType * stored = tryStored(type))
        stored->parse(column, field.text);
    else
    {
        if (sizeOfNumber(id) != 0 && !field.quoted && field.text.size() >= 2 && field.text.front() == '\'' && field.text.back() == '\'')
            field.text = field.text.substr(1, field.text.size() - 2);
        type.deserializeTextEscaped(column, field.text);
    }
}

void CSVInputFormat::readRow(const std::vector<IColumn *> & columns)
{
    for (size_t i = 0; i < columns.size(); ++i)
    {
        startValue(i);
        const Field field = readField();
        if (columns[i])
            readValue(*file_columns[i].type, *columns[i], field);
        if (field.quoted)
            skipBlanks();
        passDelimiter(i, columns.size());
    }
}

std::vector<std::string> CSVInputFormat::readHeaderLine()
{
    if (in.eof())
        throwError(ErrorCodes::CANNOT_READ_ALL_DATA, "The input ends before its header");
    std::vector<std::string> fields;
    while (true)
    {
        const Field field = readField();
        if (field.text.size() > settings.max_name_bytes || fields.size() == settings.max_columns)
            throwError(
                ErrorCodes::TOO_LARGE_STRING_SIZE,
                concat("Too large header: ", fields.size(), " fields, and one of ", field.text.size(), " bytes"));
        fields.emplace_back(field.text);
        if (field.quoted)
            skipBlanks();
        if (passLineEnd())
            return fields;
        if (*in.position() != settings.csv_delimiter)
            throwError(
                ErrorCodes::CANNOT_PARSE_INPUT_ASSERTION_FAILED,
                concat("Expected a delimiter or the end of the line behind a field in quotes, at byte ", in.count()));
        ++in.position();
    }
}

FileColumns CSVInputFormat::readPrefix()
{
    return readTextHeader("CSV", header, [this] { return readHeaderLine(); });
}

}
