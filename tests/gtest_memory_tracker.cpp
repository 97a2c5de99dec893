#include "MemoryTests.h"

#include <statewire/Common/Arena.h>
#include <statewire/Common/TrackedAllocator.h>

#include <thread>
#include <utility>
#include <vector>

using namespace DB;
using namespace statewire_tests;

TEST(MemoryTracker, CountsWhatScopesAllocate)
{
    const MemoryTrackerPtr tracker = std::make_shared<MemoryTracker>();
    {
        MemoryTrackerScope scope(tracker, NO_GATHER);
        TrackedVector<UInt64> vector(100);
        EXPECT_EQ(tracker->amount(), 800);
        TrackedArray<char> array(50);
        EXPECT_EQ(tracker->amount(), 850);
        TrackedArray<char> moved(std::move(array));
        moved = TrackedArray<char>(10);
        EXPECT_EQ(tracker->amount(), 810);
        const auto object = makeTracked<std::pair<UInt64, UInt64>>(UInt64{1}, UInt64{2});
        EXPECT_EQ(tracker->amount(), 826);
    }
    EXPECT_EQ(tracker->amount(), 0);
    EXPECT_EQ(tracker->peak(), 860);
    const TrackedVector<UInt64> outside(100);
    EXPECT_EQ(tracker->amount(), 0);
}

TEST(MemoryTracker, RefusesBeforeMemoryIsTaken)
{
    const MemoryTrackerPtr tracker = std::make_shared<MemoryTracker>(1000);
    MemoryTrackerScope scope(tracker, NO_GATHER);
    TrackedVector<char> vector(600, 'x');
    try
    {
        vector.reserve(700);
        FAIL() << "nothing was refused";
    }
    catch (const Exception & e)
    {
        EXPECT_EQ(e.code(), ErrorCodes::MEMORY_LIMIT_EXCEEDED);
        EXPECT_EQ(e.message(), "Memory limit exceeded: would use 1300 bytes, 700 of them asked for now, expected at most 1000");
    }
    EXPECT_EQ(tracker->amount(), 600);
    EXPECT_EQ(tracker->peak(), 600);
    tracker->setLimit(0);
    vector.reserve(700);
    EXPECT_EQ(tracker->amount(), 700);
}

TEST(MemoryTracker, ParentsCountAndRefuseToo)
{
    const MemoryTrackerPtr parent = std::make_shared<MemoryTracker>(1000);
    const MemoryTrackerPtr one = std::make_shared<MemoryTracker>(600, parent);
    const MemoryTrackerPtr other = std::make_shared<MemoryTracker>(0, parent);
    one->alloc(500);
    other->alloc(400);
    EXPECT_EQ(parent->amount(), 900);
    EXPECT_THROW(one->alloc(101), Exception);
    EXPECT_THROW(other->alloc(101), Exception);
    EXPECT_EQ(one->amount(), 500);
    EXPECT_EQ(other->amount(), 400);
    EXPECT_EQ(parent->amount(), 900);
    one->free(500);
    other->free(400);
    EXPECT_EQ(parent->amount(), 0);
    EXPECT_EQ(parent->peak(), 900);
}

TEST(MemoryTracker, ScopesNestAndGather)
{
    const MemoryTrackerPtr outer = std::make_shared<MemoryTracker>();
    const MemoryTrackerPtr inner = std::make_shared<MemoryTracker>();
    const MemoryTrackerPtr none;
    EXPECT_EQ(MemoryTrackerScope::currentTracker(), nullptr);
    {
        MemoryTrackerScope outer_scope(outer, 1000);
        TrackedArray<char> small(1000);
        EXPECT_EQ(outer->amount(), 0) << "gathered";
        {
            MemoryTrackerScope inner_scope(inner, 1000);
            EXPECT_EQ(MemoryTrackerScope::currentTracker(), inner);
            const TrackedArray<char> large(1001);
            EXPECT_EQ(inner->amount(), 1001);
            EXPECT_EQ(outer->amount(), 0);
        }
        EXPECT_EQ(inner->amount(), 0);
        {
            MemoryTrackerScope no_scope(none);
            EXPECT_EQ(MemoryTrackerScope::currentTracker(), outer);
            small = TrackedArray<char>(500);
        }
        TrackedArray<char> more(600);
        EXPECT_EQ(outer->amount(), 1500) << "told when the 500 came; what came and went since is gathered";
        detail::memory_tracker_scope->flush();
        EXPECT_EQ(outer->amount(), 1100);
    }
    EXPECT_EQ(outer->amount(), 0);
    EXPECT_EQ(MemoryTrackerScope::currentTracker(), nullptr);
}

TEST(MemoryTracker, FreeingElsewhereOnlyMakesANumberWrong)
{
    const MemoryTrackerPtr tracker = std::make_shared<MemoryTracker>();
    TrackedArray<char> array(100);
    {
        MemoryTrackerScope scope(tracker, NO_GATHER);
        array = {};
    }
    EXPECT_EQ(tracker->amount(), -100);
}

TEST(MemoryTracker, ArenasAreCounted)
{
    const MemoryTrackerPtr tracker = std::make_shared<MemoryTracker>(10000);
    MemoryTrackerScope scope(tracker, NO_GATHER);
    {
        Arena arena;
        arena.alloc(1);
        EXPECT_GE(tracker->amount(), 4096);
        EXPECT_THROW(arena.alloc(10000), Exception);
        EXPECT_EQ(arena.allocatedBytes(), 4096u);
        arena.alloc(4000);
    }
    EXPECT_EQ(tracker->amount(), 0);
}

TEST(MemoryTracker, FailedAllocationsAreNotCounted)
{
    if (!AllocationCounter::isCounting())
        GTEST_SKIP() << "the operators are taken";
    const MemoryTrackerPtr tracker = std::make_shared<MemoryTracker>();
    MemoryTrackerScope scope(tracker, NO_GATHER);
    AllocationCounter counter;
    counter.failAfter(1);
    EXPECT_THROW(TrackedArray<char>(100), std::bad_alloc);
    counter.failAfter(0);
    EXPECT_EQ(tracker->amount(), 0);
}

TEST(MemoryTracker, ThreadsShareOne)
{
    const MemoryTrackerPtr tracker = std::make_shared<MemoryTracker>();
    std::vector<std::thread> threads;
    for (size_t i = 0; i < 4; ++i)
        threads.emplace_back([&tracker] {
            MemoryTrackerScope scope(tracker, 100);
            for (size_t n = 1; n < 2000; ++n)
            {
                const TrackedArray<char> array(n % 300 + 1);
                const TrackedArray<char> other(n % 70 + 1);
            }
        });
    for (std::thread & thread : threads)
        thread.join();
    EXPECT_EQ(tracker->amount(), 0);
    EXPECT_GT(tracker->peak(), 0);
    EXPECT_LE(tracker->peak(), 4 * 370);
}
