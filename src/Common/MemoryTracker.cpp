#include "MemoryTracker.h"

#include "ErrorCodes.h"
#include "throwError.h"
#include "trackedNew.h"

#include <cstdint>
#include <memory>
#include <utility>

#if defined(__linux__)
#    include <sys/mman.h>
#endif

namespace DB::inline statewire
{

constinit thread_local MemoryTrackerScope * detail::memory_tracker_scope = nullptr;

MemoryTracker::MemoryTracker(UInt64 limit_, MemoryTrackerPtr parent_) noexcept : most(limit_), parent(std::move(parent_))
{
}

MemoryTracker::~MemoryTracker() = default;

void MemoryTracker::raisePeak(Int64 reached) noexcept
{
    Int64 known = largest.load(std::memory_order_relaxed);
    while (known < reached && !largest.compare_exchange_weak(known, reached, std::memory_order_relaxed))
        ;
}

void MemoryTracker::alloc(Int64 bytes)
{
    if (parent)
        parent->alloc(bytes);
    const Int64 reached = held.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    const UInt64 allowed = limit();
    if (allowed == 0 || reached < 0 || static_cast<UInt64>(reached) <= allowed) [[likely]]
    {
        raisePeak(reached);
        return;
    }
    held.fetch_sub(bytes, std::memory_order_relaxed);
    if (parent)
        parent->free(bytes);
    throwError(
        ErrorCodes::MEMORY_LIMIT_EXCEEDED,
        concat("Memory limit exceeded: would use ", reached, " bytes, ", bytes, " of them asked for now, expected at most ", allowed));
}

void MemoryTracker::free(Int64 bytes) noexcept
{
    if (parent)
        parent->free(bytes);
    const Int64 reached = held.fetch_sub(bytes, std::memory_order_relaxed) - bytes;
    if (bytes < 0)
        raisePeak(reached);
}

MemoryTrackerScope::MemoryTrackerScope(const MemoryTrackerPtr & tracker_, Int64 gather_) noexcept : tracker(tracker_), gather(gather_)
{
    if (!tracker || (detail::memory_tracker_scope && detail::memory_tracker_scope->tracker == tracker))
        outer = this;
    else
        outer = std::exchange(detail::memory_tracker_scope, this);
}

MemoryTrackerScope::~MemoryTrackerScope()
{
    if (outer == this)
        return;
    detail::memory_tracker_scope = outer;
    flush();
}

void MemoryTrackerScope::alloc(size_t bytes)
{
    const Int64 sum = gathered + static_cast<Int64>(bytes);
    if (sum <= gather)
    {
        gathered = sum;
        return;
    }
    tracker->alloc(sum);
    gathered = 0;
}

void MemoryTrackerScope::free(size_t bytes) noexcept
{
    gathered -= static_cast<Int64>(bytes);
    if (gathered < -gather)
        flush();
}

void MemoryTrackerScope::flush() noexcept
{
    if (gathered != 0)
        tracker->free(-std::exchange(gathered, 0));
}

namespace
{
/// Frees under the tracker of the thread that made it.
template <typename T>
class SharedBytesAllocator
{
public:
    using value_type = T;

    SharedBytesAllocator() noexcept : tracker(MemoryTrackerScope::currentTracker()) { }
    template <typename Other>
    SharedBytesAllocator(const SharedBytesAllocator<Other> & other) noexcept : tracker(other.tracker)
    {
    }

    [[nodiscard]] T * allocate(size_t n) { return static_cast<T *>(trackedNew(n * sizeof(T))); }
    void deallocate(T * memory, size_t n) noexcept
    {
        if (!tracker)
        {
            ::operator delete(memory);
            return;
        }
        MemoryTrackerScope scope(tracker);
        trackedDelete(memory, n * sizeof(T));
    }

    friend bool operator==(const SharedBytesAllocator &, const SharedBytesAllocator &) = default;

private:
    template <typename Other>
    friend class SharedBytesAllocator;

    MemoryTrackerPtr tracker;
};
}

std::shared_ptr<char[]> trackedShared(size_t bytes)
{
    return std::allocate_shared_for_overwrite<char[]>(SharedBytesAllocator<char>(), bytes);
}

MemoryTrackerPtr MemoryTrackerScope::currentTracker() noexcept
{
    return detail::memory_tracker_scope ? detail::memory_tracker_scope->tracker : MemoryTrackerPtr();
}

namespace
{
/// An advice, and no more: what it cannot have stays as it is.
void adviseHugePages([[maybe_unused]] void * memory, [[maybe_unused]] size_t bytes) noexcept
{
#if defined(__linux__)
    constexpr std::uintptr_t HUGE_PAGE = std::uintptr_t{2} << 20;
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    const std::uintptr_t begin = (address + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    const std::uintptr_t end = (address + bytes) / HUGE_PAGE * HUGE_PAGE;
    static_cast<void>(::madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE));
#endif
}
}

void * detail::newTracked(size_t bytes)
{
    MemoryTrackerScope * const scope = memory_tracker_scope;
    if (scope)
        scope->alloc(bytes);
    /// Only counted once it is there.
    struct Uncount
    {
        MemoryTrackerScope * scope;
        size_t bytes;
        ~Uncount()
        {
            if (scope)
                scope->free(bytes);
        }
    } uncount{scope, bytes};
    void * const memory = ::operator new(bytes);
    uncount.scope = nullptr;
    if (bytes >= LARGE_BYTES)
        adviseHugePages(memory, bytes);
    return memory;
}

void detail::track(size_t bytes)
{
    memory_tracker_scope->alloc(bytes);
}

void detail::untrack(size_t bytes) noexcept
{
    memory_tracker_scope->free(bytes);
}

}
