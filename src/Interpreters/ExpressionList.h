#pragma once

#include "ExpressionParser.h"

#include "../Formats/Block.h"
#include "../Functions/FunctionFactory.h"

#include <string>
#include <vector>

namespace DB::inline statewire
{

/** Expressions bound to a structure and to functions, evaluated column by column over blocks. Calls mean an operator (Operators.h) where one
 * has the name, otherwise a function of the factory.
 *
 * What depends on no column is computed once, when the object is made.
 * Errors: QueryError: UNKNOWN_IDENTIFIER, UNKNOWN_FUNCTION; what functions say of their arguments' types, from the constructor, and of their
 *     values, from execute.
 * Threads: const calls may run together.
 */
class ExpressionList
{
public:
    ExpressionList(const std::vector<ExpressionNode> & nodes, const NamesAndTypes & input, const FunctionFactory & factory);

    /// The columns that execute gives.
    [[nodiscard]] const NamesAndTypes & getHeader() const noexcept { return header; }
    /// `block` has the columns of the input that are used, whatever else it has.
    [[nodiscard]] Block execute(const Block & block) const;

private:
    /// One value of the straight-line program: a column of the block, a constant, or a call on earlier values.
    struct Step
    {
        std::string column_name;
        ColumnWithType constant;
        FunctionPtr function;
        std::vector<size_t> arguments;
        DataTypePtr type;
        /// Where a call stands in the text.
        size_t position = 0;
    };

    size_t add(const ExpressionNode & node, const NamesAndTypes & input, const FunctionFactory & factory);
    size_t addColumn(const NameAndType & column);
    /// A text beside a Date, a UUID and so on is a value of that type.
    void convertTexts(const std::vector<size_t> & arguments, DataTypes & types);

    std::vector<Step> steps;
    /// The step that each result comes from.
    std::vector<size_t> results;
    NamesAndTypes header;
};

}
