#include "RowBinaryOutputFormat.h"

#include "../IO/VarInt.h"

namespace DB::inline statewire
{

void writeStringBinary(std::string_view bytes, WriteBuffer & out)
{
    writeVarUInt(bytes.size(), out);
    out.write(bytes.data(), bytes.size());
}

void RowBinaryOutputFormat::writePrefix()
{
    if (header == TextHeader::None)
        return;
    writeVarUInt(structure.size(), out);
    for (const NameAndType & column : structure)
        writeStringBinary(column.name, out);
    if (header == TextHeader::Names)
        return;
    for (const NameAndType & column : structure)
        writeStringBinary(column.type->getName(), out);
}

void RowBinaryOutputFormat::writeBlock(const Block & block)
{
    for (size_t row = 0; row < block.rows(); ++row)
        for (size_t i = 0; i < structure.size(); ++i)
            structure[i].type->serializeBinary(*block.getByPosition(i).column, row, out);
}

}
