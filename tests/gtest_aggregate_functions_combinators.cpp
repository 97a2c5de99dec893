#include "ColumnBuilders.h"
#include "CombinatorCases.h"

#include <statewire/AggregateFunctions/AggregateFunctionGroupBitmap.h>
#include <statewire/Columns/ColumnNullable.h>
#include <statewire/DataTypes/DataTypeAggregateFunction.h>

#include <random>

/** Combinators against what the real engine answers (tests/interop asks it again), and against themselves: batches of every kind give what
  * row by row gives, merges what one pass gives.
  */

using namespace DB;
using namespace statewire_tests;

namespace
{

DataTypes parseTypes(const std::vector<std::string> & names)
{
    DataTypes types;
    for (const std::string & name : names)
        types.push_back(parseDataType(name));
    return types;
}

/// The columns of a case and what points to them.
struct Arguments
{
    std::vector<MutableColumnPtr> owned;
    Columns columns;
    size_t rows = 0;

    explicit Arguments(const CombinatorCase & c)
    {
        for (size_t i = 0; i < c.types.size(); ++i)
        {
            owned.push_back(columnFromText(*parseDataType(c.types[i]), c.rows[i]));
            columns.push_back(owned.back().get());
        }
        rows = owned[0]->size();
    }
};

std::string resultText(const IAggregateFunction & function, AggregateDataPtr place)
{
    const MutableColumnPtr column = function.getResultType()->createColumn();
    function.insertResultInto(place, *column, nullptr);
    EXPECT_EQ(column->size(), 1U);
    return textOf(*function.getResultType(), *column, 0);
}

}

TEST(Combinators, GiveTheEnginesTypesStatesAndResults)
{
    for (const CombinatorCase & c : combinatorCases())
    {
        SCOPED_TRACE(c.state_type);
        const AggregateFunctionPtr function = defaultAggregateFunctionFactory().get(c.name, parseTypes(c.types));
        Arguments arguments(c);
        EXPECT_EQ(function->getName(), c.name);
        EXPECT_EQ(function->getResultType()->getName(), c.result_type);
        EXPECT_EQ(function->getStateType()->getName(), "AggregateFunction(" + c.state_type + ")");
        EXPECT_EQ(parseDataType(function->getStateType()->getName())->getName(), function->getStateType()->getName());

        const Place whole(*function);
        addRows(*function, whole, arguments.columns, arguments.rows);
        EXPECT_EQ(toUpperHex(whole.bytes()), c.state_hex);
        EXPECT_EQ(resultText(*function, whole.get()), c.result);

        /// Row by row into two states that are then merged, as states and as bytes.
        const Place even(*function);
        const Place odd(*function);
        for (size_t row = 0; row < arguments.rows; ++row)
            function->add((row % 2 ? odd : even).get(), arguments.columns.data(), row, nullptr);
        const std::string odd_bytes = odd.bytes();
        const Place from_bytes(*function);
        for (const std::string & bytes : {odd_bytes, even.bytes()})
        {
            ReadBufferFromMemory in(bytes);
            function->deserializeAndMerge(from_bytes.get(), in);
            EXPECT_TRUE(in.eof());
        }
        EXPECT_EQ(toUpperHex(from_bytes.bytes()), c.state_hex);
        function->merge(even.get(), odd.get(), nullptr);
        EXPECT_EQ(toUpperHex(even.bytes()), c.state_hex);
        EXPECT_EQ(odd.bytes(), odd_bytes);

        /// -State, read back, and -Merge.
        const AggregateFunctionPtr state = defaultAggregateFunctionFactory().get(c.name + "State", parseTypes(c.types));
        EXPECT_EQ(state->getResultType()->getName(), function->getStateType()->getName());
        const MutableColumnPtr states = state->getResultType()->createColumn();
        state->insertResultInto(whole.get(), *states, nullptr);
        EXPECT_EQ(toUpperHex(binaryOf(*state->getResultType(), *states, 0)), c.state_hex);
        const AggregateFunctionPtr merge = defaultAggregateFunctionFactory().get(c.name + "Merge", {state->getResultType()});
        const Place merged(*merge);
        addRows(*merge, merged, {states.get()}, 1);
        EXPECT_EQ(merge->getResultType()->getName(), c.result_type);
        EXPECT_EQ(resultText(*merge, merged.get()), c.result);
    }
}

