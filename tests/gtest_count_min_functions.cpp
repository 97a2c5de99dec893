#include "ColumnBuilders.h"

#include <statewire/AggregateFunctions/CountMinSketchState.h>
#include <statewire/Functions/FunctionFactory.h>

#include <random>

using namespace DB;
using namespace statewire_tests;

/** countMinSketch over columns, and the functions over whole states; those over keys are in gtest_functions.cpp. */
namespace
{

const char * const UINT64_TYPE = "AggregateFunction(countMinSketch(5, 272), UInt64)";

ColumnWithType call(std::string_view name, const ColumnsWithTypes & arguments, size_t rows)
{
    static const FunctionFactory factory = [] {
        FunctionFactory made;
        registerFunctions(made);
        return made;
    }();
    const FunctionPtr function = factory.get(name);
    DataTypes types;
    for (const ColumnWithType & argument : arguments)
        types.push_back(argument.type);
    const DataTypePtr type = function->getReturnType(types);
    const ColumnPtr result = function->execute(arguments, rows);
    EXPECT_EQ(result->size(), rows);
    return {result, type, false};
}

std::vector<std::string> texts(const ColumnWithType & result)
{
    std::vector<std::string> values;
    for (size_t row = 0; row < result.column->size(); ++row)
        values.push_back(textOf(*result.type, *result.column, row));
    return values;
}

std::string stateOf(const std::vector<UInt64> & keys)
{
    const CountMinParameters parameters(5, 272);
    CountMinSketchState<UInt64> state(parameters, 8);
    for (const UInt64 key : keys)
        state.add({reinterpret_cast<const char *>(&key), sizeof(key)});
    return written([&](WriteBuffer & out) { state.write(out); });
}

std::vector<UInt64> range(UInt64 end)
{
    std::vector<UInt64> keys(end);
    for (UInt64 i = 0; i < end; ++i)
        keys[i] = i;
    return keys;
}

ColumnWithType states(const char * type_name, const std::vector<std::string> & bytes)
{
    const DataTypePtr type = parseDataType(type_name);
    return {columnFromBinary(*type, bytes), type, false};
}

DataTypes typesOf(const std::vector<const char *> & names)
{
    DataTypes types;
    for (const char * name : names)
        types.push_back(parseDataType(name));
    return types;
}

/// Batches of one function against row by row, in one place and in many.
template <typename Key, typename Weight>
void expectBatchesAreRows(UInt64 seed, const char * key_type, const char * weight_type)
{
    SCOPED_TRACE("seed " + std::to_string(seed) + " " + key_type + " " + weight_type);
    std::mt19937_64 random(seed);
    AggregateFunctionFactory factory;
    registerAggregateFunctions(factory);
    const AggregateFunctionPtr function = factory.get("countMinSketch", typesOf({key_type, weight_type}), {UInt64{5}, UInt64{97}});
    constexpr size_t ROWS = 3000;
    std::vector<Key> keys(ROWS);
    std::vector<Weight> weights(ROWS);
    std::vector<UInt8> flags(ROWS);
    for (size_t i = 0; i < ROWS; ++i)
    {
        keys[i] = static_cast<Key>(random() % 700);
        weights[i] = static_cast<Weight>(random() % 5);
        flags[i] = random() % 3 != 0;
    }
    const auto key_column = numbers<Key>(keys);
    const auto weight_column = numbers<Weight>(weights);
    const auto flag_column = numbers<UInt8>(flags);
    const IColumn * columns[] = {key_column.get(), weight_column.get(), flag_column.get()};
    Arena arena;
    for (const std::ptrdiff_t if_position : {std::ptrdiff_t{-1}, std::ptrdiff_t{2}})
    {
        const auto added = [&](size_t row) { return if_position < 0 || flags[row]; };
        const Place batched(*function);
        const Place single(*function);
        function->addBatchSinglePlace(5, ROWS, batched.get(), columns, &arena, if_position);
        for (size_t row = 5; row < ROWS; ++row)
            if (added(row))
                function->add(single.get(), columns, row, &arena);
        EXPECT_EQ(batched.bytes(), single.bytes());

        std::vector<std::unique_ptr<Place>> groups;
        std::vector<std::unique_ptr<Place>> groups_single;
        for (int i = 0; i < 4; ++i)
        {
            groups.push_back(std::make_unique<Place>(*function));
            groups_single.push_back(std::make_unique<Place>(*function));
        }
        std::vector<AggregateDataPtr> places(ROWS);
        for (size_t row = 0; row < ROWS; ++row)
        {
            /// Most rows to one group, so that some states are tables and others small; some to none.
            const size_t group = random() % 16 == 0 ? random() % 4 : 0;
            places[row] = random() % 50 == 0 ? nullptr : groups[group]->get();
            if (row >= 7 && places[row] && added(row))
                function->add(groups_single[group]->get(), columns, row, &arena);
        }
        function->addBatch(7, ROWS, places.data(), 0, columns, &arena, if_position);
        for (size_t i = 0; i < groups.size(); ++i)
            EXPECT_EQ(groups[i]->bytes(), groups_single[i]->bytes()) << "group " << i;
    }
}
}

