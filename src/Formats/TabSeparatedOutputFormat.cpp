#include "TabSeparatedOutputFormat.h"

#include "../Columns/ColumnString.h"
#include "../DataTypes/StoredDataType.h"
#include "../IO/WriteEscaped.h"

namespace DB::inline statewire
{

void TabSeparatedOutputFormat::writeHeaderField(std::string_view text, bool last)
{
    if (raw)
        out.write(text.data(), text.size());
    else
        writeEscapedString(text, out);
    out.write(last ? '\n' : '\t');
}

void TabSeparatedOutputFormat::writePrefix()
{
    if (header == TextHeader::None)
        return;
    for (size_t i = 0; i < structure.size(); ++i)
        writeHeaderField(structure[i].name, i + 1 == structure.size());
    if (header == TextHeader::Names)
        return;
    for (size_t i = 0; i < structure.size(); ++i)
        writeHeaderField(structure[i].type->getName(), i + 1 == structure.size());
}

void TabSeparatedOutputFormat::writeBlock(const Block & block)
{
    for (size_t row = 0; row < block.rows(); ++row)
    {
        for (size_t i = 0; i < structure.size(); ++i)
        {
            const IDataType & type = textTypeOf(*structure[i].type);
            const IColumn & column = *block.getByPosition(i).column;
            if (raw && type.getTypeId() == TypeIndex::String)
            {
                const std::string_view value = static_cast<const ColumnString &>(column)[row];
                out.write(value.data(), value.size());
            }
            else if (raw && type.getTypeId() == TypeIndex::Stored)
            {
                std::string text;
                static_cast<const StoredDataType &>(type).print(column, row, text);
                out.write(text.data(), text.size());
            }
            else if (raw && type.getTypeId() == TypeIndex::AggregateFunction)
                type.serializeBinary(column, row, out);
            else
                type.serializeTextEscaped(column, row, out);
            out.write(i + 1 == structure.size() ? '\n' : '\t');
        }
    }
}

}
