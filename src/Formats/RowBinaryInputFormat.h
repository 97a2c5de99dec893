#pragma once

#include "RowInputFormat.h"
#include "TextHeader.h"

namespace DB::inline statewire
{

/// The header of RowBinaryWithNames, or with `has_types` of RowBinaryWithNamesAndTypes: without it types are null. Errors: INCORRECT_DATA for too
/// many columns, those of readLimitedString and parseDataType.
[[nodiscard]] NamesAndTypes readRowBinaryHeader(ReadBuffer & in, bool has_types, const FormatSettings & settings);

/** RowBinary: the values of a row one after another, nothing between them and nothing between rows.
 * RowBinaryWithNames and RowBinaryWithNamesAndTypes: before them VarUInt columns, the names and, in the latter, the type names, each with a
 * VarUInt length. Without types a column that is not wanted cannot be passed over: it is TYPE_MISMATCH.
 * States are inline and have no length in front. Contract, errors and threads: IInputFormat.
 */
class RowBinaryInputFormat final : public RowInputFormat
{
public:
    RowBinaryInputFormat(ReadBuffer & in_, TextHeader header_, std::optional<NamesAndTypes> wanted_, const FormatSettings & settings_)
        : RowInputFormat(in_, std::move(wanted_), settings_), header(header_)
    {
    }

protected:
    FileColumns readPrefix() override;
    void readRow(const std::vector<IColumn *> & columns) override;

private:
    TextHeader header;
};

}
