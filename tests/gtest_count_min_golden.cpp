#include "CountMinHelpers.h"
#include "Vectors.h"

#include <statewire/AggregateFunctions/CountMinRangesState.h>
#include <statewire/AggregateFunctions/CountMinTopKState.h>

#include <vector>

using namespace DB;
using namespace statewire_tests;

/** The committed images and states of tests/data/count_min: golden.py made them, its GOLDEN table has the recipes. */
namespace
{
template <typename W>
using Items = std::vector<std::pair<std::string, W>>;

std::string golden(const std::string & name) { return fromHex(readFile(dataDirectory() / "count_min" / (name + ".hex"))); }

template <typename W>
void expectImage(const std::string & name, const CountMinParameters & parameters, const Items<W> & items)
{
    SCOPED_TRACE(name);
    const std::string bytes = golden(name);
    CountMinSketch<W> sketch(parameters);
    for (const auto & [key, weight] : items)
        sketch.update(key, weight);
    EXPECT_EQ(toHex(sketch.toString()), toHex(bytes));
    const auto view = CountMinView<W>::parse(bytes, parameters);
    EXPECT_EQ(view.sizeInBytes(), bytes.size());
    EXPECT_EQ(view.total(), sketch.total());
    EXPECT_EQ(toHex(CountMinSketch<W>(view).toString()), toHex(bytes));
}

template <typename W>
void expectState(
    const std::string & name,
    const CountMinParameters & parameters,
    UInt32 key_size,
    const Items<W> & items,
    typename CountMinSketchState<W>::Storage storage)
{
    SCOPED_TRACE(name);
    const std::string bytes = golden(name);
    CountMinSketchState<W> state(parameters, key_size);
    for (const auto & [key, weight] : items)
        state.add(key, weight);
    EXPECT_EQ(toHex(serialize(state)), toHex(bytes));
    EXPECT_EQ(state.storage(), storage);
    CountMinSketchState<W> read(parameters, key_size);
    ReadBufferFromMemory in(bytes);
    read.read(in);
    EXPECT_TRUE(in.eof());
    EXPECT_EQ(read.total(), state.total());
    EXPECT_EQ(read.filledCells(), state.filledCells());
    EXPECT_EQ(toHex(serialize(read)), toHex(bytes));
    EXPECT_EQ(read.toImage(), state.toImage());
}

Items<UInt64> numbers(const std::vector<UInt64> & values)
{
    Items<UInt64> result;
    for (const UInt64 value : values)
        result.emplace_back(keyOf(value), result.size() + 1);
    return result;
}
}