TEST(CountMinFunctions, BatchesOfColumnsAreRowByRow)
{
    expectBatchesAreRows<UInt64, UInt8>(1, "UInt64", "UInt8");
    expectBatchesAreRows<UInt16, Int32>(2, "UInt16", "Int32");
    expectBatchesAreRows<Float64, Float32>(3, "Float64", "Float32");
    expectBatchesAreRows<Int8, UInt64>(4, "Int8", "UInt64");
}

TEST(CountMinFunctions, ColumnsOfKeysAskOneSketchTogether)
{
    ColumnWithType sketch = states(UINT64_TYPE, {stateOf(range(3000))});
    sketch.is_constant = true;
    constexpr size_t ROWS = 2500;
    auto keys = numbers<UInt64>(range(ROWS));
    const ColumnWithType key_column{std::move(keys), parseDataType("UInt64"), false};
    const ColumnWithType narrow_keys{numbers<UInt16>({7, 9}), parseDataType("UInt16"), false};
    for (const char * name : {"countMinSketchEstimate", "countMinSketchLowerBound", "countMinSketchUpperBound"})
    {
        const auto together = texts(call(name, {sketch, key_column}, ROWS));
        for (size_t row = 0; row < ROWS; row += 97)
        {
            const ColumnWithType key{numbers<UInt64>({row}), parseDataType("UInt64"), true};
            EXPECT_EQ(together[row], texts(call(name, {sketch, key}, 1))[0]) << name << " " << row;
        }
        EXPECT_EQ(texts(call(name, {sketch, narrow_keys}, 2)), (std::vector<std::string>{together[7], together[9]}));
        EXPECT_EQ(call(name, {sketch, ColumnWithType{numbers<UInt64>({}), parseDataType("UInt64"), false}}, 0).column->size(), 0u);
    }
    const auto corrected = call("countMinSketchCorrectedEstimate", {sketch, key_column}, ROWS);
    const auto estimates = call("countMinSketchEstimate", {sketch, key_column}, ROWS);
    for (size_t row = 0; row < ROWS; ++row)
        EXPECT_LE(
            static_cast<const ColumnVector<Float64> &>(*corrected.column).getData()[row],
            static_cast<Float64>(static_cast<const ColumnVector<UInt64> &>(*estimates.column).getData()[row]));
}

TEST(CountMinFunctions, StatisticsSayHowFullASketchIs)
{
    const ColumnWithType sketches = states(UINT64_TYPE, {stateOf({}), stateOf({1, 1}), stateOf(range(100000))});
    EXPECT_EQ(texts(call("countMinSketchFilledCells", {sketches}, 3)), (std::vector<std::string>{"0", "5", "1360"}));
    const auto load = texts(call("countMinSketchLoad", {sketches}, 3));
    EXPECT_EQ(load[0], "0");
    EXPECT_EQ(load[2], "1");
    EXPECT_EQ(texts(call("countMinSketchRelativeError", {sketches}, 3))[0].substr(0, 10), "0.00999368");
    EXPECT_EQ(texts(call("countMinSketchSelfJoinSize", {sketches}, 3))[1], "4");
    EXPECT_EQ(texts(call("countMinSketchInnerProduct", {sketches, sketches}, 3))[1], "4");
}

