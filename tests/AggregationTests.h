#pragma once

#include "FormatTests.h"

#include <statewire/AggregateFunctions/AggregateFunctionFactory.h>
#include <statewire/Functions/FunctionFactory.h>
#include <statewire/Interpreters/Aggregator.h>
#include <statewire/Interpreters/ExpressionList.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

/** Aggregations as text: what the tests of the aggregator share. */
namespace statewire_tests
{

inline std::vector<DB::AggregateDescription> describe(std::string_view aggregates, const DB::NamesAndTypes & structure)
{
    std::vector<DB::AggregateDescription> result;
    for (const DB::AggregateNode & node : DB::parseAggregates(aggregates))
    {
        DB::DataTypes types;
        for (const std::string & argument : node.argument_names)
            types.push_back(structure.at(DB::findName(structure, argument).value()).type);
        result.push_back(
            {DB::defaultAggregateFunctionFactory().get(node.function, types, node.parameters), node.argument_names, node.result_name});
    }
    return result;
}

inline DB::Aggregator aggregatorFor(std::string_view structure, std::string_view keys, std::string_view aggregates)
{
    const DB::NamesAndTypes columns = structureOf(structure);
    const std::vector<std::string> names = DB::parseNames(keys);
    DB::NamesAndTypes key_columns(names.size());
    for (size_t i = 0; i < names.size(); ++i)
        key_columns[i] = columns.at(DB::findName(columns, names[i]).value());
    return DB::Aggregator(std::move(key_columns), describe(aggregates, columns));
}

inline std::vector<DB::Block>
resultOf(const DB::Aggregator & aggregator, DB::AggregatedData & data, const DB::Aggregator::OutputLimits & limits = {})
{
    std::vector<DB::Block> blocks;
    aggregator.convertToBlocks(data, limits, [&](const DB::Block & block) { blocks.push_back(block); });
    return blocks;
}

/// Evaluates expressions over blocks and prints the rows.
inline std::string ask(std::string_view query, const std::vector<DB::Block> & blocks)
{
    DB::FunctionFactory functions;
    registerFunctions(functions);
    std::vector<DB::Block> results;
    for (const DB::Block & block : blocks)
        results.push_back(DB::ExpressionList(DB::parseExpressions(query), block.getNamesAndTypes(), functions).execute(block));
    return rowsOf(results);
}

/// Reads states back from their bytes, so that columns own nothing but what they read.
inline std::vector<DB::Block> throughBytes(const std::vector<DB::Block> & blocks)
{
    return readBlocks("Native", writeBlocks("Native", blocks.at(0).getNamesAndTypes(), blocks));
}

inline std::string arrayText(const std::set<DB::UInt32> & values)
{
    std::string text = "[";
    for (const DB::UInt32 value : values)
        text += (text.size() > 1 ? "," : "") + std::to_string(value);
    return text + "]";
}

}
