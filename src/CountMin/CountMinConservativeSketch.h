#pragma once

#include "../base/types.h"
#include "CountMinBounds.h"
#include "CountMinParameters.h"

#include <string_view>
#include <vector>

namespace DB::inline statewire
{

/** A count-min sketch with conservative update: adding raises only those of the key's cells that must rise for its estimate to grow by the
  * weight. Never below the truth, and never above what the plain sketch of the same stream answers.
  *
  * Cells depend on the order of the stream, so that this is no image of it: two of them merge by adding cells, which stays an upper bound
  * (frequency <= estimate <= the sum of both estimates' plain counterparts, hence frequency + eps * total with probability
  * 1 - exp(-num_hashes)), but gives up the gain for keys seen on both sides. Weights are unsigned: nothing can be taken back.
  * Errors: DECIMAL_OVERFLOW when the total leaves UInt64, BAD_ARGUMENTS for other parameters; nothing has changed then.
  * Threads: const calls never write. The parameters outlive it.
  */
class CountMinConservativeSketch
{
public:
    explicit CountMinConservativeSketch(const CountMinParameters & parameters_) noexcept : shape(&parameters_) { }
    explicit CountMinConservativeSketch(const CountMinParameters && parameters_) = delete;

    void update(std::string_view key, UInt64 weight = 1);
    void merge(const CountMinConservativeSketch & other);

    [[nodiscard]] const CountMinParameters & parameters() const noexcept { return *shape; }
    [[nodiscard]] bool isEmpty() const noexcept { return table.empty(); }
    [[nodiscard]] UInt64 total() const noexcept { return weight_total; }
    [[nodiscard]] UInt64 cell(UInt64 index) const noexcept { return isEmpty() ? 0 : table[index]; }

    [[nodiscard]] UInt64 estimate(std::string_view key) const noexcept;
    [[nodiscard]] UInt64 upperBound(std::string_view key) const noexcept { return estimate(key); }
    [[nodiscard]] UInt64 lowerBound(std::string_view key) const noexcept
    {
        return countMinLowerBound<UInt64>(*shape, estimate(key), weight_total);
    }

private:
    const CountMinParameters * shape;
    std::vector<UInt64> table;
    UInt64 weight_total = 0;
};

}
