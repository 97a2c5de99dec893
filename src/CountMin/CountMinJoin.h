#pragma once

#include "../base/types.h"
#include "CountMinFormat.h"
#include "CountMinParameters.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

/** Questions about two sketches, and a sharper answer about one key. They read cells only, so that they take owners and views alike.
  * Error bounds with their proofs: docs/count_min_estimators.md.
  */
namespace DB::inline statewire
{

namespace detail
{
/// The sum over one row of a's cells times b's. Exact for unsigned weights that passed Full validation: at most total * total.
template <CountMinWeight W, typename Left, typename Right>
[[nodiscard]] double productOfRow(const Left & a, const Right & b, UInt64 begin, UInt64 end) noexcept
{
    if constexpr (std::is_unsigned_v<W>)
    {
        __extension__ using UInt128 = unsigned __int128;
        UInt128 sum = 0;
        for (UInt64 i = begin; i < end; ++i)
            sum += UInt128{a.cell(i)} * b.cell(i);
        return static_cast<double>(sum);
    }
    else
    {
        double sum = 0;
        for (UInt64 i = begin; i < end; ++i)
            sum += static_cast<double>(a.cell(i)) * static_cast<double>(b.cell(i));
        return sum;
    }
}
}

/** The inner product of two frequency vectors, the sum over all keys of f_a(key) * f_b(key): the size of a join on the key. With both sides the
  * same it is the self-join size, the second moment of the frequencies.
  *
  * A conservative sketch has none, for its cells are no sums.
  * For non-negative weights: product <= answer always, and answer <= product + eps * total(a) * total(b) with probability 1 - exp(-num_hashes),
  * eps = e / num_buckets; up to the rounding of a double. With negative weights nothing is promised. One pass over both tables.
  * Errors: BAD_ARGUMENTS unless both were made with equal parameters, and for conservative ones.
  */
template <CountMinWeight W, typename Left, typename Right>
[[nodiscard]] double countMinInnerProduct(const Left & a, const Right & b)
{
    const CountMinParameters & parameters = a.parameters();
    if (!(parameters == b.parameters()))
        throwIncompatibleCountMin(parameters, b.parameters());
    requireCountMinCellsAreSums(parameters);
    if (a.isEmpty() || b.isEmpty())
        return 0;
    const UInt64 row_size = parameters.numBuckets();
    double smallest = detail::productOfRow<W>(a, b, 0, row_size);
    for (UInt64 row = 1; row < parameters.numHashes(); ++row)
        smallest = std::min(smallest, detail::productOfRow<W>(a, b, row * row_size, (row + 1) * row_size));
    return smallest;
}

/** The frequency of a key with the noise of the others taken out (count-mean-min): in each row the cell minus what the rest of the weight puts
  * into a cell on average, (total - cell) / (num_buckets - 1); the median of the rows, never above the estimate and never below 0.
  *
  * For non-negative weights each row is unbiased before the caps; with probability 1 - exp(-num_hashes / 8) the answer is within
  * 2 * sqrt(F / (num_buckets - 1)) of the frequency, F being the sum of the squared frequencies of all other keys. Better than the estimate for
  * rare keys of flat streams, where the estimate is mostly noise; no bound on one side.
  * Errors: BAD_ARGUMENTS for a conservative sketch, whose cells hold less noise than that.
  */
template <CountMinWeight W, typename Sketch>
[[nodiscard]] double countMinCorrectedEstimate(const Sketch & sketch, std::string_view key)
{
    const CountMinParameters & parameters = sketch.parameters();
    requireCountMinCellsAreSums(parameters);
    if (sketch.isEmpty())
        return 0;
    const auto total = static_cast<double>(sketch.total());
    double corrected[COUNT_MIN_MAX_HASHES];
    double smallest = 0;
    const UInt32 rows = parameters.numHashes();
    for (UInt32 row = 0; row < rows; ++row)
    {
        const auto cell = static_cast<double>(sketch.cell(parameters.cellIndex(row, key)));
        smallest = row == 0 ? cell : std::min(smallest, cell);
        corrected[row] = cell - (total - cell) / (parameters.numBuckets() - 1);
    }
    std::sort(corrected, corrected + rows);
    const double median = rows % 2 == 1 ? corrected[rows / 2] : (corrected[rows / 2 - 1] + corrected[rows / 2]) / 2;
    return std::max(0.0, std::min(median, smallest));
}

}
