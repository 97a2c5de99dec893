#pragma once

#include "Lexer.h"

#include "../AggregateFunctions/IAggregateFunction.h"
#include "../Functions/IFunction.h"

#include <string>
#include <vector>

namespace DB::inline statewire
{

/** A literal as it was typed: 5, -5, 0xFF, 1.5, 'text', NULL or [1, 2]. A value.
 *
 * Its type is the smallest that holds it, as in ClickHouse: UInt8..UInt64, Int8..Int64 when negative, Float64 (also for integers beyond
 * 64 bits), String, Nullable(Nothing), Array(T) with a T that holds all elements, Nullable where one is NULL. An empty array is Array(UInt8).
 */
struct Literal
{
    enum class Kind
    {
        Integer,
        Float,
        String,
        Null,
        Array
    };

    Kind kind = Kind::Integer;
    size_t position = 0;
    bool negative = false;
    UInt64 magnitude = 0;
    Float64 number = 0;
    std::string text;
    std::vector<Literal> elements;
};

/// True when a literal may start here.
[[nodiscard]] bool isLiteralStart(const Lexer & lexer) noexcept;
/// SYNTAX_ERROR with the position for anything else, for a number out of range, and below `depth_left` nested arrays.
[[nodiscard]] Literal parseLiteral(Lexer & lexer, size_t depth_left);

/// A constant of one value. TYPE_MISMATCH when an array's elements have no common type.
[[nodiscard]] ColumnWithType toColumn(const Literal & literal);
/// As a parameter of an aggregate function; SYNTAX_ERROR for an array and NULL.
[[nodiscard]] Field toField(const Literal & literal);

}
