#include "CountMinHelpers.h"
#include "CountMinStreams.h"

#include <statewire/CountMin/CountMinJoin.h>

#include <cmath>

using namespace DB;
using namespace statewire_tests;

namespace
{
using Counts = std::map<UInt64, UInt64>;

/// Little-endian rows.
std::string columnOf(const std::vector<UInt64> & keys)
{
    std::string result;
    for (const UInt64 key : keys)
        result += keyOf(key);
    return result;
}

CountMinSketch<UInt64> sketchOf(const CountMinParameters & parameters, const std::vector<UInt64> & keys)
{
    CountMinSketch<UInt64> sketch(parameters);
    const std::string column = columnOf(keys);
    sketch.updateMany(CountMinKeys::fixed(column.data(), 8, keys.size()));
    return sketch;
}

double exactProduct(const Counts & a, const Counts & b)
{
    double sum = 0;
    for (const auto & [key, count] : a)
        if (const auto other = b.find(key); other != b.end())
            sum += static_cast<double>(count) * static_cast<double>(other->second);
    return sum;
}
}

TEST(CountMinJoin, InnerProductsAreAboveTheTruthAndWithinTheirError)
{
    int outside = 0;
    int trials = 0;
    for (UInt64 seed = 1; seed <= 40; ++seed)
        for (const double skew : {0.5, 1.1})
        {
            SCOPED_TRACE("seed " + std::to_string(seed));
            const CountMinParameters parameters(3, 272, seed);
            Counts counts_a;
            Counts counts_b;
            const auto a = sketchOf(parameters, ZipfStream(seed, 2000, skew).take(5000, counts_a));
            const auto b = sketchOf(parameters, ZipfStream(seed + 1000, 3000, skew).take(7000, counts_b));
            const double exact = exactProduct(counts_a, counts_b);
            const double estimate = countMinInnerProduct<UInt64>(a, b);
            EXPECT_GE(estimate, exact);
            outside += estimate > exact + parameters.relativeError() * 5000 * 7000;
            const double second_moment = countMinInnerProduct<UInt64>(a, a);
            EXPECT_GE(second_moment, exactProduct(counts_a, counts_a));
            const std::string image = b.toString();
            EXPECT_EQ(countMinInnerProduct<UInt64>(a, CountMinView<UInt64>::parse(image, parameters)), estimate);
            ++trials;
        }
    /// exp(-3) is 5 %.
    EXPECT_LE(outside, trials / 20);
}

TEST(CountMinJoin, InnerProductsOfStatesAreExactWhereBothAreSmall)
{
    const CountMinParameters parameters(5, 272);
    CountMinSketchState<UInt64> a(parameters, 8);
    CountMinSketchState<UInt64> b(parameters, 8);
    CountMinSketchState<UInt64> dense(parameters, 8);
    for (UInt64 i = 0; i < 20; ++i)
    {
        a.add(keyOf(i), i);
        b.add(keyOf(i + 10), 3);
    }
    for (UInt64 i = 0; i < 2000; ++i)
        dense.add(keyOf(i), 2);
    ASSERT_NE(dense.storage(), CountMinSketchState<UInt64>::Storage::Small);
    EXPECT_EQ(CountMinSketchState<UInt64>::innerProduct(a, b), 3 * (10 + 11 + 12 + 13 + 14 + 15 + 16 + 17 + 18 + 19));
    const double exact = 2 * 190;
    for (const double product : {CountMinSketchState<UInt64>::innerProduct(a, dense), CountMinSketchState<UInt64>::innerProduct(dense, a)})
    {
        EXPECT_GE(product, exact);
        EXPECT_LE(product, exact + parameters.relativeError() * 190 * 4000);
    }
    EXPECT_EQ(CountMinSketchState<UInt64>::innerProduct(a, CountMinSketchState<UInt64>(parameters, 8)), 0);
    EXPECT_GE(CountMinSketchState<UInt64>::innerProduct(dense, dense), 4 * 2000);
    const CountMinParameters others(5, 273);
    EXPECT_EQ(codeOf([&] { static_cast<void>(CountMinSketchState<UInt64>::innerProduct(a, CountMinSketchState<UInt64>(others, 8))); }), 36);
}

