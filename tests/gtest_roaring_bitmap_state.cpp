#include "AllocationCounter.h"
#include "Serialize.h"
#include "TornReadBuffer.h"
#include "Vectors.h"

#include <statewire/AggregateFunctions/RoaringBitmapState.h>
#include <statewire/Common/Exception.h>
#include <statewire/IO/ReadBufferFromMemory.h>
#include <statewire/IO/ZeroCopyReader.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>
#include <random>

using namespace DB;
using namespace statewire_tests;

namespace
{
template <typename T>
RoaringBitmapState<T> deserialize(const std::string & bytes)
{
    ReadBufferFromMemory in(bytes);
    RoaringBitmapState<T> result;
    result.read(in);
    EXPECT_TRUE(in.eof()) << "the state must consume exactly its own bytes";
    return result;
}

template <typename T>
std::vector<T> valuesOf(const RoaringBitmapState<T> & state)
{
    std::vector<T> result;
    state.appendTo(result);
    return result;
}

template <typename T>
RoaringBitmapState<T> stateOf(const std::vector<T> & values)
{
    RoaringBitmapState<T> result;
    result.addBatch(values.data(), values.size());
    return result;
}

/// Calls f with a zero of the named type.
template <typename F>
void withType(const std::string & name, F && f)
{
    if (name == "UInt8")
        f(UInt8{});
    else if (name == "UInt16")
        f(UInt16{});
    else if (name == "UInt32")
        f(UInt32{});
    else if (name == "UInt64")
        f(UInt64{});
    else if (name == "Int8")
        f(Int8{});
    else if (name == "Int16")
        f(Int16{});
    else if (name == "Int32")
        f(Int32{});
    else if (name == "Int64")
        f(Int64{});
    else
        FAIL() << "unknown type " << name;
}

/// n distinct values in the type's domain, in no order.
template <typename T>
std::vector<T> distinctValues(size_t n, UInt64 step)
{
    std::vector<T> result;
    for (size_t i = 0; i < n; ++i)
        result.push_back(static_cast<T>(static_cast<UInt64>(i) * step - 7));
    std::mt19937_64 random(n);
    std::shuffle(result.begin(), result.end(), random);
    return result;
}
}

template <typename T>
class RoaringBitmapStateOf : public testing::Test
{
};
using ElementTypes = testing::Types<UInt8, UInt16, UInt32, UInt64, Int8, Int16, Int32, Int64>;
TYPED_TEST_SUITE(RoaringBitmapStateOf, ElementTypes);

TYPED_TEST(RoaringBitmapStateOf, RoundTripsAroundTheBorderOfItsKinds)
{
    using T = TypeParam;
    for (const size_t n : {0, 1, 31, 32, 33, 100, 200})
    {
        const auto values = distinctValues<T>(n, 1);
        const RoaringBitmapState<T> state = stateOf(values);
        const std::string bytes = serialize(state);
        EXPECT_EQ(bytes[0], n <= 32 ? 0 : 1);
        EXPECT_EQ(state.cardinality(), n);
        EXPECT_EQ(state.storage() == RoaringBitmapState<T>::Storage::Small, n <= 32);
        const RoaringBitmapState<T> again = deserialize<T>(bytes);
        EXPECT_EQ(serialize(again), bytes);
        EXPECT_EQ(valuesOf(again), valuesOf(state));
        for (const T value : values)
        {
            EXPECT_TRUE(again.contains(value));
            EXPECT_TRUE(state.contains(value));
        }
    }
}

