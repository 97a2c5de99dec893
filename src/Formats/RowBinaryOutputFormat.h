#pragma once

#include "IOutputFormat.h"
#include "TextHeader.h"

namespace DB::inline statewire
{

/// RowBinary, RowBinaryWithNames and RowBinaryWithNamesAndTypes, as RowBinaryInputFormat reads them. Contract, errors and threads: IOutputFormat.
class RowBinaryOutputFormat final : public IOutputFormat
{
public:
    RowBinaryOutputFormat(WriteBuffer & out_, TextHeader header_, NamesAndTypes structure_)
        : IOutputFormat(out_, std::move(structure_)), header(header_)
    {
    }

protected:
    void writePrefix() override;
    void writeBlock(const Block & block) override;

private:
    TextHeader header;
};

/// A VarUInt length and the bytes.
void writeStringBinary(std::string_view bytes, WriteBuffer & out);

}