TEST(Combinators, SealedStatesSayTheSameAndAllKnowTheirSize)
{
    const auto check = [](const IAggregateFunction & function, const Place & place) {
        const std::string bytes = place.bytes();
        EXPECT_EQ(function.serializedSize(place.get()), bytes.size());
        function.seal(place.get());
        EXPECT_EQ(place.bytes(), bytes);
        EXPECT_EQ(function.serializedSize(place.get()), bytes.size());
    };
    for (const CombinatorCase & c : combinatorCases())
    {
        SCOPED_TRACE(c.state_type);
        const AggregateFunctionPtr function = defaultAggregateFunctionFactory().get(c.name, parseTypes(c.types));
        Arguments arguments(c);
        const Place place(*function);
        addRows(*function, place, arguments.columns, arguments.rows);
        check(*function, place);
    }
    /// Values in no order wait in the state.
    for (const char * name : {"groupBitmap", "groupBitmapOrNull", "groupBitmapOrDefault"})
    {
        SCOPED_TRACE(name);
        const AggregateFunctionPtr function = defaultAggregateFunctionFactory().get(name, parseTypes({"UInt32"}));
        ColumnVector<UInt32> values;
        for (UInt32 i = 0; i < 3000; ++i)
            values.getData().push_back(i * 2654435761U);
        Columns columns{&values};
        const Place place(*function);
        addRows(*function, place, columns, values.size());
        check(*function, place);
    }
}

TEST(Combinators, RefuseEveryCutOfTheirStates)
{
    for (const CombinatorCase & c : combinatorCases())
    {
        SCOPED_TRACE(c.state_type);
        const AggregateFunctionPtr function = defaultAggregateFunctionFactory().get(c.name, parseTypes(c.types));
        Arguments arguments(c);
        const std::string bytes = stateBytes(*function, arguments.columns);
        const Place fed(*function);
        addRows(*function, fed, arguments.columns, arguments.rows);
        for (size_t size = 0; size < bytes.size(); ++size)
        {
            const std::string_view cut = std::string_view(bytes).substr(0, size);
            const Place place(*function);
            ReadBufferFromMemory in(cut);
            EXPECT_THROW(function->deserialize(place.get(), in), Exception) << size;
            ReadBufferFromMemory again(cut);
            EXPECT_THROW(function->deserializeAndMerge(fed.get(), again), Exception) << size;
            EXPECT_EQ(fed.bytes(), bytes) << size;
        }
    }
}

TEST(Combinators, RefuseBadFlagsAndCounts)
{
    const auto read = [](const char * name, const char * type, std::string_view bytes) {
        const AggregateFunctionPtr function = defaultAggregateFunctionFactory().get(name, {parseDataType(type)});
        const Place place(*function);
        ReadBufferFromMemory in(bytes);
        function->deserialize(place.get(), in);
    };
    EXPECT_ERROR(117, "must be 0 or 1, found 2 at byte 0", read("groupBitmap", "Nullable(UInt32)", std::string_view("\2\0\0", 3)));
    EXPECT_ERROR(117, "must be 0 or 1, found 255 at byte 2", read("groupBitmapOrNull", "UInt32", std::string_view("\0\0\xff", 3)));
    EXPECT_ERROR(33, "", read("groupBitmapForEach", "Array(UInt32)", std::string_view("\xff\xff\xff\x0f\0\0\0\0\0\0", 10)));
    EXPECT_ERROR(128, "positions", read("groupBitmapForEach", "Array(UInt32)", std::string_view("\xff\xff\xff\xff\0\0\0\0\0\0", 10)));
}

