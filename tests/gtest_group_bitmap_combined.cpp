#include "ColumnBuilders.h"
#include "FormatTests.h"
#include "TornReadBuffer.h"
#include "Vectors.h"

#include <statewire/AggregateFunctions/AggregateFunctionGroupBitmap.h>
#include <statewire/AggregateFunctions/RoaringBitmapCombinedState.h>
#include <statewire/DataTypes/DataTypeAggregateFunction.h>

#include <random>

/** groupBitmapAnd, groupBitmapOr and groupBitmapXor as aggregate functions: names and versions of types, states, merging. */

using namespace DB;
using namespace statewire_tests;

namespace
{
constexpr const char * B32 = "AggregateFunction(groupBitmap, UInt32)";

AggregateFunctionPtr get(const std::string & name, const std::vector<std::string> & arguments)
{
    DataTypes types;
    for (const std::string & argument : arguments)
        types.push_back(parseDataType(argument));
    return defaultAggregateFunctionFactory().get(name, types);
}

/// The bytes of a groupBitmap(UInt32) state.
std::string bitmapOf(const std::vector<UInt32> & values)
{
    return stateBytes(*get("groupBitmap", {"UInt32"}), {numbers<UInt32>(values).get()});
}

MutableColumnPtr bitmaps(const std::vector<std::string> & states)
{
    return columnFromBinary(*parseDataType(B32), states);
}

std::string resultOf(const IAggregateFunction & function, Columns columns)
{
    const Place place(function);
    addRows(function, place, columns, columns[0]->size());
    const MutableColumnPtr result = function.getResultType()->createColumn();
    function.insertResultInto(place.get(), *result, nullptr);
    return textOf(*function.getResultType(), *result, 0);
}
}