TEST(CountMinFunctions, ImagesGoOutAndComeBack)
{
    const std::string fed = stateOf(range(1000));
    const ColumnWithType sketches = states(UINT64_TYPE, {stateOf({}), fed});
    const ColumnWithType images = call("countMinSketchToImage", {sketches}, 2);
    EXPECT_EQ(images.type->getName(), "String");
    EXPECT_EQ(images.column->getDataAt(0).size(), 16u);
    ColumnWithType sample = states(UINT64_TYPE, {stateOf({})});
    sample.is_constant = true;
    const ColumnWithType back = call("countMinSketchFromImage", {images, sample}, 2);
    EXPECT_EQ(back.type->getName(), UINT64_TYPE);
    EXPECT_EQ(binaryOf(*back.type, *back.column, 0), stateOf({}));
    EXPECT_EQ(binaryOf(*back.type, *back.column, 1), fed);
    const ColumnWithType other = states("AggregateFunction(countMinSketch(5, 273), UInt64)", {std::string(2, '\0')});
    EXPECT_ERROR(117, "expected 273", call("countMinSketchFromImage", {images, other}, 1));
    const ColumnWithType longer{strings({std::string(images.column->getDataAt(1)) + "x"}), parseDataType("String"), false};
    EXPECT_ERROR(117, "found 1 more", call("countMinSketchFromImage", {longer, sample}, 1));
}

TEST(CountMinFunctions, ArraysOfSketchesMerge)
{
    const DataTypePtr type = parseDataType("Array(" + std::string(UINT64_TYPE) + ")");
    const MutableColumnPtr column = type->createColumn();
    auto & arrays = static_cast<ColumnArray &>(*column);
    const auto push = [&](const std::vector<std::string> & elements) {
        const ColumnWithType values = states(UINT64_TYPE, elements);
        for (size_t i = 0; i < elements.size(); ++i)
            arrays.getData().insertFrom(*values.column, i);
        arrays.closeRow();
    };
    push({stateOf({1, 2}), stateOf({2}), stateOf({})});
    push({});
    push({stateOf(range(500)), stateOf({7}), stateOf(range(400))});
    ColumnPtr filled;
    {
        MutableColumnPtr copy = column->cloneEmpty();
        for (size_t i = 0; i < 3; ++i)
            copy->insertFrom(*column, i);
        filled = std::move(copy);
    }
    const ColumnWithType merged = call("countMinSketchMerge", {{filled, type, false}}, 3);
    std::vector<UInt64> both = range(500);
    for (const UInt64 key : range(400))
        both.push_back(key);
    both.push_back(7);
    EXPECT_EQ(binaryOf(*merged.type, *merged.column, 0), stateOf({1, 2, 2}));
    EXPECT_EQ(binaryOf(*merged.type, *merged.column, 1), stateOf({}));
    EXPECT_EQ(binaryOf(*merged.type, *merged.column, 2), stateOf(both));
}