TEST(CountMinJoin, CorrectedEstimatesAreWithinTheirErrorAndNeverAboveTheEstimate)
{
    int outside = 0;
    int answers = 0;
    double corrected_error = 0;
    double plain_error = 0;
    for (UInt64 seed = 1; seed <= 20; ++seed)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const CountMinParameters parameters(7, 272, seed);
        Counts counts;
        const auto sketch = sketchOf(parameters, ZipfStream(seed, 5000, 0.3).take(20000, counts));
        const double second_moment = exactProduct(counts, counts);
        for (const auto & [key, count] : counts)
        {
            const double corrected = countMinCorrectedEstimate<UInt64>(sketch, keyOf(key));
            const auto plain = static_cast<double>(sketch.estimate(keyOf(key)));
            ASSERT_GE(corrected, 0);
            ASSERT_LE(corrected, plain);
            const double others = second_moment - static_cast<double>(count * count);
            outside += std::fabs(corrected - static_cast<double>(count)) > 2 * std::sqrt(others / (parameters.numBuckets() - 1));
            corrected_error += std::fabs(corrected - static_cast<double>(count));
            plain_error += plain - static_cast<double>(count);
            ++answers;
        }
    }
    EXPECT_LE(outside, answers * std::exp(-7.0 / 8));
    /// What it is for: flat streams, where nearly all of an estimate is noise.
    EXPECT_LT(corrected_error, plain_error / 5);
}

TEST(CountMinJoin, WeightedMergesAreThoseOfMultipliedWeights)
{
    constexpr UInt64 SEED = 5;
    SCOPED_TRACE("seed " + std::to_string(SEED));
    std::mt19937_64 random(SEED);
    const CountMinParameters parameters(4, 50);
    CountMinSketch<Int64> a(parameters);
    CountMinSketch<Int64> b(parameters);
    CountMinSketch<Int64> expected(parameters);
    for (int i = 0; i < 500; ++i)
    {
        const std::string key = keyOf(random() % 100);
        const auto weight = static_cast<Int64>(random() % 100) - 50;
        a.update(key, weight);
        b.update(key, 2 * weight + 1);
        expected.update(key, weight);
        expected.update(key, -3 * (2 * weight + 1));
    }
    CountMinSketch<Int64> merged(a);
    merged.mergeWeighted(b, -3);
    EXPECT_EQ(merged.toString(), expected.toString());
    const std::string image = b.toString();
    CountMinSketch<Int64> of_view(a);
    of_view.mergeWeighted(CountMinView<Int64>::parse(image, parameters), -3);
    EXPECT_EQ(of_view.toString(), expected.toString());

    const std::string before = merged.toString();
    merged.mergeWeighted(b, 0);
    EXPECT_EQ(codeOf([&] { merged.mergeWeighted(b, std::numeric_limits<Int64>::min()); }), 407);
    EXPECT_EQ(codeOf([&] { merged.mergeWeighted(b, std::numeric_limits<Int64>::max() / 1000); }), 407);
    EXPECT_EQ(merged.toString(), before);
    CountMinSketch<UInt8> small(parameters);
    CountMinSketch<UInt8> target(parameters);
    small.update("k", 100);
    EXPECT_EQ(codeOf([&] { target.mergeWeighted(small, 3); }), 407);
    target.mergeWeighted(small, 2);
    EXPECT_EQ(target.estimate("k"), 200);
    CountMinSketch<Float64> floats(parameters);
    CountMinSketch<Float64> scaled(parameters);
    floats.update("k", 3);
    scaled.mergeWeighted(floats, -0.5);
    EXPECT_EQ(scaled.total(), 1.5);
    const std::string float_image = scaled.toString();
    EXPECT_EQ(CountMinView<Float64>::parse(float_image, parameters).estimate("k"), -1.5);
}

TEST(CountMinJoin, ImagesMergeIntoStatesWhole)
{
    const CountMinParameters parameters(3, 64);
    CountMinSketchState<UInt64> fed(parameters, 8);
    for (UInt64 i = 0; i < 300; ++i)
        fed.add(keyOf(i), i);
    const std::string image = fed.toImage();
    CountMinSketchState<UInt64> state(parameters, 8);
    state.add(keyOf(1), 5);
    fed.add(keyOf(1), 5);
    state.mergeImage(image);
    EXPECT_EQ(serialize(state), serialize(fed));
    const std::string before = serialize(state);
    state.mergeImage(CountMinSketch<UInt64>(parameters).toString());
    for (const std::string & damaged : {image + "x", image.substr(0, image.size() - 1), std::string(), image.substr(0, 16)})
        EXPECT_NE(codeOf([&] { state.mergeImage(damaged); }), 0);
    EXPECT_EQ(serialize(state), before);
}
