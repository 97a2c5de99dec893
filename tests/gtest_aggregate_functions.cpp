#include "ColumnBuilders.h"
#include "TornReadBuffer.h"
#include "Vectors.h"

#include <statewire/AggregateFunctions/AggregateFunctionCountMinSketch.h>
#include <statewire/AggregateFunctions/AggregateFunctionGroupBitmap.h>
#include <statewire/AggregateFunctions/CountMinSketchState.h>
#include <statewire/AggregateFunctions/RoaringBitmapState.h>
#include <statewire/DataTypes/DataTypeAggregateFunction.h>
#include <statewire/IO/ReadBufferFromMemory.h>

#include <algorithm>
#include <random>

using namespace DB;
using namespace statewire_tests;

namespace
{

DataTypes types(std::initializer_list<const char *> names)
{
    DataTypes result;
    for (const char * name : names)
        result.push_back(parseDataType(name));
    return result;
}

AggregateFunctionPtr get(std::string_view name, std::initializer_list<const char *> arguments, const Array & parameters = {})
{
    return defaultAggregateFunctionFactory().get(name, types(arguments), parameters);
}

Array shape(UInt64 num_hashes, UInt64 num_buckets)
{
    return {num_hashes, num_buckets};
}

/// The only value of a result column, as text.
std::string resultOf(const IAggregateFunction & function, const Place & place)
{
    const MutableColumnPtr column = function.getResultType()->createColumn();
    function.insertResultInto(place.get(), *column, nullptr);
    EXPECT_EQ(column->size(), 1U);
    return textOf(*function.getResultType(), *column, 0);
}

std::string result(const IAggregateFunction & function, Columns columns)
{
    const Place place(function);
    addRows(function, place, columns, columns[0]->size());
    return resultOf(function, place);
}

/// Random rows for the batch tests: values, keys, weights, conditions.
struct Rows
{
    std::unique_ptr<ColumnVector<UInt32>> values = numbers<UInt32>({});
    std::unique_ptr<ColumnString> keys = strings({});
    std::unique_ptr<ColumnVector<UInt8>> flags = numbers<UInt8>({});
    std::unique_ptr<ColumnVector<UInt8>> outer_flags = numbers<UInt8>({});

    explicit Rows(size_t n)
    {
        std::mt19937_64 random(n);
        for (size_t i = 0; i < n; ++i)
        {
            values->getData().push_back(static_cast<UInt32>(random() % 5000));
            keys->insert("key " + std::to_string(random() % 300));
            flags->getData().push_back(random() % 3 == 0 ? 2 : 0);
            outer_flags->getData().push_back(random() % 2 == 0);
        }
    }
};

struct BatchCase
{
    const char * name;
    AggregateFunctionPtr function;
    Columns columns;
    /// False where what merging gives is not, byte for byte, what adding everything to one state gives.
    bool merges_to_whole = true;
};

std::vector<BatchCase> batchCases(const Rows & rows)
{
    return {
        {"groupBitmap", get("groupBitmap", {"UInt32"}), {rows.values.get()}},
        {"groupBitmapIf", get("groupBitmapIf", {"UInt32", "UInt8"}), {rows.values.get(), rows.flags.get()}},
        {"groupBitmapIfState", get("groupBitmapIfState", {"UInt32", "UInt8"}), {rows.values.get(), rows.flags.get()}},
        {"groupBitmapStateIf", get("groupBitmapStateIf", {"UInt32", "UInt8"}), {rows.values.get(), rows.flags.get()}},
        {"countMinSketch", get("countMinSketch", {"String"}, shape(3, 200)), {rows.keys.get()}},
        {"countMinSketch with a weight", get("countMinSketch", {"UInt32", "UInt8"}, shape(3, 200)), {rows.values.get(), rows.flags.get()}},
        {"countMinSketchIf", get("countMinSketchIf", {"String", "UInt8"}, shape(3, 200)), {rows.keys.get(), rows.flags.get()}},
        {"countMinSketch, conservative",
         get("countMinSketch", {"String", "UInt8"}, {UInt64{3}, UInt64{200}, UInt64{9001}, std::string("libcxx"), std::string("conservative")}),
         {rows.keys.get(), rows.flags.get()},
         false},
        {"countMinSketch, decayed",
         get("countMinSketch", {"UInt32"}, {UInt64{3}, UInt64{200}, UInt64{9001}, std::string("libcxx"), std::string("decayed")}),
         {rows.values.get()}},
        {"countMinTopK", get("countMinTopK", {"String", "UInt8"}, {UInt64{5}, UInt64{3}, UInt64{200}}), {rows.keys.get(), rows.flags.get()}, false},
        {"countMinTopKIf", get("countMinTopKIf", {"UInt32", "UInt8"}, {UInt64{5}, UInt64{3}, UInt64{200}}), {rows.values.get(), rows.flags.get()}, false},
        {"countMinRanges", get("countMinRanges", {"UInt32", "UInt8"}, shape(3, 200)), {rows.values.get(), rows.flags.get()}},
        {"countMinRangesIf", get("countMinRangesIf", {"UInt8", "UInt8"}, shape(3, 200)), {rows.flags.get(), rows.outer_flags.get()}},
    };
}

}

