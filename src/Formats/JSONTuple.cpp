#include "JSONTuple.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/errorText.h"

#include <algorithm>
#include <string>
#include <vector>

namespace DB::inline statewire
{

void serializeJSONTuple(
    const DataTypeTuple & type, const ColumnTuple & column, size_t row, WriteBuffer & out, const FormatSettings & settings)
{
    const bool named = !type.getElementNames().empty();
    out.write(named ? '{' : '[');
    for (size_t i = 0; i < column.tupleSize(); ++i)
    {
        if (i != 0)
            out.write(',');
        if (named)
        {
            writeJSONString(type.getElementNames()[i], out);
            out.write(':');
        }
        serializeJSON(*type.getElements()[i], column.element(i), row, out, settings);
    }
    out.write(named ? '}' : ']');
}

namespace
{
void deserializeTuple(const DataTypeTuple & type, ColumnTuple & column, JSONReader & reader, const FormatSettings & settings)
{
    const auto read = [&](size_t i) { deserializeJSON(*type.getElements()[i], column.element(i), reader, settings); };
    if (reader.accept('['))
    {
        for (size_t i = 0; i < column.tupleSize(); ++i)
        {
            if (i != 0)
                reader.expect(',');
            read(i);
        }
        reader.expect(']');
        return;
    }
    const auto & names = type.getElementNames();
    std::vector<bool> given(column.tupleSize());
    reader.expect('{');
    for (bool next = false; !reader.accept('}'); next = true)
    {
        if (next)
            reader.expect(',');
        const std::string name(reader.readString());
        const auto found = static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
        if (found == names.size() || given[found])
            throwError(
                ErrorCodes::INCORRECT_DATA,
                concat("Expected each element of ", type.getName(), " at most once, found ", quoteForError(name)));
        reader.expect(':');
        read(found);
        given[found] = true;
    }
    for (size_t i = 0; i < given.size(); ++i)
        if (!given[i])
            type.getElements()[i]->insertDefaultInto(column.element(i));
}
}

void deserializeJSONTuple(const DataTypeTuple & type, ColumnTuple & column, JSONReader & reader, const FormatSettings & settings)
{
    const size_t rows = column.size();
    try
    {
        deserializeTuple(type, column, reader, settings);
    }
    catch (...)
    {
        column.truncate(rows);
        throw;
    }
}

}
