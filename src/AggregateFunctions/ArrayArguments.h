#pragma once

#include "ArgumentColumns.h"
#include "IAggregateFunction.h"

#include <string_view>

namespace DB::inline statewire
{

/** The arguments of a combinator over arrays: ColumnArrays, of which each row holds arrays of one size.
  *
  * Points into: the columns. Valid while: they live and do not change. Invalidated by: nothing else.
  */
class ArrayArguments
{
public:
    /// For rows [row_begin, row_end). SIZES_OF_ARRAYS_DONT_MATCH unless the arrays are of one size in each of them.
    ArrayArguments(const IAggregateFunction & function, const IColumn ** columns, size_t row_begin, size_t row_end);

    /// The columns of elements.
    [[nodiscard]] const IColumn ** elements() noexcept { return element_columns; }
    /// Where each row ends in them.
    [[nodiscard]] const UInt64 * offsets() const noexcept { return first_offsets; }
    [[nodiscard]] size_t begin(size_t row) const noexcept { return row == 0 ? 0 : first_offsets[row - 1]; }
    [[nodiscard]] size_t end(size_t row) const noexcept { return first_offsets[row]; }

private:
    ArgumentColumns element_columns;
    const UInt64 * first_offsets;
};

/// The types of the elements; ILLEGAL_TYPE_OF_ARGUMENT for an argument that is no array.
[[nodiscard]] DataTypes elementTypes(const DataTypes & argument_types, std::string_view function_name);

}
