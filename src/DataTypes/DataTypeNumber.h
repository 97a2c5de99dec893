#pragma once

#include "IDataType.h"

namespace DB::inline statewire
{

/** UInt8..UInt64, Int8..Int64, Float32, Float64. Columns are ColumnVector<T>.
  *
  * Text is read strictly: one whole number, in range, nothing around it; CANNOT_PARSE_NUMBER otherwise. Floats take `nan`, `inf` and
  * `-inf` as well, and a text beyond the type's range is an error, not an infinity. They are written as ClickHouse does: the fewest digits
  * that read back the same, with an exponent below 1e-6 and from 1e21 on.
  */
template <typename T>
class DataTypeNumber final : public IDataType
{
public:
    [[nodiscard]] std::string getName() const override;
    [[nodiscard]] TypeIndex getTypeId() const noexcept override;
    [[nodiscard]] MutableColumnPtr createColumn() const override;
    [[nodiscard]] bool canBeInsideNullable() const noexcept override { return true; }
    [[nodiscard]] bool equals(const IDataType & other) const override { return other.getTypeId() == getTypeId(); }

    void serializeBinary(const IColumn & column, size_t row, WriteBuffer & out) const override;
    void deserializeBinary(IColumn & column, ReadBuffer & in) const override;
    void serializeBinaryBulk(const IColumn & column, WriteBuffer & out, size_t begin, size_t rows) const override;
    void deserializeBinaryBulk(IColumn & column, ReadBuffer & in, size_t rows) const override;
    void serializeTextEscaped(const IColumn & column, size_t row, WriteBuffer & out) const override;
    void deserializeTextEscaped(IColumn & column, std::string_view text) const override;
    void deserializeTextQuoted(IColumn & column, const char *& pos, const char * end) const override;

    /// The number that `text` is, or CANNOT_PARSE_NUMBER.
    [[nodiscard]] static T parse(std::string_view text);
    /// Writes the text form of `value`.
    static void print(T value, WriteBuffer & out);
};

extern template class DataTypeNumber<UInt8>;
extern template class DataTypeNumber<UInt16>;
extern template class DataTypeNumber<UInt32>;
extern template class DataTypeNumber<UInt64>;
extern template class DataTypeNumber<Int8>;
extern template class DataTypeNumber<Int16>;
extern template class DataTypeNumber<Int32>;
extern template class DataTypeNumber<Int64>;
extern template class DataTypeNumber<Float32>;
extern template class DataTypeNumber<Float64>;

using DataTypeUInt8 = DataTypeNumber<UInt8>;
using DataTypeUInt16 = DataTypeNumber<UInt16>;
using DataTypeUInt32 = DataTypeNumber<UInt32>;
using DataTypeUInt64 = DataTypeNumber<UInt64>;
using DataTypeInt8 = DataTypeNumber<Int8>;
using DataTypeInt16 = DataTypeNumber<Int16>;
using DataTypeInt32 = DataTypeNumber<Int32>;
using DataTypeInt64 = DataTypeNumber<Int64>;
using DataTypeFloat32 = DataTypeNumber<Float32>;
using DataTypeFloat64 = DataTypeNumber<Float64>;

}
