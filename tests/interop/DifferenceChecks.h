#pragma once

#include "AggregationTests.h"
#include "ColumnBuilders.h"
#include "Vectors.h"
#include "engine/Engine.h"

#include <functional>
#include <map>
#include <string>

/** Checks of rows of the table of differences in docs/clickhouse.md: answers of both sides as text, `error N` for an error. */
namespace statewire_tests
{

using namespace DB; // NOLINT(google-build-using-namespace): for these tests alone

/// What the engine and we answer for one row, by the row's first cell.
using Check = std::function<void(Engine &)>;
std::map<std::string, Check> checksOfText();

inline const std::string BITMAP32 = "AggregateFunction(groupBitmap, UInt32)";
inline const std::string BITMAP8 = "AggregateFunction(groupBitmap, UInt8)";

inline std::string codeOf(const std::string & error)
{
    const size_t at = error.find("Code: ");
    return at == std::string::npos ? error : "error " + std::to_string(std::strtol(error.c_str() + at + 6, nullptr, 10));
}

inline std::string withoutLineFeed(std::string text)
{
    while (text.ends_with('\n'))
        text.pop_back();
    return text;
}

template <typename F>
std::string answerOf(F && f)
{
    try
    {
        return withoutLineFeed(f());
    }
    catch (const std::exception & e)
    {
        const auto * ours = dynamic_cast<const Exception *>(&e);
        return codeOf(ours ? ours->displayText() : e.what());
    }
}

/// The engine's answer to `SELECT ...`.
inline std::string theirs(Engine & engine, const std::string & sql)
{
    return answerOf([&] { return engine.query("SELECT " + sql, "TSV"); });
}

/// The engine's reading of these bytes as a state of the type.
inline std::string stateOf(const std::string & hex, const std::string & type = BITMAP32)
{
    return "CAST(unhex('" + hex + "') AS " + type + ")";
}

/// Our answer over the rows.
inline std::string ours(const std::string & expression, const std::string & structure = "k UInt8", const std::string & rows = "0\n")
{
    return answerOf([&] { return ask(expression, readBlocks("TabSeparated", rows, structureOf(structure))); });
}

/// Our answer about a column `s` of one state, or one value, of these bytes.
inline std::string ofBytes(const std::string & hex, const std::string & expression, const std::string & type = BITMAP32)
{
    return answerOf([&] { return ask(expression, readBlocks("RowBinary", fromHex(hex), structureOf("s " + type))); });
}

/// Our rows of a text, as TabSeparated.
inline std::string ofText(const std::string & format, const std::string & structure, const std::string & text)
{
    return answerOf([&] { return rowsOf(readBlocks(format, text, structureOf(structure))); });
}

/// The engine's, with the text as it stands.
inline std::string theirsOfText(Engine & engine, const std::string & format, const std::string & structure, const std::string & text)
{
    return theirs(engine, "* FROM format(" + format + ", '" + structure + "', unhex('" + toHex(text) + "'))");
}

/// Our aggregate function over the rows of all columns, and a question about its result `r`.
inline std::string
aggregated(const std::string & structure, const std::string & rows, const std::string & function, const std::string & question = "r")
{
    return answerOf([&] {
        const Block block = blockOf(structure, rows);
        DataTypes types;
        Columns columns;
        for (size_t i = 0; i < block.columns(); ++i)
        {
            types.push_back(block.getByPosition(i).type);
            columns.push_back(block.getByPosition(i).column.get());
        }
        const AggregateFunctionPtr aggregate = defaultAggregateFunctionFactory().get(function, types);
        const Place place(*aggregate);
        addRows(*aggregate, place, columns, block.rows());
        MutableColumnPtr result = aggregate->getResultType()->createColumn();
        Arena arena;
        aggregate->insertResultInto(place.get(), *result, &arena);
        Block answer;
        answer.insert({std::move(result), aggregate->getResultType(), "r"});
        return ask(question, {answer});
    });
}

}
