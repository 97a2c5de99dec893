#pragma once

#include "../base/types.h"

#include <memory>
#include <string_view>

namespace DB::inline statewire
{

class IColumn;
using ColumnPtr = std::shared_ptr<const IColumn>;
using MutableColumnPtr = std::unique_ptr<IColumn>;

/** A sequence of values of one type in memory. Row numbers are 0-based and must be below size().
  *
  * A column is filled by one thread; afterwards any number may read it.
  */
class IColumn
{
public:
    virtual ~IColumn() = default;
    IColumn() = default;
    IColumn(const IColumn &) = delete;
    IColumn & operator=(const IColumn &) = delete;

    [[nodiscard]] virtual size_t size() const noexcept = 0;
    /// An empty column of the same type.
    [[nodiscard]] virtual MutableColumnPtr cloneEmpty() const = 0;
    /// Appends row `row` of `source`, a column of the same type. Strong: on an exception nothing is appended.
    virtual void insertFrom(const IColumn & source, size_t row) = 0;
    /// Appends the type's default: 0, an empty string or array, NULL, a fresh state. Strong.
    virtual void insertDefault() = 0;
    /// Removes the last n rows: how a reader takes back a row that it could not finish. n <= size().
    virtual void popBack(size_t n) noexcept = 0;
    /// -1, 0 or 1: the order of the type (numbers by value, strings by bytes, arrays element by element, NULL last). It is total, and 0 exactly
    /// where the values have the same bytes: -0.0 stands before 0.0, NaN last. NOT_IMPLEMENTED for columns without an order (states).
    [[nodiscard]] virtual int compareAt(size_t row, const IColumn & other, size_t other_row) const = 0;
    /// Bytes held, roughly.
    [[nodiscard]] virtual size_t byteSize() const noexcept = 0;
    /// The bytes by which the value is grouped and hashed: a number's bytes as this host holds them, a string's bytes. Valid while the
    /// column is unchanged. NOT_IMPLEMENTED for columns whose values are not bytes in one piece (states, arrays, Nullable).
    [[nodiscard]] virtual std::string_view getDataAt(size_t row) const = 0;
};

}
