#pragma once

#include "FormatTests.h"
#include "engine/Engine.h"
#include "linesOf.h"

#include <statewire/DataTypes/backQuote.h>

#include <string>
#include <string_view>
#include <vector>

/** Tables of the engine whose parts are read. */
namespace statewire_tests
{

/// The columns of a structure as CREATE TABLE takes them, each with the codec.
inline std::string columnsWithCodec(std::string_view structure, const std::string & codec)
{
    std::string columns;
    for (const DB::NameAndType & column : structureOf(structure))
        columns += (columns.empty() ? "" : ", ") + DB::backQuoteIfNeed(column.name) + " " + column.type->getName() + " CODEC(" + codec + ")";
    return columns;
}

/// The folders of a table's parts, in the order in which their rows came.
inline std::vector<std::string> partPaths(Engine & engine, const std::string & table)
{
    return linesOf(engine.query(
        "SELECT path FROM system.parts WHERE active AND database = currentDatabase() AND table = '" + table + "' ORDER BY min_block_number"));
}

}
