#pragma once

#include "../CountMin/CountMinEntries.h"
#include "../CountMin/CountMinHeavyHitters.h"
#include "../CountMin/CountMinParameters.h"
#include "../IO/ReadBuffer.h"
#include "../IO/WriteBuffer.h"
#include "CountMinStateKind.h"

#include <memory>
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
  * Errors: DECIMAL_OVERFLOW when the total leaves UInt64, BAD_ARGUMENTS for other parameters, capacity or key size; from read and readAndMerge
  *     INCORRECT_DATA, CANNOT_READ_ALL_DATA and ATTEMPT_TO_READ_AFTER_EOF. A failed read leaves a fresh state fresh, any other failed call the
  *     state as it was.
  * Threads: const calls never write to the state, so threads may share one. The parameters outlive it.
  */
class CountMinTopKState
{
public:
    using Hitter = CountMinHeavyHitters::Hitter;

    CountMinTopKState(const CountMinParameters & parameters_, UInt32 capacity_, UInt32 key_size_ = 0) noexcept
        : shape(&parameters_), most(capacity_), key_size(key_size_), small(key_size_)
    {
    }
    CountMinTopKState(const CountMinParameters && parameters_, UInt32 capacity_, UInt32 key_size_ = 0) = delete;

    void add(std::string_view key, UInt64 weight = 1);
    void merge(const CountMinTopKState & other);

    void write(WriteBuffer & out) const;
    void read(ReadBuffer & in);
    void readAndMerge(ReadBuffer & in);

    [[nodiscard]] const CountMinParameters & parameters() const noexcept { return *shape; }
    [[nodiscard]] UInt32 capacity() const noexcept { return most; }
    [[nodiscard]] UInt32 keySize() const noexcept { return key_size; }
    [[nodiscard]] bool isSmall() const noexcept { return hitters == nullptr; }
    [[nodiscard]] UInt64 smallLimit() const noexcept;
    [[nodiscard]] UInt64 total() const noexcept { return isSmall() ? small.total() : hitters->sketch().total(); }
    [[nodiscard]] UInt64 estimate(std::string_view key) const noexcept;
    /// At most k keys by estimate, the largest first, ties by key. Of a small state exact: both numbers are the key's weight.
    [[nodiscard]] std::vector<Hitter> top(size_t k) const;
    [[nodiscard]] size_t heldBytes() const noexcept;

private:
    void requireSameKind(const CountMinTopKState & other) const;
    void mergeSmall(const CountMinEntries<UInt64> & entries);
    [[nodiscard]] std::unique_ptr<CountMinHeavyHitters> grown(const CountMinEntries<UInt64> & entries) const;

    const CountMinParameters * shape;
    UInt32 most;
    UInt32 key_size;
    /// What there is while `hitters` is null.
    CountMinEntries<UInt64> small;
    std::unique_ptr<CountMinHeavyHitters> hitters;
};

}
