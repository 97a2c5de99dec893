#include "ArrayArguments.h"

#include "../Columns/ColumnArray.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeArray.h"

namespace DB::inline statewire
{

namespace
{
const ColumnArray & arrayAt(const IColumn ** columns, size_t i) noexcept
{
    return static_cast<const ColumnArray &>(*columns[i]);
}
}

ArrayArguments::ArrayArguments(const IAggregateFunction & function, const IColumn ** columns, size_t row_begin, size_t row_end)
    : element_columns(columns, function.getArgumentTypes().size()), first_offsets(arrayAt(columns, 0).getOffsets().data())
{
    const size_t size = function.getArgumentTypes().size();
    for (size_t i = 0; i < size; ++i)
        element_columns[i] = &arrayAt(columns, i).getData();
    /// Arrays of one size in every row have the same offsets, so that their elements are side by side.
    for (size_t i = 1; i < size; ++i)
        for (size_t row = row_begin; row < row_end; ++row)
            if (arrayAt(columns, i).offsetAt(row) != begin(row) || arrayAt(columns, i).getOffsets()[row] != end(row))
                throwError(
                    ErrorCodes::SIZES_OF_ARRAYS_DONT_MATCH,
                    concat("All arrays passed to aggregate function ", function.getName(), " must have equal sizes: row ", row,
                           " has ", end(row) - begin(row), " and ", arrayAt(columns, i).sizeAt(row), " elements"));
}

DataTypes elementTypes(const DataTypes & argument_types, std::string_view function_name)
{
    DataTypes elements;
    for (const DataTypePtr & type : argument_types)
    {
        if (type->getTypeId() != TypeIndex::Array)
            throwError(
                ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT,
                concat("The arguments of aggregate function ", function_name, " must be arrays, not ", type->getName()));
        elements.push_back(static_cast<const DataTypeArray &>(*type).getNestedType());
    }
    return elements;
}

}