TEST(AggregateFunctionFactory, IsAPlainObject)
{
    AggregateFunctionFactory factory;
    EXPECT_TRUE(factory.getNames().empty());
    EXPECT_ERROR(63, "groupBitmap", factory.get("groupBitmap", types({"UInt8"})));
    registerAggregateFunctions(factory);
    EXPECT_EQ(
        factory.getNames(),
        (std::vector<std::string>{
            "countMinRanges", "countMinSketch", "countMinTopK", "groupBitmap", "groupBitmapAnd", "groupBitmapOr", "groupBitmapXor"}));
    EXPECT_EQ(factory.get("groupBitmap", types({"UInt8"}))->getName(), "groupBitmap");
    EXPECT_ERROR(49, "already", registerAggregateFunctions(factory));
    EXPECT_ERROR(49, "already", factory.registerCombinator("If", {}));
}

TEST(AggregateFunctionFactory, SplitsCombinatorsFromTheEnd)
{
    EXPECT_EQ(get("groupBitmapIf", {"UInt8", "UInt8"})->getName(), "groupBitmapIf");
    EXPECT_EQ(get("groupBitmapStateIf", {"UInt8", "UInt8"})->getName(), "groupBitmapStateIf");
    EXPECT_EQ(get("groupBitmapMergeStateIf", {"AggregateFunction(groupBitmap, UInt8)", "UInt8"})->getName(), "groupBitmapMergeStateIf");
    EXPECT_TRUE(get("groupBitmapIfState", {"UInt8", "UInt8"})->isState());
    EXPECT_TRUE(get("groupBitmapStateIf", {"UInt8", "UInt8"})->isState());
    EXPECT_FALSE(get("groupBitmapIf", {"UInt8", "UInt8"})->isState());

    const AggregateFunctionFactory & factory = defaultAggregateFunctionFactory();
    EXPECT_TRUE(factory.isAggregateFunctionName("countMinSketchMergeState"));
    EXPECT_FALSE(factory.isAggregateFunctionName("State"));
    EXPECT_FALSE(factory.isAggregateFunctionName(""));
    EXPECT_FALSE(factory.isAggregateFunctionName("groupBitmapif"));
    for (const char * name : {"", "State", "If", "StateIf", "groupbitmap", "groupBitmapNot", "sum"})
        EXPECT_ERROR(63, "Unknown aggregate function", factory.get(name, types({"UInt8"})));
    EXPECT_ERROR(63, "Maybe you meant: 'groupBitmap'", factory.get("groupbitmap", types({"UInt8"})));
    EXPECT_ERROR(63, "Maybe you meant: 'countMinSketchIf'", factory.get("countminsketchIf", types({"UInt8"})));
    EXPECT_ERROR(184, "twice in a row", factory.get("groupBitmapStateState", types({"UInt8"})));
    EXPECT_ERROR(184, "twice in a row", factory.get("groupBitmapMergeMerge", types({"UInt8"})));
}

