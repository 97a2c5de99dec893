#pragma once

#include "../AggregateFunctions/IAggregateFunction.h"

#include <string>

namespace DB::inline statewire
{

/// Parameters of an aggregate function as type names have them: "(5, 2719)"; nothing without parameters.
[[nodiscard]] std::string printParameters(const Array & parameters);

}