TEST(CountMinFunctions, ArraysOfSketchesMergeByWeights)
{
    const std::string array_type = std::string("Array(") + UINT64_TYPE + ")";
    const DataTypePtr type = parseDataType(array_type);
    MutableColumnPtr column = type->createColumn();
    auto & arrays = static_cast<ColumnArray &>(*column);
    for (const auto & keys : {std::vector<UInt64>{1, 2}, std::vector<UInt64>{2, 3}, range(1000)})
    {
        const std::string bytes = stateOf(keys);
        ReadBufferFromMemory in(bytes);
        parseDataType(UINT64_TYPE)->deserializeBinary(arrays.getData(), in);
    }
    arrays.closeRow();
    arrays.closeRow();
    const ColumnWithType sketches{std::move(column), type, false};
    const auto weights = [](const char * name, const std::vector<std::string> & rows) {
        const DataTypePtr weights_type = parseDataType(name);
        return ColumnWithType{columnFromText(*weights_type, rows), weights_type, false};
    };
    const ColumnWithType merged = call("countMinSketchMergeWeighted", {sketches, weights("Array(UInt8)", {"[3,1,0]", "[]"})}, 2);
    EXPECT_EQ(merged.type->getName(), UINT64_TYPE);
    std::vector<UInt64> keys = {1, 1, 1, 2, 2, 2, 2, 3};
    EXPECT_EQ(binaryOf(*merged.type, *merged.column, 0), stateOf(keys));
    EXPECT_EQ(binaryOf(*merged.type, *merged.column, 1), stateOf({}));
    const ColumnWithType large = call("countMinSketchMergeWeighted", {sketches, weights("Array(UInt64)", {"[0,1,2]", "[]"})}, 2);
    EXPECT_EQ(texts(call("countMinSketchTotal", {large}, 2))[0], "2002");
    EXPECT_ERROR(
        36, "found 2 weights for 3 sketches", call("countMinSketchMergeWeighted", {sketches, weights("Array(UInt8)", {"[1,2]", "[]"})}, 2));
    EXPECT_ERROR(
        407, "", call("countMinSketchMergeWeighted", {sketches, weights("Array(UInt64)", {"[1,18446744073709551615,1]", "[]"})}, 2));
    EXPECT_ERROR(43, "UInt64 holds", call("countMinSketchMergeWeighted", {sketches, weights("Array(Int8)", {"[1,1,1]", "[]"})}, 2));
    EXPECT_ERROR(43, "UInt64 holds", call("countMinSketchMergeWeighted", {sketches, weights("Array(Float64)", {"[1,1,1]", "[]"})}, 2));
    EXPECT_ERROR(43, "an array of count-min sketches", call("countMinSketchMergeWeighted", {weights("Array(UInt8)", {"[]"}), sketches}, 1));
}

TEST(CountMinFunctions, DecayMarksWhatItGives)
{
    const char * const decayed_type = "AggregateFunction(countMinSketch(5, 272, 9001, 'libstdcxx', 'decayed'), UInt64)";
    std::vector<UInt64> keys = range(500);
    keys.insert(keys.end(), 9, 7);
    const ColumnWithType sketches = states(UINT64_TYPE, {stateOf({7, 7, 7, 8}), stateOf(keys)});
    const ColumnWithType halved = call("countMinSketchHalve", {sketches}, 2);
    EXPECT_EQ(halved.type->getName(), decayed_type);
    EXPECT_EQ(texts(call("countMinSketchTotal", {halved}, 2)), (std::vector<std::string>{"2", "255"}));
    const ColumnWithType key{numbers<UInt64>({7, 7}), parseDataType("UInt64"), false};
    const auto estimates = texts(call("countMinSketchEstimate", {halved, key}, 2));
    EXPECT_EQ(estimates[0], "1");
    EXPECT_GE(std::stoi(estimates[1]), 5);
    EXPECT_LE(std::stoi(texts(call("countMinSketchLowerBound", {halved, key}, 2))[1]), 5);
    const ColumnWithType half{numbers<Float64>({0.5, 0.5}), parseDataType("Float64"), false};
    const ColumnWithType decayed = call("countMinSketchDecay", {sketches, half}, 2);
    for (size_t row = 0; row < 2; ++row)
        EXPECT_EQ(binaryOf(*decayed.type, *decayed.column, row), binaryOf(*halved.type, *halved.column, row));
    /// What is decayed stays decayed, and does not merge with what is not.
    const ColumnWithType again = call("countMinSketchDecay", {halved, half}, 2);
    EXPECT_EQ(again.type->getName(), decayed_type);
    EXPECT_ERROR(43, "a sketch of the first one's type", call("countMinSketchInnerProduct", {sketches, halved}, 2));
    const ColumnWithType one{numbers<UInt8>({1}), parseDataType("UInt8"), true};
    EXPECT_EQ(
        texts(call("countMinSketchTotal", {call("countMinSketchDecay", {sketches, one}, 2)}, 2)), (std::vector<std::string>{"4", "509"}));
    const ColumnWithType two{numbers<UInt8>({2}), parseDataType("UInt8"), true};
    EXPECT_ERROR(36, "from 0 to 1", call("countMinSketchDecay", {sketches, two}, 2));
    EXPECT_ERROR(43, "a number from 0 to 1", call("countMinSketchDecay", {sketches, sketches}, 2));
    EXPECT_ERROR(42, "takes 1 argument", call("countMinSketchHalve", {sketches, half}, 2));
    const ColumnWithType conservative
        = states("AggregateFunction(countMinSketch(5, 272, 9001, 'libstdcxx', 'conservative'), UInt64)", {std::string("\x10\0", 2)});
    EXPECT_EQ(
        call("countMinSketchHalve", {conservative}, 1).type->getName(),
        "AggregateFunction(countMinSketch(5, 272, 9001, 'libstdcxx', 'conservative_decayed'), UInt64)");
    EXPECT_ERROR(36, "its cells are no sums", call("countMinSketchSelfJoinSize", {conservative}, 1));
}

