#pragma once

#include "FormatSettings.h"
#include "IOutputFormat.h"

namespace DB::inline statewire
{

/// The tables for people.
enum class PrettyKind
{
    Grid, /// Pretty: a line between rows
    Compact, /// PrettyCompact
    Vertical /// a line a value
};

/** Pretty, PrettyCompact and Vertical: tables to be looked at in a terminal, in the shape of ClickHouse's; a table for each block.
 *
 * Values are shown escaped as in TabSeparated, and every byte that is neither printable ASCII nor UTF-8 as \xHH, so that nothing in a file
 * drives a terminal; in the tables they are cut at pretty_max_value_width characters, shown by a dotted mark. After pretty_max_rows rows
 * the others are only counted. Contract, errors and threads: IOutputFormat.
 */
class PrettyOutputFormat final : public IOutputFormat
{
public:
    PrettyOutputFormat(WriteBuffer & out_, PrettyKind kind_, NamesAndTypes structure_, const FormatSettings & settings_)
        : IOutputFormat(out_, std::move(structure_)), kind(kind_), settings(settings_)
    {
    }

protected:
    void writeBlock(const Block & block) override;
    void writeSuffix() override;

private:
    void writeTable(const Block & block, size_t rows);
    void writeRows(const Block & block, size_t rows);
    void write(std::string_view text) { out.write(text.data(), text.size()); }
    void repeat(std::string_view text, size_t times)
    {
        for (size_t i = 0; i < times; ++i)
            write(text);
    }

    PrettyKind kind;
    const FormatSettings settings;
    UInt64 rows_seen = 0;
    UInt64 rows_shown = 0;
};

}
