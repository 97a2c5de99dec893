#pragma once

#include "IDataType.h"

namespace DB::inline statewire
{

/** Array(T). Columns are ColumnArray.
  *
  * One value in binary: a VarUInt count (TOO_LARGE_ARRAY_SIZE above MAX_SIZE) and the elements. In bulk, as Native has it: the end of every
  * row as UInt64, counted from the block's first, then all elements in bulk. In text `[1,2,3]` and `['a','b']`.
  */
class DataTypeArray final : public IDataType
{
public:
    static constexpr UInt64 MAX_SIZE = UInt64{1} << 30;

    explicit DataTypeArray(DataTypePtr nested_) : nested(std::move(nested_)) { }

    [[nodiscard]] const DataTypePtr & getNestedType() const noexcept { return nested; }

    [[nodiscard]] std::string getName() const override { return "Array(" + nested->getName() + ")"; }
    [[nodiscard]] TypeIndex getTypeId() const noexcept override { return TypeIndex::Array; }
    [[nodiscard]] MutableColumnPtr createColumn() const override;
    [[nodiscard]] bool equals(const IDataType & other) const override;

    void serializeBinary(const IColumn & column, size_t row, WriteBuffer & out) const override;
    void deserializeBinary(IColumn & column, ReadBuffer & in) const override;
    void serializeBinaryBulk(const IColumn & column, WriteBuffer & out, size_t begin, size_t rows) const override;
    void deserializeBinaryBulk(IColumn & column, ReadBuffer & in, size_t rows) const override;
    void serializeBinaryBulkStatePrefix(WriteBuffer & out) const override { nested->serializeBinaryBulkStatePrefix(out); }
    void deserializeBinaryBulkStatePrefix(ReadBuffer & in) const override { nested->deserializeBinaryBulkStatePrefix(in); }
    void serializeTextEscaped(const IColumn & column, size_t row, WriteBuffer & out) const override;
    void deserializeTextEscaped(IColumn & column, std::string_view text) const override;
    void deserializeTextQuoted(IColumn & column, const char *& pos, const char * end) const override;

private:
    DataTypePtr nested;
};

}
