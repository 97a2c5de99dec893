#pragma once

#include "../CountMin/CountMinHeavyHitters.h"
#include "CountMinGrowingState.h"

#include <string_view>
#include <vector>

namespace DB::inline statewire
{

/** The state of countMinTopK(k, num_hashes, num_buckets[, seed[, row_seeds[, option]]])(key[, weight]); bytes in
  * docs/count_min_sketch_state_format.md.
  *
  * Small, exact and sized to its content while the serialized entries are at most smallLimit() bytes, as in CountMinSketchState; then a table with
  * the keys of the largest estimates beside it (CountMinHeavyHitters), at most capacity() of them. Keys are as in CountMinSketchState.
  *
  * Merging is commutative in bytes. While there are at most capacity() keys it is associative too and equals adding everything to one state;
  * beyond, the tables still are (without conservative update), and every key above total / capacity + eps * total is among the candidates
  * whatever the order.
  *
  * Errors: as CountMinGrowingState's; BAD_ARGUMENTS also for another capacity or key size.
  * Threads: as there.
  */
class CountMinTopKState : public CountMinGrowingState<CountMinTopKState, CountMinHeavyHitters>
{
public:
    using Hitter = CountMinHeavyHitters::Hitter;

    CountMinTopKState(const CountMinParameters & parameters_, UInt32 capacity_, UInt32 key_size = 0) noexcept
        : CountMinGrowingState(parameters_, key_size), most(capacity_)
    {
    }
    CountMinTopKState(const CountMinParameters && parameters_, UInt32 capacity_, UInt32 key_size = 0) = delete;

    void add(std::string_view key, UInt64 weight = 1);
    /// Passes over one state, checking only what is needed to find its end.
    static void skip(ReadBuffer & in);

    [[nodiscard]] UInt32 capacity() const noexcept { return most; }
    [[nodiscard]] UInt32 keySize() const noexcept { return small.keySize(); }
    /// Exact for a small state; otherwise the table's.
    [[nodiscard]] UInt64 estimate(std::string_view key) const noexcept;
    [[nodiscard]] UInt64 lowerBound(std::string_view key) const noexcept
    {
        return isSmall() ? estimate(key) : large->sketch().lowerBound(key);
    }
    /// At most k keys by estimate, the largest first, ties by key. Of a small state exact: both numbers are the key's weight.
    [[nodiscard]] std::vector<Hitter> top(size_t k) const;

private:
    friend CountMinGrowingState<CountMinTopKState, CountMinHeavyHitters>;

    [[nodiscard]] UInt64 largeSize() const noexcept { return countMinImageSize<UInt64>(shape->cells()); }
    [[nodiscard]] TrackedPtr<CountMinHeavyHitters> makeLarge() const { return makeTracked<CountMinHeavyHitters>(*shape, most); }
    static void addKey(CountMinHeavyHitters & hitters, std::string_view key, UInt64 weight) { hitters.add(key, weight); }
    static void addEntries(CountMinHeavyHitters & hitters, const Entries & entries) { hitters.merge(entries); }
    void requireSameKind(const CountMinTopKState & other) const;
    void writeLarge(WriteBufferSink<WriteBuffer> & sink) const;
    [[nodiscard]] TrackedPtr<CountMinHeavyHitters> readLarge(ZeroCopyReader & reader) const;

    UInt32 most;
};

}
