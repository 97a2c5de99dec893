#pragma once

#include "EncodedStates.h"
#include "FileColumns.h"
#include "FormatSettings.h"
#include "IInputFormat.h"
#include "TextHeader.h"

#include "../IO/ReadBuffer.h"

#include <optional>
#include <vector>

namespace DB::inline statewire
{

/** What formats that hold one row after another share: the header's match, blocks of limited size, errors that say where, and states in hex
 * or base64, which are read as strings and made states of value by value.
 *
 * A subclass reads the header (readPrefix) and one row (readRow), announcing each value by startValue() before it reads it. To it, encoded
 * states are strings: in `wanted` and in `file_columns` their type is String.
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
    /// Whether no row follows. May pass what stands between rows.
    [[nodiscard]] virtual bool isAtEnd() { return in.eof(); }

    void startValue(size_t column) noexcept
    {
        current_column = column;
        value_start = in.count();
        if (!value_starts.empty())
            value_starts[column] = value_start;
    }
    /// What follows belongs to no column.
    void startOutsideValue() noexcept
    {
        current_column.reset();
        value_start = in.count();
    }

    /// The columns of a text format: those that are wanted, or those that one or two lines of fields name. `read_line` reads such a line.
    template <typename ReadLine>
    [[nodiscard]] FileColumns readTextHeader(std::string_view format, TextHeader header, ReadLine && read_line)
    {
        if (header != TextHeader::NamesAndTypes)
            requireStructure(format);
        const std::string not_a_mark = passByteOrderMark(header);
        if (header == TextHeader::None)
            return matchHeader(*wanted, wanted);
        std::vector<std::string> names = read_line();
        names.front().insert(0, not_a_mark);
        return matchTextHeader(names, header == TextHeader::Names ? std::vector<std::string>() : read_line(), header);
    }
    /// BAD_ARGUMENTS without one.
    void requireStructure(std::string_view format) const;

    /// The byte order mark that some programs write in front of a text. Where the first thing is a string it may belong to that, and stays, as in
    /// ClickHouse. Returns what was read and is none: the begin of the first name.
    [[nodiscard]] std::string passByteOrderMark(TextHeader header);

    ReadBuffer & in;
    std::optional<NamesAndTypes> wanted;
    const FormatSettings settings;
    FileColumns file_columns;

private:
    void readPrefixOnce();
    [[nodiscard]] FileColumns matchTextHeader(const std::vector<std::string> & names, const std::vector<std::string> & types, TextHeader header);
    /// Makes states of the strings that a row left in `encoded`, and takes them back there.
    void decodeRow(const std::vector<IColumn *> & encoded, const std::vector<MutableColumnPtr> & columns);

    NamesAndTypes structure;
    UInt64 rows_read = 0;
    std::optional<size_t> current_column;
    UInt64 value_start = 0;
    /// Where the values of the row began; only kept when states are encoded.
    std::vector<UInt64> value_starts;
    bool prefix_read = false;
};

}
