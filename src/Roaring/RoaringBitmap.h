#pragma once

#include "../Common/TrackedAllocator.h"
#include "../IO/WriteBuffer.h"
#include "RoaringCursor.h"
#include "RoaringKernels.h"
#include "RoaringLimits.h"
#include "RoaringPayloads.h"
#include "RoaringPending.h"
#include "RoaringView.h"

#include <algorithm>
#include <span>

namespace DB::inline statewire
{

class RoaringGroupContainer;

/** A set of 64-bit numbers: sorted keys (the upper 48 bits of the values) beside their containers, in flat arrays. One class serves the
  * 32-bit and the 64-bit formats; the formats are two writers and two readers over it.
  *
  * Lone insertions into the middle of flat arrays would be quadratic, so there is a *pending* part: unsorted values, at most
  * max(1024, 2 * cardinality) of them (fewer where folding in costs little), folded in by a radix sort when it is full and by seal(). So sets
  * grow by a factor from fold to fold, and adding n values in any order and any batching costs O(n log n). Const calls on an unsealed bitmap work on a sorted copy of the pending part and never write.
  *
  * A regular value. Errors: those of TrackedAllocator.h. When memory runs out while values of another set or batch are added, none that were there are
  * lost, some of the new ones may be there, and doing it again gives the right set; any other call has changed nothing.
  * Threads: const calls may run together.
  */
class RoaringBitmap
{
public:
    RoaringBitmap() = default;
    RoaringBitmap(const RoaringBitmap &) = default;
    /// The other one is empty afterwards.
    RoaringBitmap(RoaringBitmap && other) noexcept : RoaringBitmap() { swap(other); }
    RoaringBitmap & operator=(RoaringBitmap other) noexcept
    {
        swap(other);
        return *this;
    }
    ~RoaringBitmap() = default;
    void swap(RoaringBitmap & other) noexcept
    {
        keys.swap(other.keys);
        containers.swap(other.containers);
        payloads.swap(other.payloads);
        std::swap(sealed_cardinality, other.sealed_cardinality);
        std::swap(pending, other.pending);
    }

    /// Copies what a view shows, container by container.
    explicit RoaringBitmap(RoaringView view);

    /// Shows the containers of a checked view (Full) where they lie; what is changed is copied, a container at a time. The bytes must
    /// outlive this bitmap and whatever it is moved to; copies are independent.
    [[nodiscard]] static RoaringBitmap borrow(RoaringView view);

    void add(UInt64 value);
    /// In any order. Batches that are sorted, or large, cost less for each value.
    void addMany(std::span<const UInt64> values);
    void addMany(std::span<const UInt32> values);
    /// Adds the values of another set, which is only read; a view is never materialized.
    void merge(const RoaringBitmap & other);
    void merge(RoaringView other);
    /// The same, and memory of the other set moves over; it is empty afterwards. When this throws, the other set may be in pieces, to be destroyed or
    /// cleared.
    void merge(RoaringBitmap && other);
    /// Makes this the combination of this and another set, which is only read.
    void combineWith(SetOperation operation, const RoaringBitmap & other);
    void combineWith(SetOperation operation, RoaringView other);

    /// True when the value was in the set.
    bool remove(UInt64 value);
    /// Ranges are closed, [first, last], and empty when first is above last. MEMORY_LIMIT_EXCEEDED, with nothing changed, when a range
    /// would take more than `max_bytes`: 24 for each 2^16 values that it touches.
    void addRange(UInt64 first, UInt64 last, UInt64 max_bytes = DEFAULT_MAX_EXPANSION_BYTES);
    void flip(UInt64 first, UInt64 last, UInt64 max_bytes = DEFAULT_MAX_EXPANSION_BYTES);
    void removeRange(UInt64 first, UInt64 last);
    void clear() noexcept;
    /// Gives every container the kind that takes least memory, and gives spare memory back. Writing does not need it.
    void optimize();
    [[nodiscard]] static RoaringBitmap range(UInt64 first, UInt64 last, UInt64 max_bytes = DEFAULT_MAX_EXPANSION_BYTES);

    /// Folds the pending part in. Whoever hands a bitmap out for reading calls it once.
    void seal();
    [[nodiscard]] bool isSealed() const noexcept { return pending.empty(); }

    [[nodiscard]] bool empty() const noexcept { return keys.empty() && pending.empty(); }
    [[nodiscard]] UInt64 cardinality() const;
    [[nodiscard]] bool contains(UInt64 value) const noexcept;
    /// Smallest and largest value; 0 for the empty set.
    [[nodiscard]] UInt64 minimum() const;
    [[nodiscard]] UInt64 maximum() const;

    /// Canonical bytes: they depend on the set alone. ARGUMENT_OUT_OF_BOUND when a value does not fit the 32-bit format.
    void write(WriteBuffer & out, RoaringFormat format) const;
    [[nodiscard]] UInt64 serializedSize(RoaringFormat format) const;

    /// Heap bytes held.
    [[nodiscard]] size_t heldBytes() const noexcept;

    friend bool operator==(const RoaringBitmap & a, const RoaringBitmap & b);

private:
    friend class RoaringSnapshot;
    friend class RoaringBuilder;