TEST(CountMinFunctions, TopKeysComeAsTuples)
{
    AggregateFunctionFactory factory;
    registerAggregateFunctions(factory);
    const AggregateFunctionPtr function = factory.get("countMinTopK", typesOf({"UInt64"}), {UInt64{2}, UInt64{5}, UInt64{272}});
    std::vector<UInt64> keys = range(400);
    keys.insert(keys.end(), 50, 17);
    keys.insert(keys.end(), 30, 3);
    keys.insert(keys.end(), 20, 9);
    const auto column = numbers<UInt64>(keys);
    const auto few = numbers<UInt64>({5, 5, 6});
    const ColumnWithType top = states(
        "AggregateFunction(countMinTopK(2, 5, 272), UInt64)", {stateBytes(*function, {column.get()}), stateBytes(*function, {few.get()})});
    const ColumnWithType result = call("countMinTopKResult", {top}, 2);
    EXPECT_EQ(result.type->getName(), "Array(Tuple(key UInt64, estimate UInt64, lower_bound UInt64))");
    const auto answers = texts(result);
    EXPECT_EQ(answers[0].substr(0, 6), "[(17,5");
    EXPECT_NE(answers[0].find("),(3,3"), std::string::npos) << answers[0];
    EXPECT_EQ(answers[1], "[(5,2,2),(6,1,1)]");
    /// NULLs are passed over; an array cannot be NULL, so the state has no flag.
    const char * const nullable_type = "AggregateFunction(countMinTopK(2, 5, 272), Nullable(UInt64))";
    const auto nullable = columnFromText(*parseDataType("Nullable(UInt64)"), {"5", "\\N", "5", "6"});
    const AggregateFunctionPtr over_nullable = factory.get("countMinTopK", typesOf({"Nullable(UInt64)"}), {UInt64{2}, UInt64{5}, UInt64{272}});
    const std::string nullable_state = stateBytes(*over_nullable, {nullable.get()});
    EXPECT_EQ(nullable_state, stateBytes(*function, {few.get()}));
    const ColumnWithType null_top = call("countMinTopKResult", {states(nullable_type, {nullable_state})}, 1);
    EXPECT_EQ(null_top.type->getName(), result.type->getName());
    EXPECT_EQ(texts(null_top)[0], answers[1]);
    const ColumnWithType one{numbers<UInt8>({1}), parseDataType("UInt8"), true};
    EXPECT_EQ(texts(call("countMinTopKResult", {top, one}, 2))[1], "[(5,2,2)]");
    const ColumnWithType negative{numbers<Int8>({-1}), parseDataType("Int8"), true};
    EXPECT_EQ(texts(call("countMinTopKResult", {top, negative}, 2))[1], "[]");
    EXPECT_ERROR(43, "top keys", call("countMinTopKResult", {one}, 1));
    EXPECT_ERROR(42, "not 0", call("countMinTopKResult", {}, 1));
}

