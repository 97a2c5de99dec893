#pragma once

#include "IDataType.h"

namespace DB::inline statewire
{

/** Nullable(T), T a number, a String or Nothing. Columns are ColumnNullable.
  *
  * One value in binary: a byte, 1 for NULL, of which nothing follows, or 0 and the value. In bulk, as Native has it: such a byte for every
  * row, then the values of all rows, the default where NULL is. Other bytes are INCORRECT_DATA. In text NULL is `\N`, inside arrays `NULL`.
  */
class DataTypeNullable final : public IDataType
{
public:
    /// ILLEGAL_TYPE_OF_ARGUMENT for a type that cannot be inside Nullable.
    explicit DataTypeNullable(DataTypePtr nested_);

    [[nodiscard]] const DataTypePtr & getNestedType() const noexcept { return nested; }

    [[nodiscard]] std::string getName() const override { return "Nullable(" + nested->getName() + ")"; }
    [[nodiscard]] TypeIndex getTypeId() const noexcept override { return TypeIndex::Nullable; }
    [[nodiscard]] MutableColumnPtr createColumn() const override;
    [[nodiscard]] bool equals(const IDataType & other) const override;

    void serializeBinary(const IColumn & column, size_t row, WriteBuffer & out) const override;
    void deserializeBinary(IColumn & column, ReadBuffer & in) const override;
    void serializeBinaryBulk(const IColumn & column, WriteBuffer & out, size_t begin, size_t rows) const override;
    void deserializeBinaryBulk(IColumn & column, ReadBuffer & in, size_t rows) const override;
    void serializeTextEscaped(const IColumn & column, size_t row, WriteBuffer & out) const override;
    void deserializeTextEscaped(IColumn & column, std::string_view text) const override;
    void serializeTextQuoted(const IColumn & column, size_t row, WriteBuffer & out) const override;
    void deserializeTextQuoted(IColumn & column, const char *& pos, const char * end) const override;

private:
    DataTypePtr nested;
};

[[nodiscard]] inline bool isNullable(const DataTypePtr & type) noexcept { return type->getTypeId() == TypeIndex::Nullable; }
[[nodiscard]] bool anyIsNullable(const DataTypes & types) noexcept;
/// T for Nullable(T), other types as they are.
[[nodiscard]] inline DataTypePtr removeNullable(const DataTypePtr & type)
{
    return isNullable(type) ? static_cast<const DataTypeNullable &>(*type).getNestedType() : type;
}

}
