#pragma once

#include "../AggregateFunctions/IAggregateFunction.h"
#include "../Columns/IColumn.h"
#include "../Common/Arena.h"

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace DB::inline statewire
{

/** The groups that one thread has made so far: a hash table from keys to groups, the groups' keys and their states. Made and used by an
 * Aggregator only. Holds the functions of its states, so it may outlive the Aggregator.
 *
 * Invariant: group g has the key in row g of key_columns and its states at places[g]; a null place has no states any more.
 * Errors: when a call of Aggregator on this object throws, the object may only be destroyed.
 * Threads: one.
 */
class AggregatedData
{
public:
    ~AggregatedData();
    AggregatedData(const AggregatedData &) = delete;
    AggregatedData & operator=(const AggregatedData &) = delete;

    /// The number of groups.
    [[nodiscard]] size_t size() const noexcept { return places.size(); }
    /// Bytes of tables, keys and states, roughly; the states' own heap is not in it.
    [[nodiscard]] size_t allocatedBytes() const noexcept;

private:
    friend class Aggregator;

    struct States
    {
        std::vector<AggregateFunctionPtr> functions;
        /// Where each function's state is in a group's memory.
        std::vector<size_t> offsets;
        size_t size = 0;
        size_t alignment = 1;
    };

    AggregatedData(std::shared_ptr<const States> states_, std::vector<MutableColumnPtr> key_columns_);

    std::shared_ptr<const States> states;
    /// What states and the keys of by_bytes lie in. Shared with the columns that take states over.
    std::shared_ptr<Arena> arena = std::make_shared<Arena>();
    std::vector<MutableColumnPtr> key_columns;
    std::vector<AggregateDataPtr> places;
    /// The group whose states are being handed over, and how many of them are gone already.
    size_t released_group = 0;
    size_t released_functions = 0;

    /// By keys of at most 8 bytes in all, packed into one number.
    absl::flat_hash_map<UInt64, AggregateDataPtr> by_number;
    /// By the keys' bytes, which lie in the arena.
    absl::flat_hash_map<std::string_view, AggregateDataPtr> by_bytes;

    /// Scratch of one block.
    std::vector<UInt64> numbers;
    std::vector<AggregateDataPtr> row_places;
    std::string key_bytes;
};

}
