#include "CountMinParameters.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../base/unaligned.h"

#include <algorithm>
#include <cmath>

namespace DB::inline statewire
{

namespace
{
/// The modulus of both minimal standard generators, and the number of values their draws take once 1 is subtracted.
constexpr UInt64 MODULUS = (UInt64{1} << 31) - 1;
constexpr UInt64 DRAWS = MODULUS - 1;

/** x -> a * x mod (2^31 - 1), started from the seed; draws are x - 1, in [0, DRAWS). */
class MinimalStandard
{
public:
    MinimalStandard(UInt64 multiplier_, UInt64 seed) noexcept : multiplier(multiplier_), x(seed % MODULUS == 0 ? 1 : seed % MODULUS) { }

    [[nodiscard]] UInt64 draw() noexcept
    {
        x = multiplier * x % MODULUS;
        return x - 1;
    }

private:
    UInt64 multiplier;
    UInt64 x;
};

/** std::uniform_int_distribution<uint64_t> over std::minstd_rand0 as libstdc++ computes it: three draws to the base DRAWS, the first of them
  * uniform in 0..4, each level drawn again while it exceeds its range.
  */
[[nodiscard]] UInt64 drawLibStdCxx(MinimalStandard & engine) noexcept
{
    /// The last value of the middle level: what 2^64 - 1 leaves above one draw; and the width of one fifth of the draws.
    constexpr UInt64 MIDDLE_LAST = ~UInt64{0} / DRAWS;
    constexpr UInt64 FIFTH = (DRAWS - 1) / 5;
    while (true)
    {
        UInt64 middle;
        do
        {
            UInt64 fifth;
            do
                fifth = engine.draw();
            while (fifth >= 5 * FIFTH);
            middle = DRAWS * (fifth / FIFTH);
            middle += engine.draw();
        } while (middle > MIDDLE_LAST);
        const UInt64 high = DRAWS * middle;
        const UInt64 value = high + engine.draw();
        if (value >= high)
            return value;
    }
}

/// The same distribution over std::minstd_rand as libc++ computes it: 21, 21 and 22 bits, the highest first, draws above a multiple of the
/// power of two drawn again.
[[nodiscard]] UInt64 drawLibCxx(MinimalStandard & engine) noexcept
{
    UInt64 value = 0;
    for (const UInt32 bits : {21U, 21U, 22U})
    {
        const UInt64 end = DRAWS >> bits << bits;
        UInt64 drawn;
        do
            drawn = engine.draw();
        while (drawn >= end);
        value = (value << bits) | (drawn & ((UInt64{1} << bits) - 1));
    }
    return value;
}

[[nodiscard]] std::vector<UInt64> deriveRowSeeds(UInt32 num_hashes, UInt64 seed, RowSeeds scheme)
{
    std::vector<UInt64> result(num_hashes);
    if (scheme == RowSeeds::LibStdCxx)
    {
        MinimalStandard engine(16807, seed);
        for (UInt64 & row_seed : result)
            row_seed = drawLibStdCxx(engine) + seed;
    }
    else
    {
        MinimalStandard engine(48271, seed);
        for (UInt64 & row_seed : result)
            row_seed = drawLibCxx(engine) + seed;
    }
    return result;
}

[[nodiscard]] UInt16 hashSeed(UInt64 seed) noexcept
{
    char bytes[sizeof(seed)];
    unalignedStoreLittleEndian<UInt64>(bytes, seed);
    return static_cast<UInt16>(murmurHash3X64First({bytes, sizeof(bytes)}, 0));
}

/// Checks before anything is sized by the numbers.
[[nodiscard]] UInt32 requireNumHashes(UInt32 num_hashes, UInt32 num_buckets)
{
    if (num_hashes == 0 || num_hashes > COUNT_MIN_MAX_HASHES)
        throwError(
            ErrorCodes::BAD_ARGUMENTS,
            concat("Count-min sketch: num_hashes must be from 1 to ", COUNT_MIN_MAX_HASHES, ", found ", num_hashes));
    if (num_buckets < COUNT_MIN_MIN_BUCKETS)
        throwError(
            ErrorCodes::BAD_ARGUMENTS,
            concat(
                "Count-min sketch: num_buckets must be at least ",
                COUNT_MIN_MIN_BUCKETS,
                ", found ",
                num_buckets,
                ": with fewer the relative error is above 1"));
    const UInt64 cells = UInt64{num_hashes} * num_buckets;
    if (cells >= COUNT_MIN_CELLS_LIMIT)
        throwError(
            ErrorCodes::BAD_ARGUMENTS,
            concat(
                "Count-min sketch: num_hashes * num_buckets must be less than ",
                COUNT_MIN_CELLS_LIMIT,
                ", found ",
                num_hashes,
                " * ",
                num_buckets,
                " = ",
                cells));
    return num_hashes;
}
}

std::optional<RowSeeds> parseRowSeeds(std::string_view name) noexcept
{
    if (name == "libstdcxx")
        return RowSeeds::LibStdCxx;
    if (name == "libcxx")
        return RowSeeds::LibCxx;
    return std::nullopt;
}

std::string_view toString(RowSeeds row_seeds) noexcept { return row_seeds == RowSeeds::LibStdCxx ? "libstdcxx" : "libcxx"; }

std::string_view toString(CountMinOption option) noexcept
{
    switch (option)
    {
        case CountMinOption::Plain:
            break;
        case CountMinOption::Conservative:
            return "conservative";
        case CountMinOption::Decayed:
            return "decayed";
        case CountMinOption::ConservativeDecayed:
            return "conservative_decayed";
    }
    return "plain";
}

std::optional<CountMinOption> parseCountMinOption(std::string_view name) noexcept
{
    for (UInt8 i = 0; i < COUNT_MIN_OPTIONS; ++i)
        if (const auto option = static_cast<CountMinOption>(i); toString(option) == name)
            return option;
    return std::nullopt;
}

CountMinParameters::CountMinParameters(
    UInt32 num_hashes_, UInt32 num_buckets_, UInt64 seed_, RowSeeds row_seeds_scheme, CountMinOption option_)
    : num_hashes(requireNumHashes(num_hashes_, num_buckets_)),
      num_buckets(num_buckets_),
      inverse_of_buckets(~UInt64{0} / num_buckets_),
      base_seed(seed_),
      scheme(row_seeds_scheme),
      sketch_option(option_),
      seed_hash(hashSeed(seed_)),
      row_seeds(deriveRowSeeds(num_hashes, seed_, row_seeds_scheme))
{
}

UInt32 CountMinParameters::suggestNumBuckets(double eps)
{
    const double buckets = std::ceil(std::numbers::e / eps);
    /// Written so that NaN fails.
    if (!(eps > 0) || !(buckets <= 4294967295.0))
        throwError(ErrorCodes::BAD_ARGUMENTS, "Count-min sketch: eps must be above e / 2^32");
    return std::max(static_cast<UInt32>(buckets), COUNT_MIN_MIN_BUCKETS);
}

UInt32 CountMinParameters::suggestNumHashes(double delta)
{
    if (!(delta > 0) || !(delta < 1))
        throwError(
            ErrorCodes::BAD_ARGUMENTS,
            "Count-min sketch: delta, the probability of a larger error, must be between 0 and 1, both excluded");
    const double rows = std::ceil(std::log(1 / delta));
    return rows < 1 ? 1 : rows > COUNT_MIN_MAX_HASHES ? COUNT_MIN_MAX_HASHES : static_cast<UInt32>(rows);
}

CountMinParameters CountMinParameters::fromErrorBounds(double eps, double delta, UInt64 seed, RowSeeds row_seeds_scheme)
{
    return {suggestNumHashes(delta), suggestNumBuckets(eps), seed, row_seeds_scheme};
}

CountMinParameters CountMinParameters::decayed() const
{
    CountMinParameters result(*this);
    result.sketch_option = isConservative() ? CountMinOption::ConservativeDecayed : CountMinOption::Decayed;
    return result;
}

UInt64 CountMinParameters::absoluteError(UInt64 total) const noexcept
{
    /// e * 2^62, rounded up: with 62 fractional bits the product of two 64-bit numbers fits 128, and the quotient fits 64 because
    /// e / num_buckets is below 1.
    constexpr UInt64 E_SCALED = 12535862302449814171U;
    __extension__ using UInt128 = unsigned __int128;
    return static_cast<UInt64>((UInt128{E_SCALED} * total / num_buckets) >> 62);
}

void requireCountMinCellsAreSums(const CountMinParameters & parameters)
{
    if (parameters.isConservative())
        throwError(
            ErrorCodes::BAD_ARGUMENTS,
            "A count-min sketch with conservative update has neither inner products nor corrected estimates: its cells are no sums");
}

void throwIncompatibleCountMin(const CountMinParameters & left, const CountMinParameters & right)
{
    const auto text = [](const CountMinParameters & parameters) {
        return concat(
            parameters.numHashes(),
            " x ",
            parameters.numBuckets(),
            ", seed ",
            parameters.seed(),
            ", row seeds ",
            toString(parameters.rowSeeds()),
            parameters.option() == CountMinOption::Plain ? std::string() : concat(", ", toString(parameters.option())));
    };
    throwError(ErrorCodes::BAD_ARGUMENTS, concat("Cannot merge count-min sketches that differ: ", text(left), " and ", text(right)));
}

}
