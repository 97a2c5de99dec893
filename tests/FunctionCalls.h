#pragma once

#include "ColumnBuilders.h"

#include <statewire/Functions/FunctionFactory.h>

#include <string>
#include <string_view>
#include <vector>

/** Calls of scalar functions with arguments written as text. */
namespace statewire_tests
{

inline const DB::FunctionFactory & functions()
{
    static const DB::FunctionFactory factory = [] {
        DB::FunctionFactory made;
        DB::registerFunctions(made);
        return made;
    }();
    return factory;
}

/// An argument with one value a row, in text form.
inline DB::ColumnWithType column(const std::string & type_name, const std::vector<std::string> & texts)
{
    const DB::DataTypePtr type = DB::parseDataType(type_name);
    return {columnFromText(*type, texts), type, false};
}

inline DB::ColumnWithType constant(const std::string & type_name, const std::string & text)
{
    DB::ColumnWithType argument = column(type_name, {text});
    argument.is_constant = true;
    return argument;
}

inline DB::ColumnWithType statesColumn(const std::string & type_name, const std::vector<std::string> & states)
{
    const DB::DataTypePtr type = DB::parseDataType(type_name);
    return {columnFromBinary(*type, states), type, false};
}

inline DB::ColumnWithType call(std::string_view name, const DB::ColumnsWithTypes & arguments, size_t rows)
{
    const DB::FunctionPtr function = functions().get(name);
    DB::DataTypes types;
    for (const DB::ColumnWithType & argument : arguments)
        types.push_back(argument.type);
    const DB::DataTypePtr type = function->getReturnType(types);
    const DB::ColumnPtr result = function->execute(arguments, rows);
    EXPECT_EQ(result->size(), rows);
    return {result, type, false};
}

/// The result of every row as text.
inline std::vector<std::string> texts(const DB::ColumnWithType & result)
{
    std::vector<std::string> values;
    for (size_t row = 0; row < result.column->size(); ++row)
        values.push_back(textOf(*result.type, *result.column, row));
    return values;
}

inline std::string one(std::string_view name, const DB::ColumnsWithTypes & arguments)
{
    return texts(call(name, arguments, 1)).at(0);
}

/// bitmapBuild over an array written as text.
inline DB::ColumnWithType bitmap(const std::string & element, const std::string & array)
{
    return call("bitmapBuild", {column("Array(" + element + ")", {array})}, 1);
}

inline DB::DataTypePtr returnType(std::string_view name, const std::vector<const char *> & type_names)
{
    DB::DataTypes types;
    for (const char * type_name : type_names)
        types.push_back(DB::parseDataType(type_name));
    return functions().get(name)->getReturnType(types);
}

}
