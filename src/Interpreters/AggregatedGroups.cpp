#include "Aggregator.h"

#include <algorithm>
#include <optional>

namespace DB::inline statewire
{

/// The groups of an AggregatedData in the order of their keys.
class AggregatedGroups final : public SortedGroups
{
public:
    AggregatedGroups(AggregatedData & data_, const GroupKeys & keys_, const GroupStates & states_)
        : data(data_), keys(keys_), states(states_), are_numbers(keys_.kind() == GroupKeys::Kind::Number), order(data_.size())
    {
        for (size_t group = 0; group < order.size(); ++group)
        {
            order[group].group = static_cast<UInt32>(group);
            if (are_numbers)
                order[group].prefix = data.numbers[group];
            else if (keys.kind() == GroupKeys::Kind::Bytes)
                order[group].prefix = GroupKeys::prefixOf(data.views[group]);
            if (keys.kind() != GroupKeys::Kind::None)
                order[group].bytes = states.serializedSize(data.places[group]);
        }
        std::sort(order.begin(), order.end(), [&](const Entry & left, const Entry & right) {
            if (left.prefix != right.prefix || are_numbers)
                return left.prefix < right.prefix;
            return data.views[left.group] < data.views[right.group];
        });
    }
    ~AggregatedGroups() override
    {
        destruction.emplace(data.tracker);
        dropReleased();
    }

    bool next() override
    {
        dropReleased();
        if (next_position == order.size())
            return false;
        current = order[next_position++];
        if (next_position + PREFETCH_GROUPS < order.size())
            __builtin_prefetch(&data.places[order[next_position + PREFETCH_GROUPS].group]);
        return true;
    }

    [[nodiscard]] std::string_view key() const noexcept override
    {
        return are_numbers ? keys.bytesOfNumber(current.prefix, number_bytes) : keys.bytesAt({}, data.views, current.group, number_bytes);
    }

    void appendStates(size_t function, TrackedVector<AggregateDataPtr> & to) override
    {
        to.push_back(data.places[current.group] + states.offsets[function]);
    }

    AggregateDataPtr release(size_t function, std::shared_ptr<const void> & owner) override
    {
        owner = data.arena;
        released = function + 1;
        return data.places[current.group] + states.offsets[function];
    }

    [[nodiscard]] std::optional<UInt64> serializedSize() const noexcept override
    {
        return keys.kind() != GroupKeys::Kind::None ? std::optional(current.bytes) : std::nullopt;
    }

private:
    struct Entry
    {
        /// Where keys are numbers, the number itself.
        UInt64 prefix = 0;
        UInt64 bytes = 0;
        UInt32 group = 0;
    };

    /// A group whose states went away is none any more; what is left of it when only some went away is destroyed.
    void dropReleased() noexcept
    {
        if (released == 0)
            return;
        MemoryTrackerScope scope(data.tracker);
        states.destroy(data.places[current.group], released);
        data.places[current.group] = nullptr;
        released = 0;
    }

    /// Groups come in the order of their keys, which is any order in memory.
    static constexpr size_t PREFETCH_GROUPS = 16;

    AggregatedData & data;
    /// From the destructor on: what members free is counted.
    std::optional<MemoryTrackerScope> destruction;
    const GroupKeys & keys;
    const GroupStates & states;
    const bool are_numbers;
    TrackedVector<Entry> order;
    size_t next_position = 0;
    Entry current;
    size_t released = 0;
    mutable char number_bytes[sizeof(UInt64)] = {};
};

SortedGroupsPtr Aggregator::sortedGroups(AggregatedData & data) const
{
    MemoryTrackerScope scope(data.tracker);
    for (AggregateDataPtr place : data.places)
        states->seal(place);
    return std::make_unique<AggregatedGroups>(data, *keys, *states);
}

}
