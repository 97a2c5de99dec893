#include "JSONEachRowInputFormat.h"

#include "defaultValues.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

namespace DB::inline statewire
{

JSONEachRowInputFormat::JSONEachRowInputFormat(ReadBuffer & in_, std::optional<NamesAndTypes> wanted_, const FormatSettings & settings_)
    : RowInputFormat(in_, std::move(wanted_), settings_), reader(in, settings.max_field_bytes)
{
}

FileColumns JSONEachRowInputFormat::readPrefix()
{
    requireStructure("JSONEachRow");
    /// A byte order mark, as some editors write it.
    if (reader.peek() == 0xef)
        for (const char mark : {'\xef', '\xbb', '\xbf'})
            reader.expect(mark);
    FileColumns columns = matchHeader(*wanted, wanted);
    for (size_t i = 0; i < wanted->size(); ++i)
        positions.emplace((*wanted)[i].name, i);
    seen.resize(columns.size());
    in_array = reader.accept('[');
    return columns;
}

bool JSONEachRowInputFormat::isAtEnd()
{
    startOutsideValue();
    if (in_array)
    {
        if (array_ended)
            return true;
        if (!reader.accept(']'))
        {
            if (row_number != 0)
                reader.expect(',');
            return false;
        }
        array_ended = true;
        if (reader.peek() >= 0)
            reader.throwExpected("nothing behind the array");
        return true;
    }
    if (row_number != 0)
        static_cast<void>(reader.accept(','));
    return reader.peek() < 0;
}

std::optional<size_t> JSONEachRowInputFormat::findColumn(std::string_view name, size_t guess) const
{
    if (guess < wanted->size() && (*wanted)[guess].name == name)
        return guess;
    const auto found = positions.find(name);
    if (found == positions.end())
        return std::nullopt;
    return found->second;
}

void JSONEachRowInputFormat::readRow(const std::vector<IColumn *> & columns)
{
    ++row_number;
    reader.expect('{');
    size_t guess = 0;
    size_t set = 0;
    for (bool next = false; !reader.accept('}'); next = true)
    {
        startOutsideValue();
        if (next)
            reader.expect(',');
        const std::string_view name = reader.readString();
        const std::optional<size_t> position = findColumn(name, guess);
        if (!position && !settings.skip_unknown_fields)
            throwError(ErrorCodes::UNKNOWN_IDENTIFIER, concat("There is no column ", quoteName(name), " in the structure"));
        if (position && seen[*position] == row_number)
            throwError(ErrorCodes::INCORRECT_DATA, concat("The field ", quoteName(name), " comes twice in a row"));
        reader.expect(':');
        if (!position)
        {
            reader.skipValue(nullptr);
            continue;
        }
        static_cast<void>(reader.peek());
        startValue(*position);
        deserializeJSON(*file_columns[*position].type, *columns[*position], reader, settings);
        seen[*position] = row_number;
        ++set;
        guess = *position + 1;
    }
    for (size_t i = 0; set != columns.size() && i < columns.size(); ++i)
    {
        if (seen[i] == row_number)
            continue;
        startValue(i);
        file_columns[i].type->insertDefaultInto(*columns[i]);
        ++set;
    }
}

}
