#include "TabSeparatedOutputFormat.h"

#include "../IO/WriteEscaped.h"

namespace DB::inline statewire
{

void TabSeparatedOutputFormat::writePrefix()
{
    if (header == TextHeader::None)
        return;
    for (size_t i = 0; i < structure.size(); ++i)
    {
        writeEscapedString(structure[i].name, out);
        out.write(i + 1 == structure.size() ? '\n' : '\t');
    }
    if (header == TextHeader::Names)
        return;
    for (size_t i = 0; i < structure.size(); ++i)
    {
        writeEscapedString(structure[i].type->getName(), out);
        out.write(i + 1 == structure.size() ? '\n' : '\t');
    }
}

void TabSeparatedOutputFormat::writeBlock(const Block & block)
{
    for (size_t row = 0; row < block.rows(); ++row)
    {
        for (size_t i = 0; i < structure.size(); ++i)
        {
            structure[i].type->serializeTextEscaped(*block.getByPosition(i).column, row, out);
            out.write(i + 1 == structure.size() ? '\n' : '\t');
        }
    }
}

}
