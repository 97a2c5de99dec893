#pragma once

#include "../Columns/IColumn.h"
#include "../DataTypes/IDataType.h"

#include <string>

namespace DB::inline statewire
{

/// The bytes of one value as the type serializes it: what text formats take for a string when it is a state.
[[nodiscard]] std::string stateBytes(const IDataType & type, const IColumn & column, size_t row);

}
