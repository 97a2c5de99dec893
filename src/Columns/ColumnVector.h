#pragma once

#include "IColumn.h"

#include <vector>

namespace DB::inline statewire
{

/// Numbers: UInt8..UInt64, Int8..Int64, Float32, Float64.
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
    void popBack(size_t n) override { data.resize(data.size() - n); }
    [[nodiscard]] int compareAt(size_t row, const IColumn & other, size_t other_row) const override
    {
        const T left = data[row];
        const T right = static_cast<const ColumnVector &>(other).data[other_row];
        return left < right ? -1 : (right < left ? 1 : 0);
    }
    [[nodiscard]] size_t byteSize() const noexcept override { return data.size() * sizeof(T); }
    [[nodiscard]] std::string_view getDataAt(size_t row) const override
    {
        return {reinterpret_cast<const char *>(&data[row]), sizeof(T)};
    }

private:
    Container data;
};

}
