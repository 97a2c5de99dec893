#include "DataTypeLowCardinality.h"

#include "../Columns/ColumnNullable.h"
#include "../Columns/ColumnVector.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../base/unaligned.h"
#include "DataTypeNullable.h"
#include "DataTypeNumber.h"
#include "dispatchNumber.h"
#include "makeStoredDataType.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <string>

namespace DB::inline statewire
{

namespace
{
constexpr UInt64 VERSION = 1;
constexpr UInt64 INDEX_SIZES = 0xFF;
constexpr UInt64 NEEDS_SHARED_KEYS = 0x100;
constexpr UInt64 HAS_KEYS = 0x200;
constexpr UInt64 UPDATES_DICTIONARY = 0x400;
/// What the values of a block may take when they stand side by side: a few bytes of indexes can name a long key many times.
constexpr UInt64 MAX_EXPANDED_BYTES = UInt64{1} << 30;

void writeNumber(UInt64 number, WriteBuffer & out)
{
    char bytes[sizeof(number)];
    unalignedStoreLittleEndian<UInt64>(bytes, number);
    out.write(bytes, sizeof(bytes));
}

UInt64 readNumber(ReadBuffer & in)
{
    char bytes[sizeof(UInt64)];
    in.readStrict(bytes, sizeof(bytes));
    return unalignedLoadLittleEndian<UInt64>(bytes);
}

template <typename F>
void dispatchIndex(UInt64 size, F && f)
{
    switch (size)
    {
        case 0:
            return f.template operator()<UInt8>();
        case 1:
            return f.template operator()<UInt16>();
        case 2:
            return f.template operator()<UInt32>();
        default:
            return f.template operator()<UInt64>();
    }
}
}

DataTypeLowCardinality::DataTypeLowCardinality(DataTypePtr nested_)
    : StoredDataType(nested_), key_type(removeNullable(nested_)), is_nullable(isNullable(nested_))
{
}

void DataTypeLowCardinality::serializeBinaryBulkStatePrefix(WriteBuffer & out) const { writeNumber(VERSION, out); }

void DataTypeLowCardinality::deserializeBinaryBulkStatePrefix(ReadBuffer & in) const
{
    if (const UInt64 version = readNumber(in); version != VERSION)
        throwError(ErrorCodes::INCORRECT_DATA, concat("A ", getName(), " column of version ", version, ", expected ", VERSION));
}

void DataTypeLowCardinality::serializeBinaryBulk(const IColumn & column, WriteBuffer & out, size_t begin, size_t rows) const
{
    if (rows == 0)
        return;
    const ColumnNullable * nullable = is_nullable ? &static_cast<const ColumnNullable &>(column) : nullptr;
    const IColumn & values = nullable ? nullable->getNestedColumn() : column;
    MutableColumnPtr keys = values.cloneEmpty();
    keys->insertDefault();
    if (nullable)
        keys->insertDefault();
    const std::string default_key(keys->getDataAt(0));
    absl::flat_hash_map<std::string_view, UInt64> found;
    ColumnUInt64 indexes;
    for (size_t row = begin; row < begin + rows; ++row)
    {
        if (nullable && nullable->isNullAt(row))
        {
            indexes.getData().push_back(0);
            continue;
        }
        const std::string_view value = values.getDataAt(row);
        UInt64 index = nullable ? 1 : 0;
        if (value != default_key)
        {
            const auto [entry, is_new] = found.emplace(value, keys->size());
            index = entry->second;
            if (is_new)
                keys->insertFrom(values, row);
        }
        indexes.getData().push_back(index);
    }
    UInt64 size = 0;
    while (size < 3 && keys->size() - 1 > (UInt64{1} << (8 << size)) - 1)
        ++size;
    writeNumber(size | HAS_KEYS | UPDATES_DICTIONARY, out);
    writeNumber(keys->size(), out);
    key_type->serializeBinaryBulk(*keys, out, 0, keys->size());
    writeNumber(rows, out);
    dispatchIndex(size, [&]<typename T>() {
        const ColumnVector<T> narrow(typename ColumnVector<T>::Container(indexes.getData().begin(), indexes.getData().end()));
        DataTypeNumber<T>().serializeBinaryBulk(narrow, out, 0, rows);
    });
}

void DataTypeLowCardinality::deserializeWithSharedKeys(IColumn & column, ReadBuffer & in, size_t rows, const SharedKeys & shared_keys) const
{
    const size_t size_before = column.size();
    UInt64 expanded = 0;
    try
    {
        while (column.size() - size_before < rows)
            readPart(column, in, rows - (column.size() - size_before), expanded, shared_keys);
    }
    catch (...)
    {
        column.popBack(column.size() - size_before);
        throw;
    }
}

MutableColumnPtr DataTypeLowCardinality::readKeys(ReadBuffer & in) const
{
    MutableColumnPtr keys = key_type->createColumn();
    key_type->deserializeBinaryBulk(*keys, in, readNumber(in));
    return keys;
}

void DataTypeLowCardinality::readPart(
    IColumn & column, ReadBuffer & in, UInt64 rows_left, UInt64 & expanded, const SharedKeys & shared_keys) const
{
    const UInt64 flags = readNumber(in);
    const bool needs_shared = (flags & NEEDS_SHARED_KEYS) != 0;
    const bool has_keys = (flags & HAS_KEYS) != 0;
    if ((flags & INDEX_SIZES) > 3 || (flags & ~(INDEX_SIZES | NEEDS_SHARED_KEYS | HAS_KEYS | UPDATES_DICTIONARY)) != 0
        || (!has_keys && !needs_shared))
        throwError(
            ErrorCodes::INCORRECT_DATA,
            concat("A part of a ", getName(), " column with the flags ", flags, ", expected indexes of 1 to 8 bytes and keys"));
    if (needs_shared && !shared_keys)
        throwError(
            ErrorCodes::NOT_IMPLEMENTED,
            concat("A part of a ", getName(), " column with the flags ", flags, " needs a shared dictionary, expected keys of its own"));
    const IColumn * shared = needs_shared ? &shared_keys((flags & UPDATES_DICTIONARY) != 0) : nullptr;
    const MutableColumnPtr own = has_keys ? readKeys(in) : key_type->createColumn();
    const size_t shared_size = shared ? shared->size() : 0;
    const UInt64 rows = readNumber(in);
    if (rows == 0 || rows > rows_left)
        throwError(ErrorCodes::INCORRECT_DATA, concat("A part of a ", getName(), " column has ", rows, " rows, expected 1 to ", rows_left));
    dispatchIndex(flags & INDEX_SIZES, [&]<typename T>() {
        ColumnVector<T> indexes;
        DataTypeNumber<T>().deserializeBinaryBulk(indexes, in, rows);
        for (const UInt64 index : indexes.getData())
        {
            if (index >= shared_size && index - shared_size >= own->size())
                throwError(
                    ErrorCodes::INCORRECT_DATA,
                    concat("Index ", index, " in a ", getName(), " column, whose dictionary has ", shared_size + own->size(), " keys"));
            expanded += (index < shared_size ? shared->getDataAt(index) : own->getDataAt(index - shared_size)).size();
            if (expanded > MAX_EXPANDED_BYTES)
                throwError(
                    ErrorCodes::TOO_LARGE_STRING_SIZE,
                    concat(
                        "The values of one block of a ", getName(), " column are larger than the limit of ", MAX_EXPANDED_BYTES, " bytes"));
        }
        for (const UInt64 index : indexes.getData())
            if (index < shared_size)
                insertKey(column, *shared, index, true);
            else
                insertKey(column, *own, index - shared_size, !needs_shared);
    });
}

void DataTypeLowCardinality::insertKey(IColumn & column, const IColumn & keys, size_t index, bool may_be_null) const
{
    if (!is_nullable)
        return column.insertFrom(keys, index);
    if (index == 0 && may_be_null)
        return column.insertDefault();
    static_cast<ColumnNullable &>(column).insertNotNull([&](IColumn & values) { values.insertFrom(keys, index); });
}

const DataTypeLowCardinality * tryLowCardinality(const IDataType & type) noexcept
{
    const StoredDataType * stored = tryStored(type);
    while (stored && stored->isAlias())
        stored = tryStored(*stored->getStorageType());
    return dynamic_cast<const DataTypeLowCardinality *>(stored);
}

DataTypePtr makeLowCardinality(DataTypePtr nested)
{
    const DataTypePtr value = removeNullable(nested);
    const StoredDataType * stored = tryStored(*value);
    const TypeIndex id = storageOf(*value).getTypeId();
    if ((stored && (!stored->hasOwnText() || stored->isBare())) || (id != TypeIndex::String && sizeOfNumber(id) == 0))
        throwError(
            ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT,
            concat("DataTypeLowCardinality is supported only for numbers, strings, Date or DateTime, but got ", nested->getName()));
    return std::make_shared<DataTypeLowCardinality>(std::move(nested));
}

}
