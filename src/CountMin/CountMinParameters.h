#pragma once

#include "../Common/MurmurHash3.h"
#include "../base/types.h"
#include "CountMinFormat.h"

#include <numbers>
#include <optional>
#include <string_view>
#include <vector>

namespace DB::inline statewire
{

/// Which standard library's random numbers the row seeds follow. The image does not say: it is part of the type.
enum class RowSeeds : UInt8
{
    LibStdCxx, /// 'libstdcxx': what a DataSketches built with g++ fills
    LibCxx /// 'libcxx': what one built with libc++ fills, such as ClickHouse's
};

/// 'libstdcxx' and 'libcxx'; nothing for any other text.
[[nodiscard]] std::optional<RowSeeds> parseRowSeeds(std::string_view name) noexcept;
[[nodiscard]] std::string_view toString(RowSeeds row_seeds) noexcept;

/// What sets a sketch apart from the plain one of the same shape. Different options fill or read cells differently, so that they never merge.
/// The numbers are the high half of a serialized state's kind.
enum class CountMinOption : UInt8
{
    Plain = 0,
    /// 'conservative': adding raises only those of a key's cells that must rise for its estimate to grow by the weight. Unsigned weights.
    Conservative = 1,
    /// 'decayed': weights may have been multiplied by factors below 1 and cut to whole numbers.
    Decayed = 2,
    /// 'conservative_decayed': both.
    ConservativeDecayed = 3
};

inline constexpr UInt8 COUNT_MIN_OPTIONS = 4;

[[nodiscard]] std::string_view toString(CountMinOption option) noexcept;
/// 'plain' and the names above; nothing for any other text.
[[nodiscard]] std::optional<CountMinOption> parseCountMinOption(std::string_view name) noexcept;

inline constexpr UInt64 COUNT_MIN_DEFAULT_SEED = 9001;

/** What two count-min sketches must share to be merged: the shape, the seed, the scheme of the row seeds and the option, with everything that is
  * derived from them once. Function, owner, view and state point to one such object; it outlives them all.
  *
  * Invariants: 1 <= numHashes() <= 255, numBuckets() >= 3, cells() < 2^30.
  * Errors: BAD_ARGUMENTS from the constructor and the helpers, naming the number.
  * Threads: immutable, shared freely.
  */
class CountMinParameters
{
public:
    CountMinParameters(
        UInt32 num_hashes,
        UInt32 num_buckets,
        UInt64 seed = COUNT_MIN_DEFAULT_SEED,
        RowSeeds row_seeds_scheme = RowSeeds::LibStdCxx,
        CountMinOption option_ = CountMinOption::Plain);

    /// Buckets for a relative error of at most `eps`: ceil(e / eps), at least 3. BAD_ARGUMENTS unless 0 < eps and the result fits 32 bits.
    [[nodiscard]] static UInt32 suggestNumBuckets(double eps);
    /// Rows for a failure probability (not: a confidence) of at most `delta`: ceil(ln(1 / delta)), 1 to 255. BAD_ARGUMENTS unless 0 < delta < 1.
    [[nodiscard]] static UInt32 suggestNumHashes(double delta);
    /// With them, for non-negative weights: frequency <= estimate, and estimate <= frequency + eps * total with probability 1 - delta.
    [[nodiscard]] static CountMinParameters
    fromErrorBounds(double eps, double delta, UInt64 seed = COUNT_MIN_DEFAULT_SEED, RowSeeds row_seeds_scheme = RowSeeds::LibStdCxx);

    [[nodiscard]] UInt32 numHashes() const noexcept { return num_hashes; }
    [[nodiscard]] UInt32 numBuckets() const noexcept { return num_buckets; }
    [[nodiscard]] UInt64 cells() const noexcept { return UInt64{num_hashes} * num_buckets; }
    /// floor((2^64 - 1) / numBuckets()): remainders without divisions.
    [[nodiscard]] UInt64 inverseOfBuckets() const noexcept { return inverse_of_buckets; }
    [[nodiscard]] UInt64 seed() const noexcept { return base_seed; }
    [[nodiscard]] RowSeeds rowSeeds() const noexcept { return scheme; }
    [[nodiscard]] CountMinOption option() const noexcept { return sketch_option; }
    [[nodiscard]] bool isConservative() const noexcept { return (static_cast<UInt8>(sketch_option) & 1) != 0; }
    [[nodiscard]] bool isDecayed() const noexcept { return (static_cast<UInt8>(sketch_option) & 2) != 0; }
    /// The same parameters for what becomes of such a sketch by decay.
    [[nodiscard]] CountMinParameters decayed() const;
    [[nodiscard]] UInt64 rowSeed(UInt32 row) const noexcept { return row_seeds[row]; }
    /// 16 bits, so it tells most wrong seeds from the right one, not all.
    [[nodiscard]] UInt16 seedHash() const noexcept { return seed_hash; }
    [[nodiscard]] CountMinShape shape(bool empty) const noexcept { return {num_hashes, num_buckets, seed_hash, empty}; }

    /// e / numBuckets().
    [[nodiscard]] double relativeError() const noexcept { return std::numbers::e / num_buckets; }
    /// floor(relativeError() * total) in integers, so that no bit of a large total is lost; where rounding could matter (above 2^60), up.
    [[nodiscard]] UInt64 absoluteError(UInt64 total) const noexcept;

    /// The cell of `key` in row `row`, counted over the whole table: the definition. Sketches find the same cells faster.
    [[nodiscard]] UInt64 cellIndex(UInt32 row, std::string_view key) const noexcept
    {
        return UInt64{row} * num_buckets + murmurHash3X64First(key, row_seeds[row]) % num_buckets;
    }

    /// The same shape, seed, scheme and option; the rest follows from them.
    bool operator==(const CountMinParameters & other) const noexcept
    {
        return haveSameCells(other) && sketch_option == other.sketch_option;
    }
    /// A key has the same cells under both: equal but for the option.
    [[nodiscard]] bool haveSameCells(const CountMinParameters & other) const noexcept
    {
        return num_hashes == other.num_hashes && num_buckets == other.num_buckets && base_seed == other.base_seed && scheme == other.scheme;
    }
    /// These are decayed() of `other`.
    [[nodiscard]] bool isDecayOf(const CountMinParameters & other) const noexcept
    {
        return isDecayed() && isConservative() == other.isConservative() && haveSameCells(other);
    }

private:
    UInt32 num_hashes;
    UInt32 num_buckets;
    UInt64 inverse_of_buckets;
    UInt64 base_seed;
    RowSeeds scheme;
    CountMinOption sketch_option;
    UInt16 seed_hash;
    std::vector<UInt64> row_seeds;
};

/// Refuses conservative parameters for what is true of sums only: BAD_ARGUMENTS.
void requireCountMinCellsAreSums(const CountMinParameters & parameters);

/// Refuses to merge sketches that differ, naming how: BAD_ARGUMENTS.
[[noreturn]] void throwIncompatibleCountMin(const CountMinParameters & left, const CountMinParameters & right);

}
