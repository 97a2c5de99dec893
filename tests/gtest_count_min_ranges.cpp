#include "CountMinHelpers.h"
#include "CountMinStreams.h"

#include <statewire/CountMin/CountMinRanges.h>

using namespace DB;
using namespace statewire_tests;

TEST(CountMinRangesTest, CountsAreAboveTheTruthAndWithinTheirError)
{
    int outside = 0;
    int asked = 0;
    for (UInt64 seed = 1; seed <= 6; ++seed)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const CountMinParameters parameters(4, 1000, seed);
        CountMinRanges ranges(parameters, 16);
        CountMinRanges merged(parameters, 16);
        std::map<UInt64, UInt64> counts;
        ZipfStream stream(seed, 60000, 0.9);
        for (int part = 0; part < 2; ++part)
        {
            CountMinRanges one(parameters, 16);
            for (const UInt64 value : stream.take(10000, counts))
            {
                ranges.add(value);
                one.add(value);
            }
            merged.merge(one);
        }
        EXPECT_EQ(ranges.total(), 20000u);
        EXPECT_EQ(ranges.count(0, ranges.last()), 20000u);
        std::mt19937_64 random(seed);
        for (int i = 0; i < 500; ++i)
        {
            UInt64 first = random() % 65536;
            UInt64 last = random() % (i % 2 ? 65536 : 300);
            if (first > last)
                std::swap(first, last);
            UInt64 truth = 0;
            for (auto it = counts.lower_bound(first); it != counts.end() && it->first <= last; ++it)
                truth += it->second;
            ASSERT_GE(ranges.count(first, last), truth) << first << " " << last;
            ASSERT_EQ(ranges.count(first, last), merged.count(first, last));
            outside += static_cast<double>(ranges.count(first, last))
                > static_cast<double>(truth) + 2 * 16 * parameters.relativeError() * 20000;
            ++asked;
        }
        for (const double level : {0.0, 0.1, 0.5, 0.9, 1.0})
        {
            const UInt64 value = ranges.quantile(level);
            EXPECT_GE(static_cast<double>(ranges.count(0, value)), level * 20000);
            const UInt64 before = value == 0 ? 0 : ranges.count(0, value - 1);
            EXPECT_TRUE(before == 0 || static_cast<double>(before) < level * 20000) << before;
        }
    }
    EXPECT_LE(outside, asked / 50);
}

TEST(CountMinRangesTest, SmallDomainsAreExactAndWideOnesReachTheirEnds)
{
    const CountMinParameters parameters(3, 100);
    CountMinRanges small(parameters, 8);
    for (UInt64 value = 0; value < 256; ++value)
        small.add(value, value);
    for (UInt64 first = 0; first < 256; first += 5)
        for (UInt64 last = first; last < 256; last += 3)
            ASSERT_EQ(small.count(first, last), (first + last) * (last - first + 1) / 2);
    EXPECT_EQ(small.count(9, 8), 0u);
    EXPECT_EQ(small.quantile(0), 1u);
    EXPECT_EQ(small.quantile(1), 255u);

    CountMinRanges wide(parameters, 64);
    EXPECT_EQ(wide.quantile(0.5), 0u);
    EXPECT_EQ(wide.count(0, ~UInt64{0}), 0u);
    wide.add(0, 2);
    wide.add(~UInt64{0}, 3);
    wide.add(UInt64{1} << 63, 4);
    EXPECT_EQ(wide.count(0, ~UInt64{0}), 9u);
    EXPECT_GE(wide.count(UInt64{1} << 63, ~UInt64{0}), 7u);
    EXPECT_GE(wide.count(~UInt64{0}, ~UInt64{0}), 3u);
    EXPECT_EQ(wide.quantile(1), ~UInt64{0});
}

TEST(CountMinRangesTest, ErrorsChangeNothing)
{
    const CountMinParameters parameters(3, 100);
    const CountMinParameters others(3, 101);
    EXPECT_EQ(codeOf([&] { static_cast<void>(CountMinRanges(parameters, 0)); }), 36);
    EXPECT_EQ(codeOf([&] { static_cast<void>(CountMinRanges(parameters, 65)); }), 36);
    CountMinRanges ranges(parameters, 10);
    EXPECT_EQ(codeOf([&] { ranges.add(1024); }), 36);
    ranges.add(1023, ~UInt64{0} - 1);
    EXPECT_EQ(codeOf([&] { ranges.add(3, 2); }), 407);
    EXPECT_EQ(codeOf([&] { ranges.merge(CountMinRanges(others, 10)); }), 36);
    EXPECT_EQ(codeOf([&] { ranges.merge(CountMinRanges(parameters, 11)); }), 36);
    CountMinRanges full(parameters, 10);
    full.add(1, 2);
    EXPECT_EQ(codeOf([&] { ranges.merge(full); }), 407);
    EXPECT_EQ(ranges.total(), ~UInt64{0} - 1);
    EXPECT_EQ(ranges.count(0, 1022), 0u);
}
