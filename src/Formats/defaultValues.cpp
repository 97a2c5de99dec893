#include "defaultValues.h"

#include "../Columns/ColumnAggregateFunction.h"
#include "../Columns/ColumnArray.h"
#include "../Columns/ColumnString.h"
#include "../Columns/ColumnVector.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/dispatchNumber.h"

namespace DB::inline statewire
{

void insertDefaultValue(const IDataType & type, IColumn & column)
{
    const TypeIndex id = type.getTypeId();
    if (id == TypeIndex::String)
        static_cast<ColumnString &>(column).insert({});
    else if (id == TypeIndex::Array)
        static_cast<ColumnArray &>(column).closeRow();
    else if (id == TypeIndex::AggregateFunction)
        static_cast<ColumnAggregateFunction &>(column).insertDefault();
    else if (!dispatchNumber(id, [&]<typename T>() { static_cast<ColumnVector<T> &>(column).getData().push_back(T{}); }))
        throwError(ErrorCodes::NOT_IMPLEMENTED, concat("The type ", type.getName(), " has no default value here"));
}

void insertNullValue(const IDataType & type, IColumn & column, const FormatSettings & settings)
{
    if (!settings.null_as_default)
        throwError(ErrorCodes::INCORRECT_DATA, concat("NULL in a column of type ", type.getName(), ", which cannot be NULL"));
    insertDefaultValue(type, column);
}

}