TYPED_TEST(RoaringBitmapStateOf, MergeIsCommutativeAssociativeIdempotentInBytes)
{
    using T = TypeParam;
    std::vector<RoaringBitmapState<T>> states;
    for (const size_t n : {0, 3, 32, 33, 90})
        for (const UInt64 step : {1, 2})
        {
            states.push_back(stateOf(distinctValues<T>(n, step)));
            states.push_back(deserialize<T>(serialize(states.back())));
        }
    const auto merged = [](RoaringBitmapState<T> a, const RoaringBitmapState<T> & b) {
        a.merge(b);
        return a;
    };
    for (const auto & a : states)
        for (const auto & b : states)
        {
            const std::string ab = serialize(merged(a, b));
            ASSERT_EQ(ab, serialize(merged(b, a)));
            ASSERT_EQ(ab, serialize(merged(merged(a, b), b)));
            auto values = valuesOf(a);
            const auto more = valuesOf(b);
            values.insert(values.end(), more.begin(), more.end());
            ASSERT_EQ(ab, serialize(stateOf(values)));
            ASSERT_EQ(ab, serialize(RoaringBitmapState<T>::combine(SetOperation::Or, a, b)));
            RoaringBitmapState<T> from_bytes = a;
            const std::string bytes_of_b = serialize(b);
            ReadBufferFromMemory in(bytes_of_b);
            from_bytes.readAndMerge(in);
            ASSERT_EQ(ab, serialize(from_bytes));
            for (const auto & c : states)
                ASSERT_EQ(serialize(merged(merged(a, b), c)), serialize(merged(a, merged(b, c))));
            for (const auto operation : {SetOperation::And, SetOperation::Or, SetOperation::Xor, SetOperation::AndNot})
                ASSERT_EQ(
                    RoaringBitmapState<T>::combinedCardinality(operation, a, b),
                    RoaringBitmapState<T>::combine(operation, a, b).cardinality());
        }
}

TEST(RoaringBitmapState, WritesTheKnownBytes)
{
    EXPECT_EQ(toHex(serialize(RoaringBitmapState<UInt32>())), "0000");
    EXPECT_EQ(toHex(serialize(stateOf<Int16>({3, 1, 2}))), "0003010002000300");
    EXPECT_EQ(toHex(serialize(stateOf<Int32>({1, -1, 2}))), "00030100000002000000ffffffff");
    std::vector<UInt32> values(33);
    std::iota(values.begin(), values.end(), 1);
    EXPECT_EQ(toHex(serialize(stateOf(values))), "010f3b3000000100002000010001002000");
    const std::vector<UInt64> wide(values.begin(), values.end());
    EXPECT_EQ(toHex(serialize(stateOf(wide))), "011b0100000000000000000000003b3000000100002000010001002000");
    std::vector<Int8> negative;
    for (int i = 1; i <= 33; ++i)
        negative.push_back(static_cast<Int8>(-i));
    EXPECT_EQ(toHex(serialize(stateOf(negative))), "010f3b30000001ffff20000100dfff2000");
    const std::vector<Int64> negative_wide(negative.begin(), negative.end());
    EXPECT_EQ(toHex(serialize(stateOf(negative_wide))), "011b0100000000000000ffffffff3b30000001ffff20000100dfff2000");
}

TEST(RoaringBitmapState, StatesOfOtherKindsAreWrittenCanonically)
{
    /// A bitmap of one value, and an empty bitmap: legal, but ours are small.
    EXPECT_EQ(toHex(serialize(deserialize<UInt32>(fromHex("01123a3000000100000000000000100000000700")))), "000107000000");
    EXPECT_EQ(toHex(serialize(deserialize<UInt32>(fromHex("01083a30000000000000")))), "0000");
    EXPECT_EQ(toHex(serialize(deserialize<UInt64>(fromHex("01080000000000000000")))), "0000");
    EXPECT_EQ(toHex(serialize(deserialize<UInt8>(fromHex("00050504010203")))), "00050102030405");
}

