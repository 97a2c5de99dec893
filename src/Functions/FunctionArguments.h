#pragma once

#include "../Columns/ColumnAggregateFunction.h"
#include "../Columns/ColumnVector.h"
#include "IFunction.h"

#include <algorithm>
#include <new>
#include <string_view>

/** What functions ask of their arguments, and loops over rows that compute a constant call once. */
namespace DB::inline statewire
{

/// NUMBER_OF_ARGUMENTS_DOESNT_MATCH unless there are exactly `expected`.
void requireArguments(std::string_view function, const DataTypes & types, size_t expected);

/// ILLEGAL_TYPE_OF_ARGUMENT: `Argument 2 of function bitmapAnd must be <expected>, not <type>`. `index` counts from 0.
[[noreturn]] void throwIllegalArgument(std::string_view function, size_t index, std::string_view expected, const IDataType & type);

/// The element type of a bitmap, a state of groupBitmap or of groupBitmapAnd, Or, Xor; ILLEGAL_TYPE_OF_ARGUMENT for other types.
[[nodiscard]] TypeIndex requireBitmap(std::string_view function, const DataTypes & types, size_t index);
/// The same for the arguments of a call whose types were accepted before.
[[nodiscard]] TypeIndex bitmapElementType(const ColumnWithType & argument);

/// A column of states as objects. `State` is what the function of the column's type keeps at its places.
template <typename State>
class StatesArgument
{
public:
    explicit StatesArgument(const ColumnWithType & argument_)
        : argument(argument_), column(static_cast<const ColumnAggregateFunction &>(*argument_.column))
    {
    }
    [[nodiscard]] const State & operator[](size_t row) const noexcept
    {
        return *std::launder(reinterpret_cast<const State *>(column[argument.at(row)]));
    }

private:
    const ColumnWithType & argument;
    const ColumnAggregateFunction & column;
};

/// An integer of any width: its two's complement bits, sign-extended to 64.
struct WideInteger
{
    UInt64 bits;
    bool is_negative;
};

/// The value in row `row` of an argument of an integer type.
[[nodiscard]] WideInteger integerAt(const ColumnWithType & argument, size_t row);

/// The value in row `row` of an argument of a number's type.
[[nodiscard]] Float64 numberAsFloat(const ColumnWithType & argument, size_t row);

/// How many different rows a call has: one when all its arguments are constant.
[[nodiscard]] inline size_t distinctRows(const ColumnsWithTypes & arguments, size_t rows) noexcept
{
    const bool constant = std::all_of(arguments.begin(), arguments.end(), [](const ColumnWithType & a) { return a.is_constant; });
    return constant ? std::min<size_t>(rows, 1) : rows;
}

/// A column of the numbers f(row).
template <typename Result, typename F>
[[nodiscard]] ColumnPtr makeNumbers(const ColumnsWithTypes & arguments, size_t rows, F && f)
{
    auto column = std::make_shared<ColumnVector<Result>>();
    auto & data = column->getData();
    data.reserve(rows);
    for (size_t row = 0; row < distinctRows(arguments, rows); ++row)
        data.push_back(f(row));
    if (data.size() < rows)
        data.resize(rows, data.front());
    return column;
}

}
