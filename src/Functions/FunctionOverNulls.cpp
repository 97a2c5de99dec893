#include "FunctionOverNulls.h"

#include "../Columns/ColumnNullable.h"
#include "../Common/ErrorCodes.h"
#include "../Common/Exception.h"
#include "../DataTypes/DataTypeNothing.h"
#include "../DataTypes/DataTypeNullable.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace DB::inline statewire
{

namespace
{

ColumnWithType valueOf(const ColumnWithType & argument)
{
    if (!isNullable(argument.type))
        return argument;
    const auto & nullable = static_cast<const ColumnNullable &>(*argument.column);
    return {ColumnPtr(argument.column, &nullable.getNestedColumn()), removeNullable(argument.type), argument.is_constant};
}

/// The values, and the default for NULL: bytes that were read may have any value there.
ColumnWithType valueOrDefault(const ColumnWithType & argument)
{
    ColumnWithType value = valueOf(argument);
    if (!isNullable(argument.type))
        return value;
    MutableColumnPtr column = value.column->cloneEmpty();
    for (size_t row = 0; row < argument.column->size(); ++row)
        if (static_cast<const ColumnNullable &>(*argument.column).isNullAt(row))
            column->insertDefault();
        else
            column->insertFrom(*value.column, row);
    value.column = std::move(column);
    return value;
}

/// The rows that are given, in their order. A constant is one for any number of rows.
ColumnsWithTypes rowsOfValues(const ColumnsWithTypes & arguments, const std::vector<size_t> & rows)
{
    ColumnsWithTypes values = valuesOf(arguments);
    for (ColumnWithType & value : values)
    {
        if (value.is_constant)
            continue;
        MutableColumnPtr column = value.column->cloneEmpty();
        for (const size_t row : rows)
            column->insertFrom(*value.column, row);
        value.column = std::move(column);
    }
    return values;
}

/// A literal NULL has any type, but stands for one argument. Functions look at the number before the types.
void requireNumberOfArguments(const IFunction & function, const DataTypes & types)
{
    try
    {
        static_cast<void>(function.getReturnType(types));
    }
    catch (const Exception & e)
    {
        if (e.code() == ErrorCodes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH)
            throw;
    }
}

}

bool isNullAt(const ColumnWithType & argument, size_t row)
{
    return isNullable(argument.type) && static_cast<const ColumnNullable &>(*argument.column).isNullAt(argument.at(row));
}

bool anyArgumentIsNullable(const ColumnsWithTypes & arguments) noexcept
{
    return std::any_of(arguments.begin(), arguments.end(), [](const ColumnWithType & argument) { return isNullable(argument.type); });
}

ColumnsWithTypes valuesOf(const ColumnsWithTypes & arguments)
{
    ColumnsWithTypes values;
    for (const ColumnWithType & argument : arguments)
        values.push_back(valueOf(argument));
    return values;
}

DataTypePtr FunctionOverNulls::getReturnType(const DataTypes & types) const
{
    DataTypes values;
    for (const DataTypePtr & type : types)
        values.push_back(removeNullable(type));
    if (const auto null = std::find_if(types.begin(), types.end(), isOnlyNull); null != types.end())
    {
        requireNumberOfArguments(*nested, values);
        return *null;
    }
    DataTypePtr result = nested->getReturnType(values);
    return anyIsNullable(types) && result->canBeInsideNullable() ? std::make_shared<DataTypeNullable>(std::move(result)) : result;
}

ColumnPtr FunctionOverNulls::execute(const ColumnsWithTypes & arguments, size_t rows) const
{
    if (!anyArgumentIsNullable(arguments))
        return nested->execute(arguments, rows);
    if (const auto null = std::find_if(arguments.begin(), arguments.end(), [](const ColumnWithType & a) { return isOnlyNull(a.type); });
        null != arguments.end())
    {
        MutableColumnPtr nulls = null->type->createColumn();
        for (size_t row = 0; row < rows; ++row)
            nulls->insertDefault();
        return nulls;
    }

    DataTypes value_types;
    for (const ColumnWithType & argument : arguments)
        value_types.push_back(removeNullable(argument.type));
    if (!nested->getReturnType(value_types)->canBeInsideNullable())
    {
        ColumnsWithTypes values;
        for (const ColumnWithType & argument : arguments)
            values.push_back(valueOrDefault(argument));
        return nested->execute(values, rows);
    }

    std::vector<size_t> without_null;
    for (size_t row = 0; row < rows; ++row)
        if (std::none_of(arguments.begin(), arguments.end(), [&](const ColumnWithType & a) { return isNullAt(a, row); }))
            without_null.push_back(row);
    const ColumnPtr result = without_null.size() == rows ? nested->execute(valuesOf(arguments), rows)
                                                         : nested->execute(rowsOfValues(arguments, without_null), without_null.size());
    auto with_nulls = std::make_unique<ColumnNullable>(result->cloneEmpty());
    size_t next = 0;
    for (size_t row = 0; row < rows; ++row)
        if (next < without_null.size() && without_null[next] == row)
            with_nulls->insertNotNull([&](IColumn & to) { to.insertFrom(*result, next++); });
        else
            with_nulls->insertDefault();
    return with_nulls;
}

}
