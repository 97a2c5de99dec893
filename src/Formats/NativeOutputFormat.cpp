#include "NativeOutputFormat.h"

#include "RowBinaryOutputFormat.h"

#include "../IO/VarInt.h"

namespace DB::inline statewire
{

void NativeOutputFormat::writeColumnHeader(const NameAndType & column)
{
    writeStringBinary(column.name, out);
    writeStringBinary(column.type->getName(), out);
    if (with_serialization_byte)
        out.write('\0');
}

void NativeOutputFormat::writeBlock(const Block & block)
{
    any_block = true;
    writeVarUInt(structure.size(), out);
    writeVarUInt(block.rows(), out);
    for (size_t i = 0; i < structure.size(); ++i)
    {
        writeColumnHeader(structure[i]);
        if (block.rows() == 0)
            continue;
        structure[i].type->serializeBinaryBulkStatePrefix(out);
        structure[i].type->serializeBinaryBulk(*block.getByPosition(i).column, out, 0, block.rows());
    }
}

void NativeOutputFormat::writeSuffix()
{
    if (any_block)
        return;
    writeVarUInt(structure.size(), out);
    writeVarUInt(0, out);
    for (const NameAndType & column : structure)
        writeColumnHeader(column);
}

}
