#pragma once

#include "../Columns/IColumn.h"
#include "../DataTypes/IDataType.h"

#include <memory>
#include <string>
#include <vector>

namespace DB::inline statewire
{

/// An argument: a column with one value a row, or, when it is constant, a column of exactly one value that stands for every row.
struct ColumnWithType
{
    ColumnPtr column;
    DataTypePtr type;
    bool is_constant = false;

    /// Where the value of row `row` is in `column`.
    [[nodiscard]] size_t at(size_t row) const noexcept { return is_constant ? 0 : row; }
};

using ColumnsWithTypes = std::vector<ColumnWithType>;

/** A scalar function: one result a row from the argument columns.
  *
  * Immutable and shared by threads. The result is a full column of `rows` values, of the type that getReturnType gave for the same
  * argument types; it borrows nothing from the arguments.
  * Errors: NUMBER_OF_ARGUMENTS_DOESNT_MATCH and ILLEGAL_TYPE_OF_ARGUMENT from getReturnType; from execute what values can do wrong.
  *     execute may be called only after getReturnType accepted the types.
  */
class IFunction
{
public:
    virtual ~IFunction() = default;
    IFunction() = default;
    IFunction(const IFunction &) = delete;
    IFunction & operator=(const IFunction &) = delete;

    [[nodiscard]] virtual std::string getName() const = 0;
    [[nodiscard]] virtual DataTypePtr getReturnType(const DataTypes & argument_types) const = 0;
    [[nodiscard]] virtual ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const = 0;
};

using FunctionPtr = std::shared_ptr<const IFunction>;

}
