#include "ColumnBuilders.h"
#include "CountMinHelpers.h"
#include "CountMinStreams.h"
#include "TornReadBuffer.h"

#include <statewire/AggregateFunctions/CountMinTopKState.h>

#include <algorithm>

using namespace DB;
using namespace statewire_tests;

namespace
{
using Counts = std::map<UInt64, UInt64>;

CountMinTopKState readBack(const CountMinTopKState & state)
{
    const std::string bytes = serialize(state);
    ReadBufferFromMemory in(bytes);
    CountMinTopKState result(state.parameters(), state.capacity(), state.keySize());
    result.read(in);
    EXPECT_TRUE(in.eof());
    EXPECT_EQ(serialize(result), bytes);
    return result;
}

/// Every key that the error cannot hide is answered, and each answer keeps its bounds.
void expectTop(const CountMinTopKState & state, const Counts & counts, size_t k)
{
    const auto top = state.top(k);
    ASSERT_EQ(top.size(), std::min(k, counts.size()));
    UInt64 previous = ~UInt64{0};
    for (const auto & hitter : top)
    {
        const UInt64 truth = counts.at(unalignedLoadLittleEndian<UInt64>(hitter.key.data()));
        EXPECT_GE(hitter.estimate, truth);
        EXPECT_LE(hitter.lower_bound, truth);
        EXPECT_LE(hitter.estimate, previous);
        previous = hitter.estimate;
    }
    std::vector<UInt64> weights;
    for (const auto & [key, count] : counts)
        weights.push_back(count);
    std::sort(weights.rbegin(), weights.rend());
    const UInt64 next = weights.size() > k ? weights[k] : 0;
    const UInt64 error = state.isSmall() ? 0 : state.parameters().absoluteError(state.total());
    for (const auto & [key, count] : counts)
        if (count > next + error && count > state.total() / state.capacity() + error)
        {
            const std::string bytes = keyOf(key);
            EXPECT_TRUE(std::any_of(top.begin(), top.end(), [&](const auto & hitter) { return hitter.key == bytes; })) << key;
        }
}
}

TEST(CountMinTopK, FindsTheTopOfZipfStreamsInAnyOrderOfMerging)
{
    for (const CountMinOption option : {CountMinOption::Plain, CountMinOption::Conservative})
        for (UInt64 seed = 1; seed <= 8; ++seed)
        {
            SCOPED_TRACE("seed " + std::to_string(seed) + " " + std::string(toString(option)));
            const CountMinParameters parameters(5, 2719, seed, RowSeeds::LibStdCxx, option);
            Counts counts;
            CountMinTopKState whole(parameters, 80, 8);
            std::vector<CountMinTopKState> parts;
            ZipfStream stream(seed, 10000, 1.1);
            std::mt19937_64 random(seed);
            for (int part = 0; part < 6; ++part)
            {
                parts.emplace_back(parameters, 80, 8);
                for (const UInt64 key : stream.take(part % 3 == 2 ? 30 : 6000, counts))
                {
                    whole.add(keyOf(key));
                    parts.back().add(keyOf(key));
                }
            }
            expectTop(whole, counts, 20);
            for (int order = 0; order < 3; ++order)
            {
                std::shuffle(parts.begin(), parts.end(), random);
                CountMinTopKState merged(parameters, 80, 8);
                for (const CountMinTopKState & part : parts)
                {
                    CountMinTopKState other_way = readBack(part);
                    other_way.merge(merged);
                    if (random() % 2)
                        merged.merge(part);
                    else
                    {
                        const std::string bytes = serialize(part);
                        ReadBufferFromMemory in(bytes);
                        merged.readAndMerge(in);
                    }
                    /// Merging commutes in bytes.
                    ASSERT_EQ(serialize(merged), serialize(other_way));
                }
                EXPECT_EQ(merged.total(), whole.total());
                expectTop(merged, counts, 20);
                readBack(merged);
            }
        }
}

