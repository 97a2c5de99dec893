#include <statewire/AggregateFunctions/RoaringBitmapFunctions.h>
#include <statewire/IO/ReadBufferFromMemory.h>
#include <statewire/IO/WriteBufferFromVector.h>
#include <statewire/Roaring/RoaringMerge.h>
#include <statewire/Roaring/RoaringOperations.h>

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

using namespace DB;

namespace
{
using State = RoaringBitmapState<UInt32>;

std::string serialize(const State & state)
{
    std::string result;
    WriteBufferFromString out(result);
    state.write(out);
    out.finalize();
    return result;
}

/// Eight threads ask one state everything that const allows. Run under ThreadSanitizer it shows that none of it writes.
void askTogether(const State & state)
{
    const std::string expected = serialize(state);
    const UInt64 cardinality = state.cardinality();
    State other;
    for (UInt32 i = 0; i < 1000; ++i)
        other.add(i * 77);
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] {
            wrong += serialize(state) != expected;
            wrong += state.cardinality() != cardinality;
            wrong += BitmapFunctions<UInt32>::toArray(state).size() != cardinality;
            wrong += State::combine(SetOperation::Or, state, other).cardinality() != State::combinedCardinality(SetOperation::Or, state, other);
            wrong += State::combine(SetOperation::AndNot, other, state).cardinality()
                != State::combinedCardinality(SetOperation::AndNot, other, state);
            wrong += BitmapFunctions<UInt32>::subBitmap(state, 3, 10).cardinality() > 10;
            State merged = other;
            merged.merge(state);
            wrong += !BitmapFunctions<UInt32>::hasAll(merged, state);
            State copy(state);
            copy.add(4000000000);
            wrong += copy.cardinality() != cardinality + 1;
            wrong += state.contains(4000000000);
            state.withSet([&](const RoaringSnapshot & set) {
                const RoaringCursor cursors[] = {set.cursor(), set.cursor()};
                wrong += roaringMerge(SetOperation::Or, cursors).cardinality() != cardinality;
            });
        });
    for (std::thread & thread : threads)
        thread.join();
    EXPECT_EQ(wrong, 0);
}
}

TEST(RoaringThreads, ConstCallsShareAState)
{
    State small;
    for (UInt32 i = 0; i < 20; ++i)
        small.add(i * 1000);
    askTogether(small);

    State unsealed;
    for (UInt32 i = 0; i < 5000; ++i)
        unsealed.add(i * 2654435761u % 1000000);
    askTogether(unsealed);

    const auto bytes = std::make_shared<std::string>(serialize(unsealed));
    State borrowed;
    ReadBufferFromMemory in(*bytes);
    borrowed.read(in, bytes);
    askTogether(borrowed);

    /// Owned, and most containers still in the borrowed bytes.
    borrowed.add(3999999999);
    askTogether(borrowed);
}
