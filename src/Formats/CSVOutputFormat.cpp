#include "CSVOutputFormat.h"

#include "stateBytes.h"

#include "../Columns/ColumnNullable.h"
#include "../Columns/ColumnString.h"
#include "../DataTypes/DataTypeNullable.h"
#include "../DataTypes/StoredDataType.h"
#include "../DataTypes/dispatchNumber.h"
#include "../IO/WriteBufferFromVector.h"

namespace DB::inline statewire
{

void CSVOutputFormat::writeQuoted(std::string_view text)
{
    out.write('"');
    while (true)
    {
        const size_t quote = text.find('"');
        if (quote == std::string_view::npos)
            break;
        out.write(text.data(), quote + 1);
        out.write('"');
        text.remove_prefix(quote + 1);
    }
    out.write(text.data(), text.size());
    out.write('"');
}

void CSVOutputFormat::writePrefix()
{
    if (header == TextHeader::None)
        return;
    for (size_t i = 0; i < structure.size(); ++i)
    {
        writeQuoted(structure[i].name);
        endField(i);
    }
    if (header == TextHeader::Names)
        return;
    for (size_t i = 0; i < structure.size(); ++i)
    {
        writeQuoted(structure[i].type->getName());
        endField(i);
    }
}

void CSVOutputFormat::writeValue(const IDataType & column_type, const IColumn & column, size_t row)
{
    const IDataType & type = textTypeOf(column_type);
    const TypeIndex id = type.getTypeId();
    if (sizeOfNumber(id) != 0)
        return type.serializeTextEscaped(column, row, out);
    if (id == TypeIndex::Nullable)
    {
        const auto & nullable = static_cast<const ColumnNullable &>(column);
        if (nullable.isNullAt(row))
            return type.serializeTextEscaped(column, row, out);
        return writeValue(*static_cast<const DataTypeNullable &>(type).getNestedType(), nullable.getNestedColumn(), row);
    }
    if (id == TypeIndex::String)
        return writeQuoted(static_cast<const ColumnString &>(column)[row]);
    if (id == TypeIndex::AggregateFunction)
        return writeQuoted(stateBytes(type, column, row));
    std::string text;
    if (const StoredDataType * stored = tryStored(type))
    {
        stored->print(column, row, text);
        return stored->isBare() ? out.write(text.data(), text.size()) : writeQuoted(text);
    }
    WriteBufferFromString to(text);
    type.serializeTextEscaped(column, row, to);
    to.finalize();
    writeQuoted(text);
}

void CSVOutputFormat::writeBlock(const Block & block)
{
    for (size_t row = 0; row < block.rows(); ++row)
    {
        for (size_t i = 0; i < structure.size(); ++i)
        {
            writeValue(*structure[i].type, *block.getByPosition(i).column, row);
            endField(i);
        }
    }
}

}
