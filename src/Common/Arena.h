#pragma once

#include "TrackedAllocator.h"

#include <cstddef>

namespace DB::inline statewire
{

/** Memory in large chunks, freed all at once with the arena. Never moves what it handed out.
  *
  * Chunks double from 4 KiB to 128 MiB. A request larger than the next chunk gets a chunk of its own size. Not thread-safe.
  * Errors: those of TrackedAllocator.h.
  */
class Arena
{
public:
    Arena() = default;
    Arena(const Arena &) = delete;
    Arena & operator=(const Arena &) = delete;
    Arena(Arena &&) = default;
    Arena & operator=(Arena &&) = default;

    /// `size` bytes without any alignment.
    char * alloc(size_t size) { return alignedAlloc(size, 1); }
    /// `size` bytes at a multiple of `alignment`, a power of two of at most alignof(std::max_align_t).
    char * alignedAlloc(size_t size, size_t alignment);

    /// Bytes taken from the system, used or not.
    [[nodiscard]] size_t allocatedBytes() const noexcept { return allocated; }

private:
    char * addChunk(size_t size);

    TrackedVector<TrackedArray<char>> chunks;
    char * pos = nullptr;
    char * end = nullptr;
    size_t next_chunk_size = 4096;
    size_t allocated = 0;
};

}
