#pragma once

#include "../base/unaligned.h"
#include "RoaringContainer.h"

#include <bit>

/** What is done to one or two containers. Everything here is memory-safe for any payload bytes (unsorted arrays, overlapping runs, bitsets
  * whose header lies): results are then as wrong as the bytes, but nothing is read or written outside of what sizes and kinds allow.
  */
namespace DB::inline statewire
{

enum class SetOperation : UInt8
{
    And,
    Or,
    Xor,
    AndNot
};

/// What `operation` makes of two memberships.
[[nodiscard]] constexpr bool applyTo(SetOperation operation, bool in_a, bool in_b) noexcept
{
    switch (operation)
    {
        case SetOperation::And:
            return in_a && in_b;
        case SetOperation::Or:
            return in_a || in_b;
        case SetOperation::Xor:
            return in_a != in_b;
        case SetOperation::AndNot:
            return in_a && !in_b;
    }
    return false;
}

[[nodiscard]] inline UInt16 arrayValue(const char * values, size_t i) noexcept
{
    return unalignedLoadLittleEndian<UInt16>(values + 2 * i);
}
[[nodiscard]] inline UInt32 runStart(const char * runs, size_t i) noexcept
{
    return unalignedLoadLittleEndian<UInt16>(runs + 4 * i);
}
/// The run's last value; at most 131070 when the bytes lie.
[[nodiscard]] inline UInt32 runLast(const char * runs, size_t i) noexcept
{
    return runStart(runs, i) + unalignedLoadLittleEndian<UInt16>(runs + 4 * i + 2);
}
inline void storeRun(char * runs, size_t i, UInt32 start, UInt32 last) noexcept
{
    unalignedStoreLittleEndian<UInt16>(runs + 4 * i, static_cast<UInt16>(start));
    unalignedStoreLittleEndian<UInt16>(runs + 4 * i + 2, static_cast<UInt16>(last - start));
}
/// The number of runs that start at or before `value`.
[[nodiscard]] inline size_t runUpperBound(const char * runs, size_t n, UInt32 value) noexcept
{
    size_t first = 0;
    while (n > 1)
    {
        const size_t half = n / 2;
        first += runStart(runs, first + half - 1) <= value ? half : 0;
        n -= half;
    }
    return first + (n == 1 && runStart(runs, first) <= value);
}
[[nodiscard]] inline UInt64 bitsetWord(const char * words, size_t i) noexcept
{
    return unalignedLoadLittleEndian<UInt64>(words + 8 * i);
}

/// Values in the container: the header's claim for a bitset, the sum for runs.
[[nodiscard]] UInt64 containerCardinality(ContainerView container) noexcept;
[[nodiscard]] bool containerContains(ContainerView container, UInt16 value) noexcept;
/// Smallest and largest value; 0 for a container that holds none because its bytes lie.
[[nodiscard]] UInt16 containerMinimum(ContainerView container) noexcept;
[[nodiscard]] UInt16 containerMaximum(ContainerView container) noexcept;

struct ContainerCount
{
    UInt32 cardinality = 0;
    UInt32 runs = 0;
};
/// Counted from the payload, also for a bitset.
[[nodiscard]] ContainerCount countContainer(ContainerView container) noexcept;

/// The kind our writer chooses: runs only where they are strictly smaller than the alternative (docs/roaring_format.md).
[[nodiscard]] constexpr ContainerKind canonicalKind(ContainerCount count) noexcept
{
    const bool is_array = count.cardinality <= MAX_ARRAY_CARDINALITY;
    const UInt32 other = is_array ? 2 * count.cardinality : BITSET_BYTES;
    if (2 + 4 * count.runs < other)
        return ContainerKind::Run;
    return is_array ? ContainerKind::Array : ContainerKind::Bitset;
}

/// The bits of word i of a bitset that stand for values in [first, last].
[[nodiscard]] inline UInt64 rangeMask(size_t i, UInt32 first, UInt32 last) noexcept
{
    UInt64 mask = ~UInt64{0};
    if (i == first / 64)
        mask &= ~UInt64{0} << (first % 64);
    if (i == last / 64)
        mask &= ~UInt64{0} >> (63 - last % 64);
    return mask;
}
/// Values of a bitset in [first, last].
[[nodiscard]] UInt32 countBitsetRange(const char * words, UInt32 first, UInt32 last) noexcept;

/// Sets the container's values in `words` (8192 little-endian bytes).
void addToBitset(char * words, ContainerView container) noexcept;
/// An array or bitset container, whichever fits, of the values set in `words`.
[[nodiscard]] RoaringContainer containerFromBitset(const char * words);
/// Of `n` runs that are sorted and apart, in whatever kind is smallest.
[[nodiscard]] RoaringContainer containerFromRuns(const char * runs, size_t n);
/// Of strictly increasing values; any number of them.
[[nodiscard]] RoaringContainer containerFromSorted(const UInt16 * values, size_t n);

/// The combination of two containers; cardinality 0 where nothing is left.
[[nodiscard]] RoaringContainer combine(SetOperation operation, ContainerView a, ContainerView b);
/// Values that both have, without building anything.
[[nodiscard]] UInt64 intersectionCardinality(ContainerView a, ContainerView b) noexcept;
/// `to` becomes the union; in place where `to` is a bitset. On an exception `to` is as it was.
void uniteWith(RoaringContainer & to, ContainerView with);

/// An owned copy of a container; what an unchecked view claims about a bitset is recounted.
[[nodiscard]] RoaringContainer copyContainer(ContainerView view, bool trusted);

/// Calls f(UInt16) for every value, ascending.
template <typename F>
void forEachValue(ContainerView container, F && f)
{
    switch (container.kind)
    {
        case ContainerKind::Array:
            for (size_t i = 0; i < container.size; ++i)
                f(arrayValue(container.data, i));
            return;
        case ContainerKind::Bitset:
            for (size_t i = 0; i < BITSET_WORDS; ++i)
                for (UInt64 word = bitsetWord(container.data, i); word != 0; word &= word - 1)
                    f(static_cast<UInt16>(64 * i + static_cast<size_t>(std::countr_zero(word))));
            return;
        case ContainerKind::Run:
            for (size_t i = 0; i < container.size; ++i)
                for (UInt32 value = runStart(container.data, i); value <= runLast(container.data, i) && value < CONTAINER_VALUES; ++value)
                    f(static_cast<UInt16>(value));
            return;
    }
}

}
