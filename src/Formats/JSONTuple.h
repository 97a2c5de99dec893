#pragma once

#include "../Columns/ColumnTuple.h"
#include "../DataTypes/DataTypeTuple.h"
#include "JSONText.h"

namespace DB::inline statewire
{

/// A tuple in JSON: an object where the elements have names, an array otherwise.
void serializeJSONTuple(
    const DataTypeTuple & type, const ColumnTuple & column, size_t row, WriteBuffer & out, const FormatSettings & settings);
/// Both forms are read. In an object the elements come in any order, once; those that are missing are defaults. On an error the column is as it was.
void deserializeJSONTuple(const DataTypeTuple & type, ColumnTuple & column, JSONReader & reader, const FormatSettings & settings);

}