TEST(RoaringBitmapState, ConsecutiveStatesAreReadOneByOne)
{
    std::vector<UInt64> values(33);
    std::iota(values.begin(), values.end(), 1);
    const std::string first = serialize(stateOf(values));
    const std::string second = serialize(stateOf<UInt64>({1, 2}));
    ASSERT_EQ(first.size(), 29u);
    ASSERT_EQ(second.size(), 18u);
    const std::string both = first + second;
    ReadBufferFromMemory in(both);
    RoaringBitmapState<UInt64> a;
    a.read(in);
    EXPECT_EQ(in.count(), 29u);
    RoaringBitmapState<UInt64> b;
    b.read(in);
    EXPECT_EQ(in.count(), 47u);
    ReadBufferFromMemory again(both);
    RoaringBitmapState<UInt64>::skip(again);
    RoaringBitmapState<UInt64>::skip(again);
    EXPECT_TRUE(again.eof());
}

TEST(RoaringBitmapState, FindsTheEndOfAnInvalidState)
{
    /// A value twice; runs that are none. Reading them fails, passing over them does not.
    for (const std::string_view hex : {"00020505", "010b3b30000001000000000000"})
    {
        const std::string bytes = fromHex(hex) + "next";
        ReadBufferFromMemory in(bytes);
        RoaringBitmapState<UInt8>::skip(in);
        EXPECT_EQ(in.count(), bytes.size() - 4) << hex;
        ReadBufferFromMemory again(bytes);
        RoaringBitmapState<UInt8> state;
        EXPECT_THROW(state.read(again), Exception) << hex;
    }
}

TEST(RoaringBitmapState, IsTheSameThroughTornBuffersAndAtEveryAlignment)
{
    std::mt19937_64 random(3);
    for (const size_t n : {0, 1, 32, 33, 5000, 60000})
    {
        std::vector<UInt32> values;
        for (size_t i = 0; i < n; ++i)
            values.push_back(static_cast<UInt32>(random() % 200000));
        const std::string bytes = serialize(stateOf(values));
        for (const size_t piece : TORN_SIZES)
        {
            TornReadBuffer in(bytes, piece);
            RoaringBitmapState<UInt32> state;
            state.read(in);
            EXPECT_TRUE(in.eof());
            ASSERT_EQ(serialize(state), bytes);
            TornReadBuffer to_merge(bytes, piece);
            RoaringBitmapState<UInt32> merged;
            merged.readAndMerge(to_merge);
            ASSERT_EQ(serialize(merged), bytes);
            TornReadBuffer to_skip(bytes, piece);
            RoaringBitmapState<UInt32>::skip(to_skip);
            EXPECT_TRUE(to_skip.eof());
        }
        std::string room(bytes.size() + 64, '\0');
        for (size_t shift = 0; shift < 64; ++shift)
        {
            std::copy(bytes.begin(), bytes.end(), room.begin() + static_cast<std::ptrdiff_t>(shift));
            ReadBufferFromMemory in(room.data() + shift, bytes.size());
            RoaringBitmapState<UInt32> state;
            state.read(in);
            ASSERT_EQ(serialize(state), bytes);
        }
    }
}

TEST(RoaringBitmapState, FromPinnedMemoryNothingIsCopied)
{
    std::vector<UInt32> values(100000);
    std::iota(values.begin(), values.end(), 5);
    for (size_t i = 0; i < values.size(); ++i)
        values[i] *= 3;
    auto bytes = std::make_shared<std::string>(serialize(stateOf(values)));
    ReadBufferFromMemory in(*bytes);
    RoaringBitmapState<UInt32> state;
    size_t allocations = 0;
    {
        const AllocationCounter counter;
        state.read(in, bytes);
        allocations = counter.allocations();
    }
    EXPECT_EQ(allocations, 0u);
    EXPECT_EQ(state.storage(), RoaringBitmapState<UInt32>::Storage::Borrowed);

    ReadBufferFromMemory for_reader(*bytes);
    ZeroCopyReader reader(for_reader, bytes);
    EXPECT_EQ(reader.pin(bytes->size()).bytes().data(), bytes->data());
    EXPECT_EQ(reader.copiedBytes(), 0u);

    /// The source may go: the state keeps the bytes alive.
    const std::string expected = *bytes;
    bytes.reset();
    EXPECT_TRUE(state.contains(15));
    EXPECT_EQ(serialize(state), expected);
    state.add(1);
    EXPECT_EQ(state.storage(), RoaringBitmapState<UInt32>::Storage::Owned);
    EXPECT_EQ(state.cardinality(), values.size() + 1);
}

