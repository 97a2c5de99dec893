#pragma once

#include "../Columns/IColumn.h"
#include "../IO/ReadBuffer.h"
#include "../IO/WriteBuffer.h"

#include <memory>
#include <string>
#include <vector>

namespace DB::inline statewire
{

class IDataType;
using DataTypePtr = std::shared_ptr<const IDataType>;
using DataTypes = std::vector<DataTypePtr>;

enum class TypeIndex
{
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    Int8,
    Int16,
    Int32,
    Int64,
    Float32,
    Float64,
    String,
    Nothing,
    Array,
    Nullable,
    Tuple,
    AggregateFunction,
    Stored /// kept as another type's values: StoredDataType.h
};

/** A type: its name, its columns, and how a value is written.
  *
  * Immutable and shared by threads. Deserializing appends one value to the column, or throws and leaves the column as it was.
  */
class IDataType
{
public:
    virtual ~IDataType() = default;

    /// As ClickHouse prints it: `AggregateFunction(countMinSketch(5, 272), String)`. parseDataType(getName()) gives an equal type.
    [[nodiscard]] virtual std::string getName() const = 0;
    [[nodiscard]] virtual TypeIndex getTypeId() const noexcept = 0;
    [[nodiscard]] virtual MutableColumnPtr createColumn() const = 0;
    /// True for numbers, strings, Nothing and most of what is kept as these.
    [[nodiscard]] virtual bool canBeInsideNullable() const noexcept { return false; }
    /// Appends the value that stands for a missing one: the column's default, except where that is no value of the type.
    virtual void insertDefaultInto(IColumn & column) const { column.insertDefault(); }
    /// Same values, same bytes, mergeable states.
    [[nodiscard]] virtual bool equals(const IDataType & other) const = 0;

    /// The binary form of RowBinary and Native: numbers little-endian, strings with a VarUInt length, states as they are.
    virtual void serializeBinary(const IColumn & column, size_t row, WriteBuffer & out) const = 0;
    virtual void deserializeBinary(IColumn & column, ReadBuffer & in) const = 0;

    /// `rows` values from row `begin` back to back, as a Native block holds them. Reading appends all of them or, when it throws, none;
    /// `rows` may be any number: memory grows with the bytes that arrive.
    virtual void serializeBinaryBulk(const IColumn & column, WriteBuffer & out, size_t begin, size_t rows) const;
    virtual void deserializeBinaryBulk(IColumn & column, ReadBuffer & in, size_t rows) const;
    /// What a Native block holds in front of a column of at least one row: a version for each LowCardinality in the type.
    virtual void serializeBinaryBulkStatePrefix(WriteBuffer &) const { }
    virtual void deserializeBinaryBulkStatePrefix(ReadBuffer &) const { }

    /// The text form of TabSeparated: numbers in decimal, strings and states escaped, arrays as [1,2,3], tuples as (1,2), NULL as `\N`.
    virtual void serializeTextEscaped(const IColumn & column, size_t row, WriteBuffer & out) const = 0;
    /// `text` is one whole field, still escaped. Throws with what was expected when it is not exactly one value.
    virtual void deserializeTextEscaped(IColumn & column, std::string_view text) const = 0;

    /// The text form inside arrays and literals: as the escaped form, but strings and states stand in single quotes, and NULL is a word.
    virtual void serializeTextQuoted(const IColumn & column, size_t row, WriteBuffer & out) const;
    /// Reads one value from the front of [pos, end) and moves `pos` behind it; what follows is the caller's to judge.
    virtual void deserializeTextQuoted(IColumn & column, const char *& pos, const char * end) const = 0;
};

}
