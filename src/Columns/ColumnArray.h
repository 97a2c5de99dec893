#pragma once

#include "IColumn.h"

#include <vector>

namespace DB::inline statewire
{

/** Arrays of one element type: all elements in one nested column, and where each array ends.
  *
  * Readers append elements to getData() and call closeRow(); until then the elements behind the last offset belong to no row, and
  * dropOpenRow() takes them back.
  * Errors: NOT_IMPLEMENTED from getDataAt, and from compareAt when the elements have no order; others from the nested column.
  */
class ColumnArray final : public IColumn
{
public:
    using Offsets = std::vector<UInt64>;

    /// `nested` is empty and not null.
    explicit ColumnArray(MutableColumnPtr nested_) : nested(std::move(nested_)) { }

    [[nodiscard]] IColumn & getData() noexcept { return *nested; }
    [[nodiscard]] const IColumn & getData() const noexcept { return *nested; }
    /// Where each row ends in getData().
    [[nodiscard]] const Offsets & getOffsets() const noexcept { return offsets; }
    [[nodiscard]] Offsets & getOffsets() noexcept { return offsets; }
    [[nodiscard]] UInt64 offsetAt(size_t row) const noexcept { return row == 0 ? 0 : offsets[row - 1]; }
    [[nodiscard]] UInt64 sizeAt(size_t row) const noexcept { return offsets[row] - offsetAt(row); }
    /// Makes the elements behind the last row a row. Strong.
    void closeRow() { offsets.push_back(nested->size()); }
    void dropOpenRow() noexcept { nested->popBack(nested->size() - end()); }

    [[nodiscard]] size_t size() const noexcept override { return offsets.size(); }
    [[nodiscard]] MutableColumnPtr cloneEmpty() const override { return std::make_unique<ColumnArray>(nested->cloneEmpty()); }
    void insertFrom(const IColumn & source, size_t row) override;
    void insertDefault() override { closeRow(); }
    void popBack(size_t n) noexcept override;
    [[nodiscard]] int compareAt(size_t row, const IColumn & other, size_t other_row) const override;
    [[nodiscard]] size_t byteSize() const noexcept override { return nested->byteSize() + offsets.capacity() * sizeof(UInt64); }
    [[nodiscard]] std::string_view getDataAt(size_t row) const override;

private:
    [[nodiscard]] UInt64 end() const noexcept { return offsets.empty() ? 0 : offsets.back(); }

    MutableColumnPtr nested;
    Offsets offsets;
};

}
