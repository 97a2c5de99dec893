#pragma once

#include "AggregatedData.h"
#include "SortedGroups.h"

#include "../Formats/Block.h"

#include <functional>
#include <memory>
#include <span>
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
 * never keeps what lies in an input block's arena; the tracker of the AggregatedData counts all of it. AggregatingTransform adds threads and a
 * memory limit.
 *
 * Rows are taken piece by piece. Where a piece has many rows for each group, they are brought together by group first, so that a state gets
 * its values in one call.
 * Keys are grouped by their bytes: -0.0 and 0.0 are two groups.
 * Errors: UNKNOWN_IDENTIFIER for a column that a block lacks, TYPE_MISMATCH for one of another type, ILLEGAL_TYPE_OF_ARGUMENT for keys
 *     that cannot be keys, BAD_ARGUMENTS for result names that come twice, LIMIT_EXCEEDED above 2^31 groups; whatever functions throw.
 * Threads: const calls with different AggregatedData may run together.
 */
class Aggregator
{
public:
    /// Rows and bytes of states, as they are written, that an output block has at most, but for its last group.
    struct OutputLimits
    {
        size_t max_block_rows = 8192;
        UInt64 max_block_bytes = UInt64{8} << 20;
    };

    /// Rows of a piece: enough that a group gets many of them, few enough for the caches.
    static constexpr size_t PIECE_ROWS = 65536;

    /// A block's columns as they are used. Points into: the block's columns, and lives no longer.
    struct Input
    {
        std::vector<const IColumn *> keys;
        /// The columns of each function: its arguments, or its states.
        std::vector<std::vector<const IColumn *>> arguments;
        size_t rows = 0;
        bool has_states = false;
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

    /// The same step by step, for threads: finds a block's columns of rows or of states, encodes the keys of a piece, and adds the rows of the
    /// piece that are listed (by their numbers from `begin` on), or all of them; and the last two in one. `encoded` has the keys of the rows that
    /// are added, in their order, and may have more.
    [[nodiscard]] Input findColumns(const Block & block, bool has_states) const;
    void addRows(const Input & input, size_t begin, size_t end, AggregatedData & data) const;
    void encodeKeys(const Input & input, size_t begin, size_t end, EncodedKeys & encoded) const
    {
        keys->encode(input.keys, begin, end, encoded);
    }
    void addPiece(
        const Input & input, size_t begin, size_t end, const EncodedKeys & encoded, const std::span<const UInt32> * rows,
        AggregatedData & data) const;

    /// All groups of `data`, sorted and sealed; their states are given away where they are taken. Afterwards `data` may only be destroyed, and
    /// lives longer than the groups.
    [[nodiscard]] SortedGroupsPtr sortedGroups(AggregatedData & data) const;

    /// Gives all groups, sorted, block by block; the states go over to the blocks. A block that the consumer drops frees its states.
    /// Afterwards `data` may only be destroyed.
    void convertToBlocks(AggregatedData & data, const OutputLimits & limits, const std::function<void(const Block &)> & consume) const;
    void convertToBlocks(AggregatedData & data, const std::function<void(const Block &)> & consume) const
    {
        convertToBlocks(data, OutputLimits(), consume);
    }

    /// The columns of the output: keys, then AggregateFunction(...) columns.
    [[nodiscard]] const NamesAndTypes & getHeader() const noexcept { return header; }
    [[nodiscard]] const GroupKeys & getKeys() const noexcept { return *keys; }
    [[nodiscard]] const GroupStates & getStates() const noexcept { return *states; }

private:
    void addBlock(const Input & input, AggregatedData & data) const;
    /// Finds or makes the groups of the first n keys and sets data.row_groups; returns how often the group changes from row to row.
    size_t findGroups(const EncodedKeys & encoded, size_t n, AggregatedData & data) const;
    template <typename Find>
    static size_t findEach(size_t n, TrackedVector<UInt32> & row_groups, Find && find);
    UInt32 addGroup(UInt64 number, std::string_view key, AggregatedData & data) const;
    void addByRow(const Input & input, size_t function, size_t begin, size_t end, AggregatedData & data) const;
    /// Orders the listed rows by their groups: data.order, data.group_ends.
    static void orderByGroup(size_t begin, const std::span<const UInt32> * rows, size_t n, AggregatedData & data);
    [[nodiscard]] bool canGather(size_t function) const;
    void addByGroup(const Input & input, size_t function, AggregatedData & data) const;
    /// A column of numbers in the order of the groups; it is made once a piece.
    static const IColumn & gather(const IColumn & source, TypeIndex type, AggregatedData & data);

    std::vector<AggregateDescription> aggregates;
    std::shared_ptr<const GroupStates> states;
    std::shared_ptr<const GroupKeys> keys;
    NamesAndTypes key_columns;
    NamesAndTypes header;
};

}
