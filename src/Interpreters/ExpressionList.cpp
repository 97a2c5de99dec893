#include "ExpressionList.h"

#include "../Columns/ColumnString.h"
#include "../Common/ErrorCodes.h"
#include "../Common/Exception.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeNullable.h"
#include "../DataTypes/StoredDataType.h"
#include "Operators.h"
#include "QueryError.h"

#include <algorithm>

namespace DB::inline statewire
{

namespace
{
/// Adds the call and its place to what `f` throws.
template <typename F>
void sayingWhere(std::string_view doing, std::string_view function, size_t position, F && f)
{
    try
    {
        f();
    }
    catch (const Exception & e)
    {
        QueryError error(e.code(), e.message(), position);
        error.addMessage(concat("while ", doing, " function ", quoteName(function), " at position ", position + 1));
        throw error;
    }
}
}

ExpressionList::ExpressionList(const std::vector<ExpressionNode> & nodes, const NamesAndTypes & input, const FunctionFactory & factory)
{
    for (const ExpressionNode & node : nodes)
    {
        if (node.kind == ExpressionNode::Kind::AllColumns)
        {
            for (const NameAndType & column : input)
            {
                results.push_back(addColumn(column));
                header.push_back(column);
            }
            continue;
        }
        results.push_back(add(node, input, factory));
        header.push_back({node.result_name, steps[results.back()].type});
    }
}

size_t ExpressionList::addColumn(const NameAndType & column)
{
    steps.push_back({column.name, {}, nullptr, {}, column.type, 0});
    return steps.size() - 1;
}

size_t ExpressionList::add(const ExpressionNode & node, const NamesAndTypes & input, const FunctionFactory & factory)
{
    if (node.kind == ExpressionNode::Kind::Literal)
    {
        ColumnWithType constant = toColumn(node.literal);
        DataTypePtr type = constant.type;
        steps.push_back({{}, std::move(constant), nullptr, {}, std::move(type), node.position});
        return steps.size() - 1;
    }
    if (node.kind == ExpressionNode::Kind::Column)
    {
        const auto column = findName(input, node.name);
        if (!column)
            throw QueryError(
                ErrorCodes::UNKNOWN_IDENTIFIER,
                concat("Unknown identifier ", quoteName(node.name), " at position ", node.position + 1),
                node.position);
        return addColumn(input[*column]);
    }

    Step step;
    DataTypes types;
    for (const ExpressionNode & argument : node.arguments)
    {
        step.arguments.push_back(add(argument, input, factory));
        types.push_back(asFunctionArgument(steps[step.arguments.back()].type));
    }
    step.position = node.position;
    sayingWhere("looking at", node.name, node.position, [&] {
        step.function = tryGetOperator(node.name);
        if (step.function)
            convertTexts(step.arguments, types);
        if (!step.function)
            step.function = factory.get(node.name);
        step.type = step.function->getReturnType(types);
    });
    const bool foldable = !step.arguments.empty()
        && std::all_of(step.arguments.begin(), step.arguments.end(), [&](size_t i) { return steps[i].constant.column != nullptr; });
    if (foldable)
    {
        ColumnsWithTypes arguments;
        for (const size_t argument : step.arguments)
            arguments.push_back(steps[argument].constant);
        sayingWhere("executing", node.name, node.position, [&] {
            step.constant = {step.function->execute(arguments, 1), step.type, true};
        });
    }
    steps.push_back(std::move(step));
    return steps.size() - 1;
}

void ExpressionList::convertTexts(const std::vector<size_t> & arguments, DataTypes & types)
{
    const StoredDataType * stored = nullptr;
    DataTypePtr type;
    for (size_t i = 0; i < types.size() && !stored; ++i)
        if (!steps[arguments[i]].constant.column)
        {
            type = removeNullable(types[i]);
            stored = tryStored(*type);
        }
    if (!stored)
        return;
    for (size_t i = 0; i < types.size(); ++i)
    {
        Step & step = steps[arguments[i]];
        if (!step.constant.column || types[i]->getTypeId() != TypeIndex::String)
            continue;
        MutableColumnPtr value = type->createColumn();
        stored->parse(*value, static_cast<const ColumnString &>(*step.constant.column)[0]);
        step.constant = {std::move(value), type, true};
        step.type = type;
        types[i] = type;
    }
}

Block ExpressionList::execute(const Block & block) const
{
    const size_t rows = block.rows();
    ColumnsWithTypes values(steps.size());
    for (size_t i = 0; i < steps.size(); ++i)
    {
        const Step & step = steps[i];
        if (step.constant.column)
        {
            values[i] = step.constant;
            continue;
        }
        if (!step.function)
        {
            const ColumnWithTypeAndName * column = block.findByName(step.column_name);
            if (!column)
                throwError(ErrorCodes::UNKNOWN_IDENTIFIER, concat("There is no column ", quoteName(step.column_name), " in the block"));
            values[i] = {column->column, step.type, false};
            continue;
        }
        ColumnsWithTypes arguments;
        for (const size_t argument : step.arguments)
        {
            arguments.push_back(values[argument]);
            arguments.back().type = asFunctionArgument(arguments.back().type);
        }
        sayingWhere("executing", step.function->getName(), step.position, [&] {
            values[i] = {step.function->execute(arguments, rows), step.type, false};
        });
    }

    Block result;
    for (size_t i = 0; i < results.size(); ++i)
    {
        ColumnPtr column = values[results[i]].column;
        if (values[results[i]].is_constant)
        {
            MutableColumnPtr full = column->cloneEmpty();
            for (size_t row = 0; row < rows; ++row)
                full->insertFrom(*column, 0);
            column = std::move(full);
        }
        result.insert({std::move(column), header[i].type, header[i].name});
    }
    return result;
}

}
