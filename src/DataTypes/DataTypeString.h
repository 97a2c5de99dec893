#pragma once

#include "IDataType.h"

namespace DB::inline statewire
{

/** Byte strings, with no promise of an encoding. Columns are ColumnString.
  *
  * Binary: a VarUInt length and the bytes, at most MAX_SIZE of them (TOO_LARGE_STRING_SIZE above, as ClickHouse); text: IO/WriteEscaped.h.
  */
class DataTypeString final : public IDataType
{
public:
    /// ClickHouse refuses to read longer strings; a length is never believed before its bytes arrive anyway.
    static constexpr UInt64 MAX_SIZE = UInt64{1} << 30;

    [[nodiscard]] std::string getName() const override { return "String"; }
    [[nodiscard]] TypeIndex getTypeId() const noexcept override { return TypeIndex::String; }
    [[nodiscard]] MutableColumnPtr createColumn() const override;
    [[nodiscard]] bool canBeInsideNullable() const noexcept override { return true; }
    [[nodiscard]] bool equals(const IDataType & other) const override { return other.getTypeId() == TypeIndex::String; }

    void serializeBinary(const IColumn & column, size_t row, WriteBuffer & out) const override;
    void deserializeBinary(IColumn & column, ReadBuffer & in) const override;
    void serializeTextEscaped(const IColumn & column, size_t row, WriteBuffer & out) const override;
    void deserializeTextEscaped(IColumn & column, std::string_view text) const override;
    void serializeTextQuoted(const IColumn & column, size_t row, WriteBuffer & out) const override;
    void deserializeTextQuoted(IColumn & column, const char *& pos, const char * end) const override;
};

}
