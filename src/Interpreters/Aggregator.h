#pragma once

#include "AggregatedData.h"

#include "../Formats/Block.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace DB::inline statewire
{

struct AggregateDescription
{
    AggregateFunctionPtr function;
    /// Columns of the input; not used by merges, which read `column_name`.
    std::vector<std::string> argument_names;
    /// The result's column, and the state column that a merge reads.
    std::string column_name;
};

/** GROUP BY with aggregate states: rows in (execute), states in (merge), one row a group out, with its keys and its states.
 *
 * The description is immutable; what was aggregated is in an AggregatedData, one a thread, brought together by mergeData. Without keys
 * there is exactly one group, also when there was no input. Output is sorted by the key columns in their types' order, so its bytes
 * depend on neither the order of the input nor the hash. Memory is proportional to the groups and their states, plus one block: a state
 * never keeps what lies in an input block's arena.
 *
 * Keys are grouped by their bytes: -0.0 and 0.0 are two groups.
 * Errors: UNKNOWN_IDENTIFIER for a column that a block lacks, TYPE_MISMATCH for one of another type, ILLEGAL_TYPE_OF_ARGUMENT for keys
 *     that cannot be keys, BAD_ARGUMENTS for result names that come twice; whatever functions throw.
 * Threads: const calls with different AggregatedData may run together.
 */
class Aggregator
{
public:
    /// Rows and state bytes that an output block has at most (one group is always taken).
    struct OutputLimits
    {
        size_t max_block_rows = 8192;
        UInt64 max_block_bytes = UInt64 { 64 } << 20;
    };

    Aggregator(NamesAndTypes keys_, std::vector<AggregateDescription> aggregates_);

    /// An object to aggregate into.
    [[nodiscard]] std::unique_ptr<AggregatedData> createData() const;

    /// Adds a block of rows.
    void executeOnBlock(const Block & block, AggregatedData & data) const;
    /// Merges a block whose aggregate columns are states.
    void mergeOnBlock(const Block & block, AggregatedData & data) const;
    /// Merges `from` into `to`; `from` stays as it was.
    void mergeData(AggregatedData & to, const AggregatedData & from) const;

    /// Gives all groups, sorted, block by block; the states go over to the blocks. A block that the consumer drops frees its states.
    /// Afterwards `data` may only be destroyed.
    void convertToBlocks(AggregatedData & data, const OutputLimits & limits, const std::function<void(const Block &)> & consume) const;
    void convertToBlocks(AggregatedData & data, const std::function<void(const Block &)> & consume) const
    {
        convertToBlocks(data, OutputLimits(), consume);
    }

    /// The columns of the output: keys, then AggregateFunction(...) columns.
    [[nodiscard]] const NamesAndTypes & getHeader() const noexcept { return header; }

private:
    /// How keys are looked up.
    enum class Method
    {
        Single, /// no keys
        Number, /// numbers of at most 8 bytes in all
        String, /// one String
        Bytes /// anything else
    };

    [[nodiscard]] std::vector<const IColumn *> findKeyColumns(const Block & block) const;
    /// Finds or makes the group of each row and sets data.row_places.
    void findGroups(const std::vector<const IColumn *> & key_columns, size_t rows, AggregatedData & data) const;
    AggregateDataPtr addGroup(const std::vector<const IColumn *> & key_columns, size_t row, AggregatedData & data) const;
    void packNumbers(const std::vector<const IColumn *> & key_columns, size_t rows, std::vector<UInt64> & numbers) const;
    [[nodiscard]] std::string_view keyBytes(const std::vector<const IColumn *> & key_columns, size_t row, std::string & scratch) const;
    [[nodiscard]] std::vector<size_t> sortedGroups(const AggregatedData & data) const;

    NamesAndTypes keys;
    std::vector<AggregateDescription> aggregates;
    std::shared_ptr<const AggregatedData::States> states;
    NamesAndTypes header;
    Method method = Method::Bytes;
};

}
