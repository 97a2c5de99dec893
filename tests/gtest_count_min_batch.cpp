#include "CountMinHelpers.h"

#include <statewire/Common/MurmurHash3.h>
#include <statewire/CountMin/CountMinHashKernels.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace DB;
using namespace statewire_tests;

namespace
{
/// Column bytes of random keys of one width; few distinct ones when `distinct` is not 0.
std::string randomColumn(std::mt19937_64 & random, UInt32 width, size_t count, UInt64 distinct)
{
    std::string result(width * count, '\0');
    for (size_t i = 0; i < count; ++i)
    {
        std::mt19937_64 of_key(distinct == 0 ? random() : random() % distinct);
        for (UInt32 j = 0; j < width; ++j)
            result[i * width + j] = static_cast<char>(of_key());
    }
    return result;
}

std::vector<std::string> randomStrings(std::mt19937_64 & random, size_t count, size_t shortest, size_t longest)
{
    std::vector<std::string> result(count);
    for (std::string & key : result)
    {
        key.resize(shortest + random() % (longest - shortest + 1));
        for (char & byte : key)
            byte = static_cast<char>(random() % 4);
    }
    return result;
}

std::vector<std::string_view> viewsOf(const std::vector<std::string> & strings) { return {strings.begin(), strings.end()}; }

/// All levels this processor has give the hash's own buckets.
void expectExactBuckets(const CountMinParameters & parameters, const CountMinKeys & keys)
{
    for (const CpuLevel level : ALL_CPU_LEVELS)
    {
        if (level > supportedCpuLevel())
            continue;
        SCOPED_TRACE(cpuLevelName(level));
        detail::CountMinKeyBlock block(parameters, level);
        block.load(keys);
        std::vector<UInt32> buckets(keys.size());
        for (UInt32 row = 0; row < parameters.numHashes(); ++row)
        {
            block.buckets(row, buckets.data());
            for (size_t i = 0; i < keys.size(); ++i)
                ASSERT_EQ(buckets[i], murmurHash3X64First(keys[i], parameters.rowSeed(row)) % parameters.numBuckets())
                    << "row " << row << ", key " << i << " of " << keys[i].size() << " bytes, " << parameters.numBuckets() << " buckets";
        }
    }
}

template <typename W>
W randomWeight(std::mt19937_64 & random)
{
    if constexpr (std::is_floating_point_v<W>)
        return static_cast<W>(static_cast<double>(static_cast<Int64>(random() % 2000001) - 1000000) / 7);
    else if constexpr (std::is_signed_v<W>)
        return static_cast<W>(static_cast<Int64>(random() % 9) - 4);
    else
        return static_cast<W>(random() % 5);
}
}

TEST(CountMinBatch, BucketsAreTheHashesOfEveryWidthAndLevel)
{
    constexpr UInt64 SEED = 20261130;
    SCOPED_TRACE("seed " + std::to_string(SEED));
    std::mt19937_64 random(SEED);
    const UInt32 divisors[] = {3, 4, 5, 7, 8, 1024, 2718, 2719, 65535, 65536, 65537, (1U << 22) - 1, 1U << 22, (1U << 28) + 1, (1U << 29) - 3, (1U << 30) - 1};
    for (const UInt32 num_buckets : divisors)
    {
        const CountMinParameters parameters(num_buckets > (1U << 29) ? 1 : 2 - (num_buckets == (1U << 29) - 3), num_buckets, random(), random() % 2 ? RowSeeds::LibCxx : RowSeeds::LibStdCxx);
        for (UInt32 width = 1; width <= 20; ++width)
            for (const size_t count : {size_t{0}, size_t{1}, size_t{7}, size_t{8}, size_t{9}, size_t{100}, detail::CountMinKeyBlock::SIZE})
            {
                const std::string column = randomColumn(random, width, count, 0);
                expectExactBuckets(parameters, CountMinKeys::fixed(column.data(), width, count));
            }
    }
}

