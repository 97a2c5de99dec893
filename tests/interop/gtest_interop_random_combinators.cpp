#include "ColumnBuilders.h"
#include "CombinatorCases.h"
#include "DifferenceChecks.h"
#include "RandomSeed.h"
#include "RequireEngine.h"

#include <statewire/DataTypes/DataTypeAggregateFunction.h>

#include <cstdio>
#include <string>
#include <vector>

/** Random chains of combinators over groupBitmap and groupBitmapAnd, Or, Xor, of every element type, over random rows, here and in the real engine:
  * the states' types and bytes, in both directions, and what they come to. gtest_interop_combinators.cpp has the cases that are worth a name.
  */

using namespace DB;
using namespace statewire_tests;

namespace
{

constexpr const char * ELEMENTS[] = {"UInt8", "UInt16", "UInt32", "UInt64", "Int8", "Int16", "Int32", "Int64"};
constexpr const char * COMBINATORS[] = {"If", "Array", "OrNull", "OrDefault", "ForEach"};

/// A function with its combinators, innermost first, and what its arguments are.
struct Chain
{
    std::string function;
    std::vector<std::string> combinators;
    std::string value_type;
    bool has_nullable_values = false;
    bool has_nullable_conditions = false;

    [[nodiscard]] std::string name() const
    {
        std::string result = function;
        for (const std::string & combinator : combinators)
            result += combinator;
        return result;
    }
    [[nodiscard]] std::vector<std::string> types() const
    {
        std::vector<std::string> result{value_type};
        for (const std::string & combinator : combinators)
            if (combinator == "If")
                result.emplace_back(has_nullable_conditions ? "Nullable(UInt8)" : "UInt8");
            else if (combinator == "Array" || combinator == "ForEach")
                for (std::string & type : result)
                    type = "Array(" + type + ")";
        return result;
    }
    [[nodiscard]] size_t count(std::string_view wanted) const
    {
        size_t found = 0;
        for (const std::string & combinator : combinators)
            found += combinator == wanted;
        return found;
    }
};

/// Literals of one row: an argument each, from `level` combinators on inwards.
std::vector<std::string> someRow(std::mt19937_64 & random, const Chain & chain, size_t level, const std::vector<std::string> & values)
{
    if (level == 0)
        return {chain.has_nullable_values && random() % 4 == 0 ? "NULL" : values[random() % values.size()]};
    const std::string & combinator = chain.combinators[level - 1];
    if (combinator == "If")
    {
        std::vector<std::string> row = someRow(random, chain, level - 1, values);
        row.emplace_back(chain.has_nullable_conditions && random() % 4 == 0 ? "NULL" : random() % 3 ? "1" : "0");
        return row;
    }
    if (combinator != "Array" && combinator != "ForEach")
        return someRow(random, chain, level - 1, values);
    std::vector<std::string> arrays;
    /// An empty array of arrays of states has no literal.
    const UInt64 size = random() % 4 + (chain.function == "groupBitmap" ? 0 : 1);
    for (UInt64 i = 0; i < std::max<UInt64>(size, 1); ++i)
    {
        const std::vector<std::string> elements = someRow(random, chain, level - 1, values);
        arrays.resize(elements.size(), "[");
        for (size_t j = 0; j < elements.size() && size != 0; ++j)
            arrays[j] += (i ? "," : "") + elements[j];
    }
    for (std::string & array : arrays)
        array += "]";
    return arrays;
}

Chain someChain(std::mt19937_64 & random, const std::string & element, bool is_combined)
{
    static constexpr const char * COMBINED[] = {"groupBitmapAnd", "groupBitmapOr", "groupBitmapXor"};
    Chain chain;
    chain.function = is_combined ? COMBINED[random() % 3] : "groupBitmap";
    chain.has_nullable_values = !is_combined && random() % 3 == 0;
    chain.has_nullable_conditions = random() % 3 == 0;
    const std::string value = is_combined ? "AggregateFunction(groupBitmap, " + element + ")" : element;
    chain.value_type = chain.has_nullable_values ? "Nullable(" + value + ")" : value;
    for (UInt64 left = random() % 4; left != 0; --left)
        chain.combinators.emplace_back(COMBINATORS[random() % std::size(COMBINATORS)]);
    return chain;
}

std::string listOf(const std::vector<std::string> & texts)
{
    std::string result;
    for (const std::string & text : texts)
        result += (result.empty() ? "" : ", ") + text;
    return result;
}

/// A value of the type as SQL. Arrays of numbers are parsed from text: the literal [[]] has no third dimension.
std::string typed(const std::string & literal, const std::string & type, bool is_combined)
{
    const bool is_text = literal.starts_with('[') && !is_combined;
    return "CAST(" + (is_text ? "'" + literal + "'" : literal) + ", '" + type + "')";
}
}

