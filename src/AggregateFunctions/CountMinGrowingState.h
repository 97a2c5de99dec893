#pragma once

#include "../Common/TrackedAllocator.h"
#include "../CountMin/CountMinArithmetic.h"
#include "../CountMin/CountMinEntries.h"
#include "../CountMin/CountMinParameters.h"
#include "../IO/ReadBuffer.h"
#include "../IO/VarInt.h"
#include "../IO/WriteBuffer.h"
#include "../IO/WriteBufferSink.h"
#include "../IO/ZeroCopyReader.h"
#include "CountMinStateKind.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace DB::inline statewire
{

/** A state that is exact and sized to its content while its serialized entries are at most smallLimit() bytes, and then turns into a `Large`:
  * what the states of countMinTopK and countMinRanges have in common. Bytes in docs/count_min_sketch_state_format.md.
  *
  * `Derived` has, for this class alone: largeSize(), the size behind the kind of a large state; makeLarge(), an empty one; addKey(large, key, weight)
  * and addEntries(large, entries), static; requireSameKind(other), for all but the parameters; writeLarge(sink) and readLarge(reader), for what is
  * behind the size.
  *
  * Errors: DECIMAL_OVERFLOW when the total leaves UInt64, BAD_ARGUMENTS for other parameters; from read and readAndMerge INCORRECT_DATA,
  *     CANNOT_READ_ALL_DATA and ATTEMPT_TO_READ_AFTER_EOF. A failed read leaves a fresh state fresh, any other failed call the state as it was.
  * Threads: const calls never write to the state, so threads may share one. The parameters outlive it.
  */
template <typename Derived, typename Large>
class CountMinGrowingState
{
public:
    using Entries = CountMinEntries<UInt64>;

    void merge(const Derived & other);
    void write(WriteBuffer & out) const;
    /// Reads one state into this fresh one, with Full validation, and consumes exactly its bytes.
    void read(ReadBuffer & in);
    /// Merges one serialized state.
    void readAndMerge(ReadBuffer & in);

    [[nodiscard]] const CountMinParameters & parameters() const noexcept { return *shape; }
    [[nodiscard]] bool isSmall() const noexcept { return large == nullptr; }
    /// The most bytes that the serialized entries of a small state take.
    [[nodiscard]] UInt64 smallLimit() const noexcept { return std::min(derived().largeSize(), COUNT_MIN_MAX_SMALL_BYTES); }
    [[nodiscard]] UInt64 total() const noexcept { return isSmall() ? small.total() : large->total(); }
    /// Exact entries of a small state; 0 for a large one.
    [[nodiscard]] size_t smallEntries() const noexcept { return small.count(); }
    /// Heap bytes.
    [[nodiscard]] size_t heldBytes() const noexcept { return isSmall() ? small.heldBytes() : sizeof(Large) + large->heldBytes(); }

protected:
    CountMinGrowingState(const CountMinParameters & parameters_, UInt32 key_size) noexcept : shape(&parameters_), small(key_size) { }

    /// The key has the state's size.
    void addKeyOrGrow(std::string_view key, UInt64 weight);

    const CountMinParameters * shape;
    /// What there is while `large` is null; without entries otherwise.
    Entries small;
    TrackedPtr<Large> large;

private:
    [[nodiscard]] const Derived & derived() const noexcept { return static_cast<const Derived &>(*this); }
    void become(TrackedPtr<Large> content) noexcept;
    void mergeEntries(const Entries & entries);
    /// Of a small state: `other` with these entries takes its place.
    void mergeIntoLarge(TrackedPtr<Large> other);
};

template <typename Derived, typename Large>
void CountMinGrowingState<Derived, Large>::become(TrackedPtr<Large> content) noexcept
{
    large = std::move(content);
    small = Entries(small.keySize());
}

template <typename Derived, typename Large>
void CountMinGrowingState<Derived, Large>::addKeyOrGrow(std::string_view key, UInt64 weight)
{
    if (weight == 0)
        return;
    if (!isSmall())
        Derived::addKey(*large, key, weight);
    else if (!small.tryAdd(key, weight, smallLimit()))
    {
        auto grown = derived().makeLarge();
        Derived::addEntries(*grown, small);
        Derived::addKey(*grown, key, weight);
        become(std::move(grown));
    }
}

template <typename Derived, typename Large>
void CountMinGrowingState<Derived, Large>::mergeEntries(const Entries & entries)
{
    if (entries.count() == 0)
        return;
    const UInt64 new_total = countMinCheckedTotal<UInt64>(total(), entries.total());
    if (!isSmall())
    {
        Derived::addEntries(*large, entries);
        return;
    }
    Entries both = Entries::merged(small, entries, new_total);
    if (both.bytes().size() <= smallLimit())
    {
        small = std::move(both);
        return;
    }
    auto grown = derived().makeLarge();
    Derived::addEntries(*grown, both);
    become(std::move(grown));
}

template <typename Derived, typename Large>
void CountMinGrowingState<Derived, Large>::mergeIntoLarge(TrackedPtr<Large> other)
{
    if (small.count() != 0)
    {
        static_cast<void>(countMinCheckedTotal<UInt64>(other->total(), small.total()));
        Derived::addEntries(*other, small);
    }
    become(std::move(other));
}

template <typename Derived, typename Large>
void CountMinGrowingState<Derived, Large>::merge(const Derived & other)
{
    if (!(shape == other.shape || *shape == *other.shape)) [[unlikely]]
        throwIncompatibleCountMin(*shape, *other.shape);
    derived().requireSameKind(other);
    if (other.isSmall())
        mergeEntries(other.small);
    else if (isSmall())
        mergeIntoLarge(makeTracked<Large>(*other.large));
    else if (this == &other)
        large->merge(Large(*large));
    else
        large->merge(*other.large);
}

template <typename Derived, typename Large>
void CountMinGrowingState<Derived, Large>::write(WriteBuffer & out) const
{
    WriteBufferSink sink(out);
    char * const prefix = sink.reserve(1 + VAR_UINT_MAX_SIZE);
    if (isSmall())
    {
        *prefix = static_cast<char>(countMinSmallKind(*shape));
        sink.commit(1);
        small.write(sink);
        return;
    }
    *prefix = static_cast<char>(countMinTableKind(*shape));
    sink.commit(static_cast<size_t>(writeVarUInt(derived().largeSize(), prefix + 1) - prefix));
    derived().writeLarge(sink);
}

template <typename Derived, typename Large>
void CountMinGrowingState<Derived, Large>::read(ReadBuffer & in)
{
    ZeroCopyReader reader(in);
    if (readCountMinKindIsSmall(reader, *shape, derived().largeSize()))
        small = Entries::read(reader, small.keySize(), smallLimit());
    else
        large = derived().readLarge(reader);
}

template <typename Derived, typename Large>
void CountMinGrowingState<Derived, Large>::readAndMerge(ReadBuffer & in)
{
    ZeroCopyReader reader(in);
    if (readCountMinKindIsSmall(reader, *shape, derived().largeSize()))
    {
        mergeEntries(Entries::read(reader, small.keySize(), smallLimit()));
        return;
    }
    auto other = derived().readLarge(reader);
    if (isSmall())
        mergeIntoLarge(std::move(other));
    else
        large->merge(*other);
}

}