/// Remainders of the numbers where quotients estimated too small would show: multiples of the divisor and their neighbours cannot be chosen through
/// a hash, so that many random hashes and divisors stand in for them.
TEST(CountMinBatch, RemaindersOfRandomDivisorsAreExact)
{
    constexpr UInt64 SEED = 77;
    SCOPED_TRACE("seed " + std::to_string(SEED));
    std::mt19937_64 random(SEED);
    for (int round = 0; round < 3000; ++round)
    {
        const UInt32 bits = 2 + static_cast<UInt32>(random() % 28);
        const auto num_buckets = static_cast<UInt32>(std::max<UInt64>(3, random() >> (64 - bits)));
        const CountMinParameters parameters(1, num_buckets, random());
        const std::string column = randomColumn(random, 8, 64, 0);
        expectExactBuckets(parameters, CountMinKeys::fixed(column.data(), 8, 64));
    }
}

TEST(CountMinBatch, BucketsOfStringsOfEveryLengthAndMixture)
{
    constexpr UInt64 SEED = 4;
    SCOPED_TRACE("seed " + std::to_string(SEED));
    std::mt19937_64 random(SEED);
    const CountMinParameters parameters(3, 2719);
    for (size_t length = 0; length <= 40; ++length)
    {
        const auto strings = randomStrings(random, 100, length, length);
        expectExactBuckets(parameters, CountMinKeys::strings(viewsOf(strings)));
    }
    for (int round = 0; round < 200; ++round)
    {
        const size_t shortest = random() % 18;
        const auto strings = randomStrings(random, random() % (detail::CountMinKeyBlock::SIZE + 1), shortest, shortest + random() % 20);
        const auto views = viewsOf(strings);
        expectExactBuckets(parameters, CountMinKeys::strings(views));
    }
}

template <typename W>
class CountMinBatchOfEveryWeight : public testing::Test
{
};
using Weights = testing::Types<UInt8, UInt16, UInt32, UInt64, Int8, Int16, Int32, Int64, Float32, Float64>;
TYPED_TEST_SUITE(CountMinBatchOfEveryWeight, Weights);

TYPED_TEST(CountMinBatchOfEveryWeight, UpdatesAndEstimatesAreThoseOfOneAtATime)
{
    using W = TypeParam;
    constexpr UInt64 SEED = 9;
    SCOPED_TRACE("seed " + std::to_string(SEED));
    std::mt19937_64 random(SEED);
    /// Cells that overflow their small types, the prefetched path, and shapes that are no power of two.
    const std::pair<UInt32, UInt32> shapes[] = {{1, 3}, {7, 272}, {2, 100003}, {4, 1 << 16}};
    for (const auto & [num_hashes, num_buckets] : shapes)
        for (const auto policy : {CountMinOverflow::Saturate, CountMinOverflow::Wrap, CountMinOverflow::Error})
        {
            const CountMinParameters parameters(num_hashes, num_buckets);
            CountMinSketch<W> batched(parameters, policy);
            CountMinSketch<W> single(parameters, policy);
            /// Under Error a small type must not overflow here.
            const size_t count = policy == CountMinOverflow::Error && sizeof(W) == 1 ? 20 : 1000;
            const UInt32 width = 1 + static_cast<UInt32>(random() % 20);
            const std::string column = randomColumn(random, width, count, 50);
            const CountMinKeys keys = CountMinKeys::fixed(column.data(), width, count);
            std::vector<W> weights(count);
            for (W & weight : weights)
                weight = randomWeight<W>(random);
            batched.updateMany(keys, weights);
            for (size_t i = 0; i < count; ++i)
                single.update(keys[i], weights[i]);
            if (policy != CountMinOverflow::Error || sizeof(W) > 1)
            {
                batched.updateMany(keys);
                for (size_t i = 0; i < count; ++i)
                    single.update(keys[i]);
            }
            ASSERT_EQ(batched.total(), single.total());
            for (UInt64 cell = 0; cell < parameters.cells(); ++cell)
                ASSERT_EQ(batched.cell(cell), single.cell(cell));
            std::vector<W> estimates(count);
            batched.estimateMany(keys, estimates.data());
            for (size_t i = 0; i < count; ++i)
                ASSERT_EQ(estimates[i], single.estimate(keys[i]));
            if (batched.isEmpty() || batched.total() == 0)
                continue;
            const std::string image = "x" + batched.toString();
            const auto view = CountMinView<W>::parse(std::string_view(image).substr(1), parameters, Validation::Structure);
            view.estimateMany(keys, estimates.data());
            for (size_t i = 0; i < count; ++i)
                ASSERT_EQ(estimates[i], single.estimate(keys[i]));
        }
}

