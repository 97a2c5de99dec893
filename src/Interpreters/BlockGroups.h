#pragma once

#include "Aggregator.h"

#include <functional>
#include <string>

namespace DB::inline statewire
{

/** The rows of a stream of blocks, with keys and states, sorted by the keys: such as a file that this library wrote. Holds one block.
 *
 * Rows with one key that stand together in a block are one group. `read` fills a block and is false at the end; `name` says in errors what is
 * read.
 * Errors: INCORRECT_DATA with the row's number, counted from 1, and both keys where a row's key is below that of the row before; as
 *     Aggregator::mergeOnBlock; what `read` throws.
 */
class BlockGroups final : public SortedGroups
{
public:
    BlockGroups(const Aggregator & aggregator_, std::function<bool(Block &)> read_, std::string name_);

    bool next() override;
    [[nodiscard]] std::string_view key() const noexcept override { return current_key; }
    void appendStates(size_t function, TrackedVector<AggregateDataPtr> & to) override;

private:
    [[nodiscard]] bool readBlock();

    const Aggregator & aggregator;
    std::function<bool(Block &)> read;
    std::string name;
    Block block;
    Aggregator::Input input;
    EncodedKeys encoded;
    /// The current group: rows [begin, end) of the block.
    size_t begin = 0;
    size_t end = 0;
    UInt64 rows_before = 0;
    std::string_view current_key;
    /// Of the row before, where that was in the block before.
    TrackedString last_key;
    bool any = false;
    char number_bytes[sizeof(UInt64)] = {};
};

}
