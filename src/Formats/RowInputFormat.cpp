#include "RowInputFormat.h"

#include "../Common/ErrorCodes.h"
#include "../Common/Exception.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeNullable.h"
#include "../DataTypes/parseDataType.h"

namespace DB::inline statewire
{

RowInputFormat::RowInputFormat(ReadBuffer & in_, std::optional<NamesAndTypes> wanted_, const FormatSettings & settings_)
    : in(in_), wanted(encodedStructure(wanted_, settings_.state_encoding)), settings(settings_)
{
    if (wanted_)
        structure = std::move(*wanted_);
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
    if (!wanted)
        structure = structureOf(file_columns);
    if (wanted && settings.state_encoding != StateEncoding::Bytes)
        value_starts.resize(file_columns.size());
}

void RowInputFormat::requireStructure(std::string_view format) const
{
    if (!wanted)
        throwError(ErrorCodes::BAD_ARGUMENTS, concat("The format ", format, " names no types: a structure is required"));
}

std::string RowInputFormat::passByteOrderMark(TextHeader header)
{
    constexpr std::string_view MARK = "\xef\xbb\xbf";
    std::string passed;
    if (header == TextHeader::None && !wanted->empty())
    {
        const TypeIndex first = wanted->front().type->getTypeId();
        if (first == TypeIndex::String || first == TypeIndex::AggregateFunction
            || (first == TypeIndex::Nullable
                && static_cast<const DataTypeNullable &>(*wanted->front().type).getNestedType()->getTypeId() == TypeIndex::String))
            return passed;
    }
    while (passed.size() < MARK.size() && !in.eof() && *in.position() == MARK[passed.size()])
        passed += *in.position()++;
    if (passed.size() == MARK.size())
        passed.clear();
    if (header == TextHeader::None && !passed.empty())
        throwError(ErrorCodes::CANNOT_PARSE_INPUT_ASSERTION_FAILED, "Expected a value, found half a byte order mark at byte 0");
    return passed;
}

FileColumns
RowInputFormat::matchTextHeader(const std::vector<std::string> & names, const std::vector<std::string> & types, TextHeader header)
{
    if (header == TextHeader::NamesAndTypes && types.size() != names.size())
        throwError(
            ErrorCodes::INCORRECT_NUMBER_OF_COLUMNS, concat("Incorrect header: ", names.size(), " names and ", types.size(), " types"));
    NamesAndTypes columns;
    for (size_t i = 0; i < names.size(); ++i)
        columns.push_back({names[i], header == TextHeader::NamesAndTypes ? parseDataType(types[i]) : nullptr});
    /// A header may call encoded states what they are, or strings, as we write it.
    if (header == TextHeader::NamesAndTypes && settings.state_encoding != StateEncoding::Bytes)
    {
        NamesAndTypes encoded = *encodedStructure(columns, settings.state_encoding);
        if (!wanted)
        {
            structure = std::move(columns);
            wanted = encoded;
        }
        columns = std::move(encoded);
    }
    return matchHeader(columns, wanted);
}

bool RowInputFormat::read(Block & block)
{
    block.clear();
    readPrefixOnce();

    std::vector<MutableColumnPtr> columns;
    for (const NameAndType & column : structure)
        columns.push_back(column.type->createColumn());
    /// Values that do not stay: of columns that nobody wants, and strings that states are made of.
    std::vector<MutableColumnPtr> passing;
    std::vector<IColumn *> destinations;
    std::vector<IColumn *> encoded(file_columns.size(), nullptr);
    std::vector<IColumn *> dropped;
    for (size_t i = 0; i < file_columns.size(); ++i)
    {
        const FileColumn & column = file_columns[i];
        const bool is_encoded = column.target && wanted && (*wanted)[*column.target].type != structure[*column.target].type;
        if (column.target && !is_encoded)
        {
            destinations.push_back(columns[*column.target].get());
            continue;
        }
        destinations.push_back(column.type ? passing.emplace_back(column.type->createColumn()).get() : nullptr);
        if (is_encoded)
            encoded[i] = destinations.back();
        else if (destinations.back())
            dropped.push_back(destinations.back());
    }

    size_t rows = 0;
    const UInt64 begin = in.count();
    startOutsideValue();
    try
    {
        while (rows < settings.max_block_rows && in.count() - begin < settings.max_block_bytes && !isAtEnd())
        {
            readRow(destinations);
            for (IColumn * column : dropped)
                column->popBack(1);
            if (!value_starts.empty())
                decodeRow(encoded, columns);
            ++rows;
            startOutsideValue();
        }
    }
    catch (Exception & e)
    {
        e.addMessage(concat(
            "while reading row ",
            rows_read + rows + 1,
            current_column ? concat(", column ", quoteName(file_columns[*current_column].name)) : "",
            ", at byte ",
            value_start));
        throw;
    }
    rows_read += rows;
    if (rows == 0)
        return false;
    for (size_t i = 0; i < structure.size(); ++i)
        block.insert({std::move(columns[i]), structure[i].type, structure[i].name});
    return true;
}

void RowInputFormat::decodeRow(const std::vector<IColumn *> & encoded, const std::vector<MutableColumnPtr> & columns)
{
    for (size_t i = 0; i < encoded.size(); ++i)
    {
        if (!encoded[i])
            continue;
        current_column = i;
        value_start = value_starts[i];
        const size_t target = *file_columns[i].target;
        decodeStates(*structure[target].type, *encoded[i], 0, *columns[target], settings.state_encoding);
        encoded[i]->popBack(1);
    }
}

}
