#pragma once

#include "IColumn.h"

#include <string>
#include <vector>

namespace DB::inline statewire
{

/** Byte strings: all bytes in one piece, and where each string ends.
  *
  * A string's view is valid while the column is unchanged. Readers that produce a string piece by piece append to getChars() and call
  * closeRow(); until then the bytes behind the last offset belong to no row, and dropOpenRow() takes them back.
  * Errors: only from the allocator.
  */
class ColumnString final : public IColumn
{
public:
    using Chars = std::string;
    using Offsets = std::vector<UInt64>;

    ColumnString() = default;

    /// Strong: on an exception nothing is appended.
    void insert(std::string_view value);

    /// All bytes.
    [[nodiscard]] Chars & getChars() noexcept { return chars; }
    [[nodiscard]] const Chars & getChars() const noexcept { return chars; }
    /// Where each row ends in getChars().
    [[nodiscard]] const Offsets & getOffsets() const noexcept { return offsets; }
    /// Makes the bytes behind the last row a row. Strong.
    void closeRow();
    void dropOpenRow() noexcept { chars.resize(end()); }

    [[nodiscard]] std::string_view operator[](size_t row) const noexcept
    {
        const UInt64 begin = row == 0 ? 0 : offsets[row - 1];
        return {chars.data() + begin, offsets[row] - begin};
    }

    [[nodiscard]] size_t size() const noexcept override { return offsets.size(); }
    [[nodiscard]] MutableColumnPtr cloneEmpty() const override { return std::make_unique<ColumnString>(); }
    void insertFrom(const IColumn & source, size_t row) override { insert(static_cast<const ColumnString &>(source)[row]); }
    void insertDefault() override { closeRow(); }
    void popBack(size_t n) noexcept override;
    [[nodiscard]] int compareAt(size_t row, const IColumn & other, size_t other_row) const override;
    [[nodiscard]] size_t byteSize() const noexcept override { return chars.capacity() + offsets.capacity() * sizeof(UInt64); }
    [[nodiscard]] std::string_view getDataAt(size_t row) const override { return (*this)[row]; }

private:
    [[nodiscard]] UInt64 end() const noexcept { return offsets.empty() ? 0 : offsets.back(); }

    Chars chars;
    Offsets offsets;
};

}
