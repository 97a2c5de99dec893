#pragma once

#include "../AggregateFunctions/IAggregateFunction.h"
#include "../Common/Arena.h"
#include "GroupKeys.h"
#include "GroupTable.h"

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace DB::inline statewire
{

/// The aggregate functions of a GROUP BY, and where each one's state is in the memory of a group.
struct GroupStates
{
    std::vector<AggregateFunctionPtr> functions;
    std::vector<size_t> offsets;
    size_t size = 0;
    size_t alignment = 1;

    void add(AggregateFunctionPtr function);
    /// Makes all states at `place`, or none.
    void create(AggregateDataPtr place) const;
    /// Destroys the states from function `first` on.
    void destroy(AggregateDataPtr place, size_t first = 0) const noexcept;
    /// No more rows are expected in a group's states.
    void seal(AggregateDataPtr place) const;
    /// Bytes of a group's states as they are written.
    [[nodiscard]] UInt64 serializedSize(ConstAggregateDataPtr place) const;
};

/** The groups that one thread has made so far: a table from keys to groups, the groups' keys and their states. Made and used by an
 * Aggregator only. Holds the functions of its states, so it may outlive the Aggregator.
 *
 * Invariant: group g has its key in numbers[g] or views[g] and its states at places[g]; a null place has no states any more.
 * Memory: all of it is counted by the tracker of the thread that made this, in every call of Aggregator and at the end.
 * Errors: when a call of Aggregator on this object throws, groups and states are whole, and hold some part of what was added.
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

private:
    friend class Aggregator;
    friend class AggregatedGroups;

    /// How keys are looked up.
    enum class Method : UInt8
    {
        Single, /// no keys
        Direct, /// a number of at most 16 bits is its own place in a table
        Number,
        Bytes
    };

    /// The rows of `source`, which is a column of numbers, in the order of the groups. Without a source it keeps memory for another piece.
    struct GatheredColumn
    {
        const IColumn * source = nullptr;
        TypeIndex type = {};
        std::optional<CountedBytes> counted = {};
        MutableColumnPtr column = {};
    };

    AggregatedData(std::shared_ptr<const GroupStates> states_, std::shared_ptr<const GroupKeys> keys_);

    MemoryTrackerPtr tracker = MemoryTrackerScope::currentTracker();
    /// From the destructor on: what members free is counted.
    std::optional<MemoryTrackerScope> destruction;
    std::shared_ptr<const GroupStates> states;
    std::shared_ptr<const GroupKeys> keys;
    Method method;
    /// What states lie in. Shared with the columns that take states over.
    std::shared_ptr<Arena> arena = std::make_shared<Arena>();
    TrackedVector<AggregateDataPtr> places;

    /// Of Direct: the group's number plus one, 0 where there is none.
    TrackedVector<UInt32> direct;
    GroupTable table;
    TrackedVector<UInt64> numbers;
    TrackedVector<std::string_view> views;
    Arena key_arena;

    /// Scratch of one piece of a block. The places are one a row of the block, of which the piece's are set.
    EncodedKeys encoded;
    TrackedVector<UInt32> row_groups;
    TrackedArray<AggregateDataPtr> row_places;
    TrackedVector<UInt32> group_ends;
    TrackedVector<UInt32> order;
    std::vector<GatheredColumn> gathered;
    TrackedVector<AggregateDataPtr> sources;
};

}
