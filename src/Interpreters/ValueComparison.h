#pragma once

#include "../Columns/IColumn.h"
#include "../DataTypes/IDataType.h"

#include <optional>

namespace DB::inline statewire
{

enum class Comparison
{
    Less,
    Equal,
    Greater,
    Unordered /// a NaN is on some side
};

/** How values of two types compare by value: numbers with numbers, strings with strings, arrays with arrays of such. A small value.
 *
 * Unlike IColumn::compareAt, which orders the values of one type totally, it is about what the values mean: -0.0 equals 0.0, and NaN nothing.
 */
class ValueComparison
{
public:
    /// Nothing when the types do not compare with each other.
    [[nodiscard]] static std::optional<ValueComparison> tryMake(const IDataType & left, const IDataType & right);

    [[nodiscard]] Comparison operator()(const IColumn & left, size_t left_row, const IColumn & right, size_t right_row) const
    {
        return compare(array_depth, left, left_row, right, right_row);
    }

private:
    using Leaf = Comparison (*)(const IColumn &, size_t, const IColumn &, size_t);

    [[nodiscard]] Comparison compare(size_t depth, const IColumn & left, size_t left_row, const IColumn & right, size_t right_row) const;

    Leaf leaf = nullptr;
    size_t array_depth = 0;
};

}
