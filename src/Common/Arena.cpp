#include "Arena.h"

#include <algorithm>
#include <cstdint>

namespace DB::inline statewire
{

namespace
{
/// Beyond this, doubling would waste more than a chunk's worth of address space for one more allocation call.
constexpr size_t LARGEST_CHUNK = size_t{128} << 20;
}

char * Arena::alignedAlloc(size_t size, size_t alignment)
{
    const auto address = reinterpret_cast<std::uintptr_t>(pos);
    const size_t padding = (alignment - address % alignment) % alignment;
    if (pos == nullptr || size > static_cast<size_t>(end - pos) || padding > static_cast<size_t>(end - pos) - size)
        return addChunk(size);
    char * result = pos + padding;
    pos = result + size;
    return result;
}

char * Arena::addChunk(size_t size)
{
    const size_t chunk_size = std::max(size, next_chunk_size);
    chunks.push_back(TrackedArray<char>(chunk_size));
    allocated += chunk_size;
    next_chunk_size = std::min(next_chunk_size * 2, LARGEST_CHUNK);
    char * result = chunks.back().data();
    /// An oversized request must not throw away the room left in the current chunk.
    if (chunk_size - size >= static_cast<size_t>(end - pos))
    {
        pos = result + size;
        end = result + chunk_size;
    }
    return result;
}

}
