#include "CountMinHelpers.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/CountMin/CountMinSumForEach.h>
#include <statewire/Functions/FunctionFactory.h>

#include <random>
#include <vector>

#include "ColumnBuilders.h"

/** Sketches as arrays that any sum over arrays merges. */

using namespace DB;
using namespace statewire_tests;

namespace
{

using State = CountMinSketchState<UInt64>;

std::vector<UInt64> numbersOf(const State & state)
{
    const std::string image = state.toImage();
    std::string bytes(countMinSumForEachLength(state.parameters()) * sizeof(UInt64), '\0');
    MemorySink sink(bytes.data());
    writeCountMinSumForEach(CountMinView<UInt64>::parse(image, state.parameters()), sink);
    EXPECT_EQ(sink.position(), bytes.data() + bytes.size());
    std::vector<UInt64> numbers;
    for (size_t i = 0; i < bytes.size(); i += sizeof(UInt64))
        numbers.push_back(unalignedLoadLittleEndian<UInt64>(bytes.data() + i));
    return numbers;
}

std::string bytesOf(const std::vector<UInt64> & numbers)
{
    std::string bytes;
    for (const UInt64 number : numbers)
        bytes += keyOf(number);
    return bytes;
}

/// What sumForEach does.
void addTo(std::vector<UInt64> & sum, const std::vector<UInt64> & numbers)
{
    if (sum.size() < numbers.size())
        sum.resize(numbers.size());
    for (size_t i = 0; i < numbers.size(); ++i)
        sum[i] += numbers[i];
}

std::string imageFrom(const std::vector<UInt64> & numbers, const CountMinParameters & parameters)
{
    return countMinImageFromSumForEach(bytesOf(numbers), parameters);
}

State fed(const CountMinParameters & parameters, const std::vector<std::pair<std::string, UInt64>> & entries)
{
    State state(parameters);
    for (const auto & [key, weight] : entries)
        state.add(key, weight);
    return state;
}

}

TEST(CountMinSumForEach, OneSketchIsItsCellsItsTotalOneAndItsShape)
{
    const CountMinParameters parameters(2, 4);
    const State state = fed(parameters, {{"a", 5}, {"b", 2}});
    const std::vector<UInt64> numbers = numbersOf(state);
    ASSERT_EQ(numbers.size(), 11u);
    const CountMinSketch<UInt64> sketch = state.toSketch();
    for (UInt64 i = 0; i < 8; ++i)
        EXPECT_EQ(numbers[i], sketch.cell(i)) << i;
    EXPECT_EQ(numbers[8], 7u);
    EXPECT_EQ(numbers[9], 1u);
    EXPECT_EQ(numbers[10], 2 * (UInt64{1} << 32) + 4);
}

TEST(CountMinSumForEach, NeverFedIsZerosAndCountsAsASketch)
{
    const CountMinParameters parameters(3, 1000);
    std::vector<UInt64> expected(3003);
    expected[3001] = 1;
    expected[3002] = 3 * (UInt64{1} << 32) + 1000;
    EXPECT_EQ(numbersOf(State(parameters)), expected);
    State back(parameters);
    back.mergeImage(imageFrom(expected, parameters));
    EXPECT_TRUE(back.isEmpty());
    EXPECT_EQ(serialize(back), serialize(State(parameters)));
    back.mergeImage(imageFrom({}, parameters));
    EXPECT_TRUE(back.isEmpty()) << "the sum of no arrays is empty";
}

TEST(CountMinSumForEach, SummingArraysIsMergingSketches)
{
    const UInt64 seed = std::random_device{}();
    std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
    std::mt19937_64 random(seed);
    for (const auto & [hashes, buckets] : {std::pair{1u, 3u}, {2u, 64u}, {5u, 272u}})
    {
        const CountMinParameters parameters(hashes, buckets, 77, RowSeeds::LibCxx);
        State merged(parameters);
        std::vector<UInt64> sum;
        for (int i = 0; i < 20; ++i)
        {
            State part(parameters);
            for (UInt64 n = random() % 300; n != 0; --n)
                part.add(keyOf(random() % 500), random() % 10);
            merged.merge(part);
            addTo(sum, numbersOf(part));
        }
        State back(parameters);
        back.mergeImage(imageFrom(sum, parameters));
        EXPECT_EQ(back.toImage(), merged.toImage());
        EXPECT_EQ(back.total(), merged.total());
    }
}

