#include "FileColumns.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../IO/VarInt.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>

namespace DB::inline statewire
{

namespace
{
void requireDifferentNames(const NamesAndTypes & header)
{
    absl::flat_hash_set<std::string_view> names;
    for (const NameAndType & column : header)
        if (!names.insert(column.name).second)
            throwError(ErrorCodes::INCORRECT_DATA, concat("Incorrect header: the column name ", quoteName(column.name), " comes twice"));
}

/// Enough of them to see what was read.
std::string namesOf(const NamesAndTypes & header)
{
    constexpr size_t SHOWN = 8;
    std::string names;
    for (size_t i = 0; i < std::min(header.size(), SHOWN); ++i)
        names += (names.empty() ? "" : ", ") + quoteName(header[i].name);
    return header.size() > SHOWN ? concat(names, " and ", header.size() - SHOWN, " more") : names;
}
}

FileColumns matchHeader(const NamesAndTypes & header, const std::optional<NamesAndTypes> & wanted)
{
    requireDifferentNames(header);
    FileColumns columns;
    size_t found = 0;
    for (size_t i = 0; i < header.size(); ++i)
    {
        FileColumn column{header[i].name, header[i].type, wanted ? findName(*wanted, header[i].name) : i};
        if (wanted && column.target)
        {
            ++found;
            const NameAndType & target = (*wanted)[*column.target];
            if (!column.type)
                column.type = target.type;
            else if (!column.type->equals(*target.type))
                throwError(
                    ErrorCodes::TYPE_MISMATCH,
                    concat("Column ", quoteName(column.name), " has type ", column.type->getName(), ", expected ", target.type->getName()));
        }
        columns.push_back(std::move(column));
    }
    if (wanted && found != wanted->size())
        for (const NameAndType & column : *wanted)
            if (!findName(header, column.name))
                throwError(ErrorCodes::UNKNOWN_IDENTIFIER, concat("There is no column ", quoteName(column.name), " in the header, which has ", namesOf(header)));
    return columns;
}

NamesAndTypes structureOf(const FileColumns & columns)
{
    NamesAndTypes structure;
    for (const FileColumn & column : columns)
    {
        if (!column.target)
            continue;
        if (structure.size() <= *column.target)
            structure.resize(*column.target + 1);
        structure[*column.target] = {column.name, column.type};
    }
    return structure;
}

void requireFewColumns(UInt64 columns, const FormatSettings & settings)
{
    if (columns > settings.max_columns)
        throwError(
            ErrorCodes::INCORRECT_DATA,
            concat("Suspiciously many columns: ", columns, ", at most ", settings.max_columns, " are expected"));
}

std::string readLimitedString(ReadBuffer & in, UInt64 limit)
{
    const UInt64 start = in.count();
    UInt64 size = 0;
    readVarUInt(size, in);
    if (size > limit)
        throwError(
            ErrorCodes::TOO_LARGE_STRING_SIZE,
            concat("Too large string at byte ", start, ": ", size, " bytes, at most ", limit, " are expected here"));
    std::string result;
    while (result.size() < size)
    {
        if (in.eof())
            throwError(
                ErrorCodes::CANNOT_READ_ALL_DATA,
                concat(
                    "Cannot read all data of the string at byte ",
                    start,
                    ". Bytes read: ",
                    result.size(),
                    ". Bytes expected: ",
                    size,
                    "."));
        const size_t chunk = std::min<UInt64>(in.available(), size - result.size());
        result.append(in.position(), chunk);
        in.position() += chunk;
    }
    return result;
}

}
