#include "CountMinHelpers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <vector>

using namespace DB;
using namespace statewire_tests;

/** What must hold for every stream: merging in any order and form, and what an estimate says of the truth. */
namespace
{
template <typename W>
using Stream = std::vector<std::pair<std::string, W>>;

template <typename W>
W randomWeight(std::mt19937_64 & random)
{
    if constexpr (std::is_floating_point_v<W>)
        return static_cast<W>(static_cast<double>(random() % 2000001) / 1000.0 - 1000.0);
    else if constexpr (std::is_signed_v<W>)
        return static_cast<W>(random() % 2001) - 1000;
    else
        return random() % 1000;
}

template <typename W>
Stream<W> randomStream(std::mt19937_64 & random, UInt32 key_size, size_t rows, UInt64 distinct)
{
    Stream<W> result;
    for (size_t i = 0; i < rows; ++i)
    {
        std::string key = keyOf(random() % distinct);
        if (key_size == 0)
            key.resize(random() % 9);
        result.emplace_back(std::move(key), randomWeight<W>(random));
    }
    return result;
}

template <typename W>
CountMinSketchState<W> feed(const CountMinParameters & parameters, UInt32 key_size, const Stream<W> & stream)
{
    CountMinSketchState<W> result(parameters, key_size);
    for (const auto & [key, weight] : stream)
        result.add(key, weight);
    return result;
}

/// `part` merged into `to` in one of the ways there are.
template <typename W>
void mergeSomehow(std::mt19937_64 & random, CountMinSketchState<W> & to, const CountMinSketchState<W> & part)
{
    switch (random() % 3)
    {
        case 0:
            to.merge(part);
            return;
        case 1: {
            const std::string bytes = serialize(part);
            ReadBufferFromMemory in(bytes);
            to.readAndMerge(in);
            EXPECT_TRUE(in.eof());
            return;
        }
        default: {
            auto bytes = std::make_shared<const std::string>(serialize(part));
            ReadBufferFromMemory in(*bytes);
            CountMinSketchState<W> borrowed(part.parameters(), part.keySize());
            borrowed.read(in, bytes);
            to.merge(borrowed);
        }
    }
}

const CountMinParameters LAW_SHAPES[] = {
    CountMinParameters(1, 3), CountMinParameters(2, 16, 5, RowSeeds::LibCxx), CountMinParameters(4, 40), CountMinParameters(7, 1024)};

template <typename W>
class CountMinLaws : public testing::Test
{
};
using StateWeights = testing::Types<UInt64, Int64, Float64>;
}
TYPED_TEST_SUITE(CountMinLaws, StateWeights);

TYPED_TEST(CountMinLaws, MergingEqualsAddingEverythingToOne)
{
    using W = TypeParam;
    for (UInt64 seed = 0; seed < 120; ++seed)
    {
        SCOPED_TRACE(seed);
        std::mt19937_64 random(seed);
        const CountMinParameters & parameters = LAW_SHAPES[random() % std::size(LAW_SHAPES)];
        const UInt32 key_size = random() % 2 == 0 ? 8 : 0;
        const Stream<W> stream = randomStream<W>(random, key_size, random() % 600, 1 + random() % 400);
        const CountMinSketchState<W> expected = feed(parameters, key_size, stream);

        std::vector<CountMinSketchState<W>> parts;
        for (size_t pos = 0; pos < stream.size();)
        {
            const size_t size = std::min<size_t>(1 + random() % 200, stream.size() - pos);
            parts.push_back(feed(
                parameters,
                key_size,
                Stream<W>(stream.begin() + static_cast<std::ptrdiff_t>(pos), stream.begin() + static_cast<std::ptrdiff_t>(pos + size))));
            pos += size;
        }
        std::shuffle(parts.begin(), parts.end(), random);
        parts.emplace_back(parameters, key_size);
        while (parts.size() > 1)
        {
            /// Any two neighbours: associativity as well as order.
            const size_t i = random() % (parts.size() - 1);
            mergeSomehow(random, parts[i], parts[i + 1]);
            parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        }
        const CountMinSketchState<W> & merged = parts[0];
        EXPECT_EQ(merged.isEmpty(), expected.isEmpty());
        if constexpr (std::is_integral_v<W>)
        {
            EXPECT_EQ(serialize(merged), serialize(expected));
        }
        else
        {
            EXPECT_EQ(
                merged.storage() == CountMinSketchState<W>::Storage::Small, expected.storage() == CountMinSketchState<W>::Storage::Small);
            const double tolerance = expected.total() * 1e-9;
            EXPECT_NEAR(merged.total(), expected.total(), tolerance);
            for (UInt64 key = 0; key < 400; ++key)
                EXPECT_NEAR(merged.estimate(keyOf(key)), expected.estimate(keyOf(key)), tolerance);
            /// Rounding never makes a state that its own reader refuses.
            CountMinSketchState<W> again(parameters, key_size);
            mergeSomehow(random, again, merged);
            EXPECT_EQ(serialize(again), serialize(merged));
        }
    }
}

