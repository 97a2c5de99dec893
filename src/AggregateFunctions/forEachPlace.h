#pragma once

#include "IAggregateFunction.h"

#include <algorithm>
#include <span>
#include <vector>

namespace DB::inline statewire
{

/** Calls f(place, rows) for the places of [row_begin, row_end) with rows that go to them, so that a function can take many rows at once.
  * A place may come more than once: rows are brought together only where a sample says that there are few places for many rows. Null
  * places are passed over.
  */
template <typename F>
void forEachPlace(size_t row_begin, size_t row_end, const AggregateDataPtr * places, F && f)
{
    constexpr size_t SAMPLE = 256;
    /// With fewer rows a place, bringing them together costs more than it saves.
    constexpr size_t ROWS_A_PLACE = 4;

    TrackedVector<size_t> rows;
    rows.reserve(row_end - row_begin);
    for (size_t row = row_begin; row < row_end; ++row)
        if (places[row])
            rows.push_back(row);
    const auto by_place = [&](size_t a, size_t b) { return std::less<>()(places[a], places[b]); };
    TrackedVector<AggregateDataPtr> sample;
    for (size_t i = 0; i < std::min(SAMPLE, rows.size()); ++i)
        sample.push_back(places[rows[i]]);
    std::sort(sample.begin(), sample.end(), std::less<>());
    const auto distinct = static_cast<size_t>(std::unique(sample.begin(), sample.end()) - sample.begin());
    if (distinct != 1 && distinct * ROWS_A_PLACE <= sample.size())
        std::stable_sort(rows.begin(), rows.end(), by_place);
    for (size_t i = 0; i < rows.size();)
    {
        size_t end = i + 1;
        while (end < rows.size() && places[rows[end]] == places[rows[i]])
            ++end;
        f(places[rows[i]], std::span<const size_t>(rows.data() + i, end - i));
        i = end;
    }
}

}
