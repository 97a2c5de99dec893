#pragma once

#include "CountMinArithmetic.h"
#include "CountMinHashKernels.h"
#include "CountMinKernels.h"

#include <algorithm>

/** Many keys over one table: a block of keys is hashed for one row while the cells of the row before are on their way from memory. Included by
  * .cpp files only.
  */
namespace DB::inline statewire::detail
{

/// Tables of more bytes are prefetched: smaller ones stay in the second cache of current processors, where asking costs more than waiting.
inline constexpr size_t COUNT_MIN_PREFETCH_BYTES = 512 * 1024;

/// Calls f(row, begin, buckets, n) for each block of keys [begin, begin + n) and, within it, each row in order. `prefetch(row, bucket)` comes
/// for the next row's cells beforehand when `ahead`.
template <typename Prefetch, typename F>
void forEachRowOfBuckets(const CountMinParameters & parameters, const CountMinKeys & keys, bool ahead, Prefetch && prefetch, F && f) noexcept
{
    CountMinKeyBlock block(parameters);
    UInt32 buckets[2][CountMinKeyBlock::SIZE];
    for (size_t begin = 0; begin < keys.size(); begin += CountMinKeyBlock::SIZE)
    {
        const size_t n = std::min(CountMinKeyBlock::SIZE, keys.size() - begin);
        block.load(keys.slice(begin, n));
        const auto hash = [&](UInt32 row) {
            UInt32 * to = buckets[row % 2];
            block.buckets(row, to);
            if (ahead)
                for (size_t i = 0; i < n; ++i)
                    prefetch(row, to[i]);
        };
        hash(0);
        for (UInt32 row = 0; row < parameters.numHashes(); ++row)
        {
            if (row + 1 < parameters.numHashes())
                hash(row + 1);
            f(row, begin, buckets[row % 2], n);
        }
    }
}

/// Adds weights (or 1 each, when null) to a row's cells. Cells change in the order of the keys, so that floats round as they do one at a time.
template <CountMinWeight W, bool saturating>
void addToRow(W * cells, const UInt32 * buckets, const W * weights, size_t n) noexcept
{
    const auto add = [&](size_t i, W weight) {
        W & cell = cells[buckets[i]];
        cell = saturating ? countMinSaturatingSum<W>(cell, weight) : countMinWrappingSum<W>(cell, weight);
    };
    if (weights == nullptr)
        for (size_t i = 0; i < n; ++i)
            add(i, W{1});
    else
        for (size_t i = 0; i < n; ++i)
            add(i, weights[i]);
}

template <CountMinWeight W>
void addKeys(W * table, const CountMinParameters & parameters, const CountMinKeys & keys, const W * weights, bool saturating) noexcept
{
    const size_t row_size = parameters.numBuckets();
    forEachRowOfBuckets(
        parameters,
        keys,
        parameters.cells() * sizeof(W) > COUNT_MIN_PREFETCH_BYTES,
        [&](UInt32 row, UInt32 bucket) { __builtin_prefetch(table + row * row_size + bucket, 1); },
        [&](UInt32 row, size_t begin, const UInt32 * buckets, size_t n) {
            W * const cells = table + row * row_size;
            const W * const block_weights = weights == nullptr ? nullptr : weights + begin;
            if (saturating)
                addToRow<W, true>(cells, buckets, block_weights, n);
            else
                addToRow<W, false>(cells, buckets, block_weights, n);
        });
}

/// Writes each key's smallest cell. `cells` is NativeCells or ImageCells.
template <CountMinWeight W, typename Cells>
void smallestCells(const CountMinParameters & parameters, const Cells & cells, const CountMinKeys & keys, W * to) noexcept
{
    const size_t row_size = parameters.numBuckets();
    forEachRowOfBuckets(
        parameters,
        keys,
        parameters.cells() * sizeof(W) > COUNT_MIN_PREFETCH_BYTES,
        [&](UInt32 row, UInt32 bucket) { __builtin_prefetch(cells.table + (row * row_size + bucket) * (sizeof(W) / sizeof(*cells.table))); },
        [&](UInt32 row, size_t begin, const UInt32 * buckets, size_t n) {
            const Cells row_cells{cells.table + row * row_size * (sizeof(W) / sizeof(*cells.table))};
            W * const smallest = to + begin;
            if (row == 0)
                for (size_t i = 0; i < n; ++i)
                    smallest[i] = row_cells(buckets[i]);
            else
                for (size_t i = 0; i < n; ++i)
                {
                    const W candidate = row_cells(buckets[i]);
                    smallest[i] = candidate < smallest[i] ? candidate : smallest[i];
                }
        });
}

}
