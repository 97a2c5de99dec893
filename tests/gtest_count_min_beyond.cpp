#include "CountMinHelpers.h"
#include "CountMinStreams.h"

#include <statewire/CountMin/CountMinHeavyHitters.h>

#include <algorithm>
#include <thread>

using namespace DB;
using namespace statewire_tests;

namespace
{
using Counts = std::map<UInt64, UInt64>;
}

TEST(CountMinHeavyHittersTest, FindTheTopOfZipfStreams)
{
    for (UInt64 seed = 1; seed <= 10; ++seed)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const CountMinParameters parameters(5, 2719, seed);
        Counts counts;
        CountMinHeavyHitters whole(parameters, 60);
        CountMinHeavyHitters merged(parameters, 60);
        ZipfStream stream(seed, 10000, 1.1);
        for (int part = 0; part < 3; ++part)
        {
            CountMinHeavyHitters one(parameters, 60);
            for (const UInt64 key : stream.take(20000, counts))
            {
                whole.add(keyOf(key));
                one.add(keyOf(key));
            }
            merged.merge(one);
        }
        std::vector<std::pair<UInt64, UInt64>> exact;
        for (const auto & [key, count] : counts)
            exact.emplace_back(count, key);
        std::sort(exact.rbegin(), exact.rend());
        for (const CountMinHeavyHitters * hitters : {&whole, &merged})
        {
            const auto top = hitters->top(20);
            ASSERT_EQ(top.size(), 20u);
            UInt64 previous = ~UInt64{0};
            for (const auto & hitter : top)
            {
                const UInt64 truth = counts[unalignedLoadLittleEndian<UInt64>(hitter.key.data())];
                EXPECT_GE(hitter.estimate, truth);
                EXPECT_LE(hitter.lower_bound, truth);
                EXPECT_LE(hitter.estimate, previous);
                previous = hitter.estimate;
            }
            /// Every key that the error cannot hide: above the 21st by more than eps * total.
            const UInt64 error = parameters.absoluteError(60000);
            for (const auto & [count, key] : exact)
            {
                const std::string bytes = keyOf(key);
                const bool found = std::any_of(top.begin(), top.end(), [&](const auto & hitter) { return hitter.key == bytes; });
                EXPECT_TRUE(found || count <= exact[20].first + error) << key;
            }
        }
    }
    const CountMinParameters parameters(3, 50);
    EXPECT_EQ(codeOf([&] { static_cast<void>(CountMinHeavyHitters(parameters, 0)); }), 36);
    CountMinHeavyHitters one(parameters, 1);
    one.add("a");
    one.add("b", 5);
    one.add("a", 2);
    EXPECT_EQ(one.top(9).size(), 1u);
    EXPECT_EQ(one.top(9)[0].key, "b");
}

/// Run by the tsan preset: const calls on one view, one owner and one state from several threads.
TEST(CountMinThreads, ConcurrentConstCallsShareOneSketch)
{
    const CountMinParameters parameters(5, 272);
    CountMinSketchState<UInt64> filled(parameters, 8);
    for (UInt64 i = 0; i < 2000; ++i)
        filled.add(keyOf(i % 500), 1);
    CountMinSketchState<UInt64> small(parameters, 8);
    small.add(keyOf(3), 4);
    const std::string image = filled.toImage();
    const auto view = CountMinView<UInt64>::parse(image, parameters);
    const std::string bytes = serialize(filled);
    CountMinSketchState<UInt64> borrowed(parameters, 8);
    ReadBufferFromMemory in(bytes);
    borrowed.read(in);
    const CountMinSketch<UInt64> owner(view);
    std::string column;
    for (UInt64 i = 0; i < 300; ++i)
        column += keyOf(i);
    const CountMinKeys keys = CountMinKeys::fixed(column.data(), 8, 300);
    std::vector<UInt64> expected(300);
    view.estimateMany(keys, expected.data());
    std::vector<int> agreed(4, 0);
    std::vector<std::thread> threads;
    for (size_t t = 0; t < agreed.size(); ++t)
        threads.emplace_back([&, t] {
            std::vector<UInt64> answers(300);
            bool all = true;
            for (int round = 0; round < 20; ++round)
            {
                view.estimateMany(keys, answers.data());
                all &= answers == expected;
                owner.estimateMany(keys, answers.data());
                all &= answers == expected;
                borrowed.estimateMany(keys, answers.data());
                all &= answers == expected;
                CountMinSketchState<UInt64> merged(parameters, 8);
                merged.merge(filled);
                merged.merge(borrowed);
                merged.merge(small);
                all &= merged.total() == 4004;
                all &= serialize(borrowed) == bytes && small.estimate(keyOf(3)) == 4;
                all &= CountMinSketchState<UInt64>::innerProduct(filled, borrowed) >= 500 * 16;
            }
            agreed[t] = all;
        });
    for (std::thread & thread : threads)
        thread.join();
    EXPECT_EQ(agreed, std::vector<int>(4, 1));
}
