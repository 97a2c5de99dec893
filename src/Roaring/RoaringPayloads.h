#pragma once

#include "../Common/trackedNew.h"

#include <algorithm>
#include <functional>
#include <new>
#include <utility>

namespace DB::inline statewire
{

/** Memory for many small payloads of one bitmap, given piece by piece and freed all at once: a set of thousands of small arrays is made and freed
  * without as many blocks of the heap. Containers show it as bytes that somebody else owns (RoaringContainer::lend).
  *
  * What a container that changes leaves behind stays until everything is freed; whoever owns this looks, once a block, if that is too much. A copy is
  * empty, for copied containers own their payloads; moving moves the memory, which stays where it is. Errors: those of trackedNew.
  */
class RoaringPayloads
{
public:
    /// Payloads of at most this many bytes belong here.
    static constexpr size_t MAX_BYTES = 256;

    RoaringPayloads() noexcept = default;
    RoaringPayloads(const RoaringPayloads &) noexcept { }
    RoaringPayloads(RoaringPayloads && other) noexcept : last(std::exchange(other.last, nullptr)) { }
    RoaringPayloads & operator=(const RoaringPayloads &) = delete;
    RoaringPayloads & operator=(RoaringPayloads && other) noexcept
    {
        RoaringPayloads taken(std::move(other));
        swap(taken);
        return *this;
    }
    void swap(RoaringPayloads & other) noexcept { std::swap(last, other.last); }
    ~RoaringPayloads()
    {
        while (last)
        {
            Block * const block = std::exchange(last, last->previous);
            trackedDelete(block, block->size);
        }
    }

    /// `bytes` at any alignment. At most `expected` bytes in all, these among them, are asked for soon.
    [[nodiscard]] char * alloc(size_t bytes, size_t expected)
    {
        if (!last || last->size - last->used < bytes)
        {
            /// In steps that grow, so that blocks are few and little of the last one is left over.
            const size_t held = heldBytes();
            const size_t payloads = std::max({bytes, std::min(expected, std::max(MIN_BLOCK, held)), held / 4});
            const size_t size = sizeof(Block) + payloads;
            last = ::new (trackedNew(size)) Block{last, size, sizeof(Block), false};
        }
        return last->begin() + std::exchange(last->used, last->used + bytes);
    }

    void clear() noexcept { *this = RoaringPayloads(); }

    /// Takes the memory of another one over.
    void splice(RoaringPayloads && other) noexcept
    {
        Block ** end = &last;
        while (*end)
            end = &(*end)->previous;
        *end = std::exchange(other.last, nullptr);
    }

    /// True once for each block that was added.
    [[nodiscard]] bool hasGrown() noexcept { return last && !std::exchange(last->is_seen, true); }

    [[nodiscard]] bool contains(const char * memory) const noexcept
    {
        for (Block * block = last; block; block = block->previous)
            if (!std::less<>()(memory, block->begin()) && std::less<>()(memory, block->begin() + block->size))
                return true;
        return false;
    }
    [[nodiscard]] size_t heldBytes() const noexcept
    {
        size_t bytes = 0;
        for (const Block * block = last; block; block = block->previous)
            bytes += block->size;
        return bytes;
    }

private:
    static constexpr size_t MIN_BLOCK = 1024;

    /// Its payloads lie behind it. `size` and `used` count it too.
    struct Block
    {
        Block * previous;
        size_t size;
        size_t used;
        bool is_seen;

        [[nodiscard]] char * begin() noexcept { return reinterpret_cast<char *>(this); }
    };

    Block * last = nullptr;
};

}
