#include "ColumnBuilders.h"
#include "CombinatorCases.h"
#include "engine/Engine.h"

#include <statewire/DataTypes/DataTypeAggregateFunction.h>

#include <cstdio>

/** The combinators over groupBitmap between this library and the real engine: type names, state bytes and results, both directions. */

using namespace DB;
using namespace statewire_tests;

namespace
{

/// `a0 T0, a1 T1` and the rows as a table of the engine.
std::string tableOf(const CombinatorCase & c)
{
    std::string structure;
    for (size_t i = 0; i < c.types.size(); ++i)
        structure += (i ? ", a" : "a") + std::to_string(i) + " " + c.types[i];
    std::string rows;
    for (size_t row = 0; row < c.rows[0].size(); ++row)
        for (size_t i = 0; i < c.types.size(); ++i)
            rows += c.rows[i][row] + (i + 1 == c.types.size() ? "\n" : "\t");
    if (rows.empty())
        return "(SELECT * FROM null('" + structure + "'))";
    std::string quoted;
    for (const char byte : rows)
        quoted += byte == '\\' ? "\\\\" : std::string(1, byte);
    return "format(TSV, '" + structure + "', '" + quoted + "')";
}

std::string argumentsOf(const CombinatorCase & c)
{
    std::string arguments = "(";
    for (size_t i = 0; i < c.types.size(); ++i)
        arguments += (i ? ", a" : "a") + std::to_string(i);
    return arguments + ")";
}

DataTypePtr stateTypeOf(const CombinatorCase & c)
{
    DataTypes types;
    for (const std::string & name : c.types)
        types.push_back(parseDataType(name));
    return defaultAggregateFunctionFactory().get(c.name + "State", types)->getResultType();
}

}

TEST(InteropCombinators, TheEngineGivesTheTypesStatesAndResultsOfTheTable)
{
    Engine * engine = Engine::shared();
    if (!engine)
        GTEST_SKIP();
    size_t cases = 0;
    for (const CombinatorCase & c : combinatorCases())
    {
        SCOPED_TRACE(c.state_type);
        const std::string state = c.name + "State" + argumentsOf(c);
        EXPECT_EQ(
            engine->query(
                "SELECT toTypeName(" + state + "), hex(" + state + "), " + c.name + argumentsOf(c) + " FROM " + tableOf(c), "TSV"),
            "AggregateFunction(" + c.state_type + ")\t" + c.state_hex + "\t" + c.result + "\n");
        EXPECT_EQ(stateTypeOf(c)->getName(), "AggregateFunction(" + c.state_type + ")");
        ++cases;
    }
    std::printf("InteropCombinators: %zu cases\n", cases);
}

TEST(InteropCombinators, TheEngineMergesStatesOfTheLibrary)
{
    Engine * engine = Engine::shared();
    if (!engine)
        GTEST_SKIP();
    for (const CombinatorCase & c : combinatorCases())
    {
        SCOPED_TRACE(c.state_type);
        std::vector<MutableColumnPtr> owned;
        Columns columns;
        for (size_t i = 0; i < c.types.size(); ++i)
        {
            owned.push_back(columnFromText(*parseDataType(c.types[i]), c.rows[i]));
            columns.push_back(owned.back().get());
        }
        const DataTypePtr type = stateTypeOf(c);
        const std::string bytes = stateBytes(*static_cast<const DataTypeAggregateFunction &>(*type).getFunction(), columns);
        const std::string cast = "CAST(unhex('" + toUpperHex(bytes) + "') AS " + type->getName() + ")";
        EXPECT_EQ(engine->query("SELECT finalizeAggregation(" + cast + ")", "TSV"), c.result + "\n");
        EXPECT_EQ(
            engine->query("SELECT " + c.name + "Merge(s), hex(" + c.name + "MergeState(s)) FROM (SELECT " + cast + " AS s FROM numbers(3))", "TSV"),
            c.result + "\t" + c.state_hex + "\n");
    }
}

TEST(InteropCombinators, TheLibraryReadsStatesOfTheEngine)
{
    Engine * engine = Engine::shared();
    if (!engine)
        GTEST_SKIP();
    for (const CombinatorCase & c : combinatorCases())
    {
        SCOPED_TRACE(c.state_type);
        const std::string bytes = engine->query("SELECT " + c.name + "State" + argumentsOf(c) + " FROM " + tableOf(c), "RowBinary");
        const DataTypePtr type = stateTypeOf(c);
        const MutableColumnPtr column = columnFromBinary(*type, {bytes});
        const AggregateFunctionPtr merge = defaultAggregateFunctionFactory().get(c.name + "Merge", {type});
        const Place place(*merge);
        addRows(*merge, place, {column.get()}, 1);
        const MutableColumnPtr result = merge->getResultType()->createColumn();
        merge->insertResultInto(place.get(), *result, nullptr);
        EXPECT_EQ(textOf(*merge->getResultType(), *result, 0), c.result);
        EXPECT_EQ(toUpperHex(binaryOf(*type, *column, 0)), c.state_hex);
    }
}

TEST(InteropCombinators, WhoseAnswersDifferGiveBothAsListed)
{
    Engine * engine = Engine::shared();
    if (!engine)
        GTEST_SKIP();
    /// docs/clickhouse.md: -OrNull right behind -If. Where no row passes the condition, the engine's result is not that of its state.
    EXPECT_EQ(
        engine->query(
            "SELECT groupBitmapIfOrNull(toUInt32(number), 0), finalizeAggregation(groupBitmapIfOrNullState(toUInt32(number), 0)) FROM numbers(3)",
            "TSV"),
        "\\N\t0\n");
    /// -If around -OrDefault around -If: the engine counts 3, whose inner condition is 0.
    EXPECT_EQ(
        engine->query(
            "SELECT groupBitmapIfOrDefaultIf(x, c, d) FROM values('x UInt32, c UInt8, d UInt8', (1, 1, 1), (2, 1, 0), (3, 0, 1))", "TSV"),
        "2\n");
    /// -MergeOrNull over states that were not made by -OrNull.
    EXPECT_THROW(engine->query("SELECT groupBitmapMergeOrNull(s) FROM (SELECT groupBitmapState(1) AS s)", "TSV"), std::runtime_error);
    EXPECT_EQ(
        engine->query("SELECT toTypeName(CAST(unhex('0000') AS AggregateFunction(groupBitmap, LowCardinality(UInt32))))", "TSV"),
        "AggregateFunction(groupBitmap, LowCardinality(UInt32))\n");
    EXPECT_EQ(parseDataType("AggregateFunction(groupBitmap, LowCardinality(UInt32))")->getName(), "AggregateFunction(groupBitmap, UInt32)");
}

TEST(InteropCombinators, OrNullBehindStateAndMergeStandsBeforeThem)
{
    Engine * engine = Engine::shared();
    if (!engine)
        GTEST_SKIP();
    EXPECT_EQ(
        engine->query(
            "SELECT toTypeName(groupBitmapIfStateOrNull(x, 1)), hex(groupBitmapIfStateOrNull(x, 1)) FROM values('x Nullable(UInt8)', 1, 2, "
            "NULL)",
            "TSV"),
        "AggregateFunction(groupBitmapIfOrNull, Nullable(UInt8), UInt8)\t010002010201\n");
    EXPECT_EQ(
        engine->query(
            "SELECT toTypeName(groupBitmapMergeOrNull(s)), groupBitmapMergeOrNull(s) FROM (SELECT groupBitmapOrNullState(1) AS s)", "TSV"),
        "Nullable(UInt8)\t1\n");
}
