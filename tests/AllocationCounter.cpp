#include "AllocationCounter.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <malloc.h>
#include <new>

namespace
{
struct Counts
{
    bool active = false;
    size_t allocations = 0;
    std::int64_t held = 0;
    std::int64_t peak = 0;
};

thread_local Counts counts;

[[maybe_unused]] void * allocate(size_t size, size_t alignment)
{
    void * result = alignment <= alignof(std::max_align_t)
        ? std::malloc(std::max<size_t>(size, 1))
        : std::aligned_alloc(alignment, (std::max<size_t>(size, 1) + alignment - 1) / alignment * alignment);
    if (!result)
        throw std::bad_alloc();
    if (counts.active)
    {
        ++counts.allocations;
        counts.held += static_cast<std::int64_t>(malloc_usable_size(result));
        counts.peak = std::max(counts.peak, counts.held);
    }
    return result;
}

[[maybe_unused]] void * allocateOrNull(size_t size, size_t alignment) noexcept
{
    try
    {
        return allocate(size, alignment);
    }
    catch (const std::bad_alloc &)
    {
        return nullptr;
    }
}

[[maybe_unused]] void release(void * memory) noexcept
{
    if (memory && counts.active)
        counts.held -= static_cast<std::int64_t>(malloc_usable_size(memory));
    std::free(memory);
}
}

/// ThreadSanitizer brings these operators itself; there nothing is counted, and only tests about threads run.
#if defined(__has_feature)
#    if __has_feature(thread_sanitizer)
#        define STATEWIRE_OPERATORS_ARE_TAKEN 1
#    endif
#endif
#if defined(__SANITIZE_THREAD__)
#    define STATEWIRE_OPERATORS_ARE_TAKEN 1
#endif

#if !defined(STATEWIRE_OPERATORS_ARE_TAKEN)
void * operator new(size_t size)
{
    return allocate(size, alignof(std::max_align_t));
}
void * operator new[](size_t size)
{
    return allocate(size, alignof(std::max_align_t));
}
void * operator new(size_t size, std::align_val_t alignment)
{
    return allocate(size, static_cast<size_t>(alignment));
}
void * operator new[](size_t size, std::align_val_t alignment)
{
    return allocate(size, static_cast<size_t>(alignment));
}
/// std::stable_sort asks for its buffer this way.
void * operator new(size_t size, const std::nothrow_t &) noexcept
{
    return allocateOrNull(size, alignof(std::max_align_t));
}
void * operator new[](size_t size, const std::nothrow_t &) noexcept
{
    return allocateOrNull(size, alignof(std::max_align_t));
}
void operator delete(void * memory) noexcept
{
    release(memory);
}
void operator delete[](void * memory) noexcept
{
    release(memory);
}
void operator delete(void * memory, size_t) noexcept
{
    release(memory);
}
void operator delete[](void * memory, size_t) noexcept
{
    release(memory);
}
void operator delete(void * memory, std::align_val_t) noexcept
{
    release(memory);
}
void operator delete[](void * memory, std::align_val_t) noexcept
{
    release(memory);
}
void operator delete(void * memory, size_t, std::align_val_t) noexcept
{
    release(memory);
}
void operator delete[](void * memory, size_t, std::align_val_t) noexcept
{
    release(memory);
}
#endif

namespace statewire_tests
{

AllocationCounter::AllocationCounter() noexcept
{
    counts = {};
    counts.active = true;
}

AllocationCounter::~AllocationCounter()
{
    counts.active = false;
}

bool AllocationCounter::isCounting() noexcept
{
#if defined(STATEWIRE_OPERATORS_ARE_TAKEN)
    return false;
#else
    return true;
#endif
}

size_t AllocationCounter::allocations() const noexcept
{
    return counts.allocations;
}

size_t AllocationCounter::peakBytes() const noexcept
{
    return static_cast<size_t>(counts.peak);
}

}
