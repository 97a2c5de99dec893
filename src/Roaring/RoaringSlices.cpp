#include "RoaringSlices.h"

#include "RoaringContainerSearch.h"
#include "RoaringKernelTable.h"

#include <algorithm>
#include <array>

namespace DB::inline statewire
{

namespace
{
constexpr UInt16 LAST_LOW = CONTAINER_VALUES - 1;

/// A part of one container.
RoaringContainer cut(const RoaringCursor & at, UInt16 first, UInt16 last)
{
    if (first == 0 && last == LAST_LOW)
        return at.copy();
    return containerRange(at.container(), first, last);
}

/// Appends the values of index [skip, skip + limit) among those from `at` on, where the first container begins at `first_low`.
RoaringBitmap takeByIndex(RoaringCursor at, UInt16 first_low, UInt64 skip, UInt64 limit)
{
    RoaringBuilder builder;
    for (; at.valid() && limit != 0; at.next(), first_low = 0)
    {
        const ContainerView container = at.container();
        const UInt64 available
            = first_low == 0 ? containerCardinality(container) : containerRangeCardinality(container, first_low, LAST_LOW);
        if (skip >= available)
        {
            skip -= available;
            continue;
        }
        /// Index among all values of the container.
        const UInt64 before = (first_low == 0 ? 0 : containerRank(container, static_cast<UInt16>(first_low - 1))) + skip;
        const UInt64 taken = std::min(limit, available - skip);
        const UInt32 first = containerSelect(container, static_cast<UInt32>(before));
        const UInt32 last = containerSelect(container, static_cast<UInt32>(before + taken - 1));
        skip = 0;
        limit -= taken;
        if (first >= CONTAINER_VALUES)
            continue;
        builder.append(at.key(), cut(at, static_cast<UInt16>(first), static_cast<UInt16>(std::min<UInt32>(last, LAST_LOW))));
    }
    return builder.finish();
}

/// One container moved up by `low` < 65536: what stays under its key, and what goes to the next.
struct Moved
{
    RoaringContainer stays;
    RoaringContainer passes;
};

Moved moveUp(ContainerView container, UInt32 low)
{
    if (container.kind == ContainerKind::Array)
    {
        std::array<UInt16, MAX_ARRAY_CARDINALITY> values;
        const size_t border = roaringKernels().lower_bound(container.data, container.size, CONTAINER_VALUES - low);
        const auto n = std::min<size_t>(container.size, values.size());
        for (size_t i = 0; i < n; ++i)
            values[i] = static_cast<UInt16>(arrayValue(container.data, i) + low);
        return {containerFromSorted(values.data(), border), containerFromSorted(values.data() + border, n - border)};
    }
    /// Two containers in a row, as bits.
    std::array<char, 2 * BITSET_BYTES> bits{};
    std::array<char, BITSET_BYTES> source{};
    addToBitset(source.data(), container);
    const size_t words = low / 64;
    const unsigned shift = low % 64;
    UInt64 carry = 0;
    for (size_t i = 0; i < BITSET_WORDS; ++i)
    {
        const UInt64 word = bitsetWord(source.data(), i);
        unalignedStoreLittleEndian<UInt64>(bits.data() + 8 * (i + words), word << shift | carry);
        carry = shift == 0 ? 0 : word >> (64 - shift);
    }
    if (words + BITSET_WORDS < 2 * BITSET_WORDS)
        unalignedStoreLittleEndian<UInt64>(bits.data() + 8 * (BITSET_WORDS + words), carry);
    return {containerFromBitset(bits.data()), containerFromBitset(bits.data() + BITSET_BYTES)};
}
}

RoaringBitmap roaringSubset(const RoaringSnapshot & set, UInt64 first, UInt64 last)
{
    RoaringBuilder builder;
    if (first > last)
        return builder.finish();
    RoaringCursor at = set.cursor();
    for (at.seek(first >> 16); at.valid() && at.key() <= last >> 16; at.next())
        builder.append(
            at.key(),
            cut(at, at.key() == first >> 16 ? static_cast<UInt16>(first) : UInt16{0},
                at.key() == last >> 16 ? static_cast<UInt16>(last) : LAST_LOW));
    return builder.finish();
}

RoaringBitmap roaringSubsetLimit(const RoaringSnapshot & set, UInt64 start, UInt64 limit)
{
    RoaringCursor at = set.cursor();
    at.seek(start >> 16);
    const bool inside = at.valid() && at.key() == start >> 16;
    return takeByIndex(at, inside ? static_cast<UInt16>(start) : UInt16{0}, 0, limit);
}

RoaringBitmap roaringSlice(const RoaringSnapshot & set, UInt64 offset, UInt64 limit)
{
    return takeByIndex(set.cursor(), 0, offset, limit);
}

RoaringBitmap roaringShift(const RoaringSnapshot & set, UInt64 distance, bool down, UInt64 last)
{
    /// Down by d is up by the low bits that are missing to whole containers, and then down by whole containers.
    const UInt64 key_distance = down ? (distance >> 16) + ((distance & 0xffff) != 0) : distance >> 16;
    const auto low = static_cast<UInt32>((down ? ~distance + 1 : distance) & 0xffff);
    RoaringBuilder builder;
    RoaringContainer pending;
    UInt64 pending_key = 0;
    const auto flush = [&] {
        builder.append(pending_key, std::move(pending));
        pending = RoaringContainer();
    };
    for (RoaringCursor at = set.cursor(); at.valid(); at.next())
    {
        /// The key where the part that stays goes; it may be -1 when moving down, and then only the part that passes is left.
        const bool below = down && at.key() + 1 < key_distance + (low == 0);
        const bool stays_below = down && at.key() < key_distance;
        const bool above = !down && key_distance > LAST_CONTAINER_KEY - at.key();
        if (below || above)
            continue;
        const UInt64 key = down ? at.key() - key_distance : at.key() + key_distance;
        if (low == 0)
        {
            if (!stays_below)
                builder.append(key, at.copy());
            continue;
        }
        Moved moved = moveUp(at.container(), low);
        if (!stays_below)
        {
            if (pending.cardinality() != 0 && pending_key != key)
                flush();
            if (pending.cardinality() != 0)
            {
                uniteWith(pending, moved.stays.view());
                flush();
            }
            else
                builder.append(key, std::move(moved.stays));
        }
        pending = RoaringContainer();
        if (key != LAST_CONTAINER_KEY || stays_below)
        {
            pending = std::move(moved.passes);
            pending_key = key + 1;
        }
    }
    if (pending.cardinality() != 0)
        flush();
    RoaringBitmap result = builder.finish();
    if (last != ~UInt64{0} && !result.empty() && result.maximum() > last)
        return roaringSubset(result, 0, last);
    return result;
}

}
