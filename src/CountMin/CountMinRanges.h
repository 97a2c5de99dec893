#pragma once

#include "../Common/TrackedAllocator.h"
#include "../base/types.h"
#include "CountMinParameters.h"
#include "CountMinSketch.h"

#include <string_view>

namespace DB::inline statewire
{

/** Counts of ranges, and quantiles, of unsigned integers below 2^bits: one count-min sketch for each dyadic level. Level l counts the values by
  * their upper bits, value >> l, so that any closed range [first, last] is the sum of at most 2 * bits of its intervals.
  *
  * For non-negative weights: truth <= count(first, last), and count <= truth + n * eps * total where each of the n estimates it sums keeps its
  * bound, each with probability 1 - exp(-num_hashes); n <= 2 * bits, eps = e / num_buckets. Levels of at most num_hashes * num_buckets values are
  * counted exactly instead, which takes no more memory and leaves the error to the lower levels.
  *
  * Errors: BAD_ARGUMENTS for bits outside 1..64, more than 2^30 cells in all, a value outside the domain, other parameters or bits in merge;
  *     DECIMAL_OVERFLOW when the total leaves UInt64; INCORRECT_DATA from read. A call that throws has changed nothing.
  * Threads: const calls never write. The parameters outlive it. Copying copies the tables.
  */
class CountMinRanges
{
public:
    CountMinRanges(const CountMinParameters & parameters_, UInt32 bits_);
    CountMinRanges(const CountMinParameters && parameters_, UInt32 bits_) = delete;

    void add(UInt64 value, UInt64 weight = 1);
    void merge(const CountMinRanges & other);

    [[nodiscard]] const CountMinParameters & parameters() const noexcept { return *shape; }
    [[nodiscard]] UInt32 bits() const noexcept { return domain_bits; }
    [[nodiscard]] UInt64 total() const noexcept { return weight_total; }
    /// The largest value of the domain.
    [[nodiscard]] UInt64 last() const noexcept { return ~UInt64{0} >> (64 - domain_bits); }
    /// At least the weight of the values in [first, last]; 0 when first > last. Never above the total.
    [[nodiscard]] UInt64 count(UInt64 first, UInt64 last_value) const noexcept { return sum(first, last_value).estimate; }
    /// At most that weight where the estimates in count() keep their bounds: max(0, count - n * eps * total).
    [[nodiscard]] UInt64 lowerBound(UInt64 first, UInt64 last_value) const noexcept;
    /// A value v whose count(0, v) reaches the fraction `level` (held between 0 and 1) of the total and is not 0, while count(0, v - 1) does not:
    /// the rank of v is below level * total by at most 2 * bits * eps * total, in the sense of count(). 0 when nothing was added.
    [[nodiscard]] UInt64 quantile(double level) const noexcept;
    [[nodiscard]] size_t heldBytes() const noexcept;

    /// Levels, of bits + 1, that are estimated and not exact: fixed by the parameters.
    [[nodiscard]] static UInt32 estimatedLevels(const CountMinParameters & parameters, UInt32 bits) noexcept;
    /// Bytes that write() writes of anything but an empty object: fixed by the parameters.
    [[nodiscard]] static UInt64 imageSize(const CountMinParameters & parameters, UInt32 bits) noexcept;
    /// The finest exact level's counts as UInt64 each, then the images of the levels below it from the coarsest to the finest. Not for an
    /// object that was never fed. Sinks as in WriteBufferSink.h.
    template <typename Sink>
    void write(Sink & sink) const;
    /// What write() wrote: imageSize() bytes, all of which are checked. `base_offset` is added to the offsets in errors.
    [[nodiscard]] static CountMinRanges
    read(std::string_view bytes, const CountMinParameters & parameters, UInt32 bits, UInt64 base_offset = 0);

private:
    struct Sum
    {
        UInt64 estimate = 0;
        /// Intervals in it that were estimated.
        UInt32 inexact = 0;
    };

    [[nodiscard]] Sum sum(UInt64 first, UInt64 last_value) const noexcept;
    /// The weight of one dyadic interval.
    [[nodiscard]] UInt64 estimate(UInt32 level, UInt64 prefix) const noexcept;
    void addToLevels(UInt64 value, UInt64 weight);
    /// Makes room for the exact counts of all levels, from the finest exact one up.
    void allocateExact();
    /// Sums each exact level from the one below it.
    void fillExactFromFinest() noexcept;

    const CountMinParameters * shape;
    UInt32 domain_bits;
    /// The lowest level that is counted exactly.
    UInt32 first_exact;
    UInt64 weight_total = 0;
    /// By level below first_exact.
    TrackedVector<CountMinSketch<UInt64>> sketches;
    /// By level from first_exact on; empty until something was added.
    TrackedVector<TrackedVector<UInt64>> exact;
};

/// Implementation details.

template <typename Sink>
void CountMinRanges::write(Sink & sink) const
{
    for (const UInt64 weight : exact.front())
    {
        unalignedStoreLittleEndian<UInt64>(sink.reserve(sizeof(UInt64)), weight);
        sink.commit(sizeof(UInt64));
    }
    for (UInt32 level = first_exact; level-- > 0;)
        sketches[level].writeImage(sink);
}

}
