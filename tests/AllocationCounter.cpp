#include "AllocationCounter.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <malloc.h>
#include <new>
#include <unordered_map>

namespace
{
/// So that the counter's own memory is not counted.
template <typename T>
struct MallocAllocator
{
    using value_type = T;

    MallocAllocator() noexcept = default;
    template <typename Other>
    MallocAllocator(const MallocAllocator<Other> &) noexcept
    {
    }
    T * allocate(size_t n) { return static_cast<T *>(std::malloc(n * sizeof(T))); }
    void deallocate(T * memory, size_t) noexcept { std::free(memory); }
    friend bool operator==(MallocAllocator, MallocAllocator) noexcept { return true; }
};

using Sizes = std::unordered_map<void *, size_t, std::hash<void *>, std::equal_to<void *>, MallocAllocator<std::pair<void * const, size_t>>>;

struct Counts
{
    bool active = false;
    size_t allocations = 0;
    std::int64_t held = 0;
    std::int64_t peak = 0;
    /// Allocations until one fails; 0: none does.
    size_t until_failure = 0;
    /// What was asked for, of what is held. Null unless that is counted.
    Sizes * sizes = nullptr;
    size_t requested = 0;
    size_t requested_peak = 0;
};

thread_local Counts counts;

[[maybe_unused]] void * allocate(size_t size, size_t alignment)
{
    if (counts.active && counts.until_failure != 0 && --counts.until_failure == 0)
        throw std::bad_alloc();
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
        if (counts.sizes)
        {
            counts.sizes->emplace(result, size);
            counts.requested += size;
            counts.requested_peak = std::max(counts.requested_peak, counts.requested);
        }
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
    {
        counts.held -= static_cast<std::int64_t>(malloc_usable_size(memory));
        if (counts.sizes)
            if (const auto known = counts.sizes->find(memory); known != counts.sizes->end())
            {
                counts.requested -= known->second;
                counts.sizes->erase(known);
            }
    }
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

AllocationCounter::AllocationCounter(bool count_requested)
{
    counts = {};
    if (count_requested)
        counts.sizes = new (std::malloc(sizeof(Sizes))) Sizes();
    counts.active = true;
}

AllocationCounter::~AllocationCounter()
{
    counts.active = false;
    if (!counts.sizes)
        return;
    counts.sizes->~Sizes();
    std::free(counts.sizes);
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

size_t AllocationCounter::requestedBytes() const noexcept
{
    return counts.requested;
}

size_t AllocationCounter::requestedPeak() const noexcept
{
    return counts.requested_peak;
}

void AllocationCounter::failAfter(size_t n) noexcept
{
    counts.until_failure = n;
}

size_t AllocationCounter::peakBytes() const noexcept
{
    return static_cast<size_t>(counts.peak);
}

}
