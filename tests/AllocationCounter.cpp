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

void * allocate(size_t size, size_t alignment)
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

void release(void * memory) noexcept
{
    if (memory && counts.active)
        counts.held -= static_cast<std::int64_t>(malloc_usable_size(memory));
    std::free(memory);
}
}

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

size_t AllocationCounter::allocations() const noexcept
{
    return counts.allocations;
}

size_t AllocationCounter::peakBytes() const noexcept
{
    return static_cast<size_t>(counts.peak);
}

}