TEST(Combinators, RefuseWhatTheEngineRefuses)
{
    const auto make = [](const char * name, const std::vector<std::string> & types) {
        return defaultAggregateFunctionFactory().get(name, parseTypes(types));
    };
    EXPECT_ERROR(184, "twice", make("groupBitmapIfIf", {"UInt32", "UInt8", "UInt8"}));
    EXPECT_ERROR(184, "twice", make("groupBitmapForEachForEach", {"Array(Array(UInt32))"}));
    EXPECT_ERROR(184, "twice", make("groupBitmapStateState", {"UInt32"}));
    EXPECT_EQ(make("groupBitmapOrNullOrNull", {"UInt32"})->getName(), "groupBitmapOrNullOrNull");
    EXPECT_EQ(make("groupBitmapIfStateIf", {"UInt32", "UInt8", "UInt8"})->getName(), "groupBitmapIfStateIf");
    EXPECT_ERROR(43, "must be arrays", make("groupBitmapArray", {"UInt32"}));
    EXPECT_ERROR(43, "must be arrays", make("groupBitmapForEach", {"UInt32"}));
    EXPECT_ERROR(35, "requires at least one array", make("groupBitmapArray", {}));
    EXPECT_ERROR(42, "", make("groupBitmapForEach", {}));
    EXPECT_ERROR(43, "must be UInt8", make("groupBitmapIf", {"UInt32", "Nullable(UInt16)"}));
    EXPECT_ERROR(43, "cannot merge", make("groupBitmapOrNullMerge", {"AggregateFunction(groupBitmapOrDefault, UInt32)"}));
    EXPECT_ERROR(43, "cannot merge", make("groupBitmapMerge", {"AggregateFunction(groupBitmapOrNull, UInt32)"}));

    const AggregateFunctionPtr two = make("groupBitmapIfArray", {"Array(UInt32)", "Array(UInt8)"});
    const MutableColumnPtr values = columnFromText(*parseDataType("Array(UInt32)"), {"[1,2]"});
    const MutableColumnPtr flags = columnFromText(*parseDataType("Array(UInt8)"), {"[1]"});
    const Place place(*two);
    EXPECT_ERROR(190, "row 0 has 2 and 1 elements", addRows(*two, place, {values.get(), flags.get()}, 1));
}

TEST(Combinators, ARowThatAConditionInsideRefusesIsARow)
{
    const AggregateFunctionPtr function = defaultAggregateFunctionFactory().get("groupBitmapIfOrNull", parseTypes({"UInt32", "UInt8"}));
    const Place place(*function);
    addRows(*function, place, {numbers<UInt32>({0, 1}).get(), numbers<UInt8>({0, 0}).get()}, 2);
    EXPECT_EQ(toUpperHex(place.bytes()), "000001");
    EXPECT_EQ(resultText(*function, place.get()), "0");
}

TEST(Combinators, StateBeforeOrNullIsItsStateAfter)
{
    const AggregateFunctionPtr function = defaultAggregateFunctionFactory().get("groupBitmapStateOrNull", parseTypes({"UInt32"}));
    EXPECT_EQ(function->getResultType()->getName(), "AggregateFunction(groupBitmapOrNull, UInt32)");
    const AggregateFunctionPtr filled = defaultAggregateFunctionFactory().get("groupBitmapStateOrDefault", parseTypes({"Nullable(UInt32)"}));
    EXPECT_EQ(filled->getResultType()->getName(), "AggregateFunction(groupBitmap, UInt32)");
    const AggregateFunctionPtr conditional = defaultAggregateFunctionFactory().get("groupBitmapStateIf", parseTypes({"Nullable(UInt32)", "UInt8"}));
    EXPECT_EQ(conditional->getResultType()->getName(), "AggregateFunction(groupBitmap, UInt32)");
    const AggregateFunctionPtr each = defaultAggregateFunctionFactory().get("groupBitmapStateForEach", parseTypes({"Array(Nullable(UInt32))"}));
    EXPECT_EQ(each->getResultType()->getName(), "Array(AggregateFunction(groupBitmap, Nullable(UInt32)))");
}

