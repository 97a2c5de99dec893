#pragma once

#include "../IO/WriteBufferSink.h"
#include "../base/unaligned.h"
#include "CountMinParameters.h"
#include "CountMinView.h"

#include <iterator>
#include <string>
#include <string_view>

/** A count-min sketch as an array of numbers that adds up element by element, so that whatever sums arrays merges sketches: ClickHouse's
  * sumForEach, with AggregateFunction(sumForEach, Array(UInt64)) as the state (a u64 count, then the numbers). Element by element in
  * docs/count_min_sum_for_each.md.
  *
  * The array of one sketch, all UInt64: its num_hashes * num_buckets cells row after row, the total, 1 for the number of sketches in it, and
  * num_hashes * 2^32 + num_buckets for its shape. In a sum the shape is the number of sketches times that, which tells sums of other shapes.
  */
namespace DB::inline statewire
{

/// What stands behind the cells.
inline constexpr UInt64 COUNT_MIN_SUM_FOR_EACH_EXTRA = 3;

[[nodiscard]] inline UInt64 countMinSumForEachLength(const CountMinParameters & parameters) noexcept
{
    return parameters.cells() + COUNT_MIN_SUM_FOR_EACH_EXTRA;
}

/// The last element of one sketch.
[[nodiscard]] inline UInt64 countMinSumForEachShape(const CountMinParameters & parameters) noexcept
{
    return (UInt64{parameters.numHashes()} << 32) | parameters.numBuckets();
}

/// Writes the array's numbers, little-endian and without a count, into anything with reserve, commit and append (WriteBufferSink.h). The cells
/// leave in one append.
template <typename Sink>
void writeCountMinSumForEach(const CountMinView<UInt64> & sketch, Sink & sink)
{
    const CountMinParameters & parameters = sketch.parameters();
    if (sketch.isEmpty())
    {
        constexpr UInt64 ZEROS[512] = {};
        for (UInt64 left = parameters.cells(); left != 0;)
        {
            const size_t n = left < std::size(ZEROS) ? static_cast<size_t>(left) : std::size(ZEROS);
            sink.append(ZEROS, n * sizeof(UInt64));
            left -= n;
        }
    }
    else
        sink.append(
            sketch.bytes().data() + COUNT_MIN_HEADER_SIZE + sizeof(UInt64), static_cast<size_t>(parameters.cells()) * sizeof(UInt64));
    for (const UInt64 number : {sketch.total(), UInt64{1}, countMinSumForEachShape(parameters)})
    {
        unalignedStoreLittleEndian<UInt64>(sink.reserve(sizeof(number)), number);
        sink.commit(sizeof(number));
    }
}

/** The DataSketches image of what the numbers (little-endian, without a count) are the sum of; an empty array, which is the sum of none, is an
  * empty sketch.
  *
  * Everything is checked: the length, that the shape's sum is the number of sketches times this shape, and that each row sums to the total.
  * INCORRECT_DATA with the element, what was expected and what was found; DECIMAL_OVERFLOW when a row's sum leaves UInt64, which is what
  * totals leave behind that wrapped.
  */
[[nodiscard]] std::string countMinImageFromSumForEach(std::string_view numbers, const CountMinParameters & parameters);
/// The same from the bytes of a state of sumForEach, whose count of numbers is checked too.
[[nodiscard]] std::string countMinImageFromSumForEachState(std::string_view state, const CountMinParameters & parameters);

}
