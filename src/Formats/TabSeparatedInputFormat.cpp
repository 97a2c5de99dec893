#include "TabSeparatedInputFormat.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/parseDataType.h"
#include "../IO/ReadEscaped.h"

namespace DB::inline statewire
{

std::string_view TabSeparatedInputFormat::readField()
{
    gathered.clear();
    bool in_place = true;
    bool escaped = false;
    while (!in.eof())
    {
        const char * const begin = in.position();
        const char * const end = begin + in.available();
        const char * pos = begin;
        for (; pos != end; ++pos)
        {
            /// The character behind a backslash ends nothing, wherever the buffer was cut.
            if (escaped)
                escaped = false;
            else if (*pos == '\\')
                escaped = true;
            else if (*pos == '\t' || *pos == '\n')
                break;
        }
        const std::string_view piece(begin, static_cast<size_t>(pos - begin));
        in.position() += pos - begin;
        if (gathered.size() + piece.size() > settings.max_field_bytes)
            throwError(
                ErrorCodes::TOO_LARGE_STRING_SIZE, concat("Too large field, at most ", settings.max_field_bytes, " bytes are expected"));
        if (pos != end && in_place)
            return piece;
        gathered += piece;
        in_place = false;
        if (pos != end)
            break;
    }
    return gathered;
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
        if (columns[i])
            file_columns[i].type->deserializeTextEscaped(*columns[i], field);
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
        std::string name;
        readEscapedString(name, field);
        fields.push_back(std::move(name));
        if (in.eof() || *in.position()++ == '\n')
            return fields;
    }
}

FileColumns TabSeparatedInputFormat::readPrefix()
{
    if (header != TextHeader::NamesAndTypes && !wanted)
        throwError(ErrorCodes::BAD_ARGUMENTS, "The format TabSeparated names no types: a structure is required");
    if (header == TextHeader::None)
        return matchHeader(*wanted, wanted);
    NamesAndTypes columns;
    for (std::string & name : readHeaderLine())
        columns.push_back({ std::move(name), nullptr });
    if (header == TextHeader::NamesAndTypes)
    {
        const std::vector<std::string> types = readHeaderLine();
        if (types.size() != columns.size())
            throwError(
                ErrorCodes::INCORRECT_NUMBER_OF_COLUMNS,
                concat("Incorrect header: ", columns.size(), " names and ", types.size(), " types"));
        for (size_t i = 0; i < columns.size(); ++i)
            columns[i].type = parseDataType(types[i]);
    }
    return matchHeader(columns, wanted);
}

}
