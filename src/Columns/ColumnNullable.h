#pragma once

#include "ColumnVector.h"

namespace DB::inline statewire
{

/** Values of another column, any of which may be NULL: that column and a byte for each row, 1 for NULL.
  *
  * A NULL stands in the nested column as its default, except where it was read from bytes that hold another value there.
  * Errors: NOT_IMPLEMENTED from getDataAt, which has no bytes for NULL: ask isNullAt() and then the nested column.
  */
class ColumnNullable final : public IColumn
{
public:
    using NullMap = ColumnUInt8::Container;

    /// `nested` is empty and not null.
    explicit ColumnNullable(MutableColumnPtr nested_) : nested(std::move(nested_)) { }

    [[nodiscard]] const IColumn & getNestedColumn() const noexcept { return *nested; }
    [[nodiscard]] IColumn & getNestedColumn() noexcept { return *nested; }
    /// 1 for NULL, 0 otherwise. A reader that appends to both appends as much to either.
    [[nodiscard]] const NullMap & getNullMap() const noexcept { return null_map; }
    [[nodiscard]] NullMap & getNullMap() noexcept { return null_map; }
    [[nodiscard]] bool isNullAt(size_t row) const noexcept { return null_map[row] != 0; }

    /// Appends the one value that fill(nested column) appends. Strong when `fill` is.
    template <typename Fill>
    void insertNotNull(Fill && fill)
    {
        null_map.push_back(0);
        try
        {
            fill(*nested);
        }
        catch (...)
        {
            null_map.pop_back();
            throw;
        }
    }

    [[nodiscard]] size_t size() const noexcept override { return null_map.size(); }
    [[nodiscard]] MutableColumnPtr cloneEmpty() const override { return std::make_unique<ColumnNullable>(nested->cloneEmpty()); }
    void insertFrom(const IColumn & source, size_t row) override;
    /// NULL.
    void insertDefault() override;
    void popBack(size_t n) noexcept override;
    [[nodiscard]] int compareAt(size_t row, const IColumn & other, size_t other_row) const override;
    [[nodiscard]] size_t byteSize() const noexcept override { return nested->byteSize() + null_map.capacity(); }
    [[nodiscard]] std::string_view getDataAt(size_t row) const override;

private:
    MutableColumnPtr nested;
    NullMap null_map;
};

}
