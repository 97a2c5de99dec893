#pragma once

#include "IOutputFormat.h"
#include "TabSeparatedInputFormat.h"

namespace DB::inline statewire
{

/// TabSeparated and its forms with a header, as TabSeparatedInputFormat reads them. Contract, errors and threads: IOutputFormat.
class TabSeparatedOutputFormat final : public IOutputFormat
{
public:
    TabSeparatedOutputFormat(WriteBuffer & out_, TextHeader header_, TabSeparatedFields fields_, NamesAndTypes structure_)
        : IOutputFormat(out_, std::move(structure_)), header(header_), raw(fields_ == TabSeparatedFields::Raw)
    {
    }

protected:
    void writePrefix() override;
    void writeBlock(const Block & block) override;

private:
    void writeHeaderField(std::string_view text, bool last);

    TextHeader header;
    bool raw;
};

}