TEST(CountMinBatch, EmptySketchesAnswerZeroAndNothingAllocatesNothing)
{
    const CountMinParameters parameters(3, 8);
    CountMinSketch<UInt64> sketch(parameters);
    const std::string column(64, 'k');
    const CountMinKeys keys = CountMinKeys::fixed(column.data(), 8, 8);
    std::vector<UInt64> answers(8, 5);
    sketch.estimateMany(keys, answers.data());
    EXPECT_EQ(answers, std::vector<UInt64>(8, 0));
    sketch.updateMany(keys.slice(0, 0));
    sketch.updateMany(keys, std::vector<UInt64>(8, 0));
    EXPECT_TRUE(sketch.isEmpty());
    CountMinView<UInt64>().estimateMany(keys, answers.data());
    EXPECT_EQ(answers, std::vector<UInt64>(8, 0));
    EXPECT_EQ(codeOf([&] { sketch.updateMany(keys, std::vector<UInt64>(7, 1)); }), 36);
}

TEST(CountMinBatch, AnEmptySpanOfWeightsCountsOnesWhereverItPoints)
{
    const CountMinParameters parameters(3, 8);
    const std::string column = keyOf(1) + keyOf(2);
    const UInt64 garbage[] = {100, 200};
    CountMinSketch<UInt64> sketch(parameters);
    sketch.updateMany(CountMinKeys::fixed(column.data(), 8, 2), std::span<const UInt64>(garbage, 0));
    CountMinSketch<UInt64> expected(parameters);
    expected.update(keyOf(1));
    expected.update(keyOf(2));
    EXPECT_EQ(sketch.toString(), expected.toString());
}

TEST(CountMinBatch, AFailedBatchChangesNothing)
{
    const CountMinParameters parameters(3, 8);
    const std::string column = keyOf(1) + keyOf(2) + keyOf(3);
    const CountMinKeys keys = CountMinKeys::fixed(column.data(), 8, 3);
    const UInt64 half = UInt64{1} << 63;
    CountMinSketch<UInt64> sketch(parameters);
    sketch.update(keyOf(9), 5);
    const std::string before = sketch.toString();
    EXPECT_EQ(codeOf([&] { sketch.updateMany(keys, std::vector<UInt64>{1, half, half}); }), 407);
    EXPECT_EQ(sketch.toString(), before);

    CountMinSketch<Float64> floating(parameters);
    EXPECT_EQ(codeOf([&] { floating.updateMany(keys, std::vector<Float64>{1, 2, std::nan("")}); }), 36);
    EXPECT_TRUE(floating.isEmpty());

    for (const size_t fed : {size_t{1}, size_t{500}})
    {
        CountMinSketchState<UInt64> state(parameters, 8);
        for (UInt64 i = 0; i < fed; ++i)
            state.add(keyOf(i), 1);
        const std::string bytes = serialize(state);
        EXPECT_EQ(codeOf([&] { state.addBatch(keys, std::vector<UInt64>{1, half, half}); }), 407);
        EXPECT_EQ(codeOf([&] { state.addBatch(CountMinKeys::fixed(column.data(), 4, 6)); }), 36);
        EXPECT_EQ(serialize(state), bytes);
    }
}

