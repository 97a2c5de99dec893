#pragma once

#include "../CountMin/CountMinRanges.h"
#include "CountMinGrowingState.h"

#include <string_view>

namespace DB::inline statewire
{

/** The state of countMinRanges(num_hashes, num_buckets[, seed[, row_seeds[, option]]])(value[, weight]); bytes in
  * docs/count_min_sketch_state_format.md.
  *
  * Values are unsigned numbers of `value_size` bytes; whoever has signed ones flips their sign bit first, which keeps their order. Small, exact and
  * sized to its content while the serialized entries are at most smallLimit() bytes; then CountMinRanges, a table for each dyadic level.
  *
  * Merging is commutative in bytes; without conservative update it is associative and equals adding everything to one state.
  * Errors: as CountMinGrowingState's; BAD_ARGUMENTS also for another value size, a value that does not fit, and for more than 2^30 cells over all
  *     levels when the state grows.
  * Threads: as there.
  */
class CountMinRangesState : public CountMinGrowingState<CountMinRangesState, CountMinRanges>
{
public:
    /// `value_size` is 1, 2, 4 or 8.
    CountMinRangesState(const CountMinParameters & parameters_, UInt32 value_size) noexcept : CountMinGrowingState(parameters_, value_size) { }
    CountMinRangesState(const CountMinParameters && parameters_, UInt32 value_size) = delete;

    void add(UInt64 value, UInt64 weight = 1);
    /// Passes over one state, checking only what is needed to find its end.
    static void skip(ReadBuffer & in);

    [[nodiscard]] UInt32 bits() const noexcept { return small.keySize() * 8; }
    /// The largest value.
    [[nodiscard]] UInt64 last() const noexcept { return ~UInt64{0} >> (64 - bits()); }
    /// As CountMinRanges'; exact for a small state.
    [[nodiscard]] UInt64 count(UInt64 first, UInt64 last_value) const noexcept;
    [[nodiscard]] UInt64 lowerBound(UInt64 first, UInt64 last_value) const noexcept;
    [[nodiscard]] UInt64 quantile(double level) const noexcept;

private:
    friend CountMinGrowingState<CountMinRangesState, CountMinRanges>;

    [[nodiscard]] UInt64 largeSize() const noexcept { return CountMinRanges::imageSize(*shape, bits()); }
    [[nodiscard]] TrackedPtr<CountMinRanges> makeLarge() const { return makeTracked<CountMinRanges>(*shape, bits()); }
    /// Keys are big-endian, so that they ascend with the values.
    static void addKey(CountMinRanges & ranges, std::string_view key, UInt64 weight);
    static void addEntries(CountMinRanges & ranges, const Entries & entries);
    void requireSameKind(const CountMinRangesState & other) const;
    void writeLarge(WriteBufferSink<WriteBuffer> & sink) const;
    [[nodiscard]] TrackedPtr<CountMinRanges> readLarge(ZeroCopyReader & reader) const;
};

}
