#include "RowBinaryInputFormat.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/parseDataType.h"
#include "../IO/VarInt.h"

namespace DB::inline statewire
{

FileColumns RowBinaryInputFormat::readPrefix()
{
    if (!with_header)
    {
        if (!wanted)
            throwError(ErrorCodes::BAD_ARGUMENTS, "The format RowBinary names no columns: a structure is required");
        return matchHeader(*wanted, wanted);
    }
    UInt64 columns = 0;
    readVarUInt(columns, in);
    if (columns > settings.max_columns)
        throwError(
            ErrorCodes::INCORRECT_DATA,
            concat("Suspiciously many columns: ", columns, ", at most ", settings.max_columns, " are expected"));
    NamesAndTypes header;
    for (UInt64 i = 0; i < columns; ++i)
        header.push_back({ readLimitedString(in, settings.max_name_bytes), nullptr });
    for (NameAndType & column : header)
        column.type = parseDataType(readLimitedString(in, settings.max_name_bytes));
    return matchHeader(header, wanted);
}

void RowBinaryInputFormat::readRow(const std::vector<IColumn *> & columns)
{
    for (size_t i = 0; i < columns.size(); ++i)
    {
        startValue(i);
        file_columns[i].type->deserializeBinary(*columns[i], in);
    }
}

}