TEST(AggregateFunctions, NameTheirStates)
{
    const auto state_type = [](const AggregateFunctionPtr & function) { return function->getStateType()->getName(); };
    const auto result_type = [](const AggregateFunctionPtr & function) { return function->getResultType()->getName(); };
    EXPECT_EQ(state_type(get("groupBitmap", {"Int16"})), "AggregateFunction(groupBitmap, Int16)");
    EXPECT_EQ(result_type(get("groupBitmap", {"UInt8"})), "UInt64");
    EXPECT_EQ(result_type(get("groupBitmapState", {"UInt8"})), "AggregateFunction(groupBitmap, UInt8)");
    EXPECT_EQ(result_type(get("groupBitmapIfState", {"UInt32", "UInt8"})), "AggregateFunction(groupBitmapIf, UInt32, UInt8)");
    EXPECT_EQ(result_type(get("groupBitmapStateIf", {"UInt32", "UInt8"})), "AggregateFunction(groupBitmap, UInt32)");
    EXPECT_EQ(
        result_type(get("groupBitmapMergeState", {"AggregateFunction(groupBitmapIf, UInt32, UInt8)"})),
        "AggregateFunction(groupBitmap, UInt32)");
    EXPECT_EQ(result_type(get("countMinSketch", {"String"}, shape(5, 272))), "UInt64");
    EXPECT_EQ(result_type(get("countMinSketch", {"String", "Int8"}, shape(5, 272))), "Int64");
    EXPECT_EQ(result_type(get("countMinSketch", {"String", "Float32"}, shape(5, 272))), "Float64");
    EXPECT_EQ(
        result_type(get("countMinSketchState", {"Int8", "UInt16"}, {UInt64{5}, UInt64{272}, UInt64{9001}, std::string("libstdcxx")})),
        "AggregateFunction(countMinSketch(5, 272), Int8, UInt16)");
}

TEST(AggregateFunctions, ShareRepresentationsAcrossCombinators)
{
    const AggregateFunctionPtr plain = get("groupBitmap", {"UInt32"});
    EXPECT_TRUE(plain->haveSameStateRepresentation(*get("groupBitmapIf", {"UInt32", "UInt8"})));
    EXPECT_TRUE(get("groupBitmapIf", {"UInt32", "UInt8"})->haveSameStateRepresentation(*plain));
    EXPECT_TRUE(plain->haveSameStateRepresentation(*get("groupBitmapMerge", {"AggregateFunction(groupBitmap, UInt32)"})));
    EXPECT_FALSE(plain->haveSameStateRepresentation(*get("groupBitmap", {"Int32"})));
    EXPECT_FALSE(plain->haveSameStateRepresentation(*get("countMinSketch", {"UInt32"}, shape(3, 3))));
    EXPECT_EQ(groupBitmapElementType(*get("groupBitmapIf", {"Int16", "UInt8"})), TypeIndex::Int16);
    EXPECT_EQ(groupBitmapElementType(*get("countMinSketch", {"UInt8"}, shape(3, 3))), std::nullopt);
    const auto sketch = countMinSketchArguments(*get("countMinSketchIf", {"UInt8", "Int16", "UInt8"}, shape(3, 3)));
    ASSERT_TRUE(sketch);
    EXPECT_EQ(sketch->key->getName(), "UInt8");
    EXPECT_EQ(sketch->weight, TypeIndex::Int64);
    EXPECT_FALSE(countMinSketchArguments(*plain));
}

TEST(GroupBitmap, CountsInSixtyFourBits)
{
    std::vector<UInt8> all(512);
    for (size_t i = 0; i < all.size(); ++i)
        all[i] = static_cast<UInt8>(i);
    EXPECT_EQ(result(*get("groupBitmap", {"UInt8"}), {numbers<UInt8>(all).get()}), "256");
    EXPECT_EQ(result(*get("groupBitmap", {"Int64"}), {numbers<Int64>({-1, -1, 0}).get()}), "2");
    EXPECT_EQ(result(*get("groupBitmap", {"Int64"}), {numbers<Int64>({}).get()}), "0");
}

