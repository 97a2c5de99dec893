#include <statewire/Common/Exception.h>
#include <statewire/CountMin/CountMinBounds.h>
#include <statewire/CountMin/CountMinParameters.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace DB;

namespace
{
std::vector<UInt64> rowSeedsOf(UInt64 seed, RowSeeds scheme, UInt32 rows)
{
    const CountMinParameters parameters(rows, 3, seed, scheme);
    std::vector<UInt64> result;
    for (UInt32 row = 0; row < rows; ++row)
        result.push_back(parameters.rowSeed(row));
    return result;
}

template <typename F>
int codeOf(F && f)
{
    try
    {
        f();
    }
    catch (const Exception & e)
    {
        return e.code();
    }
    return 0;
}
}

TEST(CountMinParameters, RowSeedsAreThoseOfBothStandardLibraries)
{
    EXPECT_EQ(
        rowSeedsOf(9001, RowSeeds::LibStdCxx, 8),
        (std::vector<UInt64>{
            4480857443237086988U,
            6631161516192699342U,
            11350819014790094519U,
            4160660749069251172U,
            10069924727803572716U,
            5184791504480112213U,
            16791997112976329316U,
            12902553155504951388U}));
    EXPECT_EQ(
        rowSeedsOf(9001, RowSeeds::LibCxx, 8),
        (std::vector<UInt64>{
            3314421722738642050U,
            9951529646378312046U,
            9791000334130093217U,
            2029953043426805923U,
            1190870247347133448U,
            16229774274100281894U,
            18100935627052072990U,
            12967013834867741452U}));
}

TEST(CountMinParameters, SeedsEqualModuloTheGeneratorShareTheirDraws)
{
    constexpr UInt64 MODULUS = (UInt64{1} << 31) - 1;
    for (const RowSeeds scheme : {RowSeeds::LibStdCxx, RowSeeds::LibCxx})
    {
        const auto zero = rowSeedsOf(0, scheme, 20);
        const auto one = rowSeedsOf(1, scheme, 20);
        const auto modulus = rowSeedsOf(MODULUS, scheme, 20);
        for (size_t row = 0; row < zero.size(); ++row)
        {
            EXPECT_EQ(one[row], zero[row] + 1);
            EXPECT_EQ(modulus[row], zero[row] + MODULUS);
        }
    }
}

TEST(CountMinParameters, SeedHashHas16Bits)
{
    EXPECT_EQ(CountMinParameters(1, 3).seedHash(), 37836);
    EXPECT_EQ(CountMinParameters(1, 3, 37408).seedHash(), 37836) << "this seed's hash collides with the default's";
    EXPECT_EQ(CountMinParameters(1, 3, 50541).seedHash(), 0) << "a hash of 0 is a hash like any other";
    EXPECT_EQ(CountMinParameters(1, 3, 0).seedHash(), 50123);
    EXPECT_EQ(CountMinParameters(1, 3, 1).seedHash(), 50250);
    EXPECT_EQ(CountMinParameters(1, 3, ~UInt64{0}).seedHash(), 60787);
}

TEST(CountMinParameters, ShapesOutsideTheLimitsAreRefused)
{
    struct Case
    {
        UInt32 num_hashes;
        UInt32 num_buckets;
        bool accepted;
    };
    for (const Case & c : {
             Case{1, 3, true},
             Case{255, 3, true},
             Case{0, 3, false},
             Case{256, 3, false},
             Case{1, 2, false},
             Case{1, 0, false},
             Case{1, (1U << 30) - 1, true},
             Case{1, 1U << 30, false},
             Case{4, (1U << 28) - 1, true},
             Case{4, 1U << 28, false},
             Case{255, 4210752, true},
             Case{255, 4210753, false},
             /// Products that wrap in 32 bits.
             Case{2, 1U << 31, false},
             Case{3, 1431655768, false},
             Case{255, ~0U, false},
         })
        EXPECT_EQ(codeOf([&] { CountMinParameters(c.num_hashes, c.num_buckets); }), c.accepted ? 0 : 36)
            << c.num_hashes << " x " << c.num_buckets;
}

TEST(CountMinParameters, EqualityIsThatOfEverythingThatShapesTheTable)
{
    const CountMinParameters parameters(3, 8, 5, RowSeeds::LibCxx);
    EXPECT_EQ(parameters, CountMinParameters(3, 8, 5, RowSeeds::LibCxx));
    EXPECT_NE(parameters, CountMinParameters(4, 8, 5, RowSeeds::LibCxx));
    EXPECT_NE(parameters, CountMinParameters(3, 9, 5, RowSeeds::LibCxx));
    EXPECT_NE(parameters, CountMinParameters(3, 8, 6, RowSeeds::LibCxx));
    EXPECT_NE(parameters, CountMinParameters(3, 8, 5, RowSeeds::LibStdCxx));
    const CountMinParameters copy = parameters;
    EXPECT_EQ(copy.rowSeed(2), parameters.rowSeed(2));
}

TEST(CountMinParameters, SchemesHaveNames)
{
    EXPECT_EQ(parseRowSeeds("libstdcxx"), RowSeeds::LibStdCxx);
    EXPECT_EQ(parseRowSeeds("libcxx"), RowSeeds::LibCxx);
    EXPECT_EQ(parseRowSeeds(""), std::nullopt);
    EXPECT_EQ(parseRowSeeds("LibCxx"), std::nullopt);
    EXPECT_EQ(toString(RowSeeds::LibStdCxx), "libstdcxx");
    EXPECT_EQ(toString(RowSeeds::LibCxx), "libcxx");
}

