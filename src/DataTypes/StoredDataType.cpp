#include "StoredDataType.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../IO/ReadEscaped.h"
#include "../IO/WriteEscaped.h"
#include "DataTypeNullable.h"
#include "errorText.h"

#include <algorithm>

namespace DB::inline statewire
{

bool StoredDataType::equals(const IDataType & other) const
{
    return other.getTypeId() == TypeIndex::Stored && getName() == other.getName();
}

void StoredDataType::print(const IColumn &, size_t, std::string &) const { throwNoText(); }
void StoredDataType::parse(IColumn &, std::string_view) const { throwNoText(); }
void StoredDataType::throwNoText() const { throwError(ErrorCodes::LOGICAL_ERROR, concat(getName(), " has no text of its own")); }

void StoredDataType::serializeTextEscaped(const IColumn & column, size_t row, WriteBuffer & out) const
{
    if (!hasOwnText())
        return storage->serializeTextEscaped(column, row, out);
    std::string text;
    print(column, row, text);
    writeEscapedString(text, out);
}

void StoredDataType::deserializeTextEscaped(IColumn & column, std::string_view text) const
{
    if (!hasOwnText())
        return storage->deserializeTextEscaped(column, text);
    std::string value;
    readEscapedString(value, text);
    parse(column, value);
}

void StoredDataType::serializeTextQuoted(const IColumn & column, size_t row, WriteBuffer & out) const
{
    if (!hasOwnText())
        return storage->serializeTextQuoted(column, row, out);
    std::string text;
    print(column, row, text);
    if (isBare())
        out.write(text.data(), text.size());
    else
        writeQuotedString(text, out);
}

void StoredDataType::deserializeTextQuoted(IColumn & column, const char *& pos, const char * end) const
{
    if (!hasOwnText())
        return storage->deserializeTextQuoted(column, pos, end);
    const char * after = pos;
    std::string text;
    if (pos != end && *pos == '\'')
        readQuotedString(text, after, end);
    else
    {
        static constexpr std::string_view ENDS = ",]) \t\n\r";
        after = std::find_first_of(pos, end, ENDS.begin(), ENDS.end());
        text.assign(pos, after);
    }
    parse(column, text);
    pos = after;
}

void StoredDataType::throwNotParsed(int code, std::string_view text, std::string_view reason) const
{
    throwError(code, concat("Cannot parse ", getName(), " from ", quoteForError(text), ": ", reason));
}

const IDataType & storageOf(const IDataType & type) noexcept
{
    const StoredDataType * stored = tryStored(type);
    return stored ? storageOf(*stored->getStorageType()) : type;
}

const IDataType & textTypeOf(const IDataType & type) noexcept
{
    const StoredDataType * stored = tryStored(type);
    return stored && !stored->hasOwnText() ? textTypeOf(*stored->getStorageType()) : type;
}

DataTypePtr withoutLowCardinality(const DataTypePtr & type)
{
    const StoredDataType * stored = tryStored(*type);
    return stored && !stored->hasOwnText() ? withoutLowCardinality(stored->getStorageType()) : type;
}

const IDataType & boolAsNumber(const IDataType & type) noexcept
{
    const StoredDataType * stored = tryStored(type);
    return stored && stored->isBool() ? *stored->getStorageType() : type;
}

DataTypePtr asFunctionArgument(const DataTypePtr & type)
{
    const DataTypePtr full = withoutLowCardinality(type);
    const DataTypePtr value = removeNullable(full);
    const StoredDataType * stored = tryStored(*value);
    if (!stored || !stored->isBool())
        return full;
    return isNullable(full) ? std::make_shared<DataTypeNullable>(stored->getStorageType()) : stored->getStorageType();
}

}
