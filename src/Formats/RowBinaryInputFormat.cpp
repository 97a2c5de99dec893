#include "RowBinaryInputFormat.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/parseDataType.h"
#include "../IO/VarInt.h"

namespace DB::inline statewire
{

NamesAndTypes readRowBinaryHeader(ReadBuffer & in, bool has_types, const FormatSettings & settings)
{
    UInt64 columns = 0;
    readVarUInt(columns, in);
    requireFewColumns(columns, settings);
    NamesAndTypes header;
    for (UInt64 i = 0; i < columns; ++i)
        header.push_back({readLimitedString(in, settings.max_name_bytes), nullptr});
    if (has_types)
        for (NameAndType & column : header)
            column.type = parseDataType(readLimitedString(in, settings.max_name_bytes));
    return header;
}

FileColumns RowBinaryInputFormat::readPrefix()
{
    if (header != TextHeader::NamesAndTypes)
        requireStructure("RowBinary");
    if (header == TextHeader::None)
        return matchHeader(*wanted, wanted);
    FileColumns result = matchHeader(readRowBinaryHeader(in, header == TextHeader::NamesAndTypes, settings), wanted);
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
