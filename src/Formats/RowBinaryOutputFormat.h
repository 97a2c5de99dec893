#pragma once

#include "IOutputFormat.h"

namespace DB::inline statewire
{

/// RowBinary and RowBinaryWithNamesAndTypes, as RowBinaryInputFormat reads them. Contract, errors and threads: IOutputFormat.
class RowBinaryOutputFormat final : public IOutputFormat
{
public:
    RowBinaryOutputFormat(WriteBuffer & out_, bool with_header_, NamesAndTypes structure_)
        : IOutputFormat(out_, std::move(structure_)), with_header(with_header_)
    {
    }

protected:
    void writePrefix() override;
    void writeBlock(const Block & block) override;

private:
    bool with_header;
};

/// A VarUInt length and the bytes.
void writeStringBinary(std::string_view bytes, WriteBuffer & out);

}
