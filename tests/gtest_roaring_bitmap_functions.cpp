#include "AllocationCounter.h"
#include "Serialize.h"
#include "Vectors.h"

#include <statewire/AggregateFunctions/RoaringBitmapCombinedState.h>
#include <statewire/AggregateFunctions/RoaringBitmapFunctions.h>
#include <statewire/Common/Exception.h>
#include <statewire/IO/ReadBufferFromMemory.h>

#include <nlohmann/json.hpp>

using namespace DB;
using namespace statewire_tests;

namespace
{
template <typename T>
RoaringBitmapState<T> build(const std::vector<T> & values)
{
    return BitmapFunctions<T>::build(values);
}

template <typename T>
std::vector<T> valuesOf(const RoaringBitmapState<T> & state)
{
    return BitmapFunctions<T>::toArray(state);
}

template <typename T>
RoaringBitmapState<T> deserialize(const std::string & bytes)
{
    RoaringBitmapState<T> result;
    ReadBufferFromMemory in(bytes);
    result.read(in);
    EXPECT_TRUE(in.eof());
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

std::vector<UInt64> range(UInt64 first, UInt64 n)
{
    std::vector<UInt64> result(n);
    for (UInt64 i = 0; i < n; ++i)
        result[i] = first + i;
    return result;
}
}

/// CH#109974: small sets were walked in the order of insertion.
TEST(BitmapFunctions, SmallSetsAreSorted)
{
    using F = BitmapFunctions<UInt32>;
    EXPECT_EQ(valuesOf(F::subBitmap(build<UInt32>({5, 4, 1, 2, 3}), 2, 2)), (std::vector<UInt32>{3, 4}));
    EXPECT_EQ(valuesOf(F::subBitmap(build<UInt32>({30, 0, 5, 10, 20}), 1, 2)), (std::vector<UInt32>{5, 10}));
    EXPECT_EQ(valuesOf(build<UInt32>({3, 1, 2})), (std::vector<UInt32>{1, 2, 3}));
    EXPECT_EQ(valuesOf(F::subBitmap(build<UInt32>({1}), 0, 3)), (std::vector<UInt32>{1}));
    EXPECT_TRUE(F::subBitmap(build<UInt32>({1}), 2, 1).empty());
    EXPECT_TRUE(F::subBitmap(build<UInt32>({1, 2}), 0, 0).empty());
}

TEST(BitmapFunctions, SubsetsAreTheSameSmallAndLarge)
{
    using F = BitmapFunctions<UInt64>;
    for (const UInt64 n : {5u, 32u, 33u, 200u})
    {
        const UInt64 base = UInt64{1} << 40;
        const auto state = build<UInt64>(range(base, n));
        EXPECT_EQ(valuesOf(F::subsetInRange(state, base + 1, base + 4)), range(base + 1, 3));
        EXPECT_EQ(F::subsetInRange(state, 0, ~UInt64{0}).cardinality(), n);
        EXPECT_TRUE(F::subsetInRange(state, 7, 7).empty());
        EXPECT_TRUE(F::subsetInRange(state, base + 4, base + 1).empty());
        EXPECT_EQ(valuesOf(F::subsetLimit(state, base + 2, 2)), range(base + 2, 2));
        EXPECT_EQ(F::subsetLimit(state, 0, ~UInt64{0}).cardinality(), n);
        EXPECT_TRUE(F::subsetLimit(state, base, 0).empty());
        EXPECT_EQ(F::subBitmap(state, n - 1, 100).cardinality(), 1u);
        EXPECT_TRUE(F::subBitmap(state, n, 1).empty());
        EXPECT_EQ(F::minimum(state), base);
        EXPECT_EQ(F::maximum(state), base + n - 1);
    }
    EXPECT_EQ(valuesOf(BitmapFunctions<UInt32>::subsetInRange(build<UInt32>({20221103}), 0, 20221104)), (std::vector<UInt32>{20221103}));
}

TEST(BitmapFunctions, SignedTypesLiveInTheUnsignedDomain)
{
    using F = BitmapFunctions<Int8>;
    EXPECT_EQ(F::minimum(build<Int8>({-1, -2, -3})), 253u);
    EXPECT_EQ(F::maximum(build<Int8>({-1, -2, 5})), 255u);
    EXPECT_TRUE(F::contains(build<Int8>({-1}), 255));
    EXPECT_FALSE(F::contains(build<Int8>({-1}), 0xffffffff));
    EXPECT_EQ(valuesOf(build<Int8>({-1, 3, -128})), (std::vector<Int8>{3, -128, -1}));
    std::vector<Int8> many;
    for (int i = -20; i < 20; ++i)
        many.push_back(static_cast<Int8>(i));
    EXPECT_EQ(valuesOf(F::subsetInRange(build(many), 18, 240)), (std::vector<Int8>{18, 19, -20, -19, -18, -17}));
    EXPECT_EQ(valuesOf(F::subsetInRange(build(many), 250, 1000000)), (std::vector<Int8>{-6, -5, -4, -3, -2, -1}));
    EXPECT_EQ(valuesOf(F::subsetLimit(build(many), 19, 2)), (std::vector<Int8>{19, -20}));
    EXPECT_TRUE(F::subsetLimit(build(many), 256, 2).empty());
}

TEST(BitmapFunctions, AnswersAboutEmptyBitmaps)
{
    EXPECT_EQ(BitmapFunctions<UInt8>::minimum({}), 4294967295u);
    EXPECT_EQ(BitmapFunctions<Int64>::minimum({}), 18446744073709551615u);
    EXPECT_EQ(BitmapFunctions<Int64>::maximum({}), 0u);
    EXPECT_TRUE(BitmapFunctions<UInt8>::hasAll(build<UInt8>({1}), {}));
    EXPECT_TRUE(BitmapFunctions<UInt8>::hasAll({}, {}));
    EXPECT_FALSE(BitmapFunctions<UInt8>::hasAny(build<UInt8>({1}), {}));
}

/// CH#18713: a 64-bit bitmap refused a probe; and numbers beyond the type are in no bitmap.
TEST(BitmapFunctions, ProbesOfAnyWidth)
{
    EXPECT_FALSE(BitmapFunctions<UInt64>::contains(build<UInt64>({1, 10000}), 200000000));
    EXPECT_FALSE(BitmapFunctions<UInt8>::contains(build<UInt8>({1}), 257));
    EXPECT_TRUE(BitmapFunctions<UInt64>::contains(build<UInt64>({~UInt64{0}}), ~UInt64{0}));
}

TEST(BitmapFunctions, TransformIsSequential)
{
    using F = BitmapFunctions<UInt32>;
    const std::vector<UInt32> from{1, 2};
    const std::vector<UInt32> to{2, 20};
    EXPECT_EQ(valuesOf(F::transform(build<UInt32>({1, 2, 3}), from, to)), (std::vector<UInt32>{3, 20}));
    EXPECT_EQ(codeOf([&] { static_cast<void>(F::transform({}, from, std::span(to).first(1))); }), 36);
    std::vector<UInt32> many;
    for (UInt32 i = 0; i < 100; ++i)
        many.push_back(i);
    const auto moved = F::transform(build(many), std::vector<UInt32>{5, 99, 200}, std::vector<UInt32>{500, 99, 7});
    EXPECT_EQ(moved.cardinality(), 100u);
    EXPECT_FALSE(moved.contains(5));
    EXPECT_TRUE(moved.contains(500) && moved.contains(99));
}

TEST(BitmapFunctions, HasAnyAndHasAllCompareAcrossStorages)
{
    using F = BitmapFunctions<UInt32>;
    std::vector<UInt32> many;
    for (UInt32 i = 0; i < 1000; ++i)
        many.push_back(3 * i);
    const auto large = deserialize<UInt32>(serialize(build(many)));
    EXPECT_TRUE(F::hasAll(large, build<UInt32>({3, 6, 999})));
    EXPECT_FALSE(F::hasAll(large, build<UInt32>({3, 7})));
    EXPECT_TRUE(F::hasAny(large, build<UInt32>({4, 7, 9})));
    EXPECT_FALSE(F::hasAny(large, build<UInt32>({4, 7})));
    EXPECT_FALSE(F::hasAll(build<UInt32>({3}), large));
}

TEST(BitmapFunctions, ArraysAskForMemoryFirst)
{
    RoaringBitmap bitmap = RoaringBitmap::range(0, 1000000);
    const auto state = RoaringBitmapState<UInt32>::fromBitmap(std::move(bitmap));
    EXPECT_EQ(codeOf([&] { static_cast<void>(BitmapFunctions<UInt32>::toArray(state, 4000000)); }), 241);
    EXPECT_EQ(BitmapFunctions<UInt32>::toArray(state, 4000004).size(), 1000001u);
    EXPECT_EQ(codeOf([] { static_cast<void>(RoaringBitmap::range(0, ~UInt64{0})); }), 241);
    EXPECT_EQ(codeOf([] { static_cast<void>(RoaringBitmap::range(0, ~UInt64{0}, ~UInt64{0})); }), 241);
    RoaringBitmap unchanged = RoaringBitmap::range(5, 6);
    EXPECT_EQ(codeOf([&] { unchanged.addRange(0, 1 << 20, 100); }), 241);
    EXPECT_EQ(codeOf([&] { unchanged.flip(0, 1 << 20, 100); }), 241);
    EXPECT_EQ(unchanged, RoaringBitmap::range(5, 6));
}

/// CH#10280: 64-bit values came back modulo 2^32 once a set grew.
TEST(BitmapFunctions, WideValuesStayWideWhenASetGrows)
{
    std::vector<UInt64> ids;
    for (UInt64 i = 0; i < 37; ++i)
        ids.push_back(692667488831276503 + i * 86000000000000);
    EXPECT_EQ(valuesOf(build(ids)), ids);
    EXPECT_EQ(valuesOf(deserialize<UInt64>(serialize(build(ids)))), ids);
}

TEST(RoaringBitmapCombinedState, NeverFedIsNotEmpty)
{
    using And = RoaringBitmapCombinedState<UInt32, SetOperation::And>;
    And never;
    And fed_with_empty;
    fed_with_empty.add({});
    EXPECT_EQ(serialize(never), fromHex("300000"));
    EXPECT_EQ(serialize(fed_with_empty), fromHex("310000"));
    EXPECT_EQ(serialize(never, 0), fromHex("0000"));
    And state;
    state.add(build<UInt32>({1, 2, 3}));
    state.merge(never);
    EXPECT_EQ(valuesOf(state.set()), (std::vector<UInt32>{1, 2, 3}));
    state.merge(fed_with_empty);
    EXPECT_TRUE(state.set().empty());
    And other;
    other.merge(never);
    EXPECT_FALSE(other.wasFed());
    for (const auto & bytes : {serialize(never), serialize(fed_with_empty)})
    {
        And read;
        ReadBufferFromMemory in(bytes);
        read.read(in);
        EXPECT_EQ(serialize(read), bytes);
        EXPECT_EQ(read.wasFed(), bytes[0] == '1');
        And merged;
        merged.add(build<UInt32>({7}));
        ReadBufferFromMemory again(bytes);
        merged.readAndMerge(again);
        EXPECT_EQ(merged.set().empty(), bytes[0] == '1');
        ReadBufferFromMemory skipped(bytes);
        And::skip(skipped);
        EXPECT_TRUE(skipped.eof());
    }
    And version_0;
    const std::string plain = fromHex("0000");
    ReadBufferFromMemory in(plain);
    version_0.read(in, 0);
    EXPECT_TRUE(version_0.wasFed());
    const std::string bad = fromHex("020000");
    EXPECT_EQ(codeOf([&] {
        And read;
        ReadBufferFromMemory bad_in(bad);
        read.read(bad_in);
    }), 117);
}

TEST(RoaringBitmapCombinedState, AnswersAsTheEngineDoes)
{
    REQUIRE_VECTORS(vectors, "clickhouse");
    const auto cases = nlohmann::json::parse(readFile(vectors / "ops.json"));
    size_t checked = 0;
    for (const auto & one : cases)
    {
        const std::string operation = one["op"];
        if (operation.find("groupBitmap") != 0)
            continue;
        const auto check = [&]<typename T>(T) {
            const auto a = deserialize<T>(fromHex(one["a"].get<std::string>()));
            const auto b = deserialize<T>(fromHex(one["b"].get<std::string>()));
            const auto expected = deserialize<T>(fromHex(one["result"].get<std::string>()));
            const auto combine = [&](auto state) {
                state.add(a);
                state.add(b);
                EXPECT_EQ(serialize(state.set()), serialize(expected)) << one["type"] << ' ' << operation;
            };
            if (operation == "groupBitmapAnd")
                combine(RoaringBitmapCombinedState<T, SetOperation::And>());
            else if (operation == "groupBitmapOr")
                combine(RoaringBitmapCombinedState<T, SetOperation::Or>());
            else
                combine(RoaringBitmapCombinedState<T, SetOperation::Xor>());
            ++checked;
        };
        const std::string type = one["type"];
        if (type == "UInt8")
            check(UInt8{});
        else if (type == "UInt16")
            check(UInt16{});
        else if (type == "UInt32")
            check(UInt32{});
        else if (type == "UInt64")
            check(UInt64{});
        else if (type == "Int8")
            check(Int8{});
        else if (type == "Int16")
            check(Int16{});
        else if (type == "Int32")
            check(Int32{});
        else if (type == "Int64")
            check(Int64{});
    }
    EXPECT_GT(checked, 50u);
}

/// One value more in a state of a hundred bitsets copies one of them.
TEST(RoaringBitmapState, AppendingToABorrowedStateCopiesOneContainer)
{
    RoaringBitmap bitmap;
    for (UInt64 value = 0; value < 100 * 65536; value += 2)
        bitmap.add(value);
    const auto bytes = std::make_shared<std::string>(serialize(RoaringBitmapState<UInt32>::fromBitmap(std::move(bitmap))));
    ASSERT_GT(bytes->size(), 800000u);
    RoaringBitmapState<UInt32> state;
    {
        ReadBufferFromMemory in(*bytes);
        state.read(in, bytes);
    }
    const AllocationCounter counter;
    state.add(99 * 65536 + 1);
    state.add(5);
    EXPECT_EQ(state.cardinality(), 100u * 32768 + 2);
    EXPECT_LT(counter.peakBytes(), 60000u);
    const RoaringBitmapState<UInt32> copy = state;
    EXPECT_EQ(serialize(copy), serialize(state));
}