TEST(CountMinParameters, ErrorBoundsGiveTheShapeOfDataSketches)
{
    struct Case
    {
        double eps;
        UInt32 num_buckets;
    };
    for (const Case & c :
         {Case{0.2, 14},
          Case{0.1, 28},
          Case{0.05, 55},
          Case{0.01, 272},
          Case{0.002, 1360},
          Case{0.001, 2719},
          Case{0.0001, 27183},
          Case{1e-9, 2718281829U},
          Case{1, 3},
          Case{2, 3}})
        EXPECT_EQ(CountMinParameters::suggestNumBuckets(c.eps), c.num_buckets) << c.eps;
    struct Rows
    {
        double delta;
        UInt32 num_hashes;
    };
    for (const Rows & c :
         {Rows{0.5, 1}, Rows{0.1, 3}, Rows{0.05, 3}, Rows{0.01, 5}, Rows{0.001, 7}, Rows{0.0001, 10}, Rows{0.99, 1}, Rows{1e-300, 255}})
        EXPECT_EQ(CountMinParameters::suggestNumHashes(c.delta), c.num_hashes) << c.delta;
    const auto parameters = CountMinParameters::fromErrorBounds(0.001, 0.01);
    EXPECT_EQ(parameters, CountMinParameters(5, 2719));
    EXPECT_LE(parameters.relativeError(), 0.001);

    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const double eps : {0.0, -1.0, nan, 1e-10})
        EXPECT_EQ(codeOf([&] { static_cast<void>(CountMinParameters::suggestNumBuckets(eps)); }), 36) << eps;
    for (const double delta : {0.0, 1.0, -0.5, 2.0, nan})
        EXPECT_EQ(codeOf([&] { static_cast<void>(CountMinParameters::suggestNumHashes(delta)); }), 36) << delta;
}

TEST(CountMinBounds, AbsoluteErrorLosesNoBitOfALargeTotal)
{
    const CountMinParameters parameters(1, 1000);
    EXPECT_EQ(parameters.absoluteError(0), 0);
    EXPECT_EQ(parameters.absoluteError(367), 0);
    EXPECT_EQ(parameters.absoluteError(368), 1);
    EXPECT_EQ(parameters.absoluteError(1000), 2);
    /// floor(e * total / 1000) by decimal arithmetic with 60 digits.
    EXPECT_EQ(parameters.absoluteError((UInt64{1} << 53) + 1), 24484106059472U);
    EXPECT_EQ(parameters.absoluteError(~UInt64{0}), 50143449209799256U);
    EXPECT_EQ(CountMinParameters(1, 3).absoluteError(~UInt64{0}), 16714483069933085560U);
}

TEST(CountMinBounds, LowerBoundIsTheEstimateLessTheErrorAndNeverNegative)
{
    const CountMinParameters parameters(1, 1000);
    EXPECT_EQ(countMinLowerBound<UInt64>(parameters, 10, 2000), 5);
    EXPECT_EQ(countMinLowerBound<UInt64>(parameters, 5, 2000), 0);
    EXPECT_EQ(countMinLowerBound<UInt64>(parameters, 3, 2000), 0);
    EXPECT_EQ(countMinLowerBound<UInt8>(parameters, 200, 255), 200);
    EXPECT_EQ(countMinLowerBound<Int64>(parameters, -10, 2000), 0);
    EXPECT_EQ(countMinLowerBound<Int64>(parameters, 10, 2000), 5);
    EXPECT_DOUBLE_EQ(countMinLowerBound<Float64>(parameters, 10, 2000), 10 - 2 * std::numbers::e);
    EXPECT_EQ(countMinLowerBound<Float64>(parameters, 1, 2000), 0);
}

TEST(CountMinBounds, DataSketchesUpperBoundIsComputedInDoubleAndHeldInRange)
{
    const CountMinParameters hundred(2, 100);
    EXPECT_EQ(countMinDataSketchesUpperBound<Int64>(hundred, -100, 100), -97);
    EXPECT_EQ(countMinDataSketchesUpperBound<UInt64>(hundred, 10, 2850), 87);
    /// Exactness above 2^53 is lost, as in the library.
    const CountMinParameters wide(1, (1U << 30) - 1);
    EXPECT_EQ(countMinDataSketchesUpperBound<UInt64>(wide, (UInt64{1} << 60) + 1, 1), UInt64{1} << 60);
    constexpr UInt64 LARGEST = std::numeric_limits<UInt64>::max();
    EXPECT_EQ(countMinDataSketchesUpperBound<UInt64>(hundred, LARGEST, LARGEST), LARGEST);
    EXPECT_EQ(countMinDataSketchesUpperBound<UInt8>(hundred, 255, 255), 255);
    EXPECT_EQ(countMinDataSketchesUpperBound<Int8>(hundred, 127, 127), 127);
    EXPECT_EQ(countMinDataSketchesUpperBound<Int64>(hundred, std::numeric_limits<Int64>::min(), 0), std::numeric_limits<Int64>::min());
    EXPECT_TRUE(
        std::isinf(countMinDataSketchesUpperBound<Float32>(hundred, std::numeric_limits<float>::max(), std::numeric_limits<float>::max())));
}