    /// Over the sealed part alone.
    [[nodiscard]] RoaringCursor sealedCursor() const noexcept { return {keys.data(), containers.data(), keys.size(), sealed_cardinality}; }
    template <typename T>
    void addBatch(std::span<const T> values);
    /// Adds values that are sorted by key.
    template <typename T>
    void fold(std::span<const T> values);
    /// Where the first key that is not below `key` lies, from `at` on: neighbours are looked at first.
    [[nodiscard]] size_t seekFrom(size_t at, UInt64 key) const noexcept;
    void uniteAt(size_t at, ContainerView other);
    /// Moves a small payload to where this bitmap has many of them; at most `expected` bytes of payloads are soon to come.
    void keepSmall(RoaringContainer & container, size_t expected);
    /// Gives the memory of small payloads back where most of it is not shown any more.
    void dropPayloads();
    /// Puts the `added` containers of a source whose keys are new between those that are there, so that every container moves once. The source
    /// begins at its last key and goes down, and its take() does not throw.
    template <typename Source>
    void insertFromBack(size_t added, Source && source);
    [[nodiscard]] size_t pendingLimit() const noexcept;
    void mergeCursor(RoaringCursor other);
    void combineCursor(SetOperation operation, RoaringCursor other);
    /// Room for so many more containers: appending them does not fail.
    void reserveMore(size_t added);
    void append(UInt64 key, RoaringContainer && container)
    {
        if (keys.size() == std::min(keys.capacity(), containers.capacity())) [[unlikely]]
            reserveMore(1);
        sealed_cardinality += container.cardinality();
        keys.push_back(key);
        containers.push_back(std::move(container));
    }

    TrackedVector<UInt64> keys;
    TrackedVector<RoaringContainer> containers;
    /// Where small payloads lie that nobody has changed since they were made.
    RoaringPayloads payloads;
    /// Of the containers.
    UInt64 sealed_cardinality = 0;
    RoaringPending pending;
};

/** Anything that can be walked as a set: an owner or a view, in one argument type. It is what the operations take.
  *
  * Points into: the bitmap or the view's bytes, and for an unsealed bitmap also into its own sorted copy of the pending part. Valid while:
  * the source lives unchanged. Neither copied nor moved.
  */
class RoaringSnapshot
{
public:
    RoaringSnapshot(RoaringView view_) noexcept : view(view_) { }
    RoaringSnapshot(const RoaringBitmap & bitmap_) : bitmap(&bitmap_)
    {
        if (!bitmap->isSealed())
            foldPending();
    }
    RoaringSnapshot(const RoaringSnapshot &) = delete;
    RoaringSnapshot & operator=(const RoaringSnapshot &) = delete;

    [[nodiscard]] RoaringCursor cursor() const noexcept
    {
        if (!bitmap)
            return view.cursor();
        return folded ? RoaringCursor(folded->all.data(), folded->all.size()) : bitmap->sealedCursor();
    }
    /// Calls f with a table of the containers where there is one, else returns false.
    template <typename F>
    bool withTable(F && f) const
    {
        if (bitmap && !folded)
            return f(RoaringOwnerTable{bitmap->keys.data(), bitmap->containers.data(), bitmap->keys.size()});
        return !bitmap && view.hasOneImage() && f(RoaringImageTable(view.bytes().data()));
    }
    /// As far as the headers are to be believed.
    [[nodiscard]] UInt64 cardinality() const noexcept
    {
        if (!bitmap)
            return view.cardinality();
        return folded ? cursor().remainingCardinality() : bitmap->sealed_cardinality;
    }

private:
    struct Folded
    {
        /// The containers that the pending values touch, and all containers in order.
        TrackedVector<RoaringContainer> touched;
        TrackedVector<KeyedContainer> all;
    };

    void foldPending();

    const RoaringBitmap * bitmap = nullptr;
    RoaringView view;
    /// Of an unsealed bitmap.
    TrackedPtr<Folded> folded;
};

/// Calls f(key, container of a, container of b) at every key that both have, until f returns false.
template <typename F>
void forCommonKeys(const RoaringSnapshot & a, const RoaringSnapshot & b, F && f)
{
    /// Small sets spend all their time on what comes before the first key, so no cursor is made for them.
    if (a.withTable([&](const auto & in_a) {
            return b.withTable([&](const auto & in_b) {
                forCommonKeys(in_a, in_b, f);
                return true;
            });
        }))
        return;
    RoaringCursor at_a = a.cursor();
    RoaringCursor at_b = b.cursor();
    while (at_a.valid() && at_b.valid())
    {
        if (at_a.key() < at_b.key())
            at_a.seek(at_b.key());
        else if (at_b.key() < at_a.key())
            at_b.seek(at_a.key());
        else
        {
            if (!f(at_a.key(), at_a.container(), at_b.container()))
                return;
            at_a.next();
            at_b.next();
        }
    }
}

/// Builds a bitmap from containers that come in ascending order of keys.
class RoaringBuilder
{
public:
    /// `expected_` containers are made room for once there is one.
    explicit RoaringBuilder(size_t expected_ = 0) noexcept : expected(expected_) { }

    /// Containers of cardinality 0 are dropped.
    void append(UInt64 key, RoaringContainer && container)
    {
        if (container.cardinality() == 0)
            return;
        if (bitmap.keys.empty() && expected != 0)
            reserve();
        bitmap.append(key, std::move(container));
    }
    /// Gives back reserved room when most of it was not needed.
    [[nodiscard]] RoaringBitmap finish();

private:
    void reserve();

    size_t expected;
    RoaringBitmap bitmap;
};

}
