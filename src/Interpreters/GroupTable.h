#pragma once

#include "../Common/TrackedAllocator.h"
#include "../base/types.h"

namespace DB::inline statewire
{

/** From hashes of keys to numbers of groups 0, 1, 2...: open addressing over cells of 8 bytes, at most half of them taken. The keys are the
 * caller's, who is asked when two may be equal.
 *
 * Uses the lower half of the hash; the upper half is free to choose a table.
 * Errors: from the allocator and from `make`; then nothing was added. Threads: one.
 */
class GroupTable
{
public:
    /// Groups are numbered below this.
    static constexpr UInt32 MAX_GROUPS = 0x7fffffff;

    /// The group for which `equal(group)` holds, or the one that `make()` makes and returns.
    template <typename Equal, typename Make>
    UInt32 findOrAdd(UInt64 hash, Equal && equal, Make && make)
    {
        if (2 * (size + 1) > cells.size())
            grow();
        const auto tag = static_cast<UInt32>(hash);
        const size_t mask = cells.size() - 1;
        for (size_t i = tag & mask;; i = (i + 1) & mask)
        {
            Cell & cell = cells[i];
            if (cell.group_plus_one == 0)
            {
                const UInt32 group = make();
                cell = {tag, group + 1};
                ++size;
                return group;
            }
            if (cell.tag == tag && equal(cell.group_plus_one - 1))
                return cell.group_plus_one - 1;
        }
    }

    /// Whether the table is too large for the nearest caches, so that the next two pay.
    [[nodiscard]] bool isLarge() const noexcept { return cells.size() >= LARGE_CELLS; }
    /// Brings the first cell of a hash nearer. Not for an empty table.
    void prefetch(UInt64 hash) const noexcept { __builtin_prefetch(&firstCell(hash)); }
    /// The group in the first cell of a hash, which is the key's own more often than not; MAX_GROUPS when there is none. Not for an empty table.
    [[nodiscard]] UInt32 likelyGroup(UInt64 hash) const noexcept
    {
        const UInt32 group_plus_one = firstCell(hash).group_plus_one;
        return group_plus_one == 0 ? MAX_GROUPS : group_plus_one - 1;
    }

private:
    struct Cell
    {
        UInt32 tag = 0;
        UInt32 group_plus_one = 0;
    };

    static constexpr size_t MIN_CELLS = 256;
    static constexpr size_t LARGE_CELLS = 16384;

    [[nodiscard]] const Cell & firstCell(UInt64 hash) const noexcept { return cells[static_cast<UInt32>(hash) & (cells.size() - 1)]; }

    void grow()
    {
        TrackedVector<Cell> larger(cells.empty() ? MIN_CELLS : 2 * cells.size());
        const size_t mask = larger.size() - 1;
        for (const Cell & cell : cells)
        {
            if (cell.group_plus_one == 0)
                continue;
            size_t i = cell.tag & mask;
            while (larger[i].group_plus_one != 0)
                i = (i + 1) & mask;
            larger[i] = cell;
        }
        cells.swap(larger);
    }

    TrackedVector<Cell> cells;
    size_t size = 0;
};

}
