#pragma once

#include "IDataType.h"

namespace DB::inline statewire
{

/** Tuple(T1, T2, ...) or Tuple(name1 T1, name2 T2, ...). Columns are ColumnTuple.
  *
  * One value in binary: the elements' binary forms one after the other. In bulk, as Native has it: the first elements of all rows in bulk, then
  * the second ones, and so on. In text `(1,'a')`; a tuple of one element may be read as `(1,)` too.
  */
class DataTypeTuple final : public IDataType
{
public:
    /// At least one element; as many names as elements, or none.
    explicit DataTypeTuple(DataTypes elements_, std::vector<std::string> names_ = {});

    [[nodiscard]] const DataTypes & getElements() const noexcept { return elements; }
    /// Empty when the elements have no names.
    [[nodiscard]] const std::vector<std::string> & getElementNames() const noexcept { return names; }

    [[nodiscard]] std::string getName() const override;
    [[nodiscard]] TypeIndex getTypeId() const noexcept override { return TypeIndex::Tuple; }
    [[nodiscard]] MutableColumnPtr createColumn() const override;
    void insertDefaultInto(IColumn & column) const override;
    /// Equal elements under equal names.
    [[nodiscard]] bool equals(const IDataType & other) const override;

    void serializeBinary(const IColumn & column, size_t row, WriteBuffer & out) const override;
    void deserializeBinary(IColumn & column, ReadBuffer & in) const override;
    void serializeBinaryBulk(const IColumn & column, WriteBuffer & out, size_t begin, size_t rows) const override;
    void deserializeBinaryBulk(IColumn & column, ReadBuffer & in, size_t rows) const override;
    void serializeBinaryBulkStatePrefix(WriteBuffer & out) const override;
    void deserializeBinaryBulkStatePrefix(ReadBuffer & in) const override;
    void serializeTextEscaped(const IColumn & column, size_t row, WriteBuffer & out) const override;
    void deserializeTextEscaped(IColumn & column, std::string_view text) const override;
    void deserializeTextQuoted(IColumn & column, const char *& pos, const char * end) const override;

private:
    DataTypes elements;
    std::vector<std::string> names;
};

}
