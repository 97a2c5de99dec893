#pragma once

#include "../AggregateFunctions/AggregateFunctionCountMinSketch.h"
#include "../AggregateFunctions/CountMinSketchState.h"
#include "../DataTypes/DataTypeAggregateFunction.h"
#include "../DataTypes/DataTypeNumber.h"
#include "FunctionArguments.h"

#include <new>
#include <optional>

/** What functions over count-min sketches ask of their arguments' types. */
namespace DB::inline statewire
{

/// Nothing for types that are no sketches.
[[nodiscard]] inline std::optional<CountMinSketchArguments> sketchArgumentsOf(const IDataType & type)
{
    if (type.getTypeId() != TypeIndex::AggregateFunction)
        return std::nullopt;
    return countMinSketchArguments(*static_cast<const DataTypeAggregateFunction &>(type).getFunction());
}

/// ILLEGAL_TYPE_OF_ARGUMENT unless argument `index` is a sketch.
[[nodiscard]] inline CountMinSketchArguments requireSketch(std::string_view function, const DataTypes & types, size_t index)
{
    const std::optional<CountMinSketchArguments> sketch = sketchArgumentsOf(*types[index]);
    if (!sketch)
        throwIllegalArgument(function, index, "a count-min sketch, AggregateFunction(countMinSketch(...), ...)", *types[index]);
    return *sketch;
}

/// The function behind a sketch's type, without combinators.
[[nodiscard]] inline const IAggregateFunction & sketchFunctionOf(const IDataType & type)
{
    return static_cast<const DataTypeAggregateFunction &>(type).getFunction()->getBaseAggregateFunctionWithSameStateRepresentation();
}

/// UInt64, Int64 or Float64.
[[nodiscard]] inline DataTypePtr weightType(TypeIndex weight)
{
    DataTypePtr type;
    dispatchCountMinWeight(weight, [&]<typename W>() { type = std::make_shared<DataTypeNumber<W>>(); });
    return type;
}

/// A column of `rows` states of a sketch's type, each filled by fill(state, row).
template <typename W, typename Fill>
[[nodiscard]] ColumnPtr makeSketches(const IDataType & type, const ColumnsWithTypes & arguments, size_t rows, Fill && fill)
{
    auto result = std::make_shared<ColumnAggregateFunction>(sketchFunctionOf(type).shared_from_this());
    const size_t distinct = distinctRows(arguments, rows);
    for (size_t row = 0; row < distinct; ++row)
        fill(*std::launder(reinterpret_cast<CountMinSketchState<W> *>(result->insertState())), row);
    for (size_t row = distinct; row < rows; ++row)
        result->insertFrom(*result, 0);
    return result;
}

}