TEST(GroupBitmap, WritesClickHouseBytes)
{
    EXPECT_EQ(toHex(stateBytes(*get("groupBitmap", {"UInt8"}), {numbers<UInt8>({1, 2, 3}).get()})), "0003010203");
    EXPECT_EQ(toHex(stateBytes(*get("groupBitmap", {"UInt32"}), {numbers<UInt32>({3, 2, 1}).get()})), "0003010000000200000003000000");
    std::vector<Int8> values;
    for (int i = -20; i <= 12; ++i)
        values.push_back(static_cast<Int8>(i));
    EXPECT_EQ(
        toHex(stateBytes(*get("groupBitmap", {"Int8"}), {numbers<Int8>(values).get()})),
        "01193b3001000300000c00ffff1300010000000c000100ecff1300");
}

TEST(GroupBitmap, ReadsEveryStateOfTheRealEngine)
{
    REQUIRE_VECTORS(folder, "clickhouse");
    size_t states = 0;
    for (const auto & entry : std::filesystem::directory_iterator(folder / "states"))
    {
        const std::string name = entry.path().filename().string();
        const std::string element = name.substr(0, name.find('_'));
        const AggregateFunctionPtr function = get("groupBitmap", {element.c_str()});
        const std::string bytes = fromHex(readFile(entry.path()));
        const Place read(*function);
        ReadBufferFromMemory in(bytes);
        function->deserialize(read.get(), in);
        EXPECT_TRUE(in.eof()) << name;
        const Place merged(*function);
        ReadBufferFromMemory again(bytes);
        function->deserializeAndMerge(merged.get(), again);
        EXPECT_TRUE(again.eof()) << name;
        EXPECT_EQ(read.bytes(), merged.bytes()) << name;
        const Place copied(*function);
        function->merge(copied.get(), read.get(), nullptr);
        EXPECT_EQ(read.bytes(), copied.bytes()) << name;
        ++states;
    }
    EXPECT_GT(states, 100U);
}

TEST(CountMinSketch, AnswersAsItsStateDoes)
{
    const CountMinParameters parameters(3, 200);
    CountMinSketchState<Int64> expected(parameters, 2);
    const auto keys = numbers<Int16>({1, -1, 1, 300});
    const auto weights = numbers<Int8>({5, -7, 2, 0});
    for (size_t row = 0; row < keys->size(); ++row)
        expected.add(keys->getDataAt(row), weights->getData()[row]);
    const AggregateFunctionPtr function = get("countMinSketch", {"Int16", "Int8"}, shape(3, 200));
    EXPECT_EQ(stateBytes(*function, {keys.get(), weights.get()}), written([&](WriteBuffer & out) { expected.write(out); }));
    EXPECT_EQ(result(*function, {keys.get(), weights.get()}), "14");
    EXPECT_EQ(result(*get("countMinSketch", {"Int16"}, shape(3, 200)), {keys.get()}), "4");
    EXPECT_EQ(
        result(*get("countMinSketch", {"String", "Float32"}, shape(3, 200)), {strings({"", "x"}).get(), numbers<Float32>({0.5, -2}).get()}),
        "2.5");
}

TEST(CountMinSketch, GivesTheSameStateForEveryWeightColumnOfAKind)
{
    const auto keys = strings({"a", "b", "a"});
    const std::string bytes = stateBytes(*get("countMinSketch", {"String"}, shape(3, 200)), {keys.get()});
    const auto narrow = numbers<UInt8>({1, 1, 1});
    const auto wide = numbers<UInt64>({1, 1, 1});
    EXPECT_EQ(bytes, stateBytes(*get("countMinSketch", {"String", "UInt8"}, shape(3, 200)), {keys.get(), narrow.get()}));
    EXPECT_EQ(bytes, stateBytes(*get("countMinSketch", {"String", "UInt64"}, shape(3, 200)), {keys.get(), wide.get()}));
}

TEST(CountMinSketch, RefusesWeightsThatAreNotFinite)
{
    const AggregateFunctionPtr function = get("countMinSketch", {"String", "Float64"}, shape(3, 200));
    const Place place(*function);
    const std::string fresh = place.bytes();
    const auto weights = numbers<Float64>({std::numeric_limits<Float64>::infinity()});
    EXPECT_ERROR(36, "", addRows(*function, place, {strings({"a"}).get(), weights.get()}, 1));
    EXPECT_EQ(place.bytes(), fresh);
}

