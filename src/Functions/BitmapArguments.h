#pragma once

#include "../AggregateFunctions/AggregateFunctionFactory.h"
#include "../AggregateFunctions/RoaringBitmapState.h"
#include "../DataTypes/DataTypeNumber.h"
#include "../DataTypes/dispatchNumber.h"
#include "FunctionArguments.h"

#include <limits>
#include <optional>

/** What the bitmap functions share: element types, numbers for elements, and columns of new bitmaps. */
namespace DB::inline statewire
{

/// groupBitmap(T).
[[nodiscard]] inline AggregateFunctionPtr bitmapFunction(const DataTypePtr & element)
{
    return defaultAggregateFunctionFactory().get("groupBitmap", {element});
}
[[nodiscard]] inline AggregateFunctionPtr bitmapFunction(TypeIndex element)
{
    DataTypePtr type;
    dispatchInteger(element, [&]<typename T>() { type = std::make_shared<DataTypeNumber<T>>(); });
    return bitmapFunction(type);
}

/// A column of the bitmaps f(row), each a RoaringBitmapState<T>.
template <typename T, typename F>
[[nodiscard]] ColumnPtr makeBitmaps(const ColumnsWithTypes & arguments, size_t rows, F && f)
{
    auto result = std::make_shared<ColumnAggregateFunction>(bitmapFunction(std::make_shared<DataTypeNumber<T>>()));
    const size_t distinct = distinctRows(arguments, rows);
    for (size_t row = 0; row < distinct; ++row)
    {
        RoaringBitmapState<T> bitmap = f(row);
        bitmap.seal();
        *std::launder(reinterpret_cast<RoaringBitmapState<T> *>(result->insertState())) = std::move(bitmap);
    }
    for (size_t row = distinct; row < rows; ++row)
        result->insertFrom(*result, 0);
    return result;
}

/// ILLEGAL_TYPE_OF_ARGUMENT unless the argument's type is an integer; with `is_unsigned`, an unsigned one.
void requireInteger(std::string_view function, const DataTypes & types, size_t index, bool is_unsigned);

/** What a number means to bitmaps of T, as in ClickHouse the value of T with the same bits: 255 is Int8 -1. A negative number is that
  * value of T. Gives the number of the value as BitmapFunctions takes it; nothing for what T cannot hold in either way.
  */
template <typename T>
[[nodiscard]] std::optional<UInt64> bitmapNumber(WideInteger x) noexcept
{
    using Unsigned = std::make_unsigned_t<T>;
    if (!x.is_negative)
        return x.bits <= std::numeric_limits<Unsigned>::max() ? std::optional(x.bits) : std::nullopt;
    const auto value = static_cast<T>(x.bits);
    if (!std::is_signed_v<T> || static_cast<UInt64>(value) != x.bits)
        return std::nullopt;
    return static_cast<Unsigned>(value);
}

}
