#pragma once

#include "RoaringFormat.h"

#include <string_view>
#include <utility>

namespace DB::inline statewire
{

/** One container where it lies: in serialized bytes or in an owner. A small copyable value.
  *
  * Points into: little-endian payload at any alignment: `size` values of 2 bytes (array), `size` runs of {start, length - 1} (run), or 8192
  * bytes (bitset; `size` is then the cardinality that the header claims). Valid while those bytes live and do not change.
  */
struct ContainerView
{
    ContainerKind kind = ContainerKind::Array;
    UInt32 size = 0;
    const char * data = nullptr;

    [[nodiscard]] size_t payloadBytes() const noexcept
    {
        return kind == ContainerKind::Array ? size_t{2} * size : kind == ContainerKind::Run ? size_t{4} * size : BITSET_BYTES;
    }
};

/** One container of an owner: 16 bytes, payload inside when it has at most 8 bytes, else on the heap, little-endian like the formats.
  *
  * Invariants: an array has 1..4096 strictly increasing values, a bitset more than 4096, runs are sorted, apart and at least one.
  * A regular value that is moved from becomes empty (cardinality 0). Errors: std::bad_alloc.
  */
class RoaringContainer
{
public:
    RoaringContainer() noexcept = default;
    /// Copies a payload. `cardinality_` is exact.
    RoaringContainer(ContainerView view, UInt32 cardinality_);
    /// A container whose payload is still to be written through mutableData(); `size` as in ContainerView.
    [[nodiscard]] static RoaringContainer uninitialized(ContainerKind kind_, UInt32 size, UInt32 cardinality_)
    {
        return {kind_, size, cardinality_};
    }
    /// Shows a payload that lies elsewhere, without copying more than 8 bytes; the first change copies it. Whoever holds the container
    /// keeps that memory alive; copies of the container own their payload.
    [[nodiscard]] static RoaringContainer borrow(ContainerView view, UInt32 cardinality_);
    RoaringContainer(const RoaringContainer & other) : RoaringContainer(other.view(), other.card) { }
    RoaringContainer(RoaringContainer && other) noexcept
        : storage(other.storage), card(other.card), runs(other.runs), kind(other.kind), is_borrowed(other.is_borrowed)
    {
        other.forget();
    }
    RoaringContainer & operator=(RoaringContainer other) noexcept
    {
        swap(other);
        return *this;
    }
    ~RoaringContainer()
    {
        if (isOnHeap())
            deallocate();
    }

    [[nodiscard]] ContainerView view() const noexcept { return {kind, kind == ContainerKind::Run ? runs : card, data()}; }
    [[nodiscard]] UInt32 cardinality() const noexcept { return card; }
    [[nodiscard]] bool isBorrowed() const noexcept { return is_borrowed; }
    [[nodiscard]] bool isOnHeap() const noexcept { return !isInline() && !is_borrowed; }
    [[nodiscard]] size_t heldBytes() const noexcept { return isOnHeap() ? heapBytes() : 0; }

    /// Copies a payload that lies elsewhere.
    void own()
    {
        if (is_borrowed)
            takeOver();
    }
    /// Moves a payload from the heap to `memory`, which whoever holds the container keeps alive from then on.
    void lend(char * memory) noexcept;
    /// The payload, to be changed in place by kernels that keep kind and size; setCardinality says what came out of it.
    [[nodiscard]] char * mutableData()
    {
        own();
        return isInline() ? storage.inlined : storage.heap;
    }
    void setCardinality(UInt32 cardinality_) noexcept { card = cardinality_; }

    /// Appends a value larger than all others to an array that is not full.
    void appendToArray(UInt16 value);

    void swap(RoaringContainer & other) noexcept
    {
        std::swap(storage, other.storage);
        std::swap(card, other.card);
        std::swap(runs, other.runs);
        std::swap(kind, other.kind);
        std::swap(is_borrowed, other.is_borrowed);
    }

private:
    RoaringContainer(ContainerKind kind_, UInt32 size, UInt32 cardinality_);

    union Storage
    {
        char * heap;
        char inlined[8];
    };

    /// Capacity follows from the payload's size, so that it needs no field: steps of an eighth, at least 16 bytes.
    [[nodiscard]] static size_t capacityFor(size_t bytes) noexcept;
    /// Of the block on the heap.
    [[nodiscard]] size_t heapBytes() const noexcept;
    [[nodiscard]] size_t payloadBytes() const noexcept { return view().payloadBytes(); }
    [[nodiscard]] bool isInline() const noexcept
    {
        return kind == ContainerKind::Array ? card <= 4 : kind == ContainerKind::Run && runs <= 2;
    }
    [[nodiscard]] const char * data() const noexcept { return isInline() ? storage.inlined : storage.heap; }
    void deallocate() noexcept;
    void takeOver();
    /// Becomes empty without giving memory back.
    void forget() noexcept
    {
        card = 0;
        runs = 0;
        kind = ContainerKind::Array;
        is_borrowed = false;
    }

    Storage storage{};
    UInt32 card = 0;
    UInt16 runs = 0;
    ContainerKind kind = ContainerKind::Array;
    bool is_borrowed = false;
};

static_assert(sizeof(RoaringContainer) == 16);

}