TEST(AggregateFunctions, BatchesEqualSingleRows)
{
    const Rows rows(3000);
    for (const BatchCase & c : batchCases(rows))
    {
        SCOPED_TRACE(c.name);
        const IAggregateFunction & function = *c.function;
        Columns columns = c.columns;
        columns.push_back(rows.outer_flags.get());
        const auto outer = static_cast<std::ptrdiff_t>(columns.size() - 1);
        Arena arena;

        for (const bool with_condition : {false, true})
        {
            const Place one_by_one(function);
            for (size_t row = 100; row < 2900; ++row)
                if (!with_condition || rows.outer_flags->getData()[row])
                    function.add(one_by_one.get(), columns.data(), row, &arena);
            const Place batch(function);
            function.addBatchSinglePlace(100, 2900, batch.get(), columns.data(), &arena, with_condition ? outer : -1);
            EXPECT_EQ(one_by_one.bytes(), batch.bytes());
        }

        /// Three groups at an offset within their memory, in runs and mixed, and rows without a place.
        constexpr size_t OFFSET = 64;
        for (const bool with_condition : {false, true})
        {
            std::vector<AggregateDataPtr> memory;
            for (int i = 0; i < 3; ++i)
            {
                memory.push_back(arena.alignedAlloc(OFFSET + function.sizeOfData(), function.alignOfData()));
                function.create(memory.back() + OFFSET);
            }
            std::vector<AggregateDataPtr> places(3000, nullptr);
            for (size_t row = 0; row < places.size(); ++row)
                if (row % 7 != 0)
                    places[row] = memory[row < 1000 ? row / 334 : row % 3];
            function.addBatch(0, 3000, places.data(), OFFSET, columns.data(), &arena, with_condition ? outer : -1);
            for (AggregateDataPtr group : memory)
            {
                const Place expected(function);
                for (size_t row = 0; row < places.size(); ++row)
                    if (places[row] == group && (!with_condition || rows.outer_flags->getData()[row]))
                        function.add(expected.get(), columns.data(), row, &arena);
                EXPECT_EQ(written([&](WriteBuffer & out) { function.serialize(group + OFFSET, out); }), expected.bytes());
                EXPECT_LE(function.heldBytes(group + OFFSET), size_t{1} << 20);
                function.destroy(group + OFFSET);
            }
        }
    }
}

TEST(AggregateFunctions, MergeIsCommutativeAndAssociativeAndEqualsAddingEverything)
{
    const Rows rows(3000);
    for (const BatchCase & c : batchCases(rows))
    {
        SCOPED_TRACE(c.name);
        const IAggregateFunction & function = *c.function;
        Columns columns = c.columns;
        Arena arena;
        const Place all(function);
        const Place a(function);
        const Place b(function);
        const Place d(function);
        function.addBatchSinglePlace(0, 3000, all.get(), columns.data(), &arena);
        function.addBatchSinglePlace(0, 5, a.get(), columns.data(), &arena);
        function.addBatchSinglePlace(5, 2000, b.get(), columns.data(), &arena);
        function.addBatchSinglePlace(2000, 3000, d.get(), columns.data(), &arena);
        const auto merged = [&](std::initializer_list<const Place *> parts) {
            const Place place(function);
            for (const Place * part : parts)
                function.merge(place.get(), part->get(), &arena);
            return place.bytes();
        };
        if (c.merges_to_whole)
        {
            EXPECT_EQ(merged({&a, &b, &d}), all.bytes());
            EXPECT_EQ(merged({&d, &a, &b}), all.bytes());
            EXPECT_EQ(merged({&b, &d, &a}), all.bytes());
        }

        EXPECT_TRUE(c.merges_to_whole || !function.isMergeExact());

        const Place taken(function);
        std::vector<AggregateDataPtr> given;
        for (const Place * part : {&d, &b, &a})
        {
            const std::string bytes = part->bytes();
            given.push_back(arena.alignedAlloc(function.sizeOfData(), function.alignOfData()));
            function.create(given.back());
            ReadBufferFromMemory in(bytes);
            function.deserialize(given.back(), in, std::nullopt, &arena);
        }
        function.mergeAndDestroyBatch(taken.get(), given.data(), given.size(), nullptr);
        EXPECT_EQ(taken.bytes(), merged({&d, &b, &a}));

        const Place from_bytes(function);
        for (const Place * part : {&d, &b, &a})
        {
            const std::string bytes = part->bytes();
            TornReadBuffer in(bytes, 7);
            function.deserializeAndMerge(from_bytes.get(), in);
            EXPECT_TRUE(in.eof());
        }
        EXPECT_EQ(from_bytes.bytes(), merged({&d, &b, &a}));

        std::vector<AggregateDataPtr> sources = {a.get(), b.get(), d.get()};
        const Place first(function);
        const Place second(function);
        std::vector<AggregateDataPtr> targets = {first.get(), nullptr, second.get()};
        function.mergeBatch(0, 3, targets.data(), 0, sources.data(), &arena);
        EXPECT_EQ(first.bytes(), a.bytes());
        EXPECT_EQ(second.bytes(), d.bytes());
    }
}

