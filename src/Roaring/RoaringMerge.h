#pragma once

#include "../IO/WriteBuffer.h"
#include "RoaringBitmap.h"

#include <array>
#include <span>

namespace DB::inline statewire
{

/** Or, and, xor of many sets at once, key by key, without building the inputs. The result comes out container by container:
  *
  *     RoaringMerge merge(SetOperation::Or, cursors);
  *     for (UInt64 key; merge.next(key, container);) ...
  *
  * For or and xor, inputs are read in windows of keys; a window's containers are brought into order by one counting pass, so a thousand
  * inputs cost no more for each value than two. For each key the cheapest way is taken, from what the headers say: a copy, a sort of a few
  * values, a union of runs, a bitset that remembers which words it touched, or a plain bitset; a full container ends its key at once. For
  * and, the inputs leap to the next key they all have, smallest containers first.
  *
  * Points into: the cursors' sources. Valid while: those live unchanged. Memory: a window, some hundred KiB or 40 bytes an input.
  * Untrusted contents give some set, memory-safely. Not copied: it is a walk.
  */
class RoaringMerge
{
public:
    /// `operation` is And, Or or Xor; no input at all gives the empty set.
    RoaringMerge(SetOperation operation_, std::span<const RoaringCursor> inputs);
    RoaringMerge(const RoaringMerge &) = delete;
    RoaringMerge & operator=(const RoaringMerge &) = delete;

    /// The next container that is not empty; false at the end. Errors: std::bad_alloc.
    [[nodiscard]] bool next(UInt64 & key, RoaringContainer & container);

private:
    struct Record
    {
        /// The key, and in the highest bit whether the contents are trusted.
        UInt64 tagged_key;
        ContainerView container;

        [[nodiscard]] UInt64 key() const noexcept { return tagged_key & ~TRUSTED; }
    };
    static constexpr UInt64 TRUSTED = UInt64{1} << 63;

    void gather();
    [[nodiscard]] bool gatherWindow(UInt64 begin, UInt64 end);
    void sortRecords(UInt64 begin, UInt64 end);
    [[nodiscard]] bool nextIntersection(UInt64 & key, RoaringContainer & container);

    [[nodiscard]] RoaringContainer mergeGroup(const Record * group, size_t n);
    [[nodiscard]] RoaringContainer mergeFewValues(const Record * group, size_t n) const;
    [[nodiscard]] RoaringContainer mergeFewRuns(const Record * group, size_t n) const;
    [[nodiscard]] RoaringContainer mergeSparse(const Record * group, size_t n);
    [[nodiscard]] RoaringContainer mergeDense(const Record * group, size_t n);
    [[nodiscard]] RoaringContainer intersectGroup(Record * group, size_t n);

    SetOperation operation;
    TrackedVector<RoaringCursor> cursors;
    /// Keys of the cursors, apart from them, because most windows look at most of them.
    TrackedVector<UInt64> next_keys;
    TrackedVector<Record> records;
    TrackedVector<Record> unsorted;
    TrackedVector<UInt32> starts;
    size_t at = 0;
    UInt64 width = 256;
    /// All zero between groups.
    alignas(64) std::array<char, BITSET_BYTES> words{};
    std::array<UInt64, BITSET_WORDS / 64> touched{};
};

/// How a merge into bytes gets the sizes that come first in the format.
enum class MergeMemory : UInt8
{
    /// Holds the output's payload until the sizes are known.
    OnePass,
    /// Merges twice: 16 bytes for each container of the output, and twice the time.
    TwoPass
};

[[nodiscard]] RoaringBitmap roaringMerge(SetOperation operation, std::span<const RoaringCursor> inputs);
[[nodiscard]] RoaringBitmap roaringMerge(SetOperation operation, std::span<const RoaringView> inputs);
/// Canonical bytes. ARGUMENT_OUT_OF_BOUND when a value does not fit the 32-bit format.
void roaringMerge(
    SetOperation operation, std::span<const RoaringView> inputs, WriteBuffer & out, RoaringFormat format,
    MergeMemory memory = MergeMemory::OnePass);

}
