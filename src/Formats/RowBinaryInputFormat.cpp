#include "RowBinaryInputFormat.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/parseDataType.h"
#include "../IO/VarInt.h"

namespace DB::inline statewire
{

FileColumns RowBinaryInputFormat::readPrefix()
{
    if (header != TextHeader::NamesAndTypes)
        requireStructure("RowBinary");
    if (header == TextHeader::None)
        return matchHeader(*wanted, wanted);
    UInt64 columns = 0;
    readVarUInt(columns, in);
    if (columns > settings.max_columns)
        throwError(
            ErrorCodes::INCORRECT_DATA,
            concat("Suspiciously many columns: ", columns, ", at most ", settings.max_columns, " are expected"));
    NamesAndTypes found;
    for (UInt64 i = 0; i < columns; ++i)
        found.push_back({readLimitedString(in, settings.max_name_bytes), nullptr});
    if (header == TextHeader::NamesAndTypes)
        for (NameAndType & column : found)
            column.type = parseDataType(readLimitedString(in, settings.max_name_bytes));
    FileColumns result = matchHeader(found, wanted);
    for (const FileColumn & column : result)
        if (!column.type)
            throwError(
                ErrorCodes::TYPE_MISMATCH,
                concat("The type of column ", quoteName(column.name), " is not known, so it cannot be passed over in RowBinaryWithNames"));
    return result;
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
