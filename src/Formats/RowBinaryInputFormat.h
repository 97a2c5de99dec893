#pragma once

#include "RowInputFormat.h"

namespace DB::inline statewire
{

/** RowBinary: the values of a row one after another, nothing between them and nothing between rows.
 * RowBinaryWithNamesAndTypes: before them VarUInt columns, the names and the type names, each with a VarUInt length.
 * States are inline and have no length in front. Contract, errors and threads: IInputFormat.
 */
class RowBinaryInputFormat final : public RowInputFormat
{
public:
    RowBinaryInputFormat(ReadBuffer & in_, bool with_header_, std::optional<NamesAndTypes> wanted_, const FormatSettings & settings_)
        : RowInputFormat(in_, std::move(wanted_), settings_), with_header(with_header_)
    {
    }

protected:
    FileColumns readPrefix() override;
    void readRow(const std::vector<IColumn *> & columns) override;

private:
    bool with_header;
};

}
