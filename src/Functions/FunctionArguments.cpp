#include "FunctionArguments.h"

#include "../AggregateFunctions/AggregateFunctionGroupBitmap.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeAggregateFunction.h"
#include "../DataTypes/dispatchNumber.h"

namespace DB::inline statewire
{

namespace
{
std::optional<TypeIndex> elementTypeOf(const IDataType & type)
{
    if (type.getTypeId() != TypeIndex::AggregateFunction)
        return std::nullopt;
    return bitmapStateElementType(*static_cast<const DataTypeAggregateFunction &>(type).getFunction());
}
}

void requireArguments(std::string_view function, const DataTypes & types, size_t expected)
{
    if (types.size() != expected)
        throwError(
            ErrorCodes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
            concat("Function ", function, " takes ", expected, expected == 1 ? " argument, not " : " arguments, not ", types.size()));
}

void throwIllegalArgument(std::string_view function, size_t index, std::string_view expected, const IDataType & type)
{
    throwError(
        ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT,
        concat("Argument ", index + 1, " of function ", function, " must be ", expected, ", not ", type.getName()));
}

TypeIndex requireBitmap(std::string_view function, const DataTypes & types, size_t index)
{
    const std::optional<TypeIndex> element = elementTypeOf(*types[index]);
    if (!element)
        throwIllegalArgument(function, index, "a bitmap, AggregateFunction(groupBitmap, T)", *types[index]);
    return *element;
}

TypeIndex bitmapElementType(const ColumnWithType & argument)
{
    return elementTypeOf(*argument.type).value();
}

WideInteger integerAt(const ColumnWithType & argument, size_t row)
{
    WideInteger result{0, false};
    dispatchInteger(argument.type->getTypeId(), [&]<typename T>() {
        const T value = static_cast<const ColumnVector<T> &>(*argument.column).getData()[argument.at(row)];
        result = {static_cast<UInt64>(value), value < T{0}};
    });
    return result;
}

Float64 numberAsFloat(const ColumnWithType & argument, size_t row)
{
    Float64 result = 0;
    dispatchNumber(argument.type->getTypeId(), [&]<typename T>() {
        result = static_cast<Float64>(static_cast<const ColumnVector<T> &>(*argument.column).getData()[argument.at(row)]);
    });
    return result;
}

}