TEST(AggregateFunctions, ReadIntoMemoryOfTheirOwnOrAnArena)
{
    const Rows rows(3000);
    for (const BatchCase & c : batchCases(rows))
    {
        SCOPED_TRACE(c.name);
        const IAggregateFunction & function = *c.function;
        const std::string bytes = stateBytes(function, c.columns);
        for (const bool with_arena : {false, true})
        {
            Arena arena;
            const Place place(function);
            {
                const auto source = std::make_unique<std::string>(bytes);
                ReadBufferFromMemory in(*source);
                function.deserialize(place.get(), in, std::nullopt, with_arena ? &arena : nullptr);
                EXPECT_TRUE(in.eof());
            }
            EXPECT_EQ(place.bytes(), bytes);
            for (size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 200)
            {
                const Place fresh(function);
                ReadBufferFromMemory in(std::string_view(bytes).substr(0, size));
                EXPECT_THROW(function.deserialize(fresh.get(), in), Exception) << size;
                const Place merged(function);
                function.merge(merged.get(), place.get(), nullptr);
                ReadBufferFromMemory again(std::string_view(bytes).substr(0, size));
                EXPECT_THROW(function.deserializeAndMerge(merged.get(), again), Exception) << size;
                EXPECT_EQ(merged.bytes(), bytes) << size;
            }
        }
    }
}

TEST(CombinatorState, GivesTheState)
{
    const Rows rows(3000);
    const AggregateFunctionPtr function = get("groupBitmapState", {"UInt32"});
    const MutableColumnPtr column = function->getResultType()->createColumn();
    std::string expected;
    {
        const Place place(*function);
        addRows(*function, place, {rows.values.get()}, 3000);
        expected = place.bytes();
        function->insertResultInto(place.get(), *column, nullptr);
        addRows(*function, place, {numbers<UInt32>({4000000000}).get()}, 1);
        function->insertResultInto(place.get(), *column, nullptr);
    }
    EXPECT_EQ(binaryOf(*function->getResultType(), *column, 0), expected);
    EXPECT_NE(binaryOf(*function->getResultType(), *column, 1), expected);
}

TEST(CombinatorState, LetsTheColumnAdoptThePlace)
{
    for (const BatchCase & c : batchCases(Rows(1)))
    {
        if (!c.function->isState())
            continue;
        const Rows rows(3000);
        MutableColumnPtr column = c.function->getResultType()->createColumn();
        AggregateFunctionPtr function = c.function;
        std::string expected;
        {
            auto arena = std::make_shared<Arena>();
            AggregateDataPtr place = arena->alignedAlloc(function->sizeOfData(), function->alignOfData());
            function->create(place);
            Columns columns = {rows.values.get(), rows.flags.get()};
            function->addBatchSinglePlace(0, 3000, place, columns.data(), arena.get());
            expected = written([&](WriteBuffer & out) { function->serialize(place, out); });
            auto & states = static_cast<ColumnAggregateFunction &>(*column);
            states.keepAlive(arena);
            states.adopt(place);
        }
        EXPECT_EQ(binaryOf(*function->getResultType(), *column, 0), expected);
    }
}

