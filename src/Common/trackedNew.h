#pragma once

#include "MemoryTracker.h"

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace DB::inline statewire
{

namespace detail
{
/// From here on malloc takes memory from the system for the block alone.
inline constexpr size_t LARGE_BYTES = size_t{32} << 20;

[[nodiscard]] void * newTracked(size_t bytes);
void track(size_t bytes);
void untrack(size_t bytes) noexcept;
}

/// Memory from operator new that the thread's MemoryTrackerScope counts; without a scope it costs a comparison with null. Large blocks lie in huge
/// pages where the system has them: the first touch of each small one takes longer than sorting what fits into it.
/// Errors: MEMORY_LIMIT_EXCEEDED, before memory is taken; std::bad_alloc.
[[nodiscard]] inline void * trackedNew(size_t bytes)
{
    if (detail::memory_tracker_scope == nullptr && bytes < detail::LARGE_BYTES) [[likely]]
        return ::operator new(bytes);
    return detail::newTracked(bytes);
}

/// `bytes` as trackedNew was asked for.
inline void trackedDelete(void * memory, size_t bytes) noexcept
{
    if (detail::memory_tracker_scope != nullptr && memory != nullptr) [[unlikely]]
        detail::untrack(bytes);
    ::operator delete(memory);
}

/// Bytes that many may hold: whoever frees them at last, in whatever scope, they are counted where they were when they were taken.
[[nodiscard]] std::shared_ptr<char[]> trackedShared(size_t bytes);

/// Bytes of memory that comes through another door, such as a column's, counted from construction to destruction. Errors: MEMORY_LIMIT_EXCEEDED.
class CountedBytes
{
public:
    explicit CountedBytes(size_t bytes_) : bytes(bytes_)
    {
        if (detail::memory_tracker_scope != nullptr)
            detail::track(bytes);
    }
    CountedBytes(CountedBytes && other) noexcept : bytes(std::exchange(other.bytes, 0)) { }
    CountedBytes & operator=(CountedBytes &&) = delete;
    ~CountedBytes()
    {
        if (detail::memory_tracker_scope != nullptr)
            detail::untrack(bytes);
    }

private:
    size_t bytes;
};

}
