#pragma once

#include "TableReader.h"

#include <memory>
#include <string>
#include <vector>

namespace statewire_program
{

/** A table's rows one after another, in ascending order of its keys, each key once.
 *
 * The rows stream: one block is held. With `sort`, all rows are read and sorted first.
 * Errors: UNKNOWN_IDENTIFIER for a key that is no column; INCORRECT_DATA for rows out of order and for a key that comes twice, with the row;
 * what reading says.
 */
class SortedTable
{
public:
    SortedTable(InputOptions options_, std::string path_, bool sort_);
    SortedTable(const SortedTable &) = delete;
    SortedTable & operator=(const SortedTable &) = delete;

    [[nodiscard]] const DB::NamesAndTypes & getStructure() { return reader.getStructure(); }
    /// Chooses the columns and moves to the first row. Once, before anything below.
    void start(const std::vector<std::string> & key_names);
    void next();

    [[nodiscard]] bool atEnd() const noexcept { return row == nullptr; }
    [[nodiscard]] DB::UInt64 rowsPassed() const noexcept { return rows; }
    /// Of the current row.
    [[nodiscard]] const DB::Block & block() const noexcept { return *row->block; }
    [[nodiscard]] size_t rowInBlock() const noexcept { return row->row; }
    [[nodiscard]] const DB::IColumn & key(size_t i) const noexcept { return *block().getByPosition(keys[i]).column; }
    /// -1, 0 or 1: the order of the current rows' keys. Both tables have equal key types.
    [[nodiscard]] int compareKeys(const SortedTable & other) const;

private:
    struct Row
    {
        std::shared_ptr<const DB::Block> block;
        size_t row = 0;
    };

    /// False at the end.
    bool readRow(Row & to);
    void readAllSorted();
    [[nodiscard]] int compare(const Row & left, const Row & right) const;

    InputOptions options;
    std::string path;
    bool sort;
    TableReader reader;
    std::vector<size_t> keys;
    std::shared_ptr<const DB::Block> current_block;
    size_t next_row = 0;
    /// With `sort`, all rows.
    std::vector<Row> sorted;
    size_t next_sorted = 0;
    std::unique_ptr<Row> row;
    DB::UInt64 rows = 0;
};

}