TEST(CountMinFunctions, RangesCountAndOrderSignedValues)
{
    AggregateFunctionFactory factory;
    registerAggregateFunctions(factory);
    const AggregateFunctionPtr function = factory.get("countMinRanges", typesOf({"Int16", "UInt8"}), {UInt64{3}, UInt64{100}});
    std::vector<Int16> values;
    std::vector<UInt8> weights;
    for (int i = -2000; i < 2000; i += 7)
    {
        values.push_back(static_cast<Int16>(i));
        weights.push_back(2);
    }
    const auto value_column = numbers<Int16>(values);
    const auto weight_column = numbers<UInt8>(weights);
    const auto few = numbers<Int16>({-5, 0, 3});
    const auto few_weights = numbers<UInt8>({1, 1, 2});
    const ColumnWithType ranges = states(
        "AggregateFunction(countMinRanges(3, 100), Int16, UInt8)",
        {stateBytes(*function, {value_column.get(), weight_column.get()}), stateBytes(*function, {few.get(), few_weights.get()})});
    const auto integer = [](Int64 value) { return ColumnWithType{numbers<Int64>({value}), parseDataType("Int64"), true}; };
    const auto number = [](Float64 value) { return ColumnWithType{numbers<Float64>({value}), parseDataType("Float64"), true}; };
    const auto count = [&](Int64 first, Int64 last) {
        return texts(call("countMinRangesCount", {ranges, integer(first), integer(last)}, 2));
    };
    EXPECT_EQ(count(-5, 0)[1], "2");
    EXPECT_EQ(count(-4, 100000)[1], "3");
    EXPECT_EQ(count(-100000, 100000)[0], std::to_string(values.size() * 2));
    EXPECT_EQ(count(40000, 100000)[1], "0");
    EXPECT_EQ(count(-100000, -40000)[1], "0");
    EXPECT_EQ(count(5, -5)[1], "0");
    EXPECT_GE(std::stoi(count(-2000, -1)[0]), 572);
    EXPECT_LE(std::stoi(texts(call("countMinRangesLowerBound", {ranges, integer(-2000), integer(-1)}, 2))[0]), 572);
    EXPECT_EQ(texts(call("countMinRangesLowerBound", {ranges, integer(-5), integer(3)}, 2))[1], "4");
    const ColumnWithType median = call("countMinRangesQuantile", {ranges, number(0.5)}, 2);
    EXPECT_EQ(median.type->getName(), "Int16");
    EXPECT_EQ(texts(median)[1], "0");
    EXPECT_LE(std::abs(std::stoi(texts(median)[0])), 700);
    EXPECT_EQ(texts(call("countMinRangesQuantile", {ranges, number(0)}, 2))[1], "-5");
    EXPECT_EQ(
        texts(call(
            "countMinRangesQuantile",
            {states("AggregateFunction(countMinRanges(3, 100), Int16)", {std::string(2, '\0')}), number(0.5)},
            1))[0],
        "0");
    EXPECT_ERROR(43, "count-min ranges", call("countMinRangesCount", {number(1), integer(1), integer(2)}, 1));
    EXPECT_ERROR(43, "an integer", call("countMinRangesCount", {ranges, number(1), integer(2)}, 2));
    EXPECT_ERROR(43, "the level", call("countMinRangesQuantile", {ranges, ranges}, 2));
}

TEST(CountMinFunctions, ForeignTypesAreRefused)
{
    FunctionFactory factory;
    registerFunctions(factory);
    const auto type_of
        = [&](std::string_view name, const std::vector<const char *> & names) { return factory.get(name)->getReturnType(typesOf(names)); };
    EXPECT_ERROR(43, "an array of count-min sketches", type_of("countMinSketchMerge", {"Array(UInt8)"}));
    EXPECT_ERROR(43, "an array of count-min sketches", type_of("countMinSketchMerge", {UINT64_TYPE}));
    EXPECT_ERROR(
        43, "first one's type", type_of("countMinSketchInnerProduct", {UINT64_TYPE, "AggregateFunction(countMinSketch(5, 273), UInt64)"}));
    EXPECT_ERROR(43, "a String", type_of("countMinSketchFromImage", {"UInt8", UINT64_TYPE}));
    EXPECT_ERROR(43, "count-min sketch", type_of("countMinSketchFromImage", {"String", "String"}));
    EXPECT_ERROR(43, "count-min sketch", type_of("countMinSketchToImage", {"String"}));
    /// Of Nullable values: the state begins with a flag.
    EXPECT_ERROR(
        43,
        "count-min ranges",
        type_of("countMinRangesCount", {"AggregateFunction(countMinRanges(3, 100), Nullable(UInt16))", "UInt8", "UInt8"}));
    EXPECT_ERROR(42, "countMinSketchLoad", type_of("countMinSketchLoad", {}));
}
