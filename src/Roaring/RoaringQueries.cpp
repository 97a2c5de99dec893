#include "RoaringQueries.h"

#include "RoaringContainerSearch.h"
#include "RoaringOperations.h"

#include <algorithm>

namespace DB::inline statewire
{

namespace
{
UInt16 lowOf(UInt64 value) noexcept
{
    return static_cast<UInt16>(value);
}
UInt64 join(UInt64 key, UInt32 low) noexcept
{
    return key << 16 | low;
}

/// Calls f(cursor, first low, last low) for every container that the range touches, until f returns false.
template <typename F>
void forContainersInRange(const RoaringSnapshot & set, UInt64 first, UInt64 last, F && f)
{
    if (first > last)
        return;
    RoaringCursor at = set.cursor();
    for (at.seek(first >> 16); at.valid() && at.key() <= last >> 16; at.next())
    {
        const UInt16 from = at.key() == first >> 16 ? lowOf(first) : UInt16{0};
        const UInt16 to = at.key() == last >> 16 ? lowOf(last) : UInt16{CONTAINER_VALUES - 1};
        if (!f(at, from, to))
            return;
    }
}
}

UInt64 roaringRank(const RoaringSnapshot & set, UInt64 value)
{
    UInt64 result = 0;
    for (RoaringCursor at = set.cursor(); at.valid() && at.key() <= value >> 16; at.next())
        result += at.key() < value >> 16 ? at.cardinality() : containerRank(at.container(), lowOf(value));
    return result;
}

std::optional<UInt64> roaringSelect(const RoaringSnapshot & set, UInt64 index)
{
    for (RoaringCursor at = set.cursor(); at.valid(); at.next())
    {
        const UInt64 cardinality = at.cardinality();
        if (index < cardinality)
        {
            const UInt32 low = containerSelect(at.container(), static_cast<UInt32>(index));
            return low < CONTAINER_VALUES ? std::optional(join(at.key(), low)) : std::nullopt;
        }
        index -= cardinality;
    }
    return std::nullopt;
}

std::optional<UInt64> roaringIndex(const RoaringSnapshot & set, UInt64 value)
{
    RoaringCursor at = set.cursor();
    at.seek(value >> 16);
    if (!at.valid() || at.key() != value >> 16 || !containerContains(at.container(), lowOf(value)))
        return std::nullopt;
    const UInt64 rank = roaringRank(set, value);
    return rank == 0 ? std::nullopt : std::optional(rank - 1);
}

std::optional<UInt64> roaringMinimum(const RoaringSnapshot & set)
{
    return roaringNext(set, 0);
}

std::optional<UInt64> roaringMaximum(const RoaringSnapshot & set)
{
    return roaringPrevious(set, ~UInt64{0});
}

std::optional<UInt64> roaringNext(const RoaringSnapshot & set, UInt64 from)
{
    RoaringCursor at = set.cursor();
    for (at.seek(from >> 16); at.valid(); at.next())
    {
        const UInt32 low = containerNext(at.container(), at.key() == from >> 16 ? lowOf(from) : 0);
        if (low < CONTAINER_VALUES)
            return join(at.key(), low);
    }
    return std::nullopt;
}

std::optional<UInt64> roaringPrevious(const RoaringSnapshot & set, UInt64 from)
{
    /// Cursors go forward only: remember the last container that has a value.
    KeyedContainer best;
    bool found = false;
    RoaringCursor at = set.cursor();
    for (; at.valid() && at.key() < from >> 16; at.next())
        if (at.isTrusted() || containerNext(at.container(), 0) < CONTAINER_VALUES)
        {
            best = at.keyed();
            found = true;
        }
    if (at.valid() && at.key() == from >> 16)
        if (const UInt32 low = containerPrevious(at.container(), lowOf(from)); low < CONTAINER_VALUES)
            return join(at.key(), low);
    if (!found)
        return std::nullopt;
    return join(best.key, containerMaximum(best.container));
}

std::optional<UInt64> roaringNextAbsent(const RoaringSnapshot & set, UInt64 from)
{
    RoaringCursor at = set.cursor();
    for (at.seek(from >> 16); at.valid() && at.key() == from >> 16; at.next())
    {
        const UInt32 low = containerNextAbsent(at.container(), lowOf(from));
        if (low < CONTAINER_VALUES)
            return join(at.key(), low);
        if (at.key() == LAST_CONTAINER_KEY)
            return std::nullopt;
        from = (at.key() + 1) << 16;
    }
    return from;
}

std::optional<UInt64> roaringPreviousAbsent(const RoaringSnapshot & set, UInt64 from)
{
    std::optional<UInt64> best;
    UInt64 next_key = 0;
    for (RoaringCursor at = set.cursor(); at.valid() && at.key() <= from >> 16; at.next())
    {
        if (at.key() != next_key)
            best = join(at.key(), 0) - 1;
        const UInt32 low
            = containerPreviousAbsent(at.container(), at.key() == from >> 16 ? lowOf(from) : UInt16{CONTAINER_VALUES - 1});
        if (low < CONTAINER_VALUES)
            best = join(at.key(), low);
        next_key = at.key() + 1;
    }
    return next_key <= from >> 16 ? from : best;
}

bool roaringContainsRange(const RoaringSnapshot & set, UInt64 first, UInt64 last)
{
    if (first > last)
        return true;
    UInt64 next_key = first >> 16;
    bool complete = true;
    forContainersInRange(set, first, last, [&](const RoaringCursor & at, UInt16 from, UInt16 to) {
        complete = at.key() == next_key && containerRangeCardinality(at.container(), from, to) == UInt32{to} - from + 1;
        ++next_key;
        return complete;
    });
    return complete && next_key == (last >> 16) + 1;
}

bool roaringIntersectsRange(const RoaringSnapshot & set, UInt64 first, UInt64 last)
{
    bool found = false;
    forContainersInRange(set, first, last, [&](const RoaringCursor & at, UInt16 from, UInt16 to) {
        found = containerNext(at.container(), from) <= to;
        return !found;
    });
    return found;
}

UInt64 roaringRangeCardinality(const RoaringSnapshot & set, UInt64 first, UInt64 last)
{
    UInt64 result = 0;
    forContainersInRange(set, first, last, [&](const RoaringCursor & at, UInt16 from, UInt16 to) {
        const bool whole = from == 0 && to == CONTAINER_VALUES - 1;
        result += whole ? at.cardinality() : containerRangeCardinality(at.container(), from, to);
        return true;
    });
    return result;
}

bool roaringIntersects(const RoaringSnapshot & a, const RoaringSnapshot & b)
{
    bool found = false;
    forCommonKeys(a, b, [&](UInt64, ContainerView in_a, ContainerView in_b) {
        found = intersectionCardinality(in_a, in_b) != 0;
        return !found;
    });
    return found;
}

bool roaringIsSubset(const RoaringSnapshot & a, const RoaringSnapshot & b)
{
    RoaringCursor at_b = b.cursor();
    for (RoaringCursor at_a = a.cursor(); at_a.valid(); at_a.next())
    {
        at_b.seek(at_a.key());
        const bool in_both = at_b.valid() && at_b.key() == at_a.key();
        const UInt64 cardinality = at_a.cardinality();
        if (cardinality == 0)
            continue;
        if (!in_both || at_b.cardinality() < cardinality
            || intersectionCardinality(at_a.container(), at_b.container()) != cardinality)
            return false;
    }
    return true;
}

bool roaringIsStrictSubset(const RoaringSnapshot & a, const RoaringSnapshot & b)
{
    return roaringIsSubset(a, b) && a.cardinality() != b.cardinality();
}

double roaringJaccard(const RoaringSnapshot & a, const RoaringSnapshot & b)
{
    const UInt64 both = roaringCombinedCardinality(SetOperation::And, a, b);
    const UInt64 any = roaringCombinedCardinality(SetOperation::Or, a, b);
    return any == 0 ? 1.0 : static_cast<double>(both) / static_cast<double>(any);
}

}
