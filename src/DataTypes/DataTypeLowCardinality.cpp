#include "../Columns/ColumnNullable.h"
#include "../Columns/ColumnVector.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../base/unaligned.h"
#include "DataTypeNullable.h"
#include "DataTypeNumber.h"
#include "StoredDataType.h"
#include "dispatchNumber.h"
#include "makeStoredDataType.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <string>

namespace DB::inline statewire
{

namespace
{
/// "Shared dictionaries with additional keys", the one version there is.
constexpr UInt64 VERSION = 1;
/// What a part of a column begins with: the size of its indexes (0 to 3 for 1 to 8 bytes) and flags.
constexpr UInt64 INDEX_SIZES = 0xFF;
constexpr UInt64 NEEDS_GLOBAL_DICTIONARY = 0x100;
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

/** Key 0 of a dictionary is the default; where values may be NULL, it stands for that, and the default is key 1. */
class DataTypeLowCardinality final : public StoredDataType
{
public:
    explicit DataTypeLowCardinality(DataTypePtr nested_)
        : StoredDataType(nested_), key_type(removeNullable(nested_)), is_nullable(isNullable(nested_))
    {
    }

    [[nodiscard]] std::string getName() const override { return "LowCardinality(" + getStorageType()->getName() + ")"; }
    [[nodiscard]] bool canBeInsideNullable() const noexcept override { return false; }
    [[nodiscard]] bool hasOwnText() const noexcept override { return false; }

    void serializeBinaryBulkStatePrefix(WriteBuffer & out) const override { writeNumber(VERSION, out); }
    void deserializeBinaryBulkStatePrefix(ReadBuffer & in) const override
    {
        if (const UInt64 version = readNumber(in); version != VERSION)
            throwError(ErrorCodes::INCORRECT_DATA, concat("A ", getName(), " column of version ", version, ", expected ", VERSION));
    }

    void serializeBinaryBulk(const IColumn & column, WriteBuffer & out, size_t begin, size_t rows) const override
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

    void deserializeBinaryBulk(IColumn & column, ReadBuffer & in, size_t rows) const override
    {
        const size_t size_before = column.size();
        UInt64 expanded = 0;
        try
        {
            while (column.size() - size_before < rows)
                readPart(column, in, rows - (column.size() - size_before), expanded);
        }
        catch (...)
        {
            column.popBack(column.size() - size_before);
            throw;
        }
    }

private:
    void readPart(IColumn & column, ReadBuffer & in, UInt64 rows_left, UInt64 & expanded) const
    {
        const UInt64 kind = readNumber(in);
        if ((kind & INDEX_SIZES) > 3 || (kind & ~(INDEX_SIZES | HAS_KEYS | UPDATES_DICTIONARY)) != 0 || (kind & HAS_KEYS) == 0)
            throwError(
                (kind & NEEDS_GLOBAL_DICTIONARY) ? ErrorCodes::NOT_IMPLEMENTED : ErrorCodes::INCORRECT_DATA,
                concat("A part of a ", getName(), " column of kind ", kind, ", expected indexes of 1 to 8 bytes and keys of its own"));
        const MutableColumnPtr keys = key_type->createColumn();
        key_type->deserializeBinaryBulk(*keys, in, readNumber(in));
        const UInt64 rows = readNumber(in);
        if (rows == 0 || rows > rows_left)
            throwError(
                ErrorCodes::INCORRECT_DATA, concat("A part of a ", getName(), " column has ", rows, " rows, expected 1 to ", rows_left));
        dispatchIndex(kind & INDEX_SIZES, [&]<typename T>() {
            ColumnVector<T> indexes;
            DataTypeNumber<T>().deserializeBinaryBulk(indexes, in, rows);
            for (const UInt64 index : indexes.getData())
            {
                if (index >= keys->size())
                    throwError(
                        ErrorCodes::INCORRECT_DATA,
                        concat("Index ", index, " in a ", getName(), " column, whose dictionary has ", keys->size(), " keys"));
                expanded += keys->getDataAt(index).size();
                if (expanded > MAX_EXPANDED_BYTES)
                    throwError(
                        ErrorCodes::TOO_LARGE_STRING_SIZE,
                        concat(
                            "The values of one block of a ",
                            getName(),
                            " column are larger than the limit of ",
                            MAX_EXPANDED_BYTES,
                            " bytes"));
            }
            for (const UInt64 index : indexes.getData())
                insertKey(column, *keys, index);
        });
    }

    void insertKey(IColumn & column, const IColumn & keys, size_t index) const
    {
        if (!is_nullable)
            return column.insertFrom(keys, index);
        if (index == 0)
            return column.insertDefault();
        static_cast<ColumnNullable &>(column).insertNotNull([&](IColumn & values) { values.insertFrom(keys, index); });
    }

    DataTypePtr key_type;
    bool is_nullable;
};
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