TEST(GroupBitmapCombined, CombinesAColumnOfBitmaps)
{
    /// ClickHouse's documentation, PR 7109.
    const auto column = bitmaps(
        {bitmapOf({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), bitmapOf({6, 7, 8, 9, 10, 11, 12, 13, 14, 15}), bitmapOf({2, 4, 6, 8, 10, 12})});
    EXPECT_EQ(resultOf(*get("groupBitmapAnd", {B32}), {column.get()}), "3");
    EXPECT_EQ(resultOf(*get("groupBitmapOr", {B32}), {column.get()}), "15");
    EXPECT_EQ(resultOf(*get("groupBitmapXor", {B32}), {column.get()}), "10");
    EXPECT_EQ(stateBytes(*get("groupBitmapAnd", {B32}), {column.get()}), "1" + bitmapOf({6, 8, 10}));
    const auto flags = numbers<UInt8>({1, 0, 1});
    EXPECT_EQ(stateBytes(*get("groupBitmapAndIf", {B32, "UInt8"}), {column.get(), flags.get()}), "1" + bitmapOf({2, 4, 6, 8, 10}));
    const auto none = bitmaps({});
    EXPECT_EQ(stateBytes(*get("groupBitmapAnd", {B32}), {none.get()}), fromHex("300000"));
    EXPECT_EQ(resultOf(*get("groupBitmapOr", {B32}), {none.get()}), "0");
    const auto no_flags = numbers<UInt8>({0, 0, 0});
    EXPECT_EQ(stateBytes(*get("groupBitmapXorIf", {B32, "UInt8"}), {column.get(), no_flags.get()}), fromHex("300000"));
}

TEST(GroupBitmapCombined, ChecksItsArguments)
{
    EXPECT_EQ(get("groupBitmapAnd", {B32})->getResultType()->getName(), "UInt64");
    EXPECT_EQ(get("groupBitmapAnd", {"AggregateFunction(groupBitmapIf, UInt32, UInt8)"})->getResultType()->getName(), "UInt64");
    EXPECT_ERROR(43, "must be a bitmap", get("groupBitmapAnd", {"UInt32"}));
    EXPECT_ERROR(43, "must be a bitmap", get("groupBitmapOr", {"AggregateFunction(countMinSketch(5, 272), UInt32)"}));
    EXPECT_ERROR(43, "must be a bitmap", get("groupBitmapXor", {"AggregateFunction(groupBitmapAnd, AggregateFunction(groupBitmap, UInt8))"}));
    EXPECT_ERROR(42, "takes one argument, not 2", get("groupBitmapAnd", {B32, B32}));
    EXPECT_ERROR(42, "takes one argument, not 0", get("groupBitmapAnd", {}));
    EXPECT_ERROR(133, "takes no parameters", defaultAggregateFunctionFactory().get("groupBitmapAnd", {parseDataType(B32)}, {UInt64{3}}));
    for (const char * name : {"groupBitmapAnd", "groupBitmapAndIf"})
    {
        const auto function = name == std::string("groupBitmapAnd") ? get(name, {B32}) : get(name, {B32, "UInt8"});
        EXPECT_EQ(bitmapStateElementType(*function), TypeIndex::UInt32);
        EXPECT_EQ(groupBitmapElementType(*function), std::nullopt);
    }
}

/// As in ClickHouse: version 1 is the default and printed, version 0 is not printed, and a name without a version means the default.
TEST(GroupBitmapCombined, TypesNameTheirVersion)
{
    const std::string rest = "groupBitmapAnd, AggregateFunction(groupBitmap, UInt32))";
    EXPECT_EQ(parseDataType("AggregateFunction(" + rest)->getName(), "AggregateFunction(1, " + rest);
    EXPECT_EQ(parseDataType("AggregateFunction(1, " + rest)->getName(), "AggregateFunction(1, " + rest);
    EXPECT_EQ(parseDataType("AggregateFunction(0, " + rest)->getName(), "AggregateFunction(" + rest);
    EXPECT_EQ(parseDataType("AggregateFunction(" + rest, defaultAggregateFunctionFactory(), 0)->getName(), "AggregateFunction(" + rest);
    EXPECT_EQ(parseDataType("AggregateFunction(1, " + rest, defaultAggregateFunctionFactory(), 0)->getName(), "AggregateFunction(1, " + rest);
    EXPECT_EQ(
        get("groupBitmapAndIf", {B32, "UInt8"})->getStateType()->getName(),
        "AggregateFunction(1, groupBitmapAndIf, AggregateFunction(groupBitmap, UInt32), UInt8)");
    EXPECT_EQ(
        parseDataType("AggregateFunction(groupBitmapOrIf, AggregateFunction(groupBitmap, UInt8), UInt8)")->getName(),
        "AggregateFunction(1, groupBitmapOrIf, AggregateFunction(groupBitmap, UInt8), UInt8)");
    /// States are the same whatever version their bytes have; those of other functions and elements are not.
    EXPECT_TRUE(parseDataType("AggregateFunction(0, " + rest)->equals(*parseDataType("AggregateFunction(1, " + rest)));
    EXPECT_FALSE(parseDataType("AggregateFunction(" + rest)->equals(*parseDataType("AggregateFunction(groupBitmapOr, AggregateFunction(groupBitmap, UInt32))")));
    EXPECT_FALSE(parseDataType("AggregateFunction(" + rest)->equals(*parseDataType("AggregateFunction(groupBitmapAnd, AggregateFunction(groupBitmap, Int32))")));
    EXPECT_FALSE(parseDataType("AggregateFunction(" + rest)->equals(*parseDataType(B32)));
}

TEST(GroupBitmapCombined, StatesMergeAsTheWholeInputWould)
{
    std::mt19937_64 random(11);
    for (const std::string name : {"groupBitmapAnd", "groupBitmapOr", "groupBitmapXor"})
    {
        const auto function = get(name, {B32});
        const std::string state_type = function->getStateType()->getName();
        EXPECT_EQ(get(name + "State", {B32})->getResultType()->getName(), state_type);
        const auto merge = get(name + "Merge", {state_type});
        EXPECT_EQ(get(name + "MergeState", {state_type})->getResultType()->getName(), state_type);
        EXPECT_EQ(merge->getResultType()->getName(), "UInt64");
        EXPECT_ERROR(43, "cannot merge", get("groupBitmapMerge", {state_type}));
        for (int round = 0; round < 30; ++round)
        {
            std::vector<std::string> states;
            for (size_t n = random() % 12; n != 0; --n)
            {
                std::vector<UInt32> values{1, 2, 3};
                for (UInt64 m = random() % 2 ? random() % 20 : random() % 6000; m != 0; --m)
                    values.push_back(static_cast<UInt32>(random() % 9000));
                states.push_back(bitmapOf(values));
            }
            const auto all = bitmaps(states);
            const std::string expected = stateBytes(*function, {all.get()});

            /// Cut into parts, some of which are never fed.
            std::vector<std::string> parts;
            std::vector<std::string> parts_v0;
            for (size_t from = 0; from < states.size() || parts.empty();)
            {
                const size_t to = std::min(states.size(), from + random() % 4);
                const auto part = bitmaps({states.begin() + static_cast<std::ptrdiff_t>(from), states.begin() + static_cast<std::ptrdiff_t>(to)});
                parts.push_back(stateBytes(*function, {part.get()}));
                if (parts.back()[0] == '1')
                    parts_v0.push_back(parts.back().substr(1));
                from = to;
                if (states.empty())
                    break;
            }
            const auto partial = columnFromBinary(*parseDataType(state_type), parts);
            EXPECT_EQ(stateBytes(*merge, {partial.get()}), expected);
            const auto partial_v0 = columnFromBinary(DataTypeAggregateFunction(function, 0), parts_v0);
            EXPECT_EQ(stateBytes(*merge, {partial_v0.get()}), expected);
            /// One serialized state after another.
            const Place place(*function);
            for (const std::string & part : parts)
            {
                TornReadBuffer in(part, 3);
                function->deserializeAndMerge(place.get(), in);
            }
            EXPECT_EQ(place.bytes(), expected);
        }
    }
}

TEST(GroupBitmapCombined, BatchesOfManyPlacesAreTheSameAsSingleRows)
{
    std::mt19937_64 random(12);
    for (const std::string name : {"groupBitmapAnd", "groupBitmapOr", "groupBitmapXor", "groupBitmap"})
        for (const size_t groups : {1, 3, 200})
        {
            const bool is_plain = name == "groupBitmap";
            std::vector<std::string> states;
            std::vector<UInt8> flags;
            for (size_t row = 0; row < 300; ++row)
            {
                std::vector<UInt32> values{1, 2, 3};
                for (UInt64 n = random() % 60; n != 0; --n)
                    values.push_back(static_cast<UInt32>(random() % 100000));
                states.push_back(bitmapOf(values));
                flags.push_back(random() % 3 != 0);
            }
            const auto column = bitmaps(states);
            const auto conditions = numbers<UInt8>(flags);
            const auto function = get(is_plain ? "groupBitmapMerge" : name, {B32});
            std::vector<std::unique_ptr<Place>> at_once;
            std::vector<std::unique_ptr<Place>> merged;
            std::vector<std::unique_ptr<Place>> one_by_one;
            for (size_t i = 0; i < groups; ++i)
                for (auto * places : {&at_once, &merged, &one_by_one})
                    places->push_back(std::make_unique<Place>(*function));
            const std::vector<std::unique_ptr<Place>> sources = [&] {
                std::vector<std::unique_ptr<Place>> result;
                for (size_t row = 0; row < states.size(); ++row)
                    result.push_back(std::make_unique<Place>(*function));
                return result;
            }();
            Columns columns{column.get(), conditions.get()};
            Arena arena;
            std::vector<AggregateDataPtr> places;
            std::vector<AggregateDataPtr> merge_places;
            std::vector<AggregateDataPtr> rhs;
            for (size_t row = 0; row < states.size(); ++row)
            {
                const size_t group = random() % groups;
                const bool is_null = random() % 10 == 0;
                places.push_back(is_null ? nullptr : at_once[group]->get());
                merge_places.push_back(is_null || !flags[row] ? nullptr : merged[group]->get());
                function->add(sources[row]->get(), columns.data(), row, &arena);
                rhs.push_back(sources[row]->get());
                if (!is_null && flags[row])
                    function->add(one_by_one[group]->get(), columns.data(), row, &arena);
            }
            function->addBatch(0, states.size(), places.data(), 0, columns.data(), &arena, 1);
            function->mergeBatch(0, states.size(), merge_places.data(), 0, rhs.data(), &arena);
            for (size_t i = 0; i < groups; ++i)
            {
                EXPECT_EQ(at_once[i]->bytes(), one_by_one[i]->bytes()) << name << ' ' << groups;
                EXPECT_EQ(merged[i]->bytes(), one_by_one[i]->bytes()) << name << ' ' << groups;
            }
            /// One place, with a condition and a part of the rows.
            const Place single(*function);
            const Place single_expected(*function);
            function->addBatchSinglePlace(20, 250, single.get(), columns.data(), &arena, 1);
            for (size_t row = 20; row < 250; ++row)
                if (flags[row])
                    function->add(single_expected.get(), columns.data(), row, &arena);
            EXPECT_EQ(single.bytes(), single_expected.bytes());
        }
}

/// The engine makes such states of version 0 bytes, and ignores their values when it merges them.
TEST(GroupBitmapCombined, ValuesBehindAFlagThatSaysNeverFedAreTakenAsFed)
{
    using State = RoaringBitmapCombinedState<UInt32, SetOperation::And>;
    const auto bytesOf = [](const State & state) {
        std::string bytes;
        WriteBufferFromString out(bytes);
        state.write(out);
        out.finalize();
        return toHex(bytes);
    };
    const std::string bytes = fromHex("30000105000000");
    ReadBufferFromMemory in(bytes);
    State state;
    state.read(in);
    EXPECT_TRUE(state.wasFed());
    EXPECT_EQ(bytesOf(state), "31000105000000");

    State merged;
    ReadBufferFromMemory again(bytes);
    merged.readAndMerge(again);
    EXPECT_EQ(bytesOf(merged), "31000105000000");
    const std::string empty = fromHex("300000");
    ReadBufferFromMemory nothing(empty);
    merged.readAndMerge(nothing);
    EXPECT_EQ(bytesOf(merged), "31000105000000");
}

TEST(GroupBitmapCombined, RefusesBadStates)
{
    const auto type = parseDataType("AggregateFunction(groupBitmapXor, AggregateFunction(groupBitmap, UInt32))");
    for (const char * hex : {"", "30", "31", "32", "0000", "3100", "310101", "31000500000000", "3102", "31010b3b30000001000000000000"})
    {
        const MutableColumnPtr column = type->createColumn();
        const std::string bytes = fromHex(hex);
        ReadBufferFromMemory in(bytes);
        EXPECT_THROW(type->deserializeBinary(*column, in), Exception) << hex;
        EXPECT_EQ(column->size(), 0U);
    }
}

/// Files of format Native name no version where ClickHouse wrote version 0; ours say 1, which it reads.
TEST(GroupBitmapCombined, NativeFilesSayTheVersion)
{
    const std::string rest = "groupBitmapAnd, AggregateFunction(groupBitmap, UInt32))";
    const auto file = [](const std::string & type, const std::string & states) {
        return std::string("\1\2\1s") + static_cast<char>(type.size()) + type + states;
    };
    const auto convert = [](const std::string & bytes, std::string_view to) {
        const std::vector<Block> blocks = readBlocks("Native", bytes);
        return writeBlocks(to, blocks.at(0).getNamesAndTypes(), blocks);
    };
    const std::string with_version = file("AggregateFunction(1, " + rest, "1" + bitmapOf({5}) + fromHex("300000"));
    const std::string without = file("AggregateFunction(" + rest, bitmapOf({5}) + fromHex("0000"));
    EXPECT_EQ(convert(with_version, "Native"), with_version);
    EXPECT_EQ(convert(without, "Native"), without);
    EXPECT_EQ(convert(without, "RowBinary"), bitmapOf({5}) + fromHex("0000"));
    EXPECT_EQ(convert(with_version, "RowBinary"), "1" + bitmapOf({5}) + fromHex("300000"));
}
