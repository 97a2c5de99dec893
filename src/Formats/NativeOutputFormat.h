#pragma once

#include "IOutputFormat.h"

namespace DB::inline statewire
{

/** Native, as NativeInputFormat reads it: one block of the file for each block written. A file without any row gets one block without
 * rows, so that it still says what its columns are. Contract, errors and threads: IOutputFormat.
 */
class NativeOutputFormat final : public IOutputFormat
{
public:
    using IOutputFormat::IOutputFormat;

protected:
    void writeBlock(const Block & block) override;
    void writeSuffix() override;

private:
    bool any_block = false;
};

}
