#include "CountMinHelpers.h"
#include "MemoryTests.h"

#include <statewire/AggregateFunctions/CountMinRangesState.h>
#include <statewire/AggregateFunctions/CountMinSketchState.h>
#include <statewire/AggregateFunctions/CountMinTopKState.h>
#include <statewire/IO/ReadBufferFromMemory.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/** Memory of count-min states: every byte is counted, and what a limit refuses changes nothing. */

using namespace DB;
using namespace statewire_tests;

namespace
{
template <typename State>
using Operations = std::vector<std::pair<std::string, std::function<void(State &)>>>;
template <typename State>
using Forms = std::vector<std::pair<std::string, std::function<State()>>>;

std::string longKey(UInt64 i)
{
    return "a key that no string holds in itself " + std::to_string(i);
}

/// Merging with each form, written or not, is what all states have.
template <typename State>
void addMerges(Operations<State> & operations, const Forms<State> & forms)
{
    for (const auto & [name, make] : forms)
    {
        const auto other = std::make_shared<State>(make());
        const auto bytes = std::make_shared<std::string>(serialize(*other));
        operations.emplace_back("merge " + name, [other](State & state) { state.merge(*other); });
        operations.emplace_back("read and merge " + name, [bytes](State & state) {
            ReadBufferFromMemory in(*bytes);
            state.readAndMerge(in);
        });
    }
    operations.emplace_back("merge with itself", [](State & state) { state.merge(state); });
}

template <typename State>
void check(const Forms<State> & forms, const Operations<State> & operations)
{
    size_t failures = 0;
    for (const auto & [form, make] : forms)
        for (const auto & [name, operation] : operations)
        {
            SCOPED_TRACE(form + ", " + name);
            expectEveryByteCounted([&, &make_state = make, &run = operation] {
                State state = make_state();
                run(state);
            });
            const MemoryTrackerPtr tracker = std::make_shared<MemoryTracker>();
            {
                MemoryTrackerScope scope(tracker, NO_GATHER);
                State state = make();
                operation(state);
                if (form != "borrowed" && !name.ends_with("borrowed"))
                {
                    EXPECT_EQ(tracker->amount(), static_cast<Int64>(state.heldBytes()));
                }
            }
            EXPECT_EQ(tracker->amount(), 0);
            const std::string before = serialize(make());
            failures += failEachAllocation(make, operation, [&](const State & state) { EXPECT_EQ(serialize(state), before); });
        }
    EXPECT_GT(failures, 20u);
}

template <typename W>
void checkSketches(const CountMinParameters & parameters)
{
    using State = CountMinSketchState<W>;
    std::vector<std::string> keys(300);
    for (size_t i = 0; i < keys.size(); ++i)
        keys[i] = longKey(i % 200);
    const std::vector<std::string_view> views(keys.begin(), keys.end());
    const auto fed = [&parameters, views](size_t n) {
        State state(parameters);
        for (size_t i = 0; i < n; ++i)
            state.add(views[i]);
        return state;
    };
    Forms<State> forms{
        {"empty", [fed] { return fed(0); }}, {"small", [fed] { return fed(3); }}, {"table", [fed] { return fed(150); }}};
    size_t last_small = 0;
    while (fed(last_small + 1).storage() == State::Storage::Small)
        ++last_small;
    forms.emplace_back("full small", [fed, last_small] { return fed(last_small); });
    const auto bytes = std::make_shared<std::string>(serialize(fed(150)));
    forms.emplace_back("borrowed", [&parameters, bytes] {
        State state(parameters);
        ReadBufferFromMemory in(*bytes);
        state.read(in, bytes);
        return state;
    });
    Operations<State> operations;
    addMerges(operations, forms);
    operations.emplace_back("add a known key", [key = longKey(1)](State & state) { state.add(key, 2); });
    operations.emplace_back("add a new key", [key = longKey(1000)](State & state) { state.add(key, 5); });
    operations.emplace_back("add a batch", [views](State & state) { state.addBatch(CountMinKeys::strings(views)); });
    if (!parameters.isConservative())
        operations.emplace_back("merge weighted", [other = std::make_shared<State>(fed(150))](State & state) { state.mergeWeighted(*other, 3); });
    operations.emplace_back("copy", [](State & state) { State copy(state); state = std::move(copy); });
    check(forms, operations);
    EXPECT_GT(last_small, 3u);
}
}

TEST(MemoryOfCountMin, SketchesOfEveryWeight)
{
    const CountMinParameters parameters(3, 100);
    checkSketches<UInt64>(parameters);
    checkSketches<Int64>(parameters);
    checkSketches<Float64>(parameters);
}

