#pragma once

#include "FileColumns.h"
#include "FormatSettings.h"
#include "IInputFormat.h"

#include "../IO/ReadBuffer.h"

#include <optional>
#include <vector>

namespace DB::inline statewire
{

/** What formats that hold one row after another share: the header's match, blocks of limited size, errors that say where.
 *
 * A subclass reads the header (readPrefix) and one row (readRow), announcing each value by startValue() before it reads it.
 * Contract, errors and threads: IInputFormat.
 */
class RowInputFormat : public IInputFormat
{
public:
    RowInputFormat(ReadBuffer & in_, std::optional<NamesAndTypes> wanted_, const FormatSettings & settings_);

    [[nodiscard]] const NamesAndTypes & getStructure() override;
    [[nodiscard]] bool read(Block & block) override;
    [[nodiscard]] UInt64 rowsRead() const noexcept override { return rows_read; }

protected:
    /// Reads what precedes the first row and returns the file's columns.
    virtual FileColumns readPrefix() = 0;
    /// Appends one value to each of `columns`, one for each of the file's columns. A nullptr is a column to pass over.
    virtual void readRow(const std::vector<IColumn *> & columns) = 0;

    void startValue(size_t column) noexcept
    {
        current_column = column;
        value_start = in.count();
    }

    ReadBuffer & in;
    const std::optional<NamesAndTypes> wanted;
    const FormatSettings settings;
    FileColumns file_columns;

private:
    void readPrefixOnce();

    NamesAndTypes structure;
    UInt64 rows_read = 0;
    size_t current_column = 0;
    UInt64 value_start = 0;
    bool prefix_read = false;
};

}
