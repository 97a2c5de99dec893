#include "ValuesOutputFormat.h"

namespace DB::inline statewire
{

void ValuesOutputFormat::writeBlock(const Block & block)
{
    for (size_t row = 0; row < block.rows(); ++row)
    {
        if (any_row)
            out.write(',');
        any_row = true;
        for (size_t i = 0; i < structure.size(); ++i)
        {
            out.write(i == 0 ? '(' : ',');
            structure[i].type->serializeTextQuoted(*block.getByPosition(i).column, row, out);
        }
        out.write(')');
    }
}

}