TYPED_TEST(CountMinLaws, MergingCommutesInBytes)
{
    using W = TypeParam;
    for (UInt64 seed = 0; seed < 300; ++seed)
    {
        SCOPED_TRACE(seed);
        std::mt19937_64 random(seed);
        const CountMinParameters & parameters = LAW_SHAPES[random() % std::size(LAW_SHAPES)];
        const auto a = feed(parameters, 8, randomStream<W>(random, 8, random() % 300, 1 + random() % 300));
        const auto b = feed(parameters, 8, randomStream<W>(random, 8, random() % 300, 1 + random() % 300));
        auto ab = a;
        mergeSomehow(random, ab, b);
        auto ba = b;
        mergeSomehow(random, ba, a);
        EXPECT_EQ(serialize(ab), serialize(ba));
    }
}

TYPED_TEST(CountMinLaws, TheOrderOfKeysDoesNotShow)
{
    using W = TypeParam;
    for (UInt64 seed = 0; seed < 60; ++seed)
    {
        SCOPED_TRACE(seed);
        std::mt19937_64 random(seed);
        const CountMinParameters & parameters = LAW_SHAPES[random() % std::size(LAW_SHAPES)];
        Stream<W> stream = randomStream<W>(random, 0, random() % 500, 1 + random() % 300);
        const auto first = feed(parameters, 0, stream);
        std::shuffle(stream.begin(), stream.end(), random);
        const auto second = feed(parameters, 0, stream);
        if constexpr (std::is_integral_v<W>)
        {
            EXPECT_EQ(serialize(first), serialize(second));
        }
        EXPECT_EQ(first.storage(), second.storage());
        /// Small and dense forms agree: the sketch of the state is the sketch of the stream.
        CountMinSketch<W> sketch(parameters);
        for (const auto & [key, weight] : stream)
            sketch.update(key, weight);
        const std::string image = first.toImage();
        const auto view = CountMinView<W>::parse(image, parameters);
        for (UInt64 i = 0; i < sketch.cells(); ++i)
            ASSERT_NEAR(static_cast<double>(view.cell(i)), static_cast<double>(sketch.cell(i)), static_cast<double>(sketch.total()) * 1e-9);
    }
}

TEST(CountMinEstimates, AreNeverBelowTheTruthAndWithinTheErrorAtTheStatedConfidence)
{
    /// A stream in which few keys have most of the weight, sketched under many seeds; every key is asked.
    UInt64 questions = 0;
    UInt64 beyond_eps = 0;
    UInt64 lower_bound_too_high = 0;
    const UInt32 num_hashes = 3;
    for (UInt64 seed = 0; seed < 200; ++seed)
    {
        const CountMinParameters parameters(num_hashes, 64, seed, seed % 2 == 0 ? RowSeeds::LibStdCxx : RowSeeds::LibCxx);
        std::mt19937_64 random(seed);
        std::map<std::string, UInt64> truth;
        CountMinSketch<UInt64> sketch(parameters);
        UInt64 total = 0;
        for (int i = 0; i < 2000; ++i)
        {
            const double uniform = (static_cast<double>(random() >> 11) + 1) * 0x1p-53;
            const std::string key = "word" + std::to_string(static_cast<UInt64>(1 / uniform) % 5000);
            const UInt64 weight = random() % 5 + 1;
            truth[key] += weight;
            total += weight;
            sketch.update(key, weight);
        }
        EXPECT_EQ(sketch.total(), total);
        for (const auto & [key, weight] : truth)
        {
            ++questions;
            ASSERT_GE(sketch.estimate(key), weight);
            ASSERT_EQ(sketch.upperBound(key), sketch.estimate(key));
            beyond_eps += sketch.estimate(key) > weight + parameters.absoluteError(total);
            lower_bound_too_high += sketch.lowerBound(key) > weight;
        }
    }
    EXPECT_EQ(beyond_eps, lower_bound_too_high);
    EXPECT_LE(static_cast<double>(beyond_eps), std::exp(-double{num_hashes}) * static_cast<double>(questions));
    EXPECT_GT(questions, 10000);
}

TEST(CountMinFloats, RoundingNeverMakesATableThatItsReaderRefuses)
{
    /// Weights whose sums round differently in every order, all in few cells; grown from small, merged both ways.
    const CountMinParameters parameters(1, 3);
    for (UInt64 seed = 0; seed < 500; ++seed)
    {
        SCOPED_TRACE(seed);
        std::mt19937_64 random(seed);
        CountMinSketchState<Float64> left(parameters);
        CountMinSketchState<Float64> right(parameters);
        for (int i = 0; i < 12; ++i)
        {
            const double weight = std::ldexp(static_cast<double>(random() >> 11), -static_cast<int>(random() % 80));
            (random() % 2 == 0 ? left : right).add(std::string(random() % 10, 'k'), weight);
        }
        CountMinSketchState<Float64> both = left;
        both.merge(right);
        right.merge(left);
        EXPECT_EQ(serialize(both), serialize(right));
        const std::string bytes = serialize(both);
        ReadBufferFromMemory in(bytes);
        CountMinSketchState<Float64> read(parameters);
        EXPECT_EQ(messageOf([&] { read.read(in); }), "");
        EXPECT_EQ(serialize(read), bytes);
    }
}