TEST(Combinators, StatesOfNullableArgumentsAreNoPlainBitmaps)
{
    const auto element = [](const char * name, const std::vector<std::string> & types) {
        return groupBitmapElementType(*defaultAggregateFunctionFactory().get(name, parseTypes(types)));
    };
    EXPECT_EQ(element("groupBitmap", {"Nullable(UInt32)"}), std::nullopt);
    EXPECT_EQ(element("groupBitmapIf", {"Nullable(UInt32)", "UInt8"}), std::nullopt);
    EXPECT_EQ(element("groupBitmapOrNull", {"UInt32"}), std::nullopt);
    EXPECT_EQ(element("groupBitmapForEach", {"Array(UInt32)"}), std::nullopt);
    EXPECT_EQ(element("groupBitmapArray", {"Array(UInt32)"}), TypeIndex::UInt32);
    EXPECT_EQ(element("groupBitmapIf", {"UInt32", "Nullable(UInt8)"}), TypeIndex::UInt32);
}

TEST(Combinators, BatchesOfEveryKindGiveWhatRowsGive)
{
    constexpr size_t ROWS = 3000;
    const UInt64 seed = 20260;
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const auto number = [&] { return std::to_string(random() % 500); };
    const auto nullable = [&] { return random() % 4 ? number() : std::string("\\N"); };
    const auto array = [&](bool nulls) {
        std::string text = "[";
        for (size_t i = random() % 4; i != 0; --i)
            text += (text.size() == 1 ? "" : ",") + (nulls && random() % 3 == 0 ? std::string("NULL") : number());
        return text + "]";
    };
    const auto flag = [&] { return std::to_string(random() % 2); };
    const auto nullable_flag = [&] { return random() % 3 ? flag() : std::string("\\N"); };
    struct Shape
    {
        std::string name;
        std::vector<std::string> types;
    };
    const auto value = [&](const std::string & type) {
        if (type == "Array(UInt32)" || type == "Array(Nullable(UInt32))")
            return array(type != "Array(UInt32)");
        if (type == "UInt8" || type == "Nullable(UInt8)")
            return type == "UInt8" ? flag() : nullable_flag();
        return type == "UInt32" ? number() : nullable();
    };
    for (const Shape & shape : {
             Shape{"groupBitmap", {"UInt32"}},
             Shape{"groupBitmap", {"Nullable(UInt32)"}},
             Shape{"groupBitmapIf", {"UInt32", "UInt8"}},
             Shape{"groupBitmapIf", {"UInt32", "Nullable(UInt8)"}},
             Shape{"groupBitmapIf", {"Nullable(UInt32)", "UInt8"}},
             Shape{"groupBitmapIf", {"Nullable(UInt32)", "Nullable(UInt8)"}},
             Shape{"groupBitmapIfStateIf", {"Nullable(UInt32)", "UInt8", "Nullable(UInt8)"}},
             Shape{"groupBitmapOrNull", {"Nullable(UInt32)"}},
             Shape{"groupBitmapOrDefault", {"UInt32"}},
             Shape{"groupBitmapIfOrNull", {"UInt32", "UInt8"}},
             Shape{"groupBitmapOrNullIf", {"Nullable(UInt32)", "UInt8"}},
             Shape{"groupBitmapArray", {"Array(UInt32)"}},
             Shape{"groupBitmapArrayIf", {"Array(Nullable(UInt32))", "UInt8"}},
             Shape{"groupBitmapOrNullArrayIf", {"Array(UInt32)", "Nullable(UInt8)"}},
             Shape{"groupBitmapForEach", {"Array(UInt32)"}},
             Shape{"groupBitmapForEachIf", {"Array(Nullable(UInt32))", "UInt8"}},
             Shape{"countMinSketch", {"Nullable(UInt32)", "Nullable(UInt8)"}},
             Shape{"countMinSketchIf", {"Nullable(UInt32)", "UInt8", "Nullable(UInt8)"}},
             Shape{"countMinSketchArray", {"Array(UInt32)"}},
             Shape{"countMinSketchForEach", {"Array(UInt32)"}},
         })
    {
        SCOPED_TRACE(shape.name + " " + shape.types[0] + " " + shape.types.back());
        std::vector<MutableColumnPtr> owned;
        Columns columns;
        std::vector<UInt8> key(ROWS);
        for (const std::string & type : shape.types)
        {
            std::vector<std::string> rows(ROWS);
            for (std::string & row : rows)
                row = value(type);
            owned.push_back(columnFromText(*parseDataType(type), rows));
            columns.push_back(owned.back().get());
        }
        /// A condition behind the arguments, as an outer -If has it.
        auto outer = numbers<UInt8>({});
        std::vector<UInt8> null_map(ROWS);
        for (size_t row = 0; row < ROWS; ++row)
        {
            outer->getData().push_back(static_cast<UInt8>(random() % 2));
            null_map[row] = static_cast<UInt8>(random() % 2);
            key[row] = static_cast<UInt8>(random() % 5);
        }
        columns.push_back(outer.get());
        const auto outer_pos = static_cast<std::ptrdiff_t>(shape.types.size());
        const Array parameters = shape.name.starts_with("count") ? Array{UInt64{3}, UInt64{200}} : Array{};
        const AggregateFunctionPtr function = defaultAggregateFunctionFactory().get(shape.name, parseTypes(shape.types), parameters);

        constexpr size_t BEGIN = 100;
        constexpr size_t OFFSET = 32;
        const auto groups = [&](auto && feed) {
            Arena arena;
            std::vector<AggregateDataPtr> places(5);
            for (AggregateDataPtr & place : places)
            {
                place = arena.alignedAlloc(OFFSET + function->sizeOfData(), 16);
                function->create(place + OFFSET);
            }
            feed(places);
            std::string all;
            for (const AggregateDataPtr place : places)
                all += written([&](WriteBuffer & out) { function->serialize(place + OFFSET, out); }) + "|";
            function->destroyBatch(0, places.size(), places.data(), OFFSET);
            return all;
        };
        for (const bool with_condition : {false, true})
        {
            const std::string expected = groups([&](const std::vector<AggregateDataPtr> & places) {
                for (size_t row = BEGIN; row < ROWS; ++row)
                    if (key[row] != 3 && (!with_condition || outer->getData()[row]))
                        function->add(places[key[row]] + OFFSET, columns.data(), row, nullptr);
            });
            EXPECT_EQ(groups([&](const std::vector<AggregateDataPtr> & places) {
                std::vector<AggregateDataPtr> row_places(ROWS);
                for (size_t row = 0; row < ROWS; ++row)
                    row_places[row] = key[row] == 3 ? nullptr : places[key[row]];
                function->addBatch(BEGIN, ROWS, row_places.data(), OFFSET, columns.data(), nullptr, with_condition ? outer_pos : -1);
            }) == expected, true) << with_condition;
        }
        EXPECT_EQ(
            groups([&](const std::vector<AggregateDataPtr> & places) {
                for (size_t row = BEGIN; row < ROWS; ++row)
                    function->add(places[key[row]] + OFFSET, columns.data(), row, nullptr);
            })
                == groups([&](std::vector<AggregateDataPtr> & places) {
                       std::vector<AggregateDataPtr> map(256);
                       size_t made = 0;
                       const auto init = [&](AggregateDataPtr & place) {
                           ++made;
                           place = places[static_cast<size_t>(&place - map.data())];
                       };
                       function->addBatchLookupTable8(BEGIN, ROWS, map.data(), OFFSET, init, key.data(), columns.data(), nullptr);
                       EXPECT_EQ(made, 5U);
                   }),
            true);

        for (const bool with_condition : {false, true})
            for (const bool with_nulls : {false, true})
            {
                const Place by_row(*function);
                for (size_t row = BEGIN; row < ROWS; ++row)
                    if ((!with_condition || outer->getData()[row]) && (!with_nulls || !null_map[row]))
                        function->add(by_row.get(), columns.data(), row, nullptr);
                const Place batch(*function);
                const std::ptrdiff_t condition = with_condition ? outer_pos : -1;
                if (with_nulls)
                    function->addBatchSinglePlaceNotNull(BEGIN, ROWS, batch.get(), columns.data(), null_map.data(), nullptr, condition);
                else
                    function->addBatchSinglePlace(BEGIN, ROWS, batch.get(), columns.data(), nullptr, condition);
                EXPECT_EQ(batch.bytes() == by_row.bytes(), true) << with_condition << with_nulls;
            }
    }
}

