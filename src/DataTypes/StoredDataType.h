#pragma once

#include "IDataType.h"

#include <string>

namespace DB::inline statewire
{

/** A type whose values are kept as another type's, its storage: Date as UInt16, UUID as String, LowCardinality(T) as T. Columns, order and
  * equality are the storage's; the name, the text and, where they differ, the bytes are its own. Made by makeStoredDataType.h.
  */
class StoredDataType : public IDataType
{
public:
    explicit StoredDataType(DataTypePtr storage_) : storage(std::move(storage_)) { }

    [[nodiscard]] const DataTypePtr & getStorageType() const noexcept { return storage; }

    [[nodiscard]] TypeIndex getTypeId() const noexcept final { return TypeIndex::Stored; }
    [[nodiscard]] MutableColumnPtr createColumn() const final { return storage->createColumn(); }
    [[nodiscard]] bool canBeInsideNullable() const noexcept override { return true; }
    /// The same name.
    [[nodiscard]] bool equals(const IDataType & other) const final;

    void insertDefaultInto(IColumn & column) const override { storage->insertDefaultInto(column); }

    /// False where the text is the storage's: then print() and parse() are neither there nor called.
    [[nodiscard]] virtual bool hasOwnText() const noexcept { return true; }
    /// True where the text stands without quotes in CSV, JSON and Values.
    [[nodiscard]] virtual bool isBare() const noexcept { return false; }
    /// True where a table for persons has the text at the right.
    [[nodiscard]] virtual bool isAtTheRight() const noexcept { return false; }
    /// True for SimpleAggregateFunction, which is the storage but for its name, in parts too.
    [[nodiscard]] virtual bool isAlias() const noexcept { return false; }
    /// True for Bool, which functions take as UInt8.
    [[nodiscard]] virtual bool isBool() const noexcept { return false; }
    /// Appends the text of a value, not escaped.
    virtual void print(const IColumn & column, size_t row, std::string & to) const;
    /// Appends the value that the whole of `text`, not escaped, stands for.
    virtual void parse(IColumn & column, std::string_view text) const;

    void serializeBinary(const IColumn & column, size_t row, WriteBuffer & out) const override
    {
        storage->serializeBinary(column, row, out);
    }
    void deserializeBinary(IColumn & column, ReadBuffer & in) const override { storage->deserializeBinary(column, in); }
    void serializeBinaryBulk(const IColumn & column, WriteBuffer & out, size_t begin, size_t rows) const override
    {
        storage->serializeBinaryBulk(column, out, begin, rows);
    }
    void deserializeBinaryBulk(IColumn & column, ReadBuffer & in, size_t rows) const override
    {
        storage->deserializeBinaryBulk(column, in, rows);
    }
    void serializeBinaryBulkStatePrefix(WriteBuffer & out) const override { storage->serializeBinaryBulkStatePrefix(out); }
    void deserializeBinaryBulkStatePrefix(ReadBuffer & in) const override { storage->deserializeBinaryBulkStatePrefix(in); }
    void serializeTextEscaped(const IColumn & column, size_t row, WriteBuffer & out) const final;
    void deserializeTextEscaped(IColumn & column, std::string_view text) const final;
    void serializeTextQuoted(const IColumn & column, size_t row, WriteBuffer & out) const final;
    void deserializeTextQuoted(IColumn & column, const char *& pos, const char * end) const final;

protected:
    /// "Cannot parse Date from 'x': reason".
    [[noreturn]] void throwNotParsed(int code, std::string_view text, std::string_view reason) const;

private:
    [[noreturn]] void throwNoText() const;

    DataTypePtr storage;
};

[[nodiscard]] inline const StoredDataType * tryStored(const IDataType & type) noexcept
{
    return type.getTypeId() == TypeIndex::Stored ? static_cast<const StoredDataType *>(&type) : nullptr;
}

/// The type as which the values of `type` lie in columns.
[[nodiscard]] const IDataType & storageOf(const IDataType & type) noexcept;
/// The type whose text `type` has.
[[nodiscard]] const IDataType & textTypeOf(const IDataType & type) noexcept;
/// T for LowCardinality(T) and SimpleAggregateFunction(f, T), other types as they are.
[[nodiscard]] DataTypePtr withoutLowCardinality(const DataTypePtr & type);
/// UInt8 for Bool, as which functions of numbers take it; other types as they are.
[[nodiscard]] const IDataType & boolAsNumber(const IDataType & type) noexcept;
/// The type as which scalar functions take a column: without LowCardinality and SimpleAggregateFunction, and UInt8 for Bool, also inside Nullable.
[[nodiscard]] DataTypePtr asFunctionArgument(const DataTypePtr & type);

}
