#include "defaultValues.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

namespace DB::inline statewire
{

void insertNullValue(const IDataType & type, IColumn & column, const FormatSettings & settings)
{
    if (type.getTypeId() != TypeIndex::Nullable && !settings.null_as_default)
        throwError(ErrorCodes::INCORRECT_DATA, concat("NULL in a column of type ", type.getName(), ", which cannot be NULL"));
    type.insertDefaultInto(column);
}

}