TEST(Combinators, AddARunOfOneValueAtOnce)
{
    for (const CombinatorCase & c : combinatorCases())
    {
        SCOPED_TRACE(c.state_type);
        Arguments arguments(c);
        if (arguments.rows == 0)
            continue;
        const AggregateFunctionPtr function = defaultAggregateFunctionFactory().get(c.name, parseTypes(c.types));
        const Place by_row(*function);
        for (int i = 0; i < 5; ++i)
            function->add(by_row.get(), arguments.columns.data(), 0, nullptr);
        const Place run(*function);
        function->addManyDefaults(run.get(), arguments.columns.data(), 5, nullptr);
        EXPECT_EQ(run.bytes(), by_row.bytes());
        const Place nothing(*function);
        function->addManyDefaults(nothing.get(), arguments.columns.data(), 0, nullptr);
        EXPECT_EQ(nothing.bytes(), Place(*function).bytes());
    }
}

TEST(Combinators, ReadStatesInBatchesUntilTheInputEnds)
{
    for (const CombinatorCase & c : combinatorCases())
    {
        SCOPED_TRACE(c.state_type);
        const AggregateFunctionPtr function = defaultAggregateFunctionFactory().get(c.name, parseTypes(c.types));
        Arguments arguments(c);
        const std::string bytes = stateBytes(*function, arguments.columns);
        std::string input;
        for (int i = 0; i < 300; ++i)
            input += bytes;
        const auto type = std::make_shared<DataTypeAggregateFunction>(function);
        const MutableColumnPtr column = type->createColumn();
        ReadBufferFromMemory in(input);
        type->deserializeBinaryBulk(*column, in, 300);
        EXPECT_EQ(column->size(), 300U);
        EXPECT_EQ(written([&](WriteBuffer & out) { type->serializeBinaryBulk(*column, out, 0, 300); }) == input, true);
        ReadBufferFromMemory again(input);
        EXPECT_ERROR(33, "behind 300 rows", type->deserializeBinaryBulk(*column, again, 1000000000000));
        EXPECT_EQ(column->size(), 300U);
        ReadBufferFromMemory cut(std::string_view(input).substr(0, bytes.size() * 70 + bytes.size() - 1));
        /// A state of one byte cannot be cut in two.
        EXPECT_THROW(type->deserializeBinaryBulk(*column, cut, 300), Exception);
        EXPECT_EQ(column->size(), 300U);

        TrackedVector<AggregateDataPtr> places;
        Arena arena;
        const size_t stride = (function->sizeOfData() + 15) / 16 * 16;
        ReadBufferFromMemory three(std::string_view(input).substr(0, bytes.size() * 3));
        function->createAndDeserializeBatch(places, arena.alignedAlloc(stride * 10, 16), stride, 10, three);
        ASSERT_EQ(places.size(), 3U);
        const MutableColumnPtr results = function->getResultType()->createColumn();
        function->insertResultIntoBatch(0, 3, places.data(), 0, *results, nullptr);
        EXPECT_EQ(textOf(*function->getResultType(), *results, 2), c.result);
    }
}

