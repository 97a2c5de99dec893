#include "RowInputFormat.h"

#include "../Common/ErrorCodes.h"
#include "../Common/Exception.h"
#include "../Common/throwError.h"

namespace DB::inline statewire
{

RowInputFormat::RowInputFormat(ReadBuffer & in_, std::optional<NamesAndTypes> wanted_, const FormatSettings & settings_)
    : in(in_), wanted(std::move(wanted_)), settings(settings_)
{
}

const NamesAndTypes & RowInputFormat::getStructure()
{
    readPrefixOnce();
    return structure;
}

void RowInputFormat::readPrefixOnce()
{
    if (prefix_read)
        return;
    prefix_read = true;
    try
    {
        file_columns = readPrefix();
        /// Rows without columns would take no bytes, and so have no end.
        if (file_columns.empty())
            throwError(ErrorCodes::INCORRECT_DATA, "Incorrect header: a table has at least one column, found none");
    }
    catch (Exception & e)
    {
        e.addMessage(concat("while reading the header, at byte ", in.count()));
        throw;
    }
    structure = wanted ? *wanted : structureOf(file_columns);
}

bool RowInputFormat::read(Block & block)
{
    block.clear();
    readPrefixOnce();

    std::vector<MutableColumnPtr> columns;
    for (const NameAndType & column : structure)
        columns.push_back(column.type->createColumn());
    std::vector<MutableColumnPtr> dropped;
    std::vector<IColumn *> destinations;
    for (const FileColumn & column : file_columns)
    {
        if (column.target)
            destinations.push_back(columns[*column.target].get());
        else
            destinations.push_back(column.type ? dropped.emplace_back(column.type->createColumn()).get() : nullptr);
    }

    size_t rows = 0;
    const UInt64 begin = in.count();
    startValue(0);
    try
    {
        while (rows < settings.max_block_rows && in.count() - begin < settings.max_block_bytes && !in.eof())
        {
            readRow(destinations);
            for (const MutableColumnPtr & column : dropped)
                column->popBack(1);
            ++rows;
            startValue(0);
        }
    }
    catch (Exception & e)
    {
        e.addMessage(concat(
            "while reading row ",
            rows_read + rows + 1,
            ", column ",
            quoteName(file_columns[current_column].name),
            ", at byte ",
            value_start));
        throw;
    }
    rows_read += rows;
    if (rows == 0)
        return false;
    for (size_t i = 0; i < structure.size(); ++i)
        block.insert({ std::move(columns[i]), structure[i].type, structure[i].name });
    return true;
}

}