TEST(RoaringBitmapState, WithoutAnOwnerTheBytesAreCopiedOnce)
{
    std::vector<UInt64> values(1000);
    std::iota(values.begin(), values.end(), UInt64{1} << 40);
    RoaringBitmapState<UInt64> state;
    Arena arena;
    RoaringBitmapState<UInt64> in_arena;
    {
        const std::string bytes = serialize(stateOf(values));
        ReadBufferFromMemory in(bytes);
        state.read(in);
        ReadBufferFromMemory again(bytes);
        in_arena.read(again, {}, &arena);
    }
    EXPECT_EQ(valuesOf(state), values);
    EXPECT_EQ(valuesOf(in_arena), values);
}

TEST(RoaringBitmapState, CopiesAndMergesOutliveTheArenaOfTheirSource)
{
    std::vector<UInt64> values(1000);
    std::iota(values.begin(), values.end(), UInt64{1} << 40);
    RoaringBitmapState<UInt64> merged;
    RoaringBitmapState<UInt64> merged_with_few = stateOf<UInt64>({7});
    RoaringBitmapState<UInt64> copied;
    RoaringBitmapState<UInt64> promoted;
    {
        Arena arena;
        const std::string bytes = serialize(stateOf(values));
        ReadBufferFromMemory in(bytes);
        RoaringBitmapState<UInt64> source;
        source.read(in, {}, &arena);
        merged.merge(source);
        merged_with_few.merge(source);
        copied = source;
        source.add(1);
        promoted = source;
    }
    EXPECT_EQ(valuesOf(merged), values);
    EXPECT_EQ(valuesOf(copied), values);
    EXPECT_EQ(merged_with_few.cardinality(), 1001u);
    EXPECT_EQ(promoted.cardinality(), 1001u);
    EXPECT_EQ(serialize(promoted).size(), serialize(merged_with_few).size());
}

TEST(RoaringBitmapState, FailedReadsLeaveEverythingAsItWas)
{
    RoaringBitmapState<UInt32> fresh;
    const std::string bad = fromHex("01143a30000001000000000001001000000005000300");
    ReadBufferFromMemory in(bad);
    EXPECT_THROW(fresh.read(in), Exception);
    EXPECT_EQ(toHex(serialize(fresh)), "0000");
    std::vector<UInt32> values(50);
    std::iota(values.begin(), values.end(), 0);
    RoaringBitmapState<UInt32> state = stateOf(values);
    const std::string before = serialize(state);
    ReadBufferFromMemory again(bad);
    EXPECT_THROW(state.readAndMerge(again), Exception);
    EXPECT_EQ(serialize(state), before);
}

TEST(RoaringBitmapState, ReportedHostileStatesAreRefusedWithTheRightCode)
{
    struct Case
    {
        const char * hex;
        int code;
    };
    for (const Case & c : {
             Case{"", 33},
             Case{"00", 32},
             Case{"62", 117},
             Case{"3b30000001", 117},
             Case{"0021", 117},
             Case{"0100", 117},
             Case{"0181808080908380000000", 117},
             Case{"01818080809003", 128},
             Case{"0180808080100000", 33},
             Case{"010b3b30000001000000000000", 117},
             Case{"010f3b300000010000fa2e01000002ffff", 117},
             Case{"01143a30000001000000000001001000000005000300", 117},
             Case{"01143a30000001000000000001001000000003000300", 117},
             Case{"0002010000000100000000", 117},
             Case{"000180", 33},
         })
    {
        SCOPED_TRACE(c.hex);
        const std::string bytes = fromHex(c.hex);
        ReadBufferFromMemory in(bytes);
        RoaringBitmapState<UInt32> state;
        try
        {
            state.read(in);
            ADD_FAILURE() << "accepted";
        }
        catch (const Exception & e)
        {
            EXPECT_EQ(e.code(), c.code) << e.what();
            EXPECT_NE(e.message().find("byte"), std::string::npos) << e.what();
        }
    }
}

