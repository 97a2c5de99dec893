#pragma once

#include "IOutputFormat.h"

namespace DB::inline statewire
{

/// Values, as ValuesInputFormat reads them: rows in brackets with commas between, on one line. Contract, errors and threads: IOutputFormat.
class ValuesOutputFormat final : public IOutputFormat
{
public:
    using IOutputFormat::IOutputFormat;

protected:
    void writeBlock(const Block & block) override;

private:
    bool any_row = false;
};

}
