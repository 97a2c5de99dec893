#pragma once

#include "DataTypeNullable.h"

namespace DB::inline statewire
{

/** The type of no value. It stands inside Nullable only: Nullable(Nothing) is what a literal NULL is. Columns are ColumnUInt8, of zeros.
  *
  * In bulk, as Native has it, a byte '0' for every row. Single values are neither written nor read: NOT_IMPLEMENTED.
  */
class DataTypeNothing final : public IDataType
{
public:
    [[nodiscard]] std::string getName() const override { return "Nothing"; }
    [[nodiscard]] TypeIndex getTypeId() const noexcept override { return TypeIndex::Nothing; }
    [[nodiscard]] MutableColumnPtr createColumn() const override;
    [[nodiscard]] bool canBeInsideNullable() const noexcept override { return true; }
    [[nodiscard]] bool equals(const IDataType & other) const override { return other.getTypeId() == TypeIndex::Nothing; }

    void serializeBinary(const IColumn & column, size_t row, WriteBuffer & out) const override;
    void deserializeBinary(IColumn & column, ReadBuffer & in) const override;
    void serializeBinaryBulk(const IColumn & column, WriteBuffer & out, size_t begin, size_t rows) const override;
    void deserializeBinaryBulk(IColumn & column, ReadBuffer & in, size_t rows) const override;
    void serializeTextEscaped(const IColumn & column, size_t row, WriteBuffer & out) const override;
    void deserializeTextEscaped(IColumn & column, std::string_view text) const override;
    void deserializeTextQuoted(IColumn & column, const char *& pos, const char * end) const override;
};

/// Whether all values are NULL: Nullable(Nothing).
[[nodiscard]] inline bool isOnlyNull(const DataTypePtr & type) noexcept
{
    return isNullable(type) && static_cast<const DataTypeNullable &>(*type).getNestedType()->getTypeId() == TypeIndex::Nothing;
}

}
