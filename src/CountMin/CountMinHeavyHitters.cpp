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

void CountMinHeavyHitters::reserveHeap()
{
    if (heap.size() == heap.capacity())
        heap.reserve(std::max<size_t>(8, heap.size() * 2));
}

void CountMinHeavyHitters::appendCandidate(std::string_view key, UInt64 estimate)
{
    /// Room first, so that nothing fails once the candidate is there.
    reserveHeap();
    const auto [added, is_new] = candidates.emplace(key, Candidate{estimate, heap.size()});
    if (!is_new)
        return;
    heap.push_back(added);
    moveUp(heap.size() - 1);
}

void CountMinHeavyHitters::add(std::string_view key, UInt64 weight)
{
    if (weight == 0)
        return;
    if (const Position known = candidates.find(key); known != candidates.end())
    {
        counts.update(key, weight);
        /// Estimates only grow.
        known->second.estimate = counts.estimate(key);
        moveDown(known->second.place);
        return;
    }
    /// All that may fail comes before the table changes. The estimate grows by the weight, or the update fails.
    const UInt64 estimate = counts.estimate(key) + weight;
    const bool is_full = candidates.size() >= most;
    if (is_full)
    {
        const Position weakest = heap.front();
        if (estimate < weakest->second.estimate || (estimate == weakest->second.estimate && key > weakest->first))
        {
            counts.update(key, weight);
            return;
        }
    }
    else
        reserveHeap();
    Candidates added;
    added.emplace(key, Candidate{estimate, 0});
    counts.update(key, weight);
    const Position position = candidates.insert(added.extract(added.begin())).position;
    if (is_full)
    {
        candidates.erase(heap.front());
        put(0, position);
        moveDown(0);
    }
    else
    {
        heap.push_back(position);
        moveUp(heap.size() - 1);
    }
}

void CountMinHeavyHitters::addIfNew(Candidates & to, std::string_view key) const
{
    if (!candidates.contains(key))
        to.emplace_hint(to.end(), key, Candidate{0, 0});
}

template <typename MergeTables>
void CountMinHeavyHitters::mergeWith(Candidates && others, MergeTables && merge_tables)
{
    heap.reserve(candidates.size() + others.size());
    merge_tables();
    candidates.merge(others);
    heap.clear();
    for (Position candidate = candidates.begin(); candidate != candidates.end(); ++candidate)
    {
        candidate->second.estimate = counts.estimate(candidate->first);
        heap.push_back(candidate);
    }
    /// In order, the weakest first: what is behind the surplus is a heap.
    std::sort(heap.begin(), heap.end(), isWeaker);
    const size_t surplus = heap.size() - std::min(heap.size(), most);
    for (size_t i = 0; i < surplus; ++i)
        candidates.erase(heap[i]);
    heap.erase(heap.begin(), heap.begin() + static_cast<std::ptrdiff_t>(surplus));
    for (size_t place = 0; place < heap.size(); ++place)
        heap[place]->second.place = place;
}

void CountMinHeavyHitters::merge(const CountMinHeavyHitters & other)
{
    Candidates others;
    other.forEachCandidate([&](std::string_view key, UInt64) { addIfNew(others, key); });
    mergeWith(std::move(others), [&] { counts.merge(other.counts); });
}

void CountMinHeavyHitters::merge(const CountMinEntries<UInt64> & entries)
{
    Candidates others;
    for (UInt32 i = 0; i < entries.count(); ++i)
        addIfNew(others, entries.key(i));
    mergeWith(std::move(others), [&] { counts.merge(entries); });
}

std::vector<CountMinHeavyHitters::Hitter> CountMinHeavyHitters::top(size_t k) const
{
    std::vector<Hitter> result;
    result.reserve(candidates.size());
    /// Asked anew: other keys may have come since.
    for (const auto & candidate : candidates)
        result.push_back({std::string(candidate.first), counts.estimate(candidate.first), counts.lowerBound(candidate.first)});
    std::sort(result.begin(), result.end(), [](const Hitter & a, const Hitter & b) {
        return a.estimate != b.estimate ? a.estimate > b.estimate : a.key < b.key;
    });
    if (result.size() > k)
        result.erase(result.begin() + static_cast<std::ptrdiff_t>(k), result.end());
    return result;
}

size_t CountMinHeavyHitters::heldBytes() const noexcept
{
    /// What a node of the tree has beside its value, and what a string holds in itself.
    constexpr size_t NODE_LINKS = 4 * sizeof(void *);
    const size_t inside = TrackedString().capacity();
    size_t bytes = counts.heldBytes() + heap.capacity() * sizeof(Position);
    for (const auto & candidate : candidates)
        bytes += NODE_LINKS + sizeof(Candidates::value_type) + (candidate.first.capacity() > inside ? candidate.first.capacity() + 1 : 0);
    return bytes;
}

}