TEST(Combinators, StatesStayBelowTheirBound)
{
    const auto bound = [](const char * name, const char * type) {
        return defaultAggregateFunctionFactory().get(name, {parseDataType(type)})->getSerializedSizeBound();
    };
    EXPECT_EQ(bound("groupBitmap", "UInt32"), std::nullopt);
    EXPECT_EQ(bound("groupBitmapForEach", "Array(UInt8)"), std::nullopt);
    EXPECT_EQ(*bound("groupBitmapOrNull", "UInt16"), *bound("groupBitmap", "UInt16") + 1);
    EXPECT_EQ(*bound("groupBitmap", "Nullable(Int8)"), *bound("groupBitmap", "Int8") + 1);

    const auto largest = [&]<typename T>(const char * type) {
        const AggregateFunctionPtr function = defaultAggregateFunctionFactory().get("groupBitmap", {parseDataType(type)});
        size_t size = 0;
        for (size_t step = 1; step < 8; ++step)
        {
            std::vector<T> values;
            for (size_t i = 0; i < size_t{1} << (8 * sizeof(T)); ++i)
                if (step == 1 || i % step != 0)
                    values.push_back(static_cast<T>(i));
            const auto column = numbers<T>(std::move(values));
            size = std::max(size, stateBytes(*function, {column.get()}).size());
        }
        EXPECT_LE(size, *function->getSerializedSizeBound()) << type;
        EXPECT_GE(2 * size, *function->getSerializedSizeBound()) << type << size;
    };
    largest.operator()<UInt8>("UInt8");
    largest.operator()<Int8>("Int8");
    largest.operator()<UInt16>("UInt16");
    largest.operator()<Int16>("Int16");
}