TEST(CountMinTopK, MergesAsASetWhileAllKeysAreCandidates)
{
    for (UInt64 seed = 1; seed <= 20; ++seed)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937_64 random(seed);
        const CountMinParameters parameters(2, 40);
        CountMinTopKState whole(parameters, 100, 8);
        std::vector<CountMinTopKState> parts;
        for (int part = 0; part < 4; ++part)
            parts.emplace_back(parameters, 100, 8);
        for (int i = 0; i < 300; ++i)
        {
            const std::string key = keyOf(random() % 90);
            const UInt64 weight = random() % 20;
            whole.add(key, weight);
            parts[random() % parts.size()].add(key, weight);
        }
        while (parts.size() > 1)
        {
            const size_t i = random() % (parts.size() - 1);
            parts[i].merge(parts[i + 1]);
            parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        }
        /// The estimates that candidates had when they were last seen are asked anew by a merge: one more makes both sides the same.
        CountMinTopKState one_key(parameters, 100, 8);
        one_key.add(keyOf(0), 1);
        whole.merge(one_key);
        parts[0].merge(one_key);
        EXPECT_EQ(serialize(whole), serialize(parts[0]));
    }
}

TEST(CountMinTopK, IsExactWhileSmall)
{
    const CountMinParameters parameters(5, 2719);
    CountMinTopKState state(parameters, 8);
    EXPECT_EQ(serialize(state), std::string(2, '\0'));
    state.add("b", 3);
    state.add("", 3);
    state.add("a", 7);
    state.add("c", 0);
    const auto top = state.top(10);
    ASSERT_EQ(top.size(), 3u);
    EXPECT_EQ(top[0].key, "a");
    EXPECT_EQ(top[0].estimate, 7u);
    EXPECT_EQ(top[0].lower_bound, 7u);
    EXPECT_EQ(top[1].key, "");
    EXPECT_EQ(top[2].key, "b");
    EXPECT_EQ(state.top(1).size(), 1u);
    EXPECT_EQ(state.top(0).size(), 0u);
    readBack(state);
    CountMinTopKState twice = readBack(state);
    twice.merge(twice);
    EXPECT_EQ(twice.top(1)[0].estimate, 14u);
    for (int i = 0; i < 1000; ++i)
        twice.add("key" + std::to_string(i));
    ASSERT_FALSE(twice.isSmall());
    twice.merge(twice);
    EXPECT_EQ(twice.top(1)[0].key, "a");
    EXPECT_EQ(twice.total(), 2 * (1000 + 26u));
}

TEST(CountMinTopK, ErrorsAreNamedAndChangeNothing)
{
    const CountMinParameters parameters(2, 40);
    const CountMinParameters others(2, 41);
    CountMinTopKState state(parameters, 4, 8);
    state.add(keyOf(1), ~UInt64{0} - 1);
    const std::string before = serialize(state);
    EXPECT_EQ(codeOf([&] { state.add("abc"); }), 36);
    EXPECT_EQ(codeOf([&] { state.add(keyOf(2), 2); }), 407);
    EXPECT_EQ(codeOf([&] { state.merge(CountMinTopKState(others, 4, 8)); }), 36);
    EXPECT_EQ(codeOf([&] { state.merge(CountMinTopKState(parameters, 5, 8)); }), 36);
    EXPECT_EQ(codeOf([&] { state.merge(CountMinTopKState(parameters, 4)); }), 36);
    EXPECT_EQ(codeOf([&] { state.merge(readBack(state)); }), 407);
    EXPECT_EQ(serialize(state), before);

    CountMinTopKState large(parameters, 4, 8);
    for (UInt64 i = 0; i < 200; ++i)
        large.add(keyOf(i), 1 + i % 3);
    ASSERT_FALSE(large.isSmall());
    const std::string bytes = serialize(large);
    const auto fresh = [&] { return CountMinTopKState(parameters, 4, 8); };
    EXPECT_EQ(readError(fresh(), bytes), "");
    const auto damaged = [&](size_t from_end, std::string_view with) {
        std::string result = bytes;
        return readError(fresh(), result.replace(result.size() - from_end, with.size(), with));
    };
    /// Four candidates of 17 bytes behind their count.
    EXPECT_NE(damaged(4 * 17 + 1, std::string_view("\0", 1)).find("expected 1 to 4 candidates, found 0"), std::string::npos);
    EXPECT_NE(damaged(4 * 17 + 1, "\x05").find("expected 1 to 4 candidates, found 5"), std::string::npos);
    EXPECT_NE(damaged(17, "\x07").find("expected a key of 8 bytes, found a length of 7"), std::string::npos);
    EXPECT_NE(damaged(16, std::string_view("\0\0\0\0\0\0\0\0", 8)).find("strictly ascending"), std::string::npos);
    EXPECT_NE(damaged(8, std::string_view("\0\0\0\0\0\0\0\0", 8)).find("estimate from 1 to "), std::string::npos);
    EXPECT_NE(damaged(1, "\x01").find("estimate from 1 to "), std::string::npos);
    EXPECT_NE(damaged(bytes.size(), "\x02").find("expected kind 0 or 1"), std::string::npos);
    for (size_t size = 0; size < bytes.size(); ++size)
        EXPECT_NE(readError(fresh(), std::string_view(bytes).substr(0, size)), "") << size;
    for (const size_t chunk : TORN_SIZES)
    {
        TornReadBuffer in(bytes, chunk);
        CountMinTopKState torn(parameters, 4, 8);
        torn.readAndMerge(in);
        EXPECT_EQ(serialize(torn), bytes);
    }
    /// A key of any declared length allocates no more than what arrives.
    const auto strings = [&] { return CountMinTopKState(parameters, 4); };
    std::string hostile = bytes.substr(0, bytes.size() - 4 * 17) + "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
    EXPECT_NE(readError(strings(), hostile), "");
    hostile = bytes.substr(0, bytes.size() - 4 * 17) + "\xff\xff\xff\xff\x0f";
    EXPECT_NE(readError(strings(), hostile).find("Cannot read all data"), std::string::npos) << readError(strings(), hostile);
}

