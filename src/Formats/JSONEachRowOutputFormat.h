#pragma once

#include "FormatSettings.h"
#include "IOutputFormat.h"

namespace DB::inline statewire
{

/// JSONEachRow, as JSONEachRowInputFormat reads it: an object a row and a line. Contract, errors and threads: IOutputFormat.
class JSONEachRowOutputFormat final : public IOutputFormat
{
public:
    JSONEachRowOutputFormat(WriteBuffer & out_, NamesAndTypes structure_, const FormatSettings & settings_);

protected:
    void writeBlock(const Block & block) override;

private:
    const FormatSettings settings;
    /// What stands before each value: `{"k":` and `,"s":`.
    std::vector<std::string> prefixes;
};

}