TEST(RoaringBitmapState, TruncationsAndFlippedBitsAreErrorsOrValidStates)
{
    std::vector<UInt32> mixed{1, 2, 3, 65536, 70000, 70001, 70002, 200000};
    for (UInt32 i = 0; i < 60; ++i)
        mixed.push_back(300000 + 3 * i);
    for (const auto & values : {std::vector<UInt32>{}, {5}, {1, 2, 3}, mixed})
    {
        const std::string bytes = serialize(stateOf(values));
        const auto check = [&](const std::string & damaged, bool may_be_valid) {
            ReadBufferFromMemory in(damaged);
            RoaringBitmapState<UInt32> state;
            size_t peak = 0;
            bool accepted = false;
            {
                const AllocationCounter counter;
                try
                {
                    state.read(in);
                    accepted = true;
                }
                catch (const Exception &)
                {
                }
                peak = counter.peakBytes();
            }
            ASSERT_LE(peak, 65536 + 4 * damaged.size());
            ASSERT_TRUE(!accepted || may_be_valid);
            if (!accepted)
                return;
            const std::string again = serialize(state);
            ASSERT_EQ(serialize(deserialize<UInt32>(again)), again);
            const auto read = valuesOf(state);
            ASSERT_EQ(read.size(), state.cardinality());
            ASSERT_TRUE(std::is_sorted(read.begin(), read.end()));
        };
        for (size_t size = 0; size < bytes.size(); ++size)
            check(bytes.substr(0, size), false);
        for (size_t bit = 0; bit < bytes.size() * 8; ++bit)
        {
            std::string flipped = bytes;
            flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
            check(flipped, true);
        }
    }
}

TEST(ClickHouseVectors, StatesOfTheEngineAreReadAndRewritten)
{
    REQUIRE_VECTORS(folder, "clickhouse");
    const auto manifest = nlohmann::json::parse(readFile(folder / "manifest.json"));
    size_t cases = 0;
    for (const auto & vector : manifest["vectors"])
    {
        SCOPED_TRACE(vector["name"].get<std::string>());
        const std::string bytes = fromHex(readFile(folder / vector["file"].get<std::string>()));
        withType(vector["type"], [&]<typename T>(T) {
            const RoaringBitmapState<T> state = deserialize<T>(bytes);
            EXPECT_EQ(state.cardinality(), vector["cardinality"].get<UInt64>());
            auto values = valuesOf(state);
            std::sort(values.begin(), values.end());
            if (!values.empty())
            {
                EXPECT_EQ(std::to_string(values.front()), vector["min"].get<std::string>());
                EXPECT_EQ(std::to_string(values.back()), vector["max"].get<std::string>());
            }
            const std::string again = serialize(state);
            if (state.cardinality() > 32)
            {
                EXPECT_EQ(again == bytes, true) << "bitmaps of more than 32 values are byte for byte the engine's";
            }
            else
            {
                EXPECT_EQ(again[0], 0);
                if (bytes[0] == 0)
                {
                    EXPECT_EQ(again.size(), bytes.size());
                }
            }
            std::vector<T> shuffled = values;
            std::mt19937_64 random(cases);
            std::shuffle(shuffled.begin(), shuffled.end(), random);
            EXPECT_EQ(serialize(stateOf(shuffled)), again);
            /// The manifest lists the elements as progressions: recompute them.
            std::vector<T> listed;
            for (const auto & e : vector["elements"])
            {
                const auto number = [](const nlohmann::json & j) {
                    return j.is_string() ? std::stoull(j.get<std::string>()) : j.get<UInt64>();
                };
                const UInt64 outer_count = e.size() == 5 ? number(e[3]) : 1;
                const UInt64 outer_step = e.size() == 5 ? number(e[4]) : 0;
                for (UInt64 outer = 0; outer < outer_count; ++outer)
                    for (UInt64 i = 0; i < number(e[2]); ++i)
                        listed.push_back(static_cast<T>(number(e[0]) + outer * outer_step + i * number(e[1])));
            }
            std::sort(listed.begin(), listed.end());
            listed.erase(std::unique(listed.begin(), listed.end()), listed.end());
            EXPECT_EQ(listed == values, true);
        });
        ++cases;
    }
    EXPECT_GT(cases, 200u);
}

