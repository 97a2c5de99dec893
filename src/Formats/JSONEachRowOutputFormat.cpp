#include "JSONEachRowOutputFormat.h"

#include "JSONText.h"

#include "../IO/WriteBufferFromVector.h"

namespace DB::inline statewire
{

JSONEachRowOutputFormat::JSONEachRowOutputFormat(WriteBuffer & out_, NamesAndTypes structure_, const FormatSettings & settings_)
    : IOutputFormat(out_, std::move(structure_)), settings(settings_)
{
    for (const NameAndType & column : structure)
    {
        std::string & prefix = prefixes.emplace_back(prefixes.empty() ? "{" : ",");
        WriteBufferFromString name(prefix, WriteBufferFromString::Mode::Append);
        writeJSONString(column.name, name);
        name.write(':');
        name.finalize();
    }
}

void JSONEachRowOutputFormat::writeBlock(const Block & block)
{
    for (size_t row = 0; row < block.rows(); ++row)
    {
        for (size_t i = 0; i < structure.size(); ++i)
        {
            out.write(prefixes[i].data(), prefixes[i].size());
            serializeJSON(*structure[i].type, *block.getByPosition(i).column, row, out, settings);
        }
        out.write("}\n", 2);
    }
}

}