TEST(CountMinTopK, AnswersTuplesOfKeyEstimateAndBound)
{
    AggregateFunctionFactory factory;
    registerAggregateFunctions(factory);
    const AggregateFunctionPtr function
        = factory.get("countMinTopK", {parseDataType("String"), parseDataType("UInt8")}, {UInt64{2}, UInt64{5}, UInt64{2719}});
    EXPECT_EQ(function->getResultType()->getName(), "Array(Tuple(key String, estimate UInt64, lower_bound UInt64))");
    EXPECT_EQ(function->getStateType()->getName(), "AggregateFunction(countMinTopK(2, 5, 2719), String, UInt8)");
    const auto keys = strings({"a", "b", "a", "c", "b'"});
    const auto weights = numbers<UInt8>({1, 5, 2, 1, 1});
    const Place place(*function);
    addRows(*function, place, {keys.get(), weights.get()}, 5);
    const MutableColumnPtr result = function->getResultType()->createColumn();
    function->insertResultInto(place.get(), *result, nullptr);
    EXPECT_EQ(textOf(*function->getResultType(), *result, 0), "[('b',5,5),('a',3,3)]");

    const AggregateFunctionPtr of_numbers = factory.get("countMinTopK", {parseDataType("Int16")}, {UInt64{1}, UInt64{5}, UInt64{2719}});
    const auto values = numbers<Int16>({-3, 7, -3});
    const Place numbers_place(*of_numbers);
    addRows(*of_numbers, numbers_place, {values.get()}, 3);
    const MutableColumnPtr numbers_result = of_numbers->getResultType()->createColumn();
    of_numbers->insertResultInto(numbers_place.get(), *numbers_result, nullptr);
    EXPECT_EQ(textOf(*of_numbers->getResultType(), *numbers_result, 0), "[(-3,2,2)]");

    EXPECT_ERROR(36, "k, must be at least 1", parseDataType("AggregateFunction(countMinTopK(0, 5, 272), String)"));
    EXPECT_ERROR(42, "3 to 6 parameters (k, num_hashes", parseDataType("AggregateFunction(countMinTopK(5, 272), String)"));
    EXPECT_ERROR(36, "'plain' or 'conservative', not 'decayed'",
                 parseDataType("AggregateFunction(countMinTopK(5, 5, 272, 1, 'libcxx', 'decayed'), String)"));
    EXPECT_ERROR(43, "unsigned", parseDataType("AggregateFunction(countMinTopK(5, 5, 272), String, Int8)"));
    EXPECT_ERROR(43, "key", parseDataType("AggregateFunction(countMinTopK(5, 5, 272), Array(UInt8))"));
    const char * const printed = "AggregateFunction(countMinTopK(5, 5, 272, 9001, 'libstdcxx', 'conservative'), UInt64)";
    EXPECT_EQ(parseDataType(printed)->getName(), printed);
    EXPECT_FALSE(parseDataType(printed)->equals(*parseDataType("AggregateFunction(countMinTopK(5, 5, 272), UInt64)")));
    EXPECT_FALSE(parseDataType("AggregateFunction(countMinTopK(4, 5, 272), UInt64)")
                     ->equals(*parseDataType("AggregateFunction(countMinTopK(5, 5, 272), UInt64)")));
}
