#pragma once

#include "IColumn.h"

#include <bit>
#include <concepts>
#include <vector>

namespace DB::inline statewire
{

/** Numbers: UInt8..UInt64, Int8..Int64, Float32, Float64, one after another in memory.
  *
  * Errors: only from the allocator.
  */
template <typename T>
class ColumnVector final : public IColumn
{
public:
    using Container = std::vector<T>;

    ColumnVector() = default;
    explicit ColumnVector(Container data_) : data(std::move(data_)) { }

    [[nodiscard]] Container & getData() noexcept { return data; }
    [[nodiscard]] const Container & getData() const noexcept { return data; }

    [[nodiscard]] size_t size() const noexcept override { return data.size(); }
    [[nodiscard]] MutableColumnPtr cloneEmpty() const override { return std::make_unique<ColumnVector>(); }
    void insertFrom(const IColumn & source, size_t row) override { data.push_back(static_cast<const ColumnVector &>(source).data[row]); }
    void insertDefault() override { data.push_back(T{}); }
    void popBack(size_t n) noexcept override { data.resize(data.size() - n); }
    [[nodiscard]] int compareAt(size_t row, const IColumn & other, size_t other_row) const override
    {
        return compareValues(data[row], static_cast<const ColumnVector &>(other).data[other_row]);
    }
    [[nodiscard]] size_t byteSize() const noexcept override { return data.capacity() * sizeof(T); }
    [[nodiscard]] std::string_view getDataAt(size_t row) const override
    {
        return {reinterpret_cast<const char *>(&data[row]), sizeof(T)};
    }

private:
    [[nodiscard]] static int compareValues(T left, T right) noexcept
    {
        if (left < right)
            return -1;
        if (right < left)
            return 1;
        if constexpr (std::floating_point<T>)
        {
            /// Equal values, or a NaN on at least one side: the sign bit last for numbers, then the bits, so that the order stays total.
            using Bits = std::conditional_t<sizeof(T) == 4, UInt32, UInt64>;
            const bool left_nan = left != left;
            const bool right_nan = right != right;
            if (left_nan != right_nan)
                return left_nan ? 1 : -1;
            const auto left_bits = std::bit_cast<Bits>(left);
            const auto right_bits = std::bit_cast<Bits>(right);
            if (left_bits == right_bits)
                return 0;
            return (left_bits < right_bits) == left_nan ? -1 : 1;
        }
        return 0;
    }

    Container data;
};

using ColumnUInt8 = ColumnVector<UInt8>;
using ColumnUInt64 = ColumnVector<UInt64>;

}