TEST(CombinatorState, SketchesOutliveTheFunctionThatMadeThem)
{
    MutableColumnPtr column;
    DataTypePtr type;
    std::string expected;
    {
        const AggregateFunctionPtr function = get("countMinSketchIfState", {"String", "UInt8"}, shape(3, 200));
        const Rows rows(3000);
        type = function->getResultType();
        column = type->createColumn();
        const Place place(*function);
        addRows(*function, place, {rows.keys.get(), rows.flags.get()}, 3000);
        expected = place.bytes();
        function->insertResultInto(place.get(), *column, nullptr);
    }
    const MutableColumnPtr other = parseDataType("AggregateFunction(countMinSketch(3, 200), String)")->createColumn();
    other->insertFrom(*column, 0);
    column.reset();
    EXPECT_EQ(binaryOf(*type, *other, 0), expected);
    static_cast<ColumnAggregateFunction &>(*other).insertFrom(*other, 0);
    EXPECT_EQ(other->size(), 2U);
}

TEST(CombinatorMerge, MergesBothSpellings)
{
    const Rows rows(3000);
    const DataTypePtr plain = parseDataType("AggregateFunction(groupBitmap, UInt32)");
    const DataTypePtr conditional = parseDataType("AggregateFunction(groupBitmapIf, UInt32, UInt8)");
    const std::string part_1 = stateBytes(*get("groupBitmap", {"UInt32"}), {numbers<UInt32>({1, 2, 3}).get()});
    const std::string part_2 = stateBytes(*get("groupBitmapIf", {"UInt32", "UInt8"}), {rows.values.get(), rows.flags.get()});
    const std::string part_3 = stateBytes(*get("groupBitmap", {"UInt32"}), {numbers<UInt32>({2, 1000000}).get()});
    for (const DataTypePtr & type : {plain, conditional})
        for (const char * name : {"groupBitmapMerge", "groupBitmapIfMerge"})
        {
            const MutableColumnPtr states = columnFromBinary(*type, {part_1, part_2, part_3});
            const AggregateFunctionPtr merge = defaultAggregateFunctionFactory().get(name, {type});
            const AggregateFunctionPtr merge_state = defaultAggregateFunctionFactory().get(std::string(name) + "State", {type});
            EXPECT_EQ(merge->getResultType()->getName(), "UInt64");
            EXPECT_EQ(merge->getName(), name);
            const std::string bytes = stateBytes(*merge, {states.get()});
            EXPECT_EQ(bytes, stateBytes(*merge_state, {states.get()}));
            const Place expected(*merge);
            for (const std::string & part : {part_3, part_1, part_2})
            {
                ReadBufferFromMemory in(part);
                merge->deserializeAndMerge(expected.get(), in);
            }
            EXPECT_EQ(bytes, expected.bytes());
            EXPECT_EQ(result(*merge, {states.get()}), resultOf(*merge, expected));
        }
}

