#include "ColumnBuilders.h"
#include "CountMinHelpers.h"
#include "CountMinStreams.h"
#include "TornReadBuffer.h"

#include <statewire/AggregateFunctions/CountMinRangesState.h>
#include <statewire/CountMin/CountMinRanges.h>

using namespace DB;
using namespace statewire_tests;

TEST(CountMinRangesTest, CountsAreAboveTheTruthAndWithinTheirError)
{
    int outside = 0;
    int above = 0;
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
            ASSERT_LE(ranges.lowerBound(first, last), ranges.count(first, last));
            above += ranges.lowerBound(first, last) > truth;
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
    EXPECT_LE(above, asked / 50);
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

namespace
{
using State = CountMinRangesState;

State readBack(const State & state)
{
    const std::string bytes = serialize(state);
    ReadBufferFromMemory in(bytes);
    State result(state.parameters(), state.bits() / 8);
    result.read(in);
    EXPECT_TRUE(in.eof());
    EXPECT_EQ(serialize(result), bytes);
    return result;
}
}

TEST(CountMinRangesStateTest, MergesInAnyOrderAreOneState)
{
    const CountMinParameters shapes[] = {
        CountMinParameters(2, 30),
        CountMinParameters(3, 500, 7, RowSeeds::LibCxx),
        CountMinParameters(2, 30, 9001, RowSeeds::LibStdCxx, CountMinOption::Conservative)};
    for (UInt64 seed = 0; seed < 60; ++seed)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937_64 random(seed);
        const CountMinParameters & parameters = shapes[random() % 3];
        const bool is_plain = parameters.option() == CountMinOption::Plain;
        const UInt32 value_size = UInt32{1} << random() % 4;
        State whole(parameters, value_size);
        std::vector<State> parts;
        std::map<UInt64, UInt64> counts;
        for (int part = 0; part < 4; ++part)
        {
            parts.emplace_back(parameters, value_size);
            for (size_t i = random() % 2 ? 20 : 400; i-- > 0;)
            {
                const UInt64 value = random() % (random() % 2 ? 50 : 100000) & whole.last();
                const UInt64 weight = random() % 5;
                counts[value] += weight;
                whole.add(value, weight);
                parts.back().add(value, weight);
            }
        }
        std::shuffle(parts.begin(), parts.end(), random);
        while (parts.size() > 1)
        {
            const size_t i = random() % (parts.size() - 1);
            State other_way = readBack(parts[i + 1]);
            other_way.merge(parts[i]);
            if (random() % 2)
                parts[i].merge(parts[i + 1]);
            else
            {
                const std::string bytes = serialize(parts[i + 1]);
                ReadBufferFromMemory in(bytes);
                parts[i].readAndMerge(in);
            }
            ASSERT_EQ(serialize(parts[i]), serialize(other_way));
            parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        }
        if (is_plain)
        {
            EXPECT_EQ(serialize(parts[0]), serialize(whole));
        }
        for (const State * state : {&whole, &parts[0]})
            for (int i = 0; i < 50; ++i)
            {
                UInt64 first = random() % 60000;
                UInt64 last = random() % 60000;
                if (first > last)
                    std::swap(first, last);
                UInt64 truth = 0;
                for (auto it = counts.lower_bound(first); it != counts.end() && it->first <= last; ++it)
                    truth += it->second;
                ASSERT_GE(state->count(first, last), truth);
                ASSERT_LE(state->count(first, last), state->total());
                if (state->isSmall())
                {
                    ASSERT_EQ(state->count(first, last), truth);
                    ASSERT_EQ(state->lowerBound(first, last), truth);
                }
            }
    }
}

TEST(CountMinRangesStateTest, SmallQuantilesAreExact)
{
    const CountMinParameters parameters(3, 100);
    State state(parameters, 4);
    EXPECT_EQ(serialize(state), std::string(2, '\0'));
    EXPECT_EQ(state.quantile(0.5), 0u);
    EXPECT_EQ(state.count(0, ~UInt64{0}), 0u);
    for (const UInt64 value : {300, 5, 70000, 5})
        state.add(value, 10);
    EXPECT_EQ(state.quantile(0), 5u);
    EXPECT_EQ(state.quantile(0.5), 5u);
    EXPECT_EQ(state.quantile(0.51), 300u);
    EXPECT_EQ(state.quantile(1), 70000u);
    EXPECT_EQ(state.count(0, 4), 0u);
    EXPECT_EQ(state.count(5, 300), 30u);
    EXPECT_EQ(state.count(6, ~UInt64{0}), 20u);
    EXPECT_EQ(state.count(UInt64{1} << 32, ~UInt64{0}), 0u);
    /// Entries are big-endian: they ascend with the values.
    EXPECT_EQ(serialize(state).substr(10, 5), std::string("\x04\0\0\0\x05", 5));
    State twice = readBack(state);
    twice.merge(twice);
    EXPECT_EQ(twice.total(), 80u);
}

