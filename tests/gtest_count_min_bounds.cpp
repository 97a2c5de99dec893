#include "CountMinHelpers.h"

#include <statewire/CountMin/CountMinKeys.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

using namespace DB;
using namespace statewire_tests;

/** What an estimate promises, over very many random streams. STATEWIRE_EXTENDED_TESTS=1 makes them millions, which takes some minutes; without it
  * there are as many as fit a second.
  */
namespace
{
bool isExtended()
{
    const char * value = std::getenv("STATEWIRE_EXTENDED_TESTS");
    return value != nullptr && *value != '\0' && *value != '0';
}

CountMinParameters shapeOf(UInt32 num_hashes, UInt32 num_buckets, UInt64 seed, CountMinOption option)
{
    return CountMinParameters(num_hashes, num_buckets, seed, seed % 2 ? RowSeeds::LibCxx : RowSeeds::LibStdCxx, option);
}
}

TEST(CountMinBounds, NoEstimateOfAnyStreamIsBelowTheTruth)
{
    const UInt64 streams = isExtended() ? 2000000 : 20000;
    UInt64 asked = 0;
    for (UInt64 seed = 1; seed <= streams; ++seed)
    {
        std::mt19937_64 random(seed);
        /// Few buckets, so that nearly every key shares its cells; a dozen keys, some of them heavy.
        const auto num_hashes = static_cast<UInt32>(1 + random() % 5);
        const auto num_buckets = static_cast<UInt32>(3 + random() % 12);
        const CountMinParameters plain_parameters = shapeOf(num_hashes, num_buckets, random(), CountMinOption::Plain);
        const CountMinParameters sharper_parameters(
            num_hashes, num_buckets, plain_parameters.seed(), plain_parameters.rowSeeds(), CountMinOption::Conservative);
        CountMinSketch<UInt64> plain(plain_parameters);
        CountMinSketch<UInt64> sharper(sharper_parameters);
        CountMinSketch<UInt64> merged(sharper_parameters);
        CountMinSketch<UInt64> other(sharper_parameters);
        constexpr size_t KEYS = 12;
        UInt64 truth[KEYS] = {};
        UInt64 total = 0;
        const UInt64 rows = 1 + random() % 30;
        for (UInt64 i = 0; i < rows; ++i)
        {
            const UInt64 bits = random();
            const size_t key = std::min<size_t>(bits % KEYS, bits / KEYS % KEYS);
            const UInt64 weight = bits >> 60;
            const std::string bytes = keyOf(key);
            truth[key] += weight;
            total += weight;
            plain.update(bytes, weight);
            sharper.update(bytes, weight);
            (i * 2 < rows ? merged : other).update(bytes, weight);
        }
        merged.merge(other);
        ASSERT_EQ(plain.total(), total) << "seed " << seed;
        ASSERT_EQ(merged.total(), total) << "seed " << seed;
        for (size_t key = 0; key < KEYS; ++key)
        {
            const std::string bytes = keyOf(key);
            const UInt64 estimate = plain.estimate(bytes);
            ASSERT_GE(estimate, truth[key]) << "seed " << seed;
            ASSERT_GE(sharper.estimate(bytes), truth[key]) << "seed " << seed;
            ASSERT_LE(sharper.estimate(bytes), estimate) << "seed " << seed;
            ASSERT_GE(merged.estimate(bytes), truth[key]) << "seed " << seed;
            ASSERT_LE(merged.estimate(bytes), estimate) << "seed " << seed;
            ++asked;
        }
    }
    std::printf("%llu estimates of %llu streams\n", static_cast<unsigned long long>(asked), static_cast<unsigned long long>(streams));
}

TEST(CountMinBounds, TheErrorIsWithinEpsAtTheStatedConfidenceOverSeeds)
{
    /// For one stream and one key the seeds are the chance: each key is asked under every seed. Each of the settings has its own confidence, and
    /// the share of seeds that miss is compared with it for each key by itself.
    const UInt64 seeds = isExtended() ? 20000 : 600;
    for (const CountMinOption option : {CountMinOption::Plain, CountMinOption::Conservative})
        for (const UInt32 num_hashes : {1U, 2U, 3U, 5U})
        {
            SCOPED_TRACE(std::to_string(num_hashes) + " rows, " + std::string(toString(option)));
            /// The worst streams for the bound: as many heavy keys as there are buckets to an e-th part, and the light keys asked.
            constexpr UInt32 BUCKETS = 50;
            constexpr UInt64 HEAVY = BUCKETS;
            constexpr UInt64 LIGHT = 20;
            std::vector<UInt64> misses(LIGHT);
            UInt64 total = 0;
            for (UInt64 seed = 1; seed <= seeds; ++seed)
            {
                const CountMinParameters parameters = shapeOf(num_hashes, BUCKETS, seed * 1000003, option);
                CountMinSketch<UInt64> sketch(parameters);
                for (UInt64 key = 0; key < HEAVY; ++key)
                    sketch.update(keyOf(key), 1000 + key);
                for (UInt64 key = 0; key < LIGHT; ++key)
                    sketch.update(keyOf(HEAVY + key), 1);
                total = sketch.total();
                for (UInt64 key = 0; key < LIGHT; ++key)
                    misses[key] += sketch.estimate(keyOf(HEAVY + key)) > 1 + parameters.absoluteError(total);
            }
            /// Five standard deviations of a share at the stated probability are left to chance.
            const double delta = std::exp(-static_cast<double>(num_hashes));
            const double allowed
                = static_cast<double>(seeds) * delta + 5 * std::sqrt(static_cast<double>(seeds) * delta * (1 - delta));
            for (const UInt64 missed : misses)
                EXPECT_LE(static_cast<double>(missed), allowed);
        }
}
