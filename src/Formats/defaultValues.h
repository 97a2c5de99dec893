#pragma once

#include "FormatSettings.h"

#include "../Columns/IColumn.h"
#include "../DataTypes/IDataType.h"

namespace DB::inline statewire
{

/// Appends what NULL in a text stands for in a column of this type. Where that is nothing: INCORRECT_DATA.
void insertNullValue(const IDataType & type, IColumn & column, const FormatSettings & settings);

}
