#include "IOutputFormat.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

namespace DB::inline statewire
{

void IOutputFormat::write(const Block & block)
{
    if (finalized)
        throwError(ErrorCodes::LOGICAL_ERROR, "Cannot write to a finalized output format");
    if (block.columns() != structure.size())
        throwError(
            ErrorCodes::INCORRECT_NUMBER_OF_COLUMNS,
            concat("Cannot write a block of ", block.columns(), " columns, expected ", structure.size()));
    for (size_t i = 0; i < structure.size(); ++i)
    {
        const IDataType & type = *block.getByPosition(i).type;
        if (&type != structure[i].type.get() && !type.equals(*structure[i].type))
            throwError(
                ErrorCodes::TYPE_MISMATCH,
                concat(
                    "Cannot write column ",
                    quoteName(structure[i].name),
                    ": expected type ",
                    structure[i].type->getName(),
                    ", found ",
                    type.getName()));
    }
    writePrefixOnce();
    if (block.rows() != 0)
        writeBlock(block);
}

void IOutputFormat::finalize()
{
    if (finalized)
        return;
    writePrefixOnce();
    writeSuffix();
    finalized = true;
}

void IOutputFormat::writePrefixOnce()
{
    if (prefix_written)
        return;
    prefix_written = true;
    writePrefix();
}

}
