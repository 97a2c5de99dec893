#pragma once

#include "../base/types.h"

#include <atomic>
#include <cstddef>
#include <memory>

namespace DB::inline statewire
{

class MemoryTracker;
using MemoryTrackerPtr = std::shared_ptr<MemoryTracker>;

/** Counts the memory of whatever runs within a MemoryTrackerScope, and refuses what leaves its limit. docs/memory.md says what is counted.
  *
  * It counts, and gives no memory: whoever frees memory under another tracker, or under none, makes a number wrong and nothing else; so the
  * amount has a sign. With a parent both count, and the limits of both hold. A hook of one's own derives from this and overrides alloc and free.
  * Errors: MEMORY_LIMIT_EXCEEDED, and nothing is counted then, in a parent neither. Threads: any number at once.
  */
class MemoryTracker
{
public:
    /// `limit_` bytes; 0: none.
    explicit MemoryTracker(UInt64 limit_ = 0, MemoryTrackerPtr parent_ = {}) noexcept;
    virtual ~MemoryTracker();
    MemoryTracker(const MemoryTracker &) = delete;
    MemoryTracker & operator=(const MemoryTracker &) = delete;

    /// Counts `bytes` that are about to be taken.
    virtual void alloc(Int64 bytes);
    /// Counts `bytes` that were given back; where negative, bytes that were taken already and are no longer to be refused.
    virtual void free(Int64 bytes) noexcept;

    /// Bytes that are held now.
    [[nodiscard]] Int64 amount() const noexcept { return held.load(std::memory_order_relaxed); }
    /// The largest amount so far.
    [[nodiscard]] Int64 peak() const noexcept { return largest.load(std::memory_order_relaxed); }
    [[nodiscard]] UInt64 limit() const noexcept { return most.load(std::memory_order_relaxed); }
    void setLimit(UInt64 limit_) noexcept { most.store(limit_, std::memory_order_relaxed); }

private:
    void raisePeak(Int64 reached) noexcept;

    std::atomic<Int64> held{0};
    std::atomic<Int64> largest{0};
    std::atomic<UInt64> most;
    MemoryTrackerPtr parent;
};

/** While it lives, what this thread allocates through TrackedAllocator.h is counted by a tracker; scopes nest, and the innermost one counts.
  *
  * A thread gathers what it takes and gives back before it tells the tracker, so that threads rarely meet: a tracker's numbers are exact up to
  * `gather` bytes a scope, and exact when the scopes have ended. Ends in the thread that made it, in the reverse order. The pointer outlives the scope.
  */
class MemoryTrackerScope
{
public:
    static constexpr Int64 DEFAULT_GATHER = 65536;

    /// A null pointer, and the tracker of the scope around, leave everything as it is.
    explicit MemoryTrackerScope(const MemoryTrackerPtr & tracker_, Int64 gather_ = DEFAULT_GATHER) noexcept;
    explicit MemoryTrackerScope(MemoryTrackerPtr && tracker_, Int64 gather_ = DEFAULT_GATHER) = delete;
    ~MemoryTrackerScope();
    MemoryTrackerScope(const MemoryTrackerScope &) = delete;
    MemoryTrackerScope & operator=(const MemoryTrackerScope &) = delete;

    void alloc(size_t bytes);
    void free(size_t bytes) noexcept;
    /// Tells the tracker what was gathered.
    void flush() noexcept;

    /// The tracker of this thread's innermost scope; null without one.
    [[nodiscard]] static MemoryTrackerPtr currentTracker() noexcept;

private:
    const MemoryTrackerPtr & tracker;
    const Int64 gather;
    Int64 gathered = 0;
    MemoryTrackerScope * outer = nullptr; /// the one around; itself where it changes nothing
};

namespace detail
{
/// Of this thread; null where nothing is counted. The model makes reading it one load in position-independent code too, not a call.
#if defined(__ELF__)
[[gnu::tls_model("initial-exec")]]
#endif
extern constinit thread_local MemoryTrackerScope * memory_tracker_scope;
}

}
