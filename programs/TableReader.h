#pragma once

#include "InputTable.h"
#include "Progress.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace statewire_program
{

/** The inputs of a command, opened one after another, and the progress of reading them.
 *
 * All are read with one structure: the given one, or that of the first input that has one.
 */
class InputTables
{
public:
    InputTables(const InputOptions & options_, std::string_view default_format_);

    /// The next input; nullptr behind the last one.
    [[nodiscard]] std::unique_ptr<InputTable> open();
    /// Of those that were opened so far; nothing while none says what its columns are.
    [[nodiscard]] const std::optional<DB::NamesAndTypes> & getStructure() const noexcept { return structure; }

    /// Reads a block of an open input, and shows progress.
    [[nodiscard]] bool read(InputTable & table, DB::Block & block);
    /// Ends the progress display.
    void finish() { progress.finish(); }

    /// Nobody looks at other columns: parts are opened for these alone. Files, which have all their columns in one stream, stay as they are.
    void setPartColumns(DB::NamesAndTypes columns) { part_columns = std::move(columns); }
    /// The input that was opened last, from its begin.
    [[nodiscard]] std::unique_ptr<InputTable> reopen();

private:
    const InputOptions & options;
    std::string default_format;
    std::vector<std::string> paths;
    size_t next_path = 0;
    std::optional<DB::NamesAndTypes> structure;
    std::optional<DB::NamesAndTypes> part_columns;
    DB::UInt64 rows = 0;
    DB::UInt64 bytes = 0;
    Progress progress;
};

/// Reads the tables of all inputs one after another, block by block.
class TableReader
{
public:
    TableReader(const InputOptions & options, std::string_view default_format) : tables(options, default_format) { }

    /// Empty when no input says what its columns are.
    [[nodiscard]] const DB::NamesAndTypes & getStructure();
    /// The columns of the input that gave the structure that are not in it, because they cannot be read.
    [[nodiscard]] const std::vector<DB::UnreadableColumn> & leftOut() const noexcept { return left_out; }
    /// False at the end of the last input.
    [[nodiscard]] bool read(DB::Block & block);
    /// Before the first read: some of the structure's columns, beyond which nobody looks. Blocks may have others too.
    void lookAtOnly(const DB::NamesAndTypes & columns);
    void finish() { tables.finish(); }

private:
    InputTables tables;
    std::unique_ptr<InputTable> table;
    std::vector<DB::UnreadableColumn> left_out;
};

}
