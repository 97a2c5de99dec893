#include "CountMinHeavyHitters.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

#include <algorithm>

namespace DB::inline statewire
{

CountMinHeavyHitters::CountMinHeavyHitters(const CountMinParameters & parameters, size_t capacity_)
    : counts(parameters), most(capacity_), smallest(candidates.end())
{
    if (most == 0)
        throwError(ErrorCodes::BAD_ARGUMENTS, "Heavy hitters of a count-min sketch: the capacity must be at least 1");
}

void CountMinHeavyHitters::findSmallest() noexcept
{
    smallest = std::min_element(
        candidates.begin(), candidates.end(), [](const auto & a, const auto & b) { return a.second < b.second; });
}

void CountMinHeavyHitters::offer(std::string_view key, UInt64 estimate)
{
    const bool is_full = candidates.size() == most;
    if (const auto known = candidates.find(key); known != candidates.end())
    {
        known->second = estimate;
        if (is_full && known == smallest)
            findSmallest();
        return;
    }
    if (is_full)
    {
        if (estimate <= smallest->second)
            return;
        /// The node is made anew first, so that nothing is lost when memory runs out.
        candidates.emplace(key, estimate);
        candidates.erase(smallest);
        findSmallest();
        return;
    }
    candidates.emplace(key, estimate);
    if (candidates.size() == most)
        findSmallest();
}

void CountMinHeavyHitters::add(std::string_view key, UInt64 weight)
{
    if (weight == 0)
        return;
    counts.update(key, weight);
    offer(key, counts.estimate(key));
}

void CountMinHeavyHitters::merge(const CountMinHeavyHitters & other)
{
    counts.merge(other.counts);
    Candidates both;
    for (const auto & candidate : candidates)
        both.emplace(candidate.first, counts.estimate(candidate.first));
    for (const auto & candidate : other.candidates)
        both.emplace(candidate.first, counts.estimate(candidate.first));
    candidates.clear();
    smallest = candidates.end();
    for (const auto & candidate : both)
        offer(candidate.first, candidate.second);
}

std::vector<CountMinHeavyHitters::Hitter> CountMinHeavyHitters::top(size_t k) const
{
    std::vector<Hitter> result;
    result.reserve(candidates.size());
    /// Asked anew: other keys may have come since.
    for (const auto & candidate : candidates)
        result.push_back({candidate.first, counts.estimate(candidate.first), counts.lowerBound(candidate.first)});
    std::sort(result.begin(), result.end(), [](const Hitter & a, const Hitter & b) {
        return a.estimate != b.estimate ? a.estimate > b.estimate : a.key < b.key;
    });
    if (result.size() > k)
        result.erase(result.begin() + static_cast<std::ptrdiff_t>(k), result.end());
    return result;
}

}
