#pragma once

#include "Literal.h"

#include "../Formats/NamesAndTypes.h"

#include <optional>
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
    /// How many operators stand inside each other here: `a + b + c` has two.
    size_t operators = 0;
};

/// One key of ORDER BY. A value.
struct OrderByElement
{
    ExpressionNode expression;
    bool is_descending = false;
};

/// A parsed query. A value.
struct Query
{
    std::vector<ExpressionNode> items;
    std::optional<ExpressionNode> where;
    std::vector<OrderByElement> order_by;
    std::optional<UInt64> limit;
    UInt64 offset = 0;
};

/// Calls, arrays and parentheses inside each other. Bounds recursion; nobody types a tenth of it.
inline constexpr size_t MAX_EXPRESSION_DEPTH = 100;

/** A query, as docs/query.md describes it:
 *
 *     query   = [SELECT] item {, item} [FROM table] [WHERE expr] [ORDER BY key {, key}] [LIMIT n [OFFSET m]] [;]
 *     item    = * | expr [AS name]
 *     key     = expr [ASC | DESC]
 *     expr    = and {OR and}
 *     and     = not {AND not}
 *     not     = NOT not | sum [(= | == | != | <> | < | <= | > | >=) sum | [NOT] IN (literal {, literal}) | IS [NOT] NULL]
 *     sum     = product {(+ | -) product}
 *     product = operand {* operand}
 *     operand = literal | column | function([expr {, expr}]) | (expr)
 *
 * Operators become calls of the functions in Operators.h. QueryError with SYNTAX_ERROR and the position for anything else.
 */
[[nodiscard]] Query parseQuery(std::string_view text);

/// The items of a query alone, which is what the text must be.
[[nodiscard]] std::vector<ExpressionNode> parseExpressions(std::string_view text);

/// `script String, b AggregateFunction(groupBitmap, UInt32)`. QueryError with SYNTAX_ERROR; what a type's name is refused for.
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

/// Aggregates separated by commas; their arguments are columns. QueryError with SYNTAX_ERROR.
[[nodiscard]] std::vector<AggregateNode> parseAggregates(std::string_view text);

}
