#pragma once

#include "IColumn.h"

#include <vector>

namespace DB::inline statewire
{

/** Tuples of some element types: a column for each element, all of one size.
  *
  * Readers append to the elements' columns one after the other, through appendToEach().
  * Errors: NOT_IMPLEMENTED from getDataAt, and from compareAt when an element has no order; others from the elements' columns.
  */
class ColumnTuple final : public IColumn
{
public:
    /// At least one column, none null, all empty.
    explicit ColumnTuple(std::vector<MutableColumnPtr> elements_) : elements(std::move(elements_)) { }

    [[nodiscard]] size_t tupleSize() const noexcept { return elements.size(); }
    [[nodiscard]] IColumn & element(size_t index) noexcept { return *elements[index]; }
    [[nodiscard]] const IColumn & element(size_t index) const noexcept { return *elements[index]; }
    /// Leaves the first `rows` rows of every element that has more.
    void truncate(size_t rows) noexcept;
    /// Calls append(element's column, index) for each element, which appends as many rows to each. On an exception the column is as it was.
    template <typename Append>
    void appendToEach(Append && append)
    {
        const size_t size_before = size();
        try
        {
            for (size_t i = 0; i < elements.size(); ++i)
                append(*elements[i], i);
        }
        catch (...)
        {
            truncate(size_before);
            throw;
        }
    }

    [[nodiscard]] size_t size() const noexcept override { return elements.back()->size(); }
    [[nodiscard]] MutableColumnPtr cloneEmpty() const override;
    void insertFrom(const IColumn & source, size_t row) override;
    /// The defaults of the elements.
    void insertDefault() override;
    void popBack(size_t n) noexcept override { truncate(size() - n); }
    [[nodiscard]] int compareAt(size_t row, const IColumn & other, size_t other_row) const override;
    [[nodiscard]] size_t byteSize() const noexcept override;
    [[nodiscard]] std::string_view getDataAt(size_t row) const override;

private:
    std::vector<MutableColumnPtr> elements;
};

}