TEST(CombinatorMerge, BatchesEqualSingleRows)
{
    const DataTypePtr type = parseDataType("AggregateFunction(groupBitmap, UInt32)");
    std::vector<std::string> states;
    std::mt19937_64 random(7);
    for (size_t i = 0; i < 200; ++i)
    {
        std::vector<UInt32> values;
        for (size_t n = random() % 60; n != 0; --n)
            values.push_back(static_cast<UInt32>(random() % 100000));
        states.push_back(stateBytes(*get("groupBitmap", {"UInt32"}), {numbers<UInt32>(values).get()}));
    }
    const Rows rows(200);
    const AggregateFunctionPtr merge = defaultAggregateFunctionFactory().get("groupBitmapMergeIf", {type, parseDataType("UInt8")});
    std::string merged_bytes;
    {
        const MutableColumnPtr column = columnFromBinary(*type, states);
        Columns columns = {column.get(), rows.flags.get(), rows.outer_flags.get()};
        Arena arena;
        for (const std::ptrdiff_t outer : {-1, 2})
        {
            const Place one_by_one(*merge);
            for (size_t row = 0; row < states.size(); ++row)
                if (outer < 0 || rows.outer_flags->getData()[row])
                    merge->add(one_by_one.get(), columns.data(), row, &arena);
            const Place batch(*merge);
            merge->addBatchSinglePlace(0, states.size(), batch.get(), columns.data(), &arena, outer);
            EXPECT_EQ(batch.bytes(), one_by_one.bytes());
            const Place spread(*merge);
            std::vector<AggregateDataPtr> places(states.size(), spread.get());
            places[0] = places[100] = nullptr;
            merge->addBatch(0, states.size(), places.data(), 0, columns.data(), &arena, outer);
            merge->addBatchSinglePlace(0, 1, spread.get(), columns.data(), &arena, outer);
            merge->addBatchSinglePlace(100, 101, spread.get(), columns.data(), &arena, outer);
            EXPECT_EQ(spread.bytes(), one_by_one.bytes());
        }
    }
}

TEST(CombinatorMerge, MergedPlacesOutliveTheColumnOfStates)
{
    const DataTypePtr type = parseDataType("AggregateFunction(groupBitmap, UInt32)");
    std::vector<UInt32> values(10000);
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<UInt32>(i * 77);
    const std::string bytes = stateBytes(*get("groupBitmap", {"UInt32"}), {numbers<UInt32>(values).get()});
    const AggregateFunctionPtr merge = defaultAggregateFunctionFactory().get("groupBitmapMerge", {type});
    const Place place(*merge);
    {
        const MutableColumnPtr column = columnFromBinary(*type, {bytes});
        addRows(*merge, place, {column.get()}, 1);
    }
    EXPECT_EQ(place.bytes(), bytes);
    EXPECT_EQ(resultOf(*merge, place), "10000");
}

TEST(CombinatorMerge, TakesParametersFromTheStateOrTheSameOnes)
{
    const DataTypePtr type = parseDataType("AggregateFunction(countMinSketch(3, 200), String)");
    const AggregateFunctionFactory & factory = defaultAggregateFunctionFactory();
    for (const Array & parameters : {Array{}, shape(3, 200), Array{UInt64{3}, UInt64{200}, UInt64{9001}}})
    {
        const AggregateFunctionPtr merge = factory.get("countMinSketchMergeState", {type}, parameters);
        EXPECT_EQ(merge->getResultType()->getName(), type->getName());
        EXPECT_TRUE(merge->haveSameStateRepresentation(*factory.get("countMinSketch", types({"String"}), shape(3, 200))));
    }
    EXPECT_ERROR(43, "with the parameters given", factory.get("countMinSketchMerge", {type}, shape(3, 201)));
    EXPECT_ERROR(43, "with the parameters given", factory.get("countMinSketchMerge", {type}, {UInt64{3}, UInt64{200}, UInt64{1}}));
    EXPECT_ERROR(133, "no parameters", factory.get("groupBitmapMerge", types({"AggregateFunction(groupBitmap, UInt8)"}), shape(1, 1)));
    EXPECT_ERROR(43, "cannot merge states of type", factory.get("groupBitmapMerge", {type}));
    EXPECT_ERROR(43, "cannot merge states of type", factory.get("groupBitmapStateMerge", types({"AggregateFunction(groupBitmap, UInt8)"})));
    EXPECT_ERROR(42, "not 2", factory.get("groupBitmapMerge", {type, type}));
    EXPECT_ERROR(43, "not String", factory.get("groupBitmapMerge", types({"String"})));
    EXPECT_ERROR(63, "", factory.get("nothingMerge", {type}));
}

TEST(AggregateFunctions, FitInFortyEightBytes)
{
    EXPECT_LE(get("groupBitmap", {"UInt8"})->sizeOfData(), 48U);
    EXPECT_LE(get("countMinSketch", {"UInt8"}, shape(3, 3))->sizeOfData(), 48U);
    EXPECT_LE(get("groupBitmap", {"UInt8"})->alignOfData(), alignof(std::max_align_t));
}
