#pragma once

#include "../Columns/IColumn.h"

#include <algorithm>
#include <cstddef>

namespace DB::inline statewire
{

/// More arguments than any function with all its combinators has; the factory refuses more.
inline constexpr size_t MAX_AGGREGATE_FUNCTION_ARGUMENTS = 16;

/** The columns that a combinator hands on to the function inside it: those it was given, some of them replaced by what they hold.
  *
  * Points into: the columns. Valid while: they live. Invalidated by: nothing else.
  */
class ArgumentColumns
{
public:
    ArgumentColumns(const IColumn ** columns, size_t size) noexcept { std::copy_n(columns, size, data); }

    [[nodiscard]] const IColumn *& operator[](size_t index) noexcept { return data[index]; }
    [[nodiscard]] operator const IColumn **() noexcept { return data; } // NOLINT(google-explicit-constructor): it is the array

private:
    const IColumn * data[MAX_AGGREGATE_FUNCTION_ARGUMENTS];
};

}
