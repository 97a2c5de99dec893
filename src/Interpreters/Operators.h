#pragma once

#include "../Functions/IFunction.h"

#include <string_view>

namespace DB::inline statewire
{

/** What the operators of a query call, under ClickHouse's names: equals, notEquals, less, lessOrEquals, greater, greaterOrEquals, and, or,
 * not, in, notIn, isNull, isNotNull. All give UInt8, 0 or 1, or Nullable(UInt8) where an argument is Nullable. And plus, minus and multiply of
 * numbers, which give ClickHouse's types: the next larger one, up to 64 bits, signed for minus and where an argument is; Float64 with a float.
 * Integers wrap around. nullptr for other names.
 *
 * Numbers of different types compare by value, exactly (UInt64 with Int64, integers with floats); NaN equals nothing. Strings compare by
 * bytes, arrays element by element and then by length. `in` takes the value and then the elements of the list, which are constants.
 * NULL compares as NULL, and calculates as NULL, of the type Nullable(Nothing) where an argument is a literal NULL; AND, OR and NOT have three
 * values; isNull and isNotNull always know.
 * Errors: as IFunction; ILLEGAL_TYPE_OF_ARGUMENT for types that do not compare with each other, and for states.
 */
[[nodiscard]] FunctionPtr tryGetOperator(std::string_view name);
/// Whether AND, OR, NOT and WHERE take it: an integer, Nullable or not, or a literal NULL.
[[nodiscard]] bool isTruthValue(const DataTypePtr & type) noexcept;

}
