#pragma once

#include "../base/types.h"
#include "CountMinParameters.h"
#include "CountMinSketch.h"

#include <vector>

namespace DB::inline statewire
{

/** Counts of ranges, and quantiles, of unsigned integers below 2^bits: one count-min sketch for each dyadic level. Level l counts the values by
  * their upper bits, value >> l, so that any closed range [first, last] is the sum of at most 2 * bits of its intervals.
  *
  * For non-negative weights: truth <= count(first, last), and count <= truth + 2 * bits * eps * total where each of the estimates it sums keeps
  * its bound, each with probability 1 - exp(-num_hashes), eps = e / num_buckets. Memory is bits + 1 tables; a level with at most num_hashes *
  * num_buckets values is counted exactly instead, which takes no more memory and leaves the error to the lower levels.
  *
  * Errors: BAD_ARGUMENTS for bits outside 1..64, a value outside the domain, other parameters or bits in merge; DECIMAL_OVERFLOW when the total
  *     leaves UInt64. Nothing has changed then; memory that runs out may leave some levels fed.
  * Threads: const calls never write. The parameters outlive it.
  */
class CountMinRanges
{
public:
    CountMinRanges(const CountMinParameters & parameters_, UInt32 bits_);
    CountMinRanges(const CountMinParameters && parameters_, UInt32 bits_) = delete;

    void add(UInt64 value, UInt64 weight = 1);
    void merge(const CountMinRanges & other);

    [[nodiscard]] UInt32 bits() const noexcept { return domain_bits; }
    [[nodiscard]] UInt64 total() const noexcept { return weight_total; }
    /// The largest value of the domain.
    [[nodiscard]] UInt64 last() const noexcept { return ~UInt64{0} >> (64 - domain_bits); }
    /// At least the weight of the values in [first, last]; 0 when first > last. Never above the total.
    [[nodiscard]] UInt64 count(UInt64 first, UInt64 last) const noexcept;
    /// A value v whose count(0, v) reaches the fraction `level` (held between 0 and 1) of the total and is not 0, while count(0, v - 1) does not:
    /// the rank of v is below level * total by at most 2 * bits * eps * total, in the sense of count(). 0 when nothing was added.
    [[nodiscard]] UInt64 quantile(double level) const noexcept;

private:
    /// Values that level `level` tells apart, held at 2^63.
    [[nodiscard]] UInt64 sizeOf(UInt32 level) const noexcept;
    [[nodiscard]] bool isExact(UInt32 level) const noexcept { return sizeOf(level) <= parameters->cells(); }
    /// The weight of one dyadic interval.
    [[nodiscard]] UInt64 estimate(UInt32 level, UInt64 prefix) const noexcept;

    const CountMinParameters * parameters;
    UInt32 domain_bits;
    UInt64 weight_total = 0;
    /// By level; those that are counted exactly have an entry of `exact` and an empty sketch.
    std::vector<CountMinSketch<UInt64>> sketches;
    std::vector<std::vector<UInt64>> exact;
};

}