TEST(ClickHouseVectors, HostileStatesAreAnsweredAsListed)
{
    REQUIRE_VECTORS(folder, "clickhouse");
    const auto manifest = nlohmann::json::parse(readFile(folder / "hostile" / "manifest.json"));
    for (const auto & vector : manifest)
    {
        SCOPED_TRACE(vector["name"].get<std::string>());
        const std::string bytes = fromHex(readFile(folder / vector["file"].get<std::string>()));
        withType(vector["type"], [&]<typename T>(T) {
            for (const size_t piece : {bytes.size() + 1, size_t{1}, size_t{7}})
            {
                TornReadBuffer in(bytes, piece);
                RoaringBitmapState<T> state;
                bool accepted = false;
                size_t peak = 0;
                std::string message;
                {
                    const AllocationCounter counter;
                    try
                    {
                        state.read(in);
                        accepted = in.eof();
                    }
                    catch (const Exception & e)
                    {
                        message = e.what();
                    }
                    peak = counter.peakBytes();
                }
                EXPECT_EQ(accepted, vector["expect"] == "accept") << message;
                EXPECT_LE(peak, 65536 + 4 * bytes.size());
                if (accepted && vector.contains("cardinality"))
                {
                    EXPECT_EQ(std::to_string(state.cardinality()), vector["cardinality"].get<std::string>());
                }
            }
        });
    }
}

TEST(ClickHouseVectors, OperationsGiveTheEnginesAnswers)
{
    REQUIRE_VECTORS(folder, "clickhouse");
    const auto operations = nlohmann::json::parse(readFile(folder / "ops.json"));
    for (const auto & vector : operations)
    {
        const std::string op = vector["op"];
        SCOPED_TRACE(vector.dump().substr(0, 200));
        withType(vector["type"], [&]<typename T>(T) {
            using State = RoaringBitmapState<T>;
            const State a = deserialize<T>(fromHex(vector["a"].get<std::string>()));
            const State b = deserialize<T>(fromHex(vector["b"].get<std::string>()));
            const State expected = deserialize<T>(fromHex(vector["result"].get<std::string>()));
            State result;
            if (op == "and" || op == "groupBitmapAnd")
                result = State::combine(SetOperation::And, a, b);
            else if (op == "or" || op == "groupBitmapOr")
                result = State::combine(SetOperation::Or, a, b);
            else if (op == "xor" || op == "groupBitmapXor")
                result = State::combine(SetOperation::Xor, a, b);
            else
                result = State::combine(SetOperation::AndNot, a, b);
            EXPECT_EQ(valuesOf(result), valuesOf(expected));
            EXPECT_EQ(result.cardinality(), vector["cardinality"].get<UInt64>());
            EXPECT_EQ(serialize(result), serialize(expected));
            if (result.cardinality() > 32)
            {
                EXPECT_EQ(serialize(result), fromHex(vector["result"].get<std::string>()));
            }
        });
    }
}
