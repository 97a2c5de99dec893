#pragma once

#include "../Common/CpuFeatures.h"
#include "../base/types.h"
#include "CountMinKeys.h"
#include "CountMinParameters.h"

/** Hashing many keys at a time. MurmurHash3 mixes the words of a key before it meets the seed, so that for keys of at most 16 bytes each word
  * is mixed once, not once a row; the rest of the hash, and the remainder, run over keys in parallel. Included by .cpp files only.
  */
namespace DB::inline statewire::detail
{

/// Buckets of n keys in one row: `first` and `second` are their mixed words (see CountMinKeyBlock).
using CountMinHashRow
    = void (*)(const UInt64 * first, const UInt64 * second, size_t n, UInt64 row_seed, UInt32 num_buckets, UInt32 * to) noexcept;

struct CountMinHashKernels
{
    /// Keys shorter than 16 bytes, whose length is part of the mixed words.
    CountMinHashRow tail;
    /// Keys of 16 bytes: one whole block of the hash.
    CountMinHashRow whole;
};

/// The kernels of a level that this processor supports. Every level gives the same buckets.
[[nodiscard]] const CountMinHashKernels & countMinHashKernels(CpuLevel level) noexcept;

/** Up to SIZE keys, ready for every row. Keys longer than 16 bytes are hashed one by one.
  * Points into: the keys given to load(), when some are longer than 16 bytes.
  */
class CountMinKeyBlock
{
public:
    /// Large enough that a row's seed, divisor and dispatch cost nothing, small enough that all of a block stays in the first cache.
    static constexpr size_t SIZE = 256;

    explicit CountMinKeyBlock(const CountMinParameters & parameters_, CpuLevel level = cpuLevel()) noexcept
        : parameters(parameters_), kernels(countMinHashKernels(level))
    {
    }

    /// At most SIZE keys.
    void load(const CountMinKeys & keys_) noexcept;
    [[nodiscard]] size_t size() const noexcept { return keys.size(); }
    /// Writes each key's bucket in row `row`, in the order of the keys: size() numbers below num_buckets.
    void buckets(UInt32 row, UInt32 * to) const noexcept;
    /// The same for every row: row r's numbers from to[r * SIZE] on.
    void bucketsOfRows(UInt32 * to) const noexcept
    {
        for (UInt32 row = 0; row < parameters.numHashes(); ++row)
            buckets(row, to + row * SIZE);
    }

private:
    void loadFixed() noexcept;
    void loadStrings() noexcept;

    const CountMinParameters & parameters;
    const CountMinHashKernels & kernels;
    CountMinKeys keys = CountMinKeys::strings({});
    /// Tails lie at the front, whole blocks at the end; `position` says which key each is, and the positions of long keys are apart. When all
    /// keys are of one kind they lie in their order.
    size_t tails = 0;
    size_t wholes = 0;
    size_t longs = 0;
    UInt64 first[SIZE];
    UInt64 second[SIZE];
    UInt16 position[SIZE];
    UInt16 long_position[SIZE];
};

}
