#pragma once

#include "IFunction.h"

namespace DB::inline statewire
{

/** Lets a function of values take Nullable arguments, as ClickHouse does: the result is Nullable where an argument is, and NULL in the rows in
  * which one is NULL; for these rows the function is not called. A result that cannot be inside Nullable (a state, an array, a tuple) keeps its
  * type and is computed with the default, 0 or the empty string, in the place of NULL. A literal NULL, Nullable(Nothing), is the result itself.
  *
  * Errors: those of the function.
  * Threads: immutable and shared, as every function.
  */
class FunctionOverNulls final : public IFunction
{
public:
    explicit FunctionOverNulls(FunctionPtr nested_) : nested(std::move(nested_)) { }

    [[nodiscard]] std::string getName() const override { return nested->getName(); }
    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & types) const override;
    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override;

private:
    FunctionPtr nested;
};

/// Whether the value of row `row` is NULL.
[[nodiscard]] bool isNullAt(const ColumnWithType & argument, size_t row);
[[nodiscard]] bool anyArgumentIsNullable(const ColumnsWithTypes & arguments) noexcept;
/// The columns inside Nullable ones, which they keep alive; other arguments as they are.
[[nodiscard]] ColumnsWithTypes valuesOf(const ColumnsWithTypes & arguments);

}
