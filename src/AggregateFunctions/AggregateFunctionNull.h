#pragma once

#include "IAggregateFunction.h"

namespace DB::inline statewire
{

/** The function `nested` over arguments some of which may be NULL; a row with a NULL is passed over. `nullable_types` are the argument
  * types of `nested`, with Nullable around some of them; without any, the result is `nested` itself.
  *
  * The name stays. Where the result can be Nullable, it is, and NULL when no value was seen; the state then starts with a byte: 0 when no
  * value was seen, and nothing follows; or 1 and the nested state. Otherwise the state is the nested one.
  */
[[nodiscard]] AggregateFunctionPtr addNullHandling(const AggregateFunctionPtr & nested, const DataTypes & nullable_types);

/// The same without asking the function for a way of its own (getOwnNullAdapter). `always_with_byte` as ClickHouse has it where -OrNull or -OrDefault
/// stands behind -If: where the result cannot be Nullable, a byte of 1 stands before the state nevertheless; 0 is read as a state that was never fed.
[[nodiscard]] AggregateFunctionPtr
addCommonNullHandling(const AggregateFunctionPtr & nested, const DataTypes & nullable_types, bool always_with_byte = false);

}