TEST(CountMinRangesStateTest, ErrorsAreNamedAndChangeNothing)
{
    const CountMinParameters parameters(2, 20);
    const CountMinParameters others(2, 21);
    State state(parameters, 1);
    state.add(3, ~UInt64{0} - 1);
    const std::string before = serialize(state);
    EXPECT_EQ(codeOf([&] { state.add(256); }), 36);
    EXPECT_EQ(codeOf([&] { state.add(3, 2); }), 407);
    EXPECT_EQ(codeOf([&] { state.merge(readBack(state)); }), 407);
    EXPECT_EQ(codeOf([&] { state.merge(State(others, 1)); }), 36);
    EXPECT_EQ(codeOf([&] { state.merge(State(parameters, 2)); }), 36);
    EXPECT_EQ(serialize(state), before);

    State large(parameters, 2);
    for (UInt64 i = 0; i < 400; ++i)
        large.add(i * 163, 1 + i % 3);
    ASSERT_FALSE(large.isSmall());
    const std::string bytes = serialize(large);
    const auto fresh = [&] { return State(parameters, 2); };
    EXPECT_EQ(readError(fresh(), bytes), "");
    /// The finest exact level has 32 counts behind three bytes; then eleven images.
    ASSERT_EQ(bytes.size(), 3 + 32 * 8 + 11 * (24 + 40 * 8));
    const auto damaged = [&](size_t offset, UInt64 number) {
        std::string result = bytes;
        unalignedStoreLittleEndian<UInt64>(result.data() + offset, number);
        return readError(fresh(), result);
    };
    EXPECT_NE(damaged(3, 1000000).find("expected a total of 1000"), std::string::npos) << damaged(3, 1000000);
    EXPECT_NE(damaged(3, ~UInt64{0}).find("the total leaves UInt64"), std::string::npos) << damaged(3, ~UInt64{0});
    EXPECT_NE(damaged(3 + 256, 0).find("at byte 259"), std::string::npos) << damaged(3 + 256, 0);
    EXPECT_NE(damaged(3 + 256 + 24, 1).find("does not sum to the total"), std::string::npos);
    EXPECT_NE(damaged(1, 5).find("expected an image of 4040 bytes, found a size of 5"), std::string::npos) << damaged(1, 5);
    std::string nothing = bytes;
    std::fill_n(nothing.begin() + 3, 256, '\0');
    EXPECT_NE(readError(fresh(), nothing).find("a total above 0"), std::string::npos);
    for (size_t size = 0; size < bytes.size(); size += size < 300 ? 1 : 37)
        EXPECT_NE(readError(fresh(), std::string_view(bytes).substr(0, size)), "") << size;
    for (const size_t piece : TORN_SIZES)
    {
        TornReadBuffer in(bytes, piece);
        State torn(parameters, 2);
        torn.readAndMerge(in);
        EXPECT_EQ(serialize(torn), bytes);
    }
}

TEST(CountMinRangesStateTest, TypesSayWhatTheyTake)
{
    EXPECT_ERROR(43, "integer", parseDataType("AggregateFunction(countMinRanges(3, 100), Float64)"));
    EXPECT_ERROR(43, "unsigned", parseDataType("AggregateFunction(countMinRanges(3, 100), UInt8, Int8)"));
    EXPECT_ERROR(42, "not 0", parseDataType("AggregateFunction(countMinRanges(3, 100))"));
    EXPECT_ERROR(36, "cells", parseDataType("AggregateFunction(countMinRanges(255, 4000000), UInt64)"));
    EXPECT_EQ(parseDataType("AggregateFunction(countMinRanges(255, 4000000), UInt8)")->getTypeId(), TypeIndex::AggregateFunction);
    const char * const printed = "AggregateFunction(countMinRanges(3, 100, 9001, 'libstdcxx', 'conservative'), Int16, UInt8)";
    EXPECT_EQ(parseDataType(printed)->getName(), printed);
    EXPECT_TRUE(parseDataType(printed)->equals(
        *parseDataType("AggregateFunction(countMinRanges(3, 100, 9001, 'libstdcxx', 'conservative'), Int16)")));
    EXPECT_FALSE(parseDataType("AggregateFunction(countMinRanges(3, 100), Int16)")
                     ->equals(*parseDataType("AggregateFunction(countMinRanges(3, 100), UInt16)")));
}
