#pragma once

#include "../base/unaligned.h"
#include "CountMinArithmetic.h"
#include "CountMinFormat.h"
#include "CountMinKeyHash.h"
#include "CountMinParameters.h"

#include <algorithm>
#include <bit>

/** The passes over a whole table, written so that compilers vectorize them. Included by this folder's .cpp files only. */
namespace DB::inline statewire::detail
{

/// A table in memory.
template <CountMinWeight W>
struct NativeCells
{
    const W * table;
    [[nodiscard]] W operator()(size_t index) const noexcept { return table[index]; }
};

/// A table in an image, at any alignment.
template <CountMinWeight W>
struct ImageCells
{
    const char * table;
    [[nodiscard]] W operator()(size_t index) const noexcept { return unalignedLoadLittleEndian<W>(table + index * sizeof(W)); }
};

template <CountMinWeight W, typename Cells>
[[nodiscard]] W smallestCell(const CountMinParameters & parameters, const Cells & cells, std::string_view key) noexcept
{
    W smallest = 0;
    forEachCell(parameters, key, [&](UInt32 row, size_t index) {
        const W candidate = cells(index);
        smallest = row == 0 || candidate < smallest ? candidate : smallest;
    });
    return smallest;
}

template <CountMinWeight W, typename Cells>
[[nodiscard]] UInt64 countFilledCells(const Cells & cells, size_t count) noexcept
{
    UInt64 filled = 0;
    for (size_t i = 0; i < count; ++i)
        filled += cells(i) != 0;
    return filled;
}

template <CountMinWeight W, typename Cells>
void copyCells(W * to, const Cells & from, size_t count) noexcept
{
    for (size_t i = 0; i < count; ++i)
        to[i] = from(i);
}

template <CountMinWeight W, typename Cells>
void addCells(W * to, const Cells & from, size_t count) noexcept
{
    for (size_t i = 0; i < count; ++i)
        to[i] = countMinWrappingSum<W>(to[i], from(i));
}

template <CountMinWeight W, typename Cells>
void addCellsSaturating(W * to, const Cells & from, size_t count) noexcept
{
    for (size_t i = 0; i < count; ++i)
        to[i] = countMinSaturatingSum<W>(to[i], from(i));
}

/// Conservative update of a key whose cell in row r is table[cell_of(r)]: what is below the smallest of them plus the weight rises to that.
template <CountMinWeight W, typename CellOf>
void raiseCells(W * table, UInt32 rows, CellOf && cell_of, W weight, bool saturating) noexcept
{
    W smallest = table[cell_of(0)];
    for (UInt32 row = 1; row < rows; ++row)
        smallest = std::min(smallest, table[cell_of(row)]);
    const W least = saturating ? countMinSaturatingSum<W>(smallest, weight) : countMinWrappingSum<W>(smallest, weight);
    for (UInt32 row = 0; row < rows; ++row)
    {
        W & cell = table[cell_of(row)];
        cell = std::max(cell, least);
    }
}

template <CountMinWeight W>
[[nodiscard]] bool isNegativeZero([[maybe_unused]] W value) noexcept
{
    if constexpr (std::is_floating_point_v<W>)
        return value == 0 && std::signbit(value);
    else
        return false;
}

/// True when one row's magnitudes are at most `total` and no cell is -0. `sum` is the row's sum in W's arithmetic (integers only).
template <CountMinWeight W, typename Cells>
[[nodiscard]] bool scanRow(const Cells & cells, size_t begin, size_t end, W total, W & sum) noexcept
{
    if constexpr (std::is_floating_point_v<W>)
    {
        UInt32 bad = 0;
        for (size_t i = begin; i < end; ++i)
        {
            const W value = cells(i);
            bad |= static_cast<UInt32>(!(std::fabs(value) <= total)) | static_cast<UInt32>(isNegativeZero<W>(value));
        }
        return bad == 0;
    }
    else
    {
        /// Bits of all magnitudes together: none of them is larger. Sums and ORs of 64 bits vectorize everywhere, while a comparison of them
        /// needs more than SSE2 has; they are compared one by one only where the bits do not decide.
        using U = CountMinMagnitude<W>;
        W row_sum = 0;
        U bits = 0;
        for (size_t i = begin; i < end; ++i)
        {
            const W value = cells(i);
            row_sum = countMinWrappingSum<W>(row_sum, value);
            /// Of a negative value its magnitude less one.
            bits = static_cast<U>(bits | static_cast<U>(value < 0 ? ~value : value));
        }
        sum = row_sum;
        if (bits < static_cast<U>(total)) [[likely]]
            return true;
        W largest = 0;
        W smallest = 0;
        for (size_t i = begin; i < end; ++i)
        {
            largest = std::max(largest, cells(i));
            smallest = std::min(smallest, cells(i));
        }
        return largest <= total && countMinMagnitude<W>(smallest) <= static_cast<CountMinMagnitude<W>>(total);
    }
}

template <CountMinWeight W>
[[nodiscard]] CountMinParseResult disagreement(CountMinError error, UInt64 offset, W expected, W found) noexcept
{
    using Numbers = CountMinParseResult::Numbers;
    if constexpr (std::is_floating_point_v<W>)
        return {
            error,
            Numbers::Floating,
            offset,
            std::bit_cast<UInt64>(static_cast<Float64>(expected)),
            std::bit_cast<UInt64>(static_cast<Float64>(found))};
    else if constexpr (std::is_signed_v<W>)
        return {error, Numbers::Signed, offset, static_cast<UInt64>(Int64{expected}), static_cast<UInt64>(Int64{found})};
    else
        return {error, Numbers::Unsigned, offset, expected, found};
}

/// Where conservative update or decay left cells smaller than sums: each row of an unsigned table sums to at most the total.
template <CountMinWeight W, typename Cells>
[[nodiscard]] CountMinParseResult checkRowSumsAtMost(const Cells & cells, const CountMinParameters & parameters, W total) noexcept
{
    __extension__ using UInt128 = unsigned __int128;
    size_t index = 0;
    for (UInt32 row = 0; row < parameters.numHashes(); ++row)
    {
        const size_t begin = index;
        UInt128 sum = 0;
        for (UInt32 bucket = 0; bucket < parameters.numBuckets(); ++bucket)
            sum += static_cast<CountMinMagnitude<W>>(cells(index++));
        if (sum > static_cast<CountMinMagnitude<W>>(total))
            return {
                CountMinError::RowSumAboveTotal,
                CountMinParseResult::Numbers::Unsigned,
                COUNT_MIN_HEADER_SIZE + sizeof(W) * (UInt64{1} + begin),
                static_cast<CountMinMagnitude<W>>(total),
                sum > ~UInt64{0} ? ~UInt64{0} : static_cast<UInt64>(sum)};
    }
    return {};
}

/// What makes a table consistent with its total: a positive finite total, every magnitude at most it, no -0; with `check_rows`, each row of
/// an unsigned table sums to the total, or with an option to no more than it. Offsets are those of the image.
template <CountMinWeight W, typename Cells>
[[nodiscard]] CountMinParseResult
checkTable(const Cells & cells, const CountMinParameters & parameters, W total, [[maybe_unused]] bool check_rows) noexcept
{
    if (!(total > 0) || !(total <= std::numeric_limits<W>::max()))
        return disagreement<W>(CountMinError::TotalNotPositive, COUNT_MIN_HEADER_SIZE, 1, total);
    const size_t row_size = parameters.numBuckets();
    const auto offset_of = [](size_t index) { return COUNT_MIN_HEADER_SIZE + sizeof(W) * (UInt64{1} + index); };
    for (size_t row = 0; row < parameters.numHashes(); ++row)
    {
        const size_t begin = row * row_size;
        W sum = 0;
        if (!scanRow<W>(cells, begin, begin + row_size, total, sum)) [[unlikely]]
        {
            for (size_t i = begin; i < begin + row_size; ++i)
            {
                if (!(countMinMagnitude<W>(cells(i)) <= static_cast<CountMinMagnitude<W>>(total)))
                    return disagreement<W>(CountMinError::CellAboveTotal, offset_of(i), total, cells(i));
                if (isNegativeZero<W>(cells(i)))
                    return disagreement<W>(CountMinError::NegativeZeroCell, offset_of(i), 0, cells(i));
            }
        }
        if constexpr (std::is_unsigned_v<W>)
            if (check_rows && parameters.option() == CountMinOption::Plain && sum != total) [[unlikely]]
                return disagreement<W>(CountMinError::RowSumMismatch, offset_of(begin), total, sum);
    }
    if constexpr (std::is_unsigned_v<W>)
        if (check_rows && parameters.option() != CountMinOption::Plain)
            return checkRowSumsAtMost<W>(cells, parameters, total);
    return {};
}

}
