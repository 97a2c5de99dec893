#pragma once

#include "../CountMin/CountMinEntries.h"
#include "../CountMin/CountMinParameters.h"
#include "../CountMin/CountMinRanges.h"
#include "../IO/ReadBuffer.h"
#include "../IO/WriteBuffer.h"
#include "CountMinStateKind.h"

#include <memory>

namespace DB::inline statewire
{

/** The state of countMinRanges(num_hashes, num_buckets[, seed[, row_seeds[, option]]])(value[, weight]); bytes in
  * docs/count_min_sketch_state_format.md.
  *
  * Values are unsigned numbers of `value_size` bytes; whoever has signed ones flips their sign bit first, which keeps their order. Small, exact and
  * sized to its content while the serialized entries are at most smallLimit() bytes; then CountMinRanges, a table for each dyadic level.
  *
  * Merging is commutative in bytes; without conservative update it is associative and equals adding everything to one state.
  * Errors: DECIMAL_OVERFLOW when the total leaves UInt64; BAD_ARGUMENTS for other parameters, value sizes or a value that does not fit, and for more
  *     than 2^30 cells over all levels when the state grows; from read and readAndMerge INCORRECT_DATA, CANNOT_READ_ALL_DATA and
  *     ATTEMPT_TO_READ_AFTER_EOF. A failed read leaves a fresh state fresh, any other failed call the state as it was.
  * Threads: const calls never write to the state, so threads may share one. The parameters outlive it.
  */
class CountMinRangesState
{
public:
    /// `value_size_` is 1, 2, 4 or 8.
    CountMinRangesState(const CountMinParameters & parameters_, UInt32 value_size_) noexcept
        : shape(&parameters_), value_size(value_size_), small(value_size_)
    {
    }
    CountMinRangesState(const CountMinParameters && parameters_, UInt32 value_size_) = delete;

    void add(UInt64 value, UInt64 weight = 1);
    void merge(const CountMinRangesState & other);

    void write(WriteBuffer & out) const;
    void read(ReadBuffer & in);
    void readAndMerge(ReadBuffer & in);

    [[nodiscard]] const CountMinParameters & parameters() const noexcept { return *shape; }
    [[nodiscard]] UInt32 bits() const noexcept { return value_size * 8; }
    /// The largest value.
    [[nodiscard]] UInt64 last() const noexcept { return ~UInt64{0} >> (64 - bits()); }
    [[nodiscard]] bool isSmall() const noexcept { return levels == nullptr; }
    [[nodiscard]] UInt64 smallLimit() const noexcept;
    [[nodiscard]] UInt64 total() const noexcept { return isSmall() ? small.total() : levels->total(); }
    /// As CountMinRanges'; exact for a small state.
    [[nodiscard]] UInt64 count(UInt64 first, UInt64 last_value) const noexcept;
    [[nodiscard]] UInt64 lowerBound(UInt64 first, UInt64 last_value) const noexcept;
    [[nodiscard]] UInt64 quantile(double level) const noexcept;
    [[nodiscard]] size_t heldBytes() const noexcept;

private:
    void mergeSmall(const CountMinEntries<UInt64> & entries);
    void become(CountMinRanges && content);

    const CountMinParameters * shape;
    UInt32 value_size;
    /// What there is while `levels` is null; keys are big-endian, so that they ascend with the values.
    CountMinEntries<UInt64> small;
    std::unique_ptr<CountMinRanges> levels;
};

}
