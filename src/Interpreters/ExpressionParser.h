#pragma once

#include "Literal.h"

#include "../Formats/NamesAndTypes.h"

#include <string>
#include <string_view>
#include <vector>

namespace DB::inline statewire
{

class AggregateFunctionFactory;

/// A node of a parsed expression. A value.
struct ExpressionNode
{
    enum class Kind
    {
        Column,
        AllColumns, /// `*`, only at the top
        Literal,
        Function
    };

    Kind kind = Kind::Column;
    /// Where it starts in the text.
    size_t position = 0;
    /// Of the column or the function.
    std::string name;
    Literal literal;
    std::vector<ExpressionNode> arguments;
    /// What the result is called: the alias, the column's name, or the text as it was typed.
    std::string result_name;
};

/// Calls and arrays inside each other. Bounds recursion; nobody types a tenth of it.
inline constexpr size_t MAX_EXPRESSION_DEPTH = 100;

/** Expressions separated by commas: columns (bare or in backticks), literals, calls `name(argument, ...)`, each with `AS name`; or `*`.
 * SYNTAX_ERROR with the position, counted from 1, for anything else.
 */
[[nodiscard]] std::vector<ExpressionNode> parseExpressions(std::string_view text);

/// `script String, b AggregateFunction(groupBitmap, UInt32)`. SYNTAX_ERROR with the position; what a type's name is refused for.
[[nodiscard]] NamesAndTypes parseStructure(std::string_view text, const AggregateFunctionFactory & factory);

/// Names separated by commas, such as the keys of GROUP BY; an empty text has none.
[[nodiscard]] std::vector<std::string> parseNames(std::string_view text);

/// An aggregate as it was typed: `countMinSketch(5, 2719)(word) AS w`.
struct AggregateNode
{
    size_t position = 0;
    std::string function;
    Array parameters;
    std::vector<std::string> argument_names;
    std::string result_name;
};

/// Aggregates separated by commas; their arguments are columns. SYNTAX_ERROR with the position.
[[nodiscard]] std::vector<AggregateNode> parseAggregates(std::string_view text);

}
