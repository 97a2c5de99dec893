#pragma once

#include <gtest/gtest.h>

#include <statewire/AggregateFunctions/AggregateFunctionFactory.h>
#include <statewire/Columns/ColumnAggregateFunction.h>
#include <statewire/Common/Exception.h>
#include <statewire/DataTypes/DataTypeAggregateFunction.h>
#include <statewire/Formats/FormatFactory.h>
#include <statewire/IO/ReadBufferFromMemory.h>
#include <statewire/IO/WriteBufferFromVector.h>
#include <statewire/Interpreters/ExpressionParser.h>

#include <string>
#include <string_view>
#include <vector>

/** Tables as text: what tests of formats, aggregation and expressions have in common. */
namespace statewire_tests
{

inline DB::NamesAndTypes structureOf(std::string_view text) { return DB::parseStructure(text, DB::defaultAggregateFunctionFactory()); }

/// All blocks of an input.
inline std::vector<DB::Block> readBlocks(
    std::string_view format,
    DB::ReadBuffer & in,
    std::optional<DB::NamesAndTypes> structure = std::nullopt,
    const DB::FormatSettings & settings = {})
{
    const auto reader = DB::createInputFormat(format, in, std::move(structure), settings);
    std::vector<DB::Block> blocks;
    DB::Block block;
    while (reader->read(block))
        blocks.push_back(block);
    return blocks;
}

inline std::vector<DB::Block>
readBlocks(std::string_view format, std::string_view bytes, std::optional<DB::NamesAndTypes> structure = std::nullopt)
{
    DB::ReadBufferFromMemory in(bytes);
    return readBlocks(format, in, std::move(structure));
}

inline std::string writeBlocks(std::string_view format, const DB::NamesAndTypes & structure, const std::vector<DB::Block> & blocks)
{
    std::string bytes;
    DB::WriteBufferFromString out(bytes);
    const auto writer = DB::createOutputFormat(format, out, structure);
    for (const DB::Block & block : blocks)
        writer->write(block);
    writer->finalize();
    out.finalize();
    return bytes;
}

/// One block from TabSeparated rows.
inline DB::Block blockOf(std::string_view structure, std::string_view rows)
{
    std::vector<DB::Block> blocks = readBlocks("TabSeparated", rows, structureOf(structure));
    return blocks.empty() ? DB::Block() : blocks.at(0);
}

/// The rows of blocks as TabSeparated.
inline std::string rowsOf(const std::vector<DB::Block> & blocks)
{
    return blocks.empty() ? std::string() : writeBlocks("TabSeparated", blocks[0].getNamesAndTypes(), blocks);
}

/// The code and the text of what f throws; code 0 when it does not.
struct Caught
{
    int code = 0;
    std::string text;
};

template <typename F>
Caught caught(F && f)
{
    try
    {
        f();
    }
    catch (const DB::Exception & e)
    {
        return { e.code(), e.displayText() };
    }
    return {};
}

}