TEST(Combinators, OrNullBehindStateAndMergeStandsBeforeThem)
{
    /// As the engine rewrites the names (tests/interop).
    const AggregateFunctionPtr state
        = defaultAggregateFunctionFactory().get("groupBitmapIfStateOrNull", parseTypes({"Nullable(UInt8)", "UInt8"}));
    EXPECT_EQ(state->getResultType()->getName(), "AggregateFunction(groupBitmapIfOrNull, Nullable(UInt8), UInt8)");
    const MutableColumnPtr values = columnFromText(*parseDataType("Nullable(UInt8)"), {"1", "2", "\\N"});
    const MutableColumnPtr conditions = columnFromText(*parseDataType("UInt8"), {"1", "1", "1"});
    const Place place(*state);
    addRows(*state, place, {values.get(), conditions.get()}, 3);
    EXPECT_EQ(toUpperHex(place.bytes()), "010002010201");

    const DataTypePtr or_null = parseDataType("AggregateFunction(groupBitmapOrNull, UInt8)");
    const AggregateFunctionPtr merge = defaultAggregateFunctionFactory().get("groupBitmapMergeOrNull", {or_null});
    EXPECT_EQ(merge->getResultType()->getName(), "Nullable(UInt64)");
    const MutableColumnPtr states = columnFromBinary(*or_null, {std::string("\0\1\5\1", 4)});
    const Place merged(*merge);
    addRows(*merge, merged, {states.get()}, 1);
    EXPECT_EQ(resultText(*merge, merged.get()), "1");

    const DataTypePtr plain = parseDataType("AggregateFunction(groupBitmap, UInt8)");
    EXPECT_EQ(defaultAggregateFunctionFactory().get("groupBitmapMergeOrNull", {plain})->getResultType()->getName(), "Nullable(UInt64)");
}
