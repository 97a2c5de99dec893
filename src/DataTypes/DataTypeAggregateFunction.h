#pragma once

#include "../AggregateFunctions/IAggregateFunction.h"
#include "IDataType.h"

#include <optional>

namespace DB::inline statewire
{

/** AggregateFunction(name(parameters), arguments...): states of a function. Columns are ColumnAggregateFunction.
  *
  * A value in binary is the state's own bytes, without a length; in text the same bytes, escaped, and a field must be exactly one state
  * (BAD_ARGUMENTS for bytes behind it). equals() is about states: types whose functions have the same representation are equal, so
  * AggregateFunction(groupBitmapIf, UInt32, UInt8) equals AggregateFunction(groupBitmap, UInt32), while each prints as it was written.
  * The version of the state's format is about bytes alone: it is printed, where it is not 0, and given to the function, but equals() does
  * not look at it.
  */
class DataTypeAggregateFunction final : public IDataType
{
public:
    /// BAD_ARGUMENTS for a version other than 0 when the function has none. Without a version: the function's default.
    explicit DataTypeAggregateFunction(AggregateFunctionPtr function_, std::optional<size_t> version_ = std::nullopt);

    [[nodiscard]] const AggregateFunctionPtr & getFunction() const noexcept { return function; }
    [[nodiscard]] size_t getVersion() const noexcept { return version.value_or(function->getDefaultVersion()); }

    [[nodiscard]] std::string getName() const override;
    [[nodiscard]] TypeIndex getTypeId() const noexcept override { return TypeIndex::AggregateFunction; }
    [[nodiscard]] MutableColumnPtr createColumn() const override;
    [[nodiscard]] bool equals(const IDataType & other) const override;

    void serializeBinary(const IColumn & column, size_t row, WriteBuffer & out) const override;
    void deserializeBinary(IColumn & column, ReadBuffer & in) const override;
    void serializeBinaryBulk(const IColumn & column, WriteBuffer & out, size_t begin, size_t rows) const override;
    /// An error says which of the states could not be read.
    void deserializeBinaryBulk(IColumn & column, ReadBuffer & in, size_t rows) const override;
    void serializeTextEscaped(const IColumn & column, size_t row, WriteBuffer & out) const override;
    void deserializeTextEscaped(IColumn & column, std::string_view text) const override;
    void serializeTextQuoted(const IColumn & column, size_t row, WriteBuffer & out) const override;
    void deserializeTextQuoted(IColumn & column, const char *& pos, const char * end) const override;

    /// Appends the one state that `bytes` must be.
    void deserializeWhole(IColumn & column, std::string_view bytes) const;

private:
    AggregateFunctionPtr function;
    std::optional<size_t> version;
};

}
