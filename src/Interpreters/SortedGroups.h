#pragma once

#include "../AggregateFunctions/IAggregateFunction.h"

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace DB::inline statewire
{

/** Groups in ascending order of their keys, one after another, with their states: what is merged into one sequence, wherever it comes from
 * (groups in memory, a sorted file, a stream of blocks). A key may come several times in a row.
 *
 * Errors: those of the source. Threads: one.
 */
class SortedGroups
{
public:
    virtual ~SortedGroups() = default;

    /// Goes to the next group, at first to the first one; false at the end. What was given out for the group before dies.
    virtual bool next() = 0;
    /// The current group's key, as GroupKeys writes it. Valid until next().
    [[nodiscard]] virtual std::string_view key() const noexcept = 0;
    /// Appends the states of function number `function` in the current group, which live until next(): at least one.
    virtual void appendStates(size_t function, TrackedVector<AggregateDataPtr> & to) = 0;
    /// Bytes that appendStates is about to read into memory; 0 when the states are there already.
    [[nodiscard]] virtual size_t storedBytes() const noexcept { return 0; }
    /// Gives away the current group's only state of `function`, to be destroyed by whoever takes it, and sets `owner` to what its memory
    /// lies in. To be called for every function in turn, or for none; nullptr when states cannot be given away.
    virtual AggregateDataPtr release(size_t function, std::shared_ptr<const void> & owner)
    {
        static_cast<void>(function);
        static_cast<void>(owner);
        return nullptr;
    }
    /// Bytes of the current group's states as they are written, where the source knows them already and the states are sealed.
    [[nodiscard]] virtual std::optional<UInt64> serializedSize() const noexcept { return std::nullopt; }
};

using SortedGroupsPtr = std::unique_ptr<SortedGroups>;

}