/// What is missed first depends on the chain: every one of up to three combinators, none twice in a row, is asked.
TEST(InteropRandomCombinators, RefuseToHaveNoArgumentsAsTheEngineDoes)
{
    REQUIRE_ENGINE(engine);
    std::vector<std::string> names = {"groupBitmap"};
    for (size_t i = 0; i < names.size(); ++i)
    {
        EXPECT_EQ(answerOf([&] { return defaultAggregateFunctionFactory().get(names[i], {})->getName(); }), theirs(*engine, names[i] + "()"))
            << names[i];
        for (const char * combinator : {"Array", "If", "ForEach", "OrNull", "OrDefault", "State", "Merge"})
            if (i < 1 + 7 + 7 * 6 && !names[i].ends_with(combinator))
                names.push_back(names[i] + combinator);
    }
    std::printf("%zu chains of combinators without arguments\n", names.size());
}

TEST(InteropRandomCombinators, HaveTheTypesStatesAndResultsOfTheEngine)
{
    REQUIRE_ENGINE(engine);
    std::mt19937_64 random(chosenSeed());
    size_t cases = 0;
    size_t refused = 0;
    for (int i = 0; i < 100; ++i)
    {
        const std::string element = ELEMENTS[random() % std::size(ELEMENTS)];
        const bool is_combined = random() % 4 == 0;
        const Chain chain = someChain(random, element, is_combined);
        /// docs/clickhouse.md: conditions within conditions, and combinators that only one of them has.
        if (chain.count("If") > 1)
            continue;
        const std::vector<std::string> types = chain.types();
        SCOPED_TRACE(chain.name() + "(" + listOf(types) + ")");

        /// More than 32 values somewhere, so that states of both kinds come about.
        std::vector<std::string> values;
        for (int number = 0; number < (random() % 3 == 0 ? 100 : 20); ++number)
        {
            const std::string text = std::to_string(element[0] == 'I' && random() % 3 == 0 ? -number - 1 : number);
            values.push_back(
                is_combined ? "bitmapBuild(CAST(range(" + std::to_string(number % 10) + ", " + std::to_string(number) + "), 'Array("
                        + element + ")'))"
                            : text);
        }
        std::string rows;
        const UInt64 number_of_rows = random() % 5 == 0 ? random() % 2 : 1 + random() % 60;
        for (UInt64 row = 0; row < number_of_rows; ++row)
        {
            const std::vector<std::string> fields = someRow(random, chain, chain.combinators.size(), values);
            std::vector<std::string> columns;
            for (size_t j = 0; j < fields.size(); ++j)
                columns.push_back(typed(fields[j], types[j], is_combined) + " AS a" + std::to_string(j));
            rows += (row ? " UNION ALL SELECT " : "SELECT ") + listOf(columns);
        }
        if (rows.empty())
        {
            std::vector<std::string> columns;
            for (size_t j = 0; j < types.size(); ++j)
                columns.push_back("a" + std::to_string(j) + " " + types[j]);
            rows = "SELECT * FROM null('" + listOf(columns) + "')";
        }

        /// The rows themselves come from the engine as RowBinary, as a column each.
        std::vector<std::string> names;
        std::vector<MutableColumnPtr> owned;
        Columns columns;
        DataTypes argument_types;
        for (const std::string & type : types)
        {
            names.push_back("a" + std::to_string(names.size()));
            argument_types.push_back(parseDataType(type));
            owned.push_back(argument_types.back()->createColumn());
        }
        AggregateFunctionPtr function;
        std::string our_error;
        try
        {
            function = defaultAggregateFunctionFactory().get(chain.name(), argument_types);
        }
        catch (const Exception & e)
        {
            our_error = e.displayText();
        }
        const std::string call = chain.name() + "State(" + listOf(names) + ")";
        engine->query("CREATE OR REPLACE TABLE random_rows ENGINE = Memory AS " + rows);
        std::string their_type;
        try
        {
            their_type = engine->query("SELECT toTypeName(" + call + ") FROM random_rows");
        }
        catch (const std::runtime_error & e)
        {
            EXPECT_NE(our_error, "") << "only the engine refuses: " << e.what();
            ++refused;
            continue;
        }
        ASSERT_EQ(our_error, "") << "only here";
        const std::string bytes = engine->query("SELECT * FROM random_rows", "RowBinary");
        ReadBufferFromMemory in(bytes);
        while (!in.eof())
            for (size_t j = 0; j < owned.size(); ++j)
                argument_types[j]->deserializeBinary(*owned[j], in);
        for (const MutableColumnPtr & column : owned)
            columns.push_back(column.get());

        const DataTypePtr state_type = defaultAggregateFunctionFactory().get(chain.name() + "State", argument_types)->getResultType();
        const auto & state_function = *static_cast<const DataTypeAggregateFunction &>(*state_type).getFunction();
        const std::string our_state = stateBytes(state_function, columns);
        const auto finalized
            = [&](const std::string & hex) { return "finalizeAggregation(CAST(unhex('" + hex + "') AS " + state_type->getName() + "))"; };

        /// docs/clickhouse.md: states of groupBitmapAnd, Or and Xor have other types there.
        if (!is_combined)
        {
            /// Theirs, read and written here, which puts small states into our order.
            const std::string their_state = engine->query("SELECT " + call + " FROM random_rows", "RowBinary");
            EXPECT_EQ(toUpperHex(our_state), toUpperHex(binaryOf(*state_type, *columnFromBinary(*state_type, {their_state}), 0)));
            EXPECT_EQ(state_type->getName() + "\n", their_type);
            /// Ours, read and written by the engine.
            EXPECT_EQ(
                engine->query("SELECT hex(CAST(unhex('" + toUpperHex(our_state) + "') AS " + state_type->getName() + "))"),
                toUpperHex(our_state) + "\n");
            EXPECT_EQ(
                engine->query("SELECT " + finalized(toUpperHex(our_state)), "TSV"),
                engine->query("SELECT " + finalized(toUpperHex(their_state)), "TSV"));
        }
        const Place place(*function);
        addRows(*function, place, columns, columns[0]->size());
        const MutableColumnPtr result = function->getResultType()->createColumn();
        Arena arena;
        function->insertResultInto(place.get(), *result, &arena);
        EXPECT_EQ(
            textOf(*function->getResultType(), *result, 0) + "\n", engine->query("SELECT " + finalized(toUpperHex(our_state)), "TSV"));
        /// docs/clickhouse.md: behind -If the engine's -OrNull and -OrDefault give another result than their states.
        if (chain.count("If") == 0 || chain.count("OrNull") + chain.count("OrDefault") == 0)
        {
            EXPECT_EQ(
                engine->query("SELECT " + chain.name() + "(" + listOf(names) + ") FROM random_rows", "TSV"),
                engine->query("SELECT " + finalized(toUpperHex(our_state)), "TSV"));
        }
        ++cases;
    }
    engine->query("DROP TABLE random_rows");
    std::printf("%zu chains of combinators, %zu refused by both\n", cases, refused);
    EXPECT_GT(cases, 50u);
}
