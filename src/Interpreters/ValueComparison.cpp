#include "ValueComparison.h"

#include "../Columns/ColumnArray.h"
#include "../Columns/ColumnString.h"
#include "../Columns/ColumnVector.h"
#include "../DataTypes/DataTypeArray.h"
#include "../DataTypes/StoredDataType.h"
#include "../DataTypes/dispatchNumber.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

namespace DB::inline statewire
{

namespace
{
Comparison flip(Comparison comparison) noexcept
{
    return comparison == Comparison::Less ? Comparison::Greater : comparison == Comparison::Greater ? Comparison::Less : comparison;
}

Comparison compareFloats(double left, double right) noexcept
{
    return left < right ? Comparison::Less : left > right ? Comparison::Greater : left == right ? Comparison::Equal : Comparison::Unordered;
}

/// Exact: a large integer is not rounded to a double first.
template <typename Integer>
Comparison compareWithFloat(Integer left, double right) noexcept
{
    using Wide = std::conditional_t<std::is_signed_v<Integer>, Int64, UInt64>;
    constexpr double TOO_LARGE = std::is_signed_v<Integer> ? 0x1p63 : 0x1p64;
    constexpr double SMALLEST = std::is_signed_v<Integer> ? -0x1p63 : 0.0;
    if (std::isnan(right))
        return Comparison::Unordered;
    if (right >= TOO_LARGE)
        return Comparison::Less;
    if (right < SMALLEST)
        return Comparison::Greater;
    const double whole = std::floor(right);
    const auto wide = static_cast<Wide>(left);
    const auto bound = static_cast<Wide>(whole);
    if (wide != bound)
        return wide < bound ? Comparison::Less : Comparison::Greater;
    return whole == right ? Comparison::Equal : Comparison::Less;
}

template <typename L, typename R>
Comparison compareNumbers(L left, R right) noexcept
{
    if constexpr (std::is_floating_point_v<L> && std::is_floating_point_v<R>)
        return compareFloats(left, right);
    else if constexpr (std::is_floating_point_v<R>)
        return compareWithFloat(left, static_cast<double>(right));
    else if constexpr (std::is_floating_point_v<L>)
        return flip(compareWithFloat(right, static_cast<double>(left)));
    else
        return std::cmp_less(left, right) ? Comparison::Less : std::cmp_equal(left, right) ? Comparison::Equal : Comparison::Greater;
}

template <typename L, typename R>
Comparison compareNumberColumns(const IColumn & left, size_t left_row, const IColumn & right, size_t right_row)
{
    return compareNumbers(
        static_cast<const ColumnVector<L> &>(left).getData()[left_row], static_cast<const ColumnVector<R> &>(right).getData()[right_row]);
}

Comparison compareStringColumns(const IColumn & left, size_t left_row, const IColumn & right, size_t right_row)
{
    const int order = static_cast<const ColumnString &>(left)[left_row].compare(static_cast<const ColumnString &>(right)[right_row]);
    return order < 0 ? Comparison::Less : order == 0 ? Comparison::Equal : Comparison::Greater;
}
}

std::optional<ValueComparison> ValueComparison::tryMake(const IDataType & left, const IDataType & right)
{
    const TypeIndex left_type = left.getTypeId();
    const TypeIndex right_type = right.getTypeId();
    if (left_type == TypeIndex::Array && right_type == TypeIndex::Array)
    {
        auto elements = tryMake(
            *static_cast<const DataTypeArray &>(left).getNestedType(), *static_cast<const DataTypeArray &>(right).getNestedType());
        if (elements)
            ++elements->array_depth;
        return elements;
    }
    if (left_type == TypeIndex::Stored && left.equals(right))
        return tryMake(storageOf(left), storageOf(right));
    ValueComparison result;
    if (left_type == TypeIndex::String && right_type == TypeIndex::String)
        result.leaf = &compareStringColumns;
    dispatchNumber(
        left_type, [&]<typename L>() { dispatchNumber(right_type, [&]<typename R>() { result.leaf = &compareNumberColumns<L, R>; }); });
    return result.leaf ? std::optional(result) : std::nullopt;
}

Comparison ValueComparison::compare(size_t depth, const IColumn & left, size_t left_row, const IColumn & right, size_t right_row) const
{
    if (depth == 0)
        return leaf(left, left_row, right, right_row);
    const auto & left_array = static_cast<const ColumnArray &>(left);
    const auto & right_array = static_cast<const ColumnArray &>(right);
    const UInt64 left_size = left_array.sizeAt(left_row);
    const UInt64 right_size = right_array.sizeAt(right_row);
    for (UInt64 i = 0; i < std::min(left_size, right_size); ++i)
    {
        const Comparison order = compare(
            depth - 1, left_array.getData(), left_array.offsetAt(left_row) + i, right_array.getData(), right_array.offsetAt(right_row) + i);
        if (order != Comparison::Equal)
            return order;
    }
    return compareNumbers(left_size, right_size);
}

}