TEST(CountMinGolden, ImagesAreThoseOfTheIndependentScript)
{
    expectImage<UInt64>("image_empty_1x5", CountMinParameters(1, 5), {});
    const auto ten = numbers({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    expectImage<UInt64>("image_u64_3x8_libstdcxx", CountMinParameters(3, 8), ten);
    expectImage<UInt64>("image_u64_3x8_libcxx", CountMinParameters(3, 8, 9001, RowSeeds::LibCxx), ten);
    expectImage<Int64>("image_i64_2x5_negative", CountMinParameters(2, 5), {{"a", 5}, {"b", -7}, {"", 3}});
    expectImage<Float64>("image_f64_2x4_seed77", CountMinParameters(2, 4, 77), {{"x", 0.5}, {"y", 0.25}, {"x", -0.5}});
    expectImage<UInt8>("image_u8_2x3", CountMinParameters(2, 3), {{"k", UInt8{200}}, {"l", UInt8{55}}});
    expectImage<Int16>("image_i16_2x3", CountMinParameters(2, 3), {{"k", Int16{-3000}}, {"l", Int16{55}}});
    expectImage<Float32>("image_f32_2x3", CountMinParameters(2, 3), {{"k", 1.5F}, {"l", 2.25F}});
}

TEST(CountMinGolden, StatesAreThoseOfTheIndependentScript)
{
    using Unsigned = CountMinSketchState<UInt64>::Storage;
    const CountMinParameters parameters(2, 16);
    expectState<UInt64>("state_never_fed", parameters, 8, {}, Unsigned::Small);
    expectState<UInt64>("state_small_u64", parameters, 8, numbers({1, 256}), Unsigned::Small);
    expectState<Int64>(
        "state_small_i64_strings", parameters, 0, {{"b", -7}, {"a", 3}, {"", 2}, {"a", -3}}, CountMinSketchState<Int64>::Storage::Small);
    expectState<Float64>(
        "state_small_f64_strings", parameters, 0, {{"x", 0.5}, {"y", 0.25}, {"x", 0.5}}, CountMinSketchState<Float64>::Storage::Small);
    const Items<UInt64> words{{"alpha", 1}, {"beta", 2}, {"gamma", 3}, {"delta", 4}};
    expectState<UInt64>("state_sketch_u64_libstdcxx", CountMinParameters(1, 3), 0, words, Unsigned::Owned);
    expectState<UInt64>("state_sketch_u64_libcxx", CountMinParameters(1, 3, 9001, RowSeeds::LibCxx), 0, words, Unsigned::Owned);
}

TEST(CountMinGolden, OptionsTopKeysAndRangesAreThoseOfTheIndependentScript)
{
    const Items<UInt64> words{{"alpha", 1}, {"beta", 2}, {"gamma", 3}, {"delta", 4}};
    Items<UInt64> many;
    for (UInt64 i = 0; i < 30; ++i)
        many.emplace_back("key" + std::to_string(i * 7 % 10), 1 + i % 4);
    const auto expect = [](const std::string & name, const auto & state, auto fresh) {
        SCOPED_TRACE(name);
        const std::string bytes = golden(name);
        EXPECT_EQ(toHex(serialize(state)), toHex(bytes));
        ReadBufferFromMemory in(bytes);
        fresh.read(in);
        EXPECT_TRUE(in.eof());
        EXPECT_EQ(toHex(serialize(fresh)), toHex(bytes));
    };
    const auto feed = [](auto && state, const auto & items) {
        for (const auto & [key, weight] : items)
            state.add(key, weight);
        return std::move(state);
    };
    using State = CountMinSketchState<UInt64>;
    const CountMinParameters wide(2, 16);
    const CountMinParameters narrow(2, 4);
    const CountMinParameters wide_conservative(2, 16, 9001, RowSeeds::LibStdCxx, CountMinOption::Conservative);
    const CountMinParameters narrow_conservative(2, 4, 9001, RowSeeds::LibStdCxx, CountMinOption::Conservative);
    expect("state_small_conservative", feed(State(wide_conservative), words), State(wide_conservative));
    expect("state_sketch_conservative", feed(State(narrow_conservative), many), State(narrow_conservative));
    const CountMinParameters wide_decayed = wide.decayed();
    const CountMinParameters narrow_decayed = narrow.decayed();
    State small(wide_decayed);
    small.mergeDecayed(feed(State(wide), words), CountMinDecay(0.5));
    expect("state_small_halved", small, State(wide_decayed));
    State sketch(narrow_decayed);
    sketch.mergeDecayed(feed(State(narrow), many), CountMinDecay(0.5));
    expect("state_sketch_halved", sketch, State(narrow_decayed));
    expect("state_small_top_k", feed(CountMinTopKState(wide, 4), words), CountMinTopKState(wide, 4));
    expect("state_sketch_top_k", feed(CountMinTopKState(narrow, 4), many), CountMinTopKState(narrow, 4));
    const std::vector<std::pair<UInt64, UInt64>> few{{300, 1}, {7, 2}, {300, 3}};
    std::vector<std::pair<UInt64, UInt64>> values;
    for (UInt64 i = 0; i < 60; ++i)
        values.emplace_back(i * 37 % 256, 1 + i % 4);
    expect("state_small_ranges", feed(CountMinRangesState(narrow, 2), few), CountMinRangesState(narrow, 2));
    expect("state_levels_ranges", feed(CountMinRangesState(narrow, 1), values), CountMinRangesState(narrow, 1));
}
