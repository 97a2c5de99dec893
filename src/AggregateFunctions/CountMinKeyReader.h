#pragma once

#include "../Columns/ColumnString.h"
#include "../Columns/ColumnVector.h"
#include "../DataTypes/dispatchNumber.h"
#include "../base/types.h"

#include <algorithm>
#include <bit>
#include <string_view>

namespace DB::inline statewire
{

/** A key column as bytes: for numbers an array of little-endian values, for strings the column itself.
  * Points into: the column, which does not change meanwhile.
  */
class CountMinKeyReader
{
public:
    CountMinKeyReader(const IColumn & column_, UInt32 key_size_) : column(column_), key_size(key_size_)
    {
        if (key_size != 0 && column.size() != 0)
            numbers = column.getDataAt(0).data();
    }

    [[nodiscard]] UInt32 keySize() const noexcept { return key_size; }
    /// Key `row` of a number column and those behind it, as they lie.
    [[nodiscard]] const char * numbersFrom(size_t row) const noexcept { return numbers + row * key_size; }

    /// Of a number valid until the next call, on big-endian hosts.
    [[nodiscard]] std::string_view operator[](size_t row) noexcept
    {
        if (key_size == 0)
            return static_cast<const ColumnString &>(column)[row];
        const char * key = numbers + row * key_size;
        if constexpr (std::endian::native == std::endian::big)
        {
            std::reverse_copy(key, key + key_size, reversed);
            key = reversed;
        }
        return {key, key_size};
    }

private:
    const IColumn & column;
    UInt32 key_size;
    const char * numbers = nullptr;
    char reversed[sizeof(UInt64)];
};

/** A column of unsigned integers as UInt64: the weights of functions that take no others. Points into: the column. */
class UnsignedReader
{
public:
    UnsignedReader(const IColumn & column_, TypeIndex type_) : column(&column_), type(type_) { }
    /// Every row is 1.
    UnsignedReader() = default;

    [[nodiscard]] UInt64 operator[](size_t row) const
    {
        UInt64 value = 1;
        if (column != nullptr)
            dispatchInteger(
                type, [&]<typename T>() { value = static_cast<UInt64>(static_cast<const ColumnVector<T> &>(*column).getData()[row]); });
        return value;
    }

private:
    const IColumn * column = nullptr;
    TypeIndex type = TypeIndex::UInt64;
};

}
