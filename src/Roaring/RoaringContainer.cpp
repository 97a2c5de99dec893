#include "RoaringContainer.h"

#include "../Common/TrackedAllocator.h"
#include "../base/unaligned.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace DB::inline statewire
{

namespace
{
/// Vector loads of a bitset then never straddle cache lines. Only bitsets: small blocks would become larger. Aligned by hand, because the
/// aligned operator new takes five times as long as the plain one; the byte in front of the payload says how far the block begins before it.
constexpr size_t BITSET_ALIGNMENT = 64;

char * allocate(ContainerKind kind, size_t bytes)
{
    if (kind != ContainerKind::Bitset)
        return static_cast<char *>(trackedNew(bytes));
    char * block = static_cast<char *>(trackedNew(bytes + BITSET_ALIGNMENT));
    const size_t distance = BITSET_ALIGNMENT - reinterpret_cast<std::uintptr_t>(block) % BITSET_ALIGNMENT;
    block[distance - 1] = static_cast<char>(distance);
    return block + distance;
}
}

RoaringContainer::RoaringContainer(ContainerKind kind_, UInt32 size, UInt32 cardinality_) : card(cardinality_), kind(kind_)
{
    if (kind == ContainerKind::Run)
        runs = static_cast<UInt16>(size);
    const size_t bytes = payloadBytes();
    if (bytes > sizeof(storage.inlined))
        storage.heap = allocate(kind, capacityFor(bytes));
}

RoaringContainer::RoaringContainer(ContainerView view, UInt32 cardinality_) : RoaringContainer(view.kind, view.size, cardinality_)
{
    if (const size_t bytes = view.payloadBytes())
        std::memcpy(mutableData(), view.data, bytes);
}

RoaringContainer RoaringContainer::borrow(ContainerView view, UInt32 cardinality_)
{
    RoaringContainer result;
    result.kind = view.kind;
    result.card = cardinality_;
    result.runs = view.kind == ContainerKind::Run ? static_cast<UInt16>(view.size) : UInt16{0};
    if (result.isInline())
    {
        if (const size_t bytes = view.payloadBytes())
            std::memcpy(result.storage.inlined, view.data, bytes);
        return result;
    }
    /// Never written through: every change goes past mutableData.
    result.storage.heap = const_cast<char *>(view.data);
    result.is_borrowed = true;
    return result;
}

void RoaringContainer::takeOver()
{
    RoaringContainer own(view(), card);
    swap(own);
}

void RoaringContainer::lend(char * memory) noexcept
{
    std::memcpy(memory, storage.heap, payloadBytes());
    deallocate();
    storage.heap = memory;
    is_borrowed = true;
}

void RoaringContainer::appendToArray(UInt16 value)
{
    own();
    const size_t bytes = payloadBytes();
    const size_t grown = bytes + sizeof(value);
    if (grown > sizeof(storage.inlined) && (bytes <= sizeof(storage.inlined) || capacityFor(grown) != capacityFor(bytes)))
    {
        char * moved = static_cast<char *>(trackedNew(capacityFor(grown)));
        std::memcpy(moved, data(), bytes);
        if (bytes > sizeof(storage.inlined))
            deallocate();
        storage.heap = moved;
        card += 1;
    }
    else
        card += 1;
    unalignedStoreLittleEndian<UInt16>(mutableData() + bytes, value);
}

size_t RoaringContainer::capacityFor(size_t bytes) noexcept
{
    const size_t step = std::max<size_t>(16, std::bit_floor(bytes) / 8);
    return (bytes + step - 1) / step * step;
}

size_t RoaringContainer::heapBytes() const noexcept
{
    return kind == ContainerKind::Bitset ? BITSET_BYTES + BITSET_ALIGNMENT : capacityFor(payloadBytes());
}

void RoaringContainer::deallocate() noexcept
{
    trackedDelete(kind == ContainerKind::Bitset ? storage.heap - storage.heap[-1] : storage.heap, heapBytes());
}

}
