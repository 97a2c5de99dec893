#include "StateDifference.h"
#include "NumberText.h"
#include "StateType.h"
#include "StateWalker.h"

#include <statewire/AggregateFunctions/AggregateFunctionCountMinSketch.h>
#include <statewire/AggregateFunctions/AggregateFunctionGroupBitmap.h>
#include <statewire/AggregateFunctions/CountMinSketchState.h>
#include <statewire/AggregateFunctions/RoaringBitmapState.h>
#include <statewire/Columns/ColumnAggregateFunction.h>
#include <statewire/Common/throwError.h>
#include <statewire/DataTypes/DataTypeAggregateFunction.h>
#include <statewire/DataTypes/dispatchNumber.h>
#include <statewire/IO/WriteBufferFromVector.h>

#include <algorithm>
#include <cmath>
#include <new>

using namespace DB;

namespace statewire_program
{

namespace
{
template <typename F>
std::string written(F && write)
{
    std::string bytes;
    WriteBufferFromString out(bytes);
    write(out);
    out.finalize();
    return bytes;
}

template <typename State>
const State & stateAt(const IColumn & column, size_t row)
{
    return *std::launder(reinterpret_cast<const State *>(static_cast<const ColumnAggregateFunction &>(column)[row]));
}

template <typename T>
StateDifference bitmapDifference(const RoaringBitmapState<T> & left, const RoaringBitmapState<T> & right)
{
    using State = RoaringBitmapState<T>;
    const std::string left_only = numberText(State::combinedCardinality(SetOperation::AndNot, left, right));
    const std::string right_only = numberText(State::combinedCardinality(SetOperation::AndNot, right, left));
    const std::string left_size = numberText(left.cardinality());
    const std::string right_size = numberText(right.cardinality());
    return {
        concat(left_only, " of ", left_size, " values only on the left, ", right_only, " of ", right_size, " only on the right"),
        {{"left_only", left_only}, {"right_only", right_only}, {"left", left_size}, {"right", right_size}}};
}

/// The magnitude, which an Int64 itself may not hold.
template <typename W>
auto distance(W left, W right)
{
    if constexpr (std::is_same_v<W, Float64>)
        return std::fabs(left - right);
    else
        return left < right ? static_cast<UInt64>(right) - static_cast<UInt64>(left)
                            : static_cast<UInt64>(left) - static_cast<UInt64>(right);
}

template <typename W>
StateDifference sketchDifference(const CountMinSketchState<W> & left, const CountMinSketchState<W> & right)
{
    const CountMinSketch<W> left_cells = left.toSketch();
    const CountMinSketch<W> right_cells = right.toSketch();
    UInt64 cells = 0;
    decltype(distance(W{}, W{})) largest = 0;
    for (UInt64 i = 0; i < left_cells.cells(); ++i)
    {
        const auto difference = distance(left_cells.cell(i), right_cells.cell(i));
        cells += difference != 0;
        largest = std::max(largest, difference);
    }
    const std::string left_total = numberText(left.total());
    const std::string right_total = numberText(right.total());
    return {
        concat("totals ", left_total, " and ", right_total, ", ", cells, " cells differ, by at most ", numberText(largest)),
        {{"left_total", left_total}, {"right_total", right_total}, {"cells", cells}, {"max_cell_difference", numberText(largest)}}};
}
}

std::optional<StateDifference>
findDifference(const IDataType & type, const IColumn & left, size_t left_row, const IColumn & right, size_t right_row)
{
    const bool is_state = isState(type);
    const auto bytesOf = [&](const IColumn & column, size_t row) {
        return written(
            [&](WriteBuffer & out) { is_state ? type.serializeBinary(column, row, out) : type.serializeTextEscaped(column, row, out); });
    };
    /// States are written canonically: equal ones give equal bytes.
    const std::string left_bytes = bytesOf(left, left_row);
    const std::string right_bytes = bytesOf(right, right_row);
    if (left_bytes == right_bytes)
        return std::nullopt;
    StateDifference result{
        concat(left_bytes, " on the left, ", right_bytes, " on the right"), {{"left", left_bytes}, {"right", right_bytes}}};
    if (!is_state)
        return result;
    result
        = {concat(left_bytes.size(), " bytes on the left, ", right_bytes.size(), " other bytes on the right"),
           {{"left_bytes", left_bytes.size()}, {"right_bytes", right_bytes.size()}}};
    const IAggregateFunction & function = *static_cast<const DataTypeAggregateFunction &>(type).getFunction();
    if (const auto element = groupBitmapElementType(function))
        dispatchInteger(*element, [&]<typename T>() {
            using State = RoaringBitmapState<T>;
            result = bitmapDifference<T>(stateAt<State>(left, left_row), stateAt<State>(right, right_row));
        });
    else if (const auto arguments = countMinSketchArguments(function))
        dispatchCountMinWeight(arguments->weight, [&]<typename W>() {
            using State = CountMinSketchState<W>;
            result = sketchDifference<W>(stateAt<State>(left, left_row), stateAt<State>(right, right_row));
        });
    return result;
}

}