namespace
{
template <typename W>
void expectStatesAgree(UInt64 seed, UInt32 width)
{
    std::mt19937_64 random(seed);
    const CountMinParameters parameters(5, 97);
    for (int round = 0; round < 40; ++round)
    {
        CountMinSketchState<W> batched(parameters, width);
        CountMinSketchState<W> single(parameters, width);
        const UInt64 distinct = round % 3 == 0 ? 10 : 1000;
        for (int batch = 0; batch < 3; ++batch)
        {
            const size_t count = random() % 700;
            const std::string column = randomColumn(random, width == 0 ? 16 : width, count, distinct);
            std::vector<std::string_view> views(count);
            for (size_t i = 0; i < count; ++i)
                views[i] = width == 0 ? std::string_view(column).substr(i * 16, random() % 17) : std::string_view(column).substr(i * width, width);
            const CountMinKeys keys = width == 0 || random() % 2 ? CountMinKeys::strings(views) : CountMinKeys::fixed(column.data(), width, count);
            std::vector<W> weights(count);
            for (W & weight : weights)
                weight = randomWeight<W>(random);
            const std::span<const W> used = random() % 2 ? std::span<const W>(weights) : std::span<const W>();
            batched.addBatch(keys, used);
            for (size_t i = 0; i < count; ++i)
                single.add(keys[i], used.empty() ? W{1} : used[i]);
            const std::string bytes = serialize(single);
            ASSERT_EQ(serialize(batched), bytes) << "seed " << seed << " round " << round;
            std::vector<W> estimates(count);
            batched.estimateMany(keys, estimates.data());
            for (size_t i = 0; i < count; ++i)
                ASSERT_EQ(estimates[i], single.estimate(keys[i]));
            if (random() % 2)
            {
                CountMinSketchState<W> reread(parameters, width);
                ReadBufferFromMemory in(bytes.data(), bytes.size());
                reread.read(in);
                batched = std::move(reread);
                batched.estimateMany(keys, estimates.data());
                for (size_t i = 0; i < count; ++i)
                    ASSERT_EQ(estimates[i], single.estimate(keys[i]));
            }
        }
    }
}
}

TEST(CountMinBatch, StatesAreThoseOfOneAtATime)
{
    expectStatesAgree<UInt64>(1, 8);
    expectStatesAgree<Int64>(2, 4);
    expectStatesAgree<Float64>(3, 8);
    expectStatesAgree<UInt64>(4, 0);
}

TEST(CountMinBatch, ManyStatesAtOnceAreThoseOfOneAtATime)
{
    constexpr UInt64 SEED = 12;
    SCOPED_TRACE("seed " + std::to_string(SEED));
    std::mt19937_64 random(SEED);
    const CountMinParameters parameters(5, 97);
    for (const size_t groups : {size_t{1}, size_t{7}, size_t{300}})
    {
        std::vector<CountMinSketchState<UInt64>> batched(groups, CountMinSketchState<UInt64>(parameters, 8));
        auto single = batched;
        for (int batch = 0; batch < 4; ++batch)
        {
            const size_t count = 2000;
            const std::string column = randomColumn(random, 8, count, 0);
            const CountMinKeys keys = CountMinKeys::fixed(column.data(), 8, count);
            std::vector<UInt64> weights(count);
            std::vector<CountMinSketchState<UInt64> *> states(count);
            for (size_t i = 0; i < count; ++i)
            {
                weights[i] = random() % 4;
                const size_t group = random() % groups;
                states[i] = &batched[group];
                single[group].add(keys[i], weights[i]);
            }
            CountMinSketchState<UInt64>::addToEach(states.data(), keys, weights);
        }
        for (size_t group = 0; group < groups; ++group)
            ASSERT_EQ(serialize(batched[group]), serialize(single[group])) << "group " << group << " of " << groups;
    }
}