TEST(MemoryOfCountMin, DecayedStates)
{
    const CountMinParameters parameters(3, 100);
    const CountMinParameters decayed = parameters.decayed();
    CountMinSketchState<UInt64> other(parameters);
    for (size_t i = 0; i < 150; ++i)
        other.add(keyOf(i), i);
    for (const size_t fed : {0, 2, 150})
    {
        const auto make = [&] {
            CountMinSketchState<UInt64> state(parameters);
            for (size_t i = 0; i < fed; ++i)
                state.add(keyOf(i), 10);
            CountMinSketchState<UInt64> result(decayed);
            result.mergeDecayed(state, CountMinDecay(0.5));
            return result;
        };
        const std::string before = serialize(make());
        failEachAllocation(
            make, [&](auto & state) { state.mergeDecayed(other, CountMinDecay(0.25)); }, [&](const auto & state) { EXPECT_EQ(serialize(state), before); });
    }
}

TEST(MemoryOfCountMin, TopKeys)
{
    const CountMinParameters parameters(3, 50);
    const auto fed = [&](size_t first, size_t n) {
        CountMinTopKState state(parameters, 8);
        for (size_t i = first; i < first + n; ++i)
            state.add(longKey(i), 1 + i % 7);
        return state;
    };
    const std::vector<std::pair<std::string, size_t>> sizes{{"empty", 0}, {"small", 3}, {"full", 60}, {"just large", 30}};
    for (const auto & [form, size] : sizes)
    {
        const auto make = [&, n = size] { return fed(0, n); };
        const std::string before = serialize(make());
        const auto same = [&](const CountMinTopKState & state) { EXPECT_EQ(serialize(state), before); };
        std::vector<std::pair<std::string, std::function<void(CountMinTopKState &)>>> operations;
        for (const auto & [other_form, other_size] : sizes)
        {
            const auto other = std::make_shared<CountMinTopKState>(fed(20, other_size));
            const auto bytes = std::make_shared<std::string>(serialize(*other));
            operations.emplace_back("merge " + other_form, [other](CountMinTopKState & state) { state.merge(*other); });
            operations.emplace_back("read and merge " + other_form, [bytes](CountMinTopKState & state) {
                ReadBufferFromMemory in(*bytes);
                state.readAndMerge(in);
            });
        }
        operations.emplace_back("add a known key", [key = longKey(1)](CountMinTopKState & state) { state.add(key, 100); });
        operations.emplace_back("add a strong key", [key = longKey(900)](CountMinTopKState & state) { state.add(key, 1000); });
        operations.emplace_back("add a weak key", [key = longKey(901)](CountMinTopKState & state) { state.add(key); });
        operations.emplace_back("merge with itself", [](CountMinTopKState & state) { state.merge(state); });
        for (const auto & [name, operation] : operations)
        {
            SCOPED_TRACE(form + ", " + name);
            const MemoryTrackerPtr tracker = std::make_shared<MemoryTracker>();
            {
                MemoryTrackerScope scope(tracker, NO_GATHER);
                CountMinTopKState state = make();
                operation(state);
                EXPECT_EQ(tracker->amount(), static_cast<Int64>(state.heldBytes()));
            }
            EXPECT_EQ(tracker->amount(), 0);
            failEachAllocation(make, operation, same);
        }
    }
}

TEST(MemoryOfCountMin, Ranges)
{
    const CountMinParameters parameters(2, 20);
    const auto fed = [&](size_t n) {
        CountMinRangesState state(parameters, 2);
        for (size_t i = 0; i < n; ++i)
            state.add(i * 17, 1 + i % 3);
        return state;
    };
    for (const size_t size : {0, 3, 400})
    {
        const auto make = [&] { return fed(size); };
        const std::string before = serialize(make());
        const auto same = [&](const CountMinRangesState & state) { EXPECT_EQ(serialize(state), before); };
        for (const size_t other_size : {0, 3, 400})
        {
            SCOPED_TRACE(std::to_string(size) + ", " + std::to_string(other_size));
            const CountMinRangesState other = fed(other_size);
            const std::string bytes = serialize(other);
            const auto merge = [&](CountMinRangesState & state) { state.merge(other); };
            expectEveryByteCounted([&] {
                CountMinRangesState state = make();
                merge(state);
            });
            failEachAllocation(make, merge, same);
            failEachAllocation(
                make,
                [&](CountMinRangesState & state) {
                    ReadBufferFromMemory in(bytes);
                    state.readAndMerge(in);
                },
                same);
        }
        failEachAllocation(make, [](CountMinRangesState & state) { state.add(60000, 9); }, same);
    }
}
