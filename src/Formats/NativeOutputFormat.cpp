#include "NativeOutputFormat.h"

#include "RowBinaryOutputFormat.h"

#include "../IO/VarInt.h"

namespace DB::inline statewire
{

void NativeOutputFormat::writeBlock(const Block & block)
{
    any_block = true;
    writeVarUInt(structure.size(), out);
    writeVarUInt(block.rows(), out);
    for (size_t i = 0; i < structure.size(); ++i)
    {
        writeStringBinary(structure[i].name, out);
        writeStringBinary(structure[i].type->getName(), out);
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
    {
        writeStringBinary(column.name, out);
        writeStringBinary(column.type->getName(), out);
    }
}

}
