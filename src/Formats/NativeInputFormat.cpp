#include "NativeInputFormat.h"

#include "../AggregateFunctions/AggregateFunctionFactory.h"
#include "../Common/ErrorCodes.h"
#include "../Common/Exception.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeLowCardinality.h"
#include "../DataTypes/dispatchNumber.h"
#include "../DataTypes/parseDataType.h"
#include "../IO/VarInt.h"

namespace DB::inline statewire
{

NativeInputFormat::NativeInputFormat(ReadBuffer & in_, std::optional<NamesAndTypes> wanted_, const FormatSettings & settings_)
    : in(in_), wanted(std::move(wanted_)), settings(settings_)
{
}

const NamesAndTypes & NativeInputFormat::getStructure()
{
    static const NamesAndTypes nothing;
    FileBlock file_block;
    while (!wanted)
    {
        if (!readFileBlock(file_block))
            return nothing;
        first = matchBlock(file_block);
    }
    return *wanted;
}

bool NativeInputFormat::read(Block & block)
{
    block.clear();
    if (first)
    {
        block = std::move(*first);
        first.reset();
    }
    FileBlock file_block;
    while (block.rows() == 0)
    {
        if (!readFileBlock(file_block))
        {
            block.clear();
            return false;
        }
        block = matchBlock(file_block);
    }
    rows_read += block.rows();
    return true;
}

bool NativeInputFormat::readFileBlock(FileBlock & block)
{
    block = {};
    if (in.eof())
        return false;
    UInt64 columns = 0;
    readHeaderPart("", [&] {
        readVarUInt(columns, in);
        readVarUInt(block.rows, in);
        requireFewColumns(columns, settings);
        if (block.rows > settings.max_native_rows)
            throwError(
                ErrorCodes::INCORRECT_DATA,
                concat("Suspiciously many rows: ", block.rows, ", at most ", settings.max_native_rows, " are expected"));
        if (columns == 0 && block.rows != 0)
            throwError(ErrorCodes::INCORRECT_DATA, concat("Incorrect block: ", block.rows, " rows of no columns"));
    });
    for (UInt64 i = 0; i < columns; ++i)
    {
        NameAndType column;
        readHeaderPart("", [&] { column.name = readLimitedString(in, settings.max_name_bytes); });
        readHeaderPart(concat(", column ", quoteName(column.name)), [&] {
            /// ClickHouse writes version 0 into files of this format, and prints a version only where it is another.
            column.type = parseDataType(readLimitedString(in, settings.max_name_bytes), defaultAggregateFunctionFactory(), 0);
            if (settings.native_custom_serialization)
                readSerializationByte(column);
        });
        block.columns.push_back(readColumn(column, block.rows));
        block.header.push_back(std::move(column));
    }
    return true;
}

void NativeInputFormat::readSerializationByte(const NameAndType & column)
{
    char kind = 0;
    in.readStrict(kind);
    if (kind != 0)
        throwError(
            ErrorCodes::NOT_IMPLEMENTED,
            concat(
                "Column ",
                quoteName(column.name),
                " has a serialization of its own (byte ",
                static_cast<UInt8>(kind),
                "), which is not read"));
}

template <typename Read>
void NativeInputFormat::readHeaderPart(std::string_view of, Read && read_part)
{
    try
    {
        read_part();
    }
    catch (Exception & e)
    {
        e.addMessage(concat("while reading the header of the block behind row ", rows_read, of, ", at byte ", in.count()));
        throw;
    }
}

ColumnPtr NativeInputFormat::readColumn(const NameAndType & column, UInt64 rows)
{
    MutableColumnPtr result = column.type->createColumn();
    if (rows == 0)
        return result;
    const UInt64 start = in.count();
    /// A dictionary stands for all rows of a block; other values stand one after another.
    const bool has_dictionary = tryLowCardinality(*column.type) != nullptr;
    const TypeIndex type = storageOf(*column.type).getTypeId();
    const bool by_row = !has_dictionary && (type == TypeIndex::String || type == TypeIndex::AggregateFunction);
    UInt64 done = 0;
    try
    {
        column.type->deserializeBinaryBulkStatePrefix(in);
        if (by_row)
            for (; done < rows; ++done)
                column.type->deserializeBinary(*result, in);
        else
            column.type->deserializeBinaryBulk(*result, in, rows);
    }
    catch (Exception & e)
    {
        std::string where;
        if (has_dictionary || (!by_row && sizeOfNumber(type) == 0))
            where = concat("rows ", rows_read + 1, " to ", rows_read + rows);
        else
            where = concat("row ", rows_read + 1 + (by_row ? done : (in.count() - start) / sizeOfNumber(type)));
        e.addMessage(concat("while reading ", where, ", column ", quoteName(column.name), ", at byte ", in.count()));
        throw;
    }
    return result;
}

Block NativeInputFormat::matchBlock(FileBlock & file_block)
{
    Block block;
    if (file_block.header.empty())
        return block;
    const FileColumns columns = matchHeader(file_block.header, wanted);
    if (!wanted)
        wanted = file_block.header;
    std::vector<ColumnPtr> ordered(wanted->size());
    for (size_t i = 0; i < columns.size(); ++i)
        if (columns[i].target)
            ordered[*columns[i].target] = std::move(file_block.columns[i]);
    for (size_t i = 0; i < ordered.size(); ++i)
        block.insert({std::move(ordered[i]), (*wanted)[i].type, (*wanted)[i].name});
    return block;
}

}
