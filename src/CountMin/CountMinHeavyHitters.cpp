#include "CountMinHeavyHitters.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

#include <algorithm>
#include <utility>

namespace DB::inline statewire
{

CountMinHeavyHitters::CountMinHeavyHitters(const CountMinParameters & parameters, size_t capacity_) : counts(parameters), most(capacity_)
{
    if (most == 0)
        throwError(ErrorCodes::BAD_ARGUMENTS, "Heavy hitters of a count-min sketch: the capacity must be at least 1");
}

CountMinHeavyHitters::CountMinHeavyHitters(const CountMinHeavyHitters & other) : counts(other.counts), most(other.most)
{
    other.forEachCandidate([&](std::string_view key, UInt64 estimate) { appendCandidate(key, estimate); });
}

void CountMinHeavyHitters::put(size_t place, Position candidate) noexcept
{
    heap[place] = candidate;
    candidate->second.place = place;
}

void CountMinHeavyHitters::moveUp(size_t place) noexcept
{
    const Position moving = heap[place];
    for (; place != 0 && isWeaker(moving, heap[(place - 1) / 2]); place = (place - 1) / 2)
        put(place, heap[(place - 1) / 2]);
    put(place, moving);
}

void CountMinHeavyHitters::moveDown(size_t place) noexcept
{
    const Position moving = heap[place];
    for (size_t child = 2 * place + 1; child < heap.size(); child = 2 * place + 1)
    {
        if (child + 1 < heap.size() && isWeaker(heap[child + 1], heap[child]))
            ++child;
        if (!isWeaker(heap[child], moving))
            break;
        put(place, heap[child]);
        place = child;
    }
    put(place, moving);
}

void CountMinHeavyHitters::appendCandidate(std::string_view key, UInt64 estimate)
{
    /// Room first, so that nothing fails once the candidate is there.
    if (heap.size() == heap.capacity())
        heap.reserve(std::max<size_t>(8, heap.size() * 2));
    const auto [added, is_new] = candidates.emplace(key, Candidate{estimate, heap.size()});
    if (!is_new)
        return;
    heap.push_back(added);
    moveUp(heap.size() - 1);
}

void CountMinHeavyHitters::offer(std::string_view key, UInt64 estimate)
{
    if (const Position known = candidates.find(key); known != candidates.end())
    {
        /// Estimates only grow.
        known->second.estimate = estimate;
        moveDown(known->second.place);
        return;
    }
    if (candidates.size() < most)
    {
        appendCandidate(key, estimate);
        return;
    }
    const Position weakest = heap.front();
    if (estimate < weakest->second.estimate || (estimate == weakest->second.estimate && key > weakest->first))
        return;
    const Position added = candidates.emplace(key, Candidate{estimate, 0}).first;
    candidates.erase(weakest);
    put(0, added);
    moveDown(0);
}

void CountMinHeavyHitters::add(std::string_view key, UInt64 weight)
{
    if (weight == 0)
        return;
    counts.update(key, weight);
    offer(key, counts.estimate(key));
}

void CountMinHeavyHitters::offerAll(const std::vector<std::string_view> & keys)
{
    CountMinHeavyHitters kept(counts.parameters(), most);
    for (const std::string_view key : keys)
        kept.offer(key, counts.estimate(key));
    candidates = std::move(kept.candidates);
    heap = std::move(kept.heap);
}

void CountMinHeavyHitters::merge(const CountMinHeavyHitters & other)
{
    counts.merge(other.counts);
    std::vector<std::string_view> keys;
    const auto collect = [&](std::string_view key, UInt64) { keys.push_back(key); };
    forEachCandidate(collect);
    other.forEachCandidate(collect);
    offerAll(keys);
}

void CountMinHeavyHitters::merge(const CountMinEntries<UInt64> & entries)
{
    counts.merge(entries);
    std::vector<std::string_view> keys;
    forEachCandidate([&](std::string_view key, UInt64) { keys.push_back(key); });
    for (UInt32 i = 0; i < entries.count(); ++i)
        keys.push_back(entries.key(i));
    offerAll(keys);
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

size_t CountMinHeavyHitters::heldBytes() const noexcept
{
    size_t bytes = counts.heldBytes() + heap.capacity() * sizeof(Position);
    for (const auto & candidate : candidates)
        bytes += sizeof(Candidates::value_type) + candidate.first.capacity();
    return bytes;
}

}
