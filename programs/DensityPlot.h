#pragma once

#include <statewire/base/types.h>

#include <algorithm>
#include <string>
#include <vector>

namespace statewire_program
{

/** A line of block characters: how the values of a set lie between its ends. Counts distances from the smallest value, which for signed and
 * unsigned numbers are the same differences of 64 bits.
 */
class DensityPlot
{
public:
    /// `span` is the largest value's distance; there is one column at least.
    DensityPlot(DB::UInt64 span_, size_t columns) : values_a_column(span_ / columns + 1), counts(span_ / values_a_column + 1) { }

    [[nodiscard]] size_t columnOf(DB::UInt64 distance) const noexcept { return static_cast<size_t>(distance / values_a_column); }
    void add(size_t column, DB::UInt64 count) noexcept { counts[column] += count; }

    [[nodiscard]] DB::UInt64 valuesAColumn() const noexcept { return values_a_column; }
    [[nodiscard]] DB::UInt64 fullest() const noexcept { return *std::max_element(counts.begin(), counts.end()); }
    /// In UTF-8. A blank is an empty column; the others are relative to the fullest.
    [[nodiscard]] std::string text() const
    {
        constexpr DB::UInt64 LEVELS = 8;
        const auto most = static_cast<double>(fullest());
        std::string line;
        for (const DB::UInt64 count : counts)
        {
            if (count == 0)
            {
                line += ' ';
                continue;
            }
            /// U+2581 to U+2588.
            const auto level = std::min(LEVELS - 1, static_cast<DB::UInt64>(static_cast<double>(count) / most * LEVELS));
            (line += "\xE2\x96") += static_cast<char>(0x81 + level);
        }
        return line;
    }

private:
    DB::UInt64 values_a_column;
    std::vector<DB::UInt64> counts;
};

}
