#pragma once

#include "MemoryTracker.h"

#include <cstddef>
#include <new>

namespace DB::inline statewire
{

namespace detail
{
[[nodiscard]] void * newTracked(size_t bytes);
void untrack(size_t bytes) noexcept;
}

/// Memory from operator new that the thread's MemoryTrackerScope counts; without a scope it costs a comparison with null.
/// Errors: MEMORY_LIMIT_EXCEEDED, before memory is taken; std::bad_alloc.
[[nodiscard]] inline void * trackedNew(size_t bytes)
{
    if (detail::memory_tracker_scope == nullptr) [[likely]]
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

}
