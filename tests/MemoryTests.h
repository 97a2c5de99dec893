#pragma once

#include "AllocationCounter.h"
#include "Serialize.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/Exception.h>
#include <statewire/Common/MemoryTracker.h>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <new>
#include <string>

/** What the tests about memory share. */
namespace statewire_tests
{

/// Refuses the n-th allocation. Any number of threads at once.
class FailingTracker final : public DB::MemoryTracker
{
public:
    void failAfter(size_t n) noexcept { until_failure = n; }
    void alloc(DB::Int64 bytes) override
    {
        if (until_failure != 0 && until_failure.fetch_sub(1) == 1)
            throw DB::Exception(DB::ErrorCodes::MEMORY_LIMIT_EXCEEDED, "refused by a test");
        MemoryTracker::alloc(bytes);
    }

private:
    std::atomic<size_t> until_failure{0};
};

/// Tells the tracker of every byte at once.
constexpr DB::Int64 NO_GATHER = 0;

/** Makes a state, runs `operation(state)` with the first allocation failing, then the second, and so on until it succeeds; after each failure
  * `check(state)`. Failures are a tracker's, and then the allocator's own. Returns how many allocations there were. `is_all_tracked`: the tracker
  * has to see each of them.
  */
template <typename Make, typename Operation, typename Check>
size_t failEachAllocation(Make && make, Operation && operation, Check && check, bool is_all_tracked = true)
{
    constexpr size_t MOST = 100000;
    size_t failures = 0;
    const auto tracker = std::make_shared<FailingTracker>();
    const DB::MemoryTrackerPtr as_tracker = tracker;
    for (bool failed = true; failed && failures < MOST;)
    {
        {
            DB::MemoryTrackerScope scope(as_tracker, NO_GATHER);
            auto state = make();
            tracker->failAfter(failures + 1);
            try
            {
                operation(state);
                failed = false;
            }
            catch (const DB::Exception & e)
            {
                EXPECT_EQ(e.code(), DB::ErrorCodes::MEMORY_LIMIT_EXCEEDED) << e.displayText();
            }
            tracker->failAfter(0);
            if (failed)
                check(state);
        }
        EXPECT_EQ(tracker->amount(), 0) << "after failure " << failures;
        failures += failed;
    }
    if (!AllocationCounter::isCounting())
        return failures;
    size_t allocator_failures = 0;
    for (bool failed = true; failed && allocator_failures < MOST;)
    {
        auto state = make();
        {
            AllocationCounter counter;
            counter.failAfter(allocator_failures + 1);
            try
            {
                operation(state);
                failed = false;
            }
            catch (const std::bad_alloc &) // NOLINT(bugprone-empty-catch)
            {
            }
        }
        if (failed)
            check(state);
        allocator_failures += failed;
    }
    if (is_all_tracked)
    {
        EXPECT_EQ(failures, allocator_failures);
    }
    return failures;
}

/** Runs `use()`, which leaves nothing behind, and requires that a tracker counts what the allocator is asked for: at most as much at once, and nothing
  * in the end.
  */
template <typename Use>
void expectEveryByteCounted(Use && use)
{
    const DB::MemoryTrackerPtr tracker = std::make_shared<DB::MemoryTracker>();
    size_t peak = 0;
    {
        AllocationCounter counter(true);
        DB::MemoryTrackerScope scope(tracker, NO_GATHER);
        use();
        peak = counter.requestedPeak();
    }
    EXPECT_EQ(tracker->amount(), 0);
    if (AllocationCounter::isCounting())
    {
        EXPECT_EQ(tracker->peak(), static_cast<DB::Int64>(peak));
    }
}

}
