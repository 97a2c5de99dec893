#pragma once

#include "FormatSettings.h"
#include "IOutputFormat.h"

namespace DB::inline statewire
{

/** Native, as NativeInputFormat reads it: one block of the file for each block written. A file without any row gets one block without
 * rows, so that it still says what its columns are. Contract, errors and threads: IOutputFormat.
 */
class NativeOutputFormat final : public IOutputFormat
{
public:
    NativeOutputFormat(WriteBuffer & out_, NamesAndTypes structure_, const FormatSettings & settings_)
        : IOutputFormat(out_, std::move(structure_)), with_serialization_byte(settings_.native_custom_serialization)
    {
    }

protected:
    void writeBlock(const Block & block) override;
    void writeSuffix() override;

private:
    void writeColumnHeader(const NameAndType & column);

    bool with_serialization_byte;
    bool any_block = false;
};

}