TEST(CountMinSumForEach, WhatIsNoSumOfThisShapeIsRefused)
{
    const CountMinParameters parameters(2, 4);
    const std::vector<UInt64> good = numbersOf(fed(parameters, {{"a", 5}, {"b", 2}}));
    const auto refused = [&](std::vector<UInt64> numbers, int code, std::string_view part) {
        const std::string text = messageOf([&] { imageFrom(numbers, parameters); });
        EXPECT_EQ(codeOf([&] { imageFrom(numbers, parameters); }), code) << text;
        EXPECT_NE(text.find(part), std::string::npos) << text;
    };
    const auto with = [&](size_t element, UInt64 value) {
        std::vector<UInt64> numbers = good;
        numbers[element] = value;
        return numbers;
    };
    refused({good.begin(), good.end() - 1}, ErrorCodes::INCORRECT_DATA, "80 bytes, expected 11 elements");
    std::vector<UInt64> longer = good;
    longer.push_back(0);
    refused(longer, ErrorCodes::INCORRECT_DATA, "96 bytes, expected 11 elements");
    refused(with(9, 0), ErrorCodes::INCORRECT_DATA, "element 9");
    refused(with(9, 2), ErrorCodes::INCORRECT_DATA, "element 10");
    refused(with(10, good[10] + 1), ErrorCodes::INCORRECT_DATA, "element 10");
    refused(with(8, 8), ErrorCodes::INCORRECT_DATA, "row 0 do not sum to the total, element 8: expected 7, found 8");
    refused(with(6, good[6] + 1), ErrorCodes::INCORRECT_DATA, "row 1");
    refused(with(8, 0), ErrorCodes::INCORRECT_DATA, "row 0");

    /// Another shape of as many cells.
    const CountMinParameters other(1, 8);
    refused(numbersOf(fed(other, {{"a", 1}})), ErrorCodes::INCORRECT_DATA, "element 10");
    std::vector<UInt64> mixed = good;
    addTo(mixed, numbersOf(fed(other, {{"a", 1}})));
    refused(mixed, ErrorCodes::INCORRECT_DATA, "element 10");

    /// Two keys in different cells of each row, whose sum has wrapped.
    std::vector<UInt64> wrapped(11);
    for (const size_t row : {0, 4})
    {
        wrapped[row] = ~UInt64{0};
        wrapped[row + 1] = 3;
    }
    wrapped[8] = 2;
    wrapped[9] = 2;
    wrapped[10] = 2 * good[10];
    refused(wrapped, ErrorCodes::DECIMAL_OVERFLOW, "row 0");

    const auto refused_state = [&](const std::string & state, int code) {
        EXPECT_EQ(codeOf([&] { static_cast<void>(countMinImageFromSumForEachState(state, parameters)); }), code);
    };
    refused_state("", ErrorCodes::CANNOT_READ_ALL_DATA);
    refused_state(std::string(7, '\0'), ErrorCodes::CANNOT_READ_ALL_DATA);
    refused_state(keyOf(10) + bytesOf(good), ErrorCodes::INCORRECT_DATA);
    refused_state(keyOf(11) + bytesOf(good) + "x", ErrorCodes::INCORRECT_DATA);
    refused_state(keyOf(~UInt64{0} / 8 + 12) + bytesOf(good), ErrorCodes::INCORRECT_DATA);
    EXPECT_EQ(countMinImageFromSumForEachState(keyOf(11) + bytesOf(good), parameters), imageFrom(good, parameters));
}

TEST(CountMinSumForEach, FunctionsConvertColumns)
{
    FunctionFactory functions;
    registerFunctions(functions);
    const CountMinParameters parameters(2, 4);
    const std::string type_name = "AggregateFunction(countMinSketch(2, 4), String)";
    const DataTypePtr sketch_type = parseDataType(type_name);
    const std::vector<std::string> states{
        serialize(fed(parameters, {{"a", 5}, {"b", 2}})),
        serialize(State(parameters)),
        serialize(fed(parameters, {{"c", 1}, {"d", 1}, {"e", 1}}))};
    const ColumnWithType sketches{columnFromBinary(*sketch_type, states), sketch_type, false};
    const auto call = [&](std::string_view name, const ColumnsWithTypes & arguments) {
        DataTypes types;
        for (const ColumnWithType & argument : arguments)
            types.push_back(argument.type);
        const FunctionPtr function = functions.get(name);
        const DataTypePtr type = function->getReturnType(types);
        return ColumnWithType{function->execute(arguments, states.size()), type, false};
    };
    const ColumnWithType arrays = call("countMinSketchToSumForEach", {sketches});
    EXPECT_EQ(arrays.type->getName(), "Array(UInt64)");
    EXPECT_EQ(textOf(*arrays.type, *arrays.column, 1), "[0,0,0,0,0,0,0,0,0,1,8589934596]");
    const ColumnWithType bytes = call("countMinSketchToSumForEachState", {sketches});
    EXPECT_EQ(bytes.type->getName(), "String");
    for (const ColumnWithType & sums : {arrays, bytes})
    {
        const ColumnWithType back = call("countMinSketchFromSumForEach", {sums, sketches});
        EXPECT_TRUE(back.type->equals(*sketch_type));
        /// Small states come back as tables: compared as images.
        const ColumnWithType images = call("countMinSketchToImage", {back});
        const ColumnWithType expected = call("countMinSketchToImage", {sketches});
        for (size_t row = 0; row < states.size(); ++row)
            EXPECT_EQ(images.column->getDataAt(row), expected.column->getDataAt(row)) << row;
    }

    const auto code = [&](std::string_view name, const std::vector<const char *> & type_names) {
        DataTypes types;
        for (const char * text : type_names)
            types.push_back(parseDataType(text));
        return codeOf([&] { static_cast<void>(functions.get(name)->getReturnType(types)); });
    };
    const char * const weighted = "AggregateFunction(countMinSketch(2, 4), String, Int64)";
    EXPECT_EQ(code("countMinSketchToSumForEach", {weighted}), ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT);
    EXPECT_EQ(code("countMinSketchToSumForEachState", {"String"}), ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT);
    EXPECT_EQ(code("countMinSketchFromSumForEach", {"Array(UInt32)", type_name.c_str()}), ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT);
    EXPECT_EQ(code("countMinSketchFromSumForEach", {"Array(UInt64)", weighted}), ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT);
    EXPECT_EQ(code("countMinSketchFromSumForEach", {"Array(UInt64)"}), ErrorCodes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH);
}
