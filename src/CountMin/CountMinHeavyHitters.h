#pragma once

#include "../Common/TrackedAllocator.h"
#include "../base/types.h"
#include "CountMinEntries.h"
#include "CountMinParameters.h"
#include "CountMinSketch.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace DB::inline statewire
{

/** The keys that weigh most, found while a sketch is fed: the candidates are the `capacity` keys of the largest estimates so far, kept beside it.
  *
  * An estimate is never below its frequency, and above it by at most eps * total with probability 1 - exp(-num_hashes), eps = e / num_buckets.
  * While the candidates' estimates keep that bound, every key of a frequency above total / capacity + eps * total is a candidate, through
  * merges as well: docs/count_min_estimators.md has the reason. Of equal estimates the smaller key is the stronger candidate, so that merging is
  * commutative, and the candidates never depend on hashes or memory. Adding costs an update, an estimate and a search in a tree.
  * Errors: as CountMinSketch's; BAD_ARGUMENTS for a capacity of 0. A call that throws has changed nothing, whatever it throws.
  * Threads: const calls may share one. The parameters outlive it.
  */
class CountMinHeavyHitters
{
public:
    struct Hitter
    {
        std::string key;
        UInt64 estimate; /// frequency <= estimate
        UInt64 lower_bound; /// <= frequency, with the sketch's confidence
    };

    CountMinHeavyHitters(const CountMinParameters & parameters, size_t capacity_);
    CountMinHeavyHitters(const CountMinParameters && parameters, size_t capacity_) = delete;
    /// Copies the table and the candidates.
    CountMinHeavyHitters(const CountMinHeavyHitters & other);
    CountMinHeavyHitters & operator=(const CountMinHeavyHitters &) = delete;

    void add(std::string_view key, UInt64 weight = 1);
    /// Tables add; of the candidates of both sides, asked anew, those of the largest estimates stay.
    void merge(const CountMinHeavyHitters & other);
    /// The same with exact weights, whose keys are all candidates.
    void merge(const CountMinEntries<UInt64> & entries);

    [[nodiscard]] const CountMinSketch<UInt64> & sketch() const noexcept { return counts; }
    [[nodiscard]] UInt64 total() const noexcept { return counts.total(); }
    [[nodiscard]] size_t capacity() const noexcept { return most; }
    /// At most k candidates by estimate, the largest first; ties by key.
    [[nodiscard]] std::vector<Hitter> top(size_t k) const;
    [[nodiscard]] size_t heldBytes() const noexcept;

    [[nodiscard]] size_t candidateCount() const noexcept { return candidates.size(); }
    /// f(key, estimate) by key, the estimate being the one of the time when the key was last seen.
    template <typename F>
    void forEachCandidate(F && f) const
    {
        for (const auto & [key, candidate] : candidates)
            f(std::string_view(key), candidate.estimate);
    }
    /// For readers: a whole table, then each of its candidates by ascending key, at most capacity() of them.
    void setSketch(const CountMinView<UInt64> & view) { counts.merge(view); }
    void appendCandidate(std::string_view key, UInt64 estimate);

private:
    struct Candidate
    {
        UInt64 estimate;
        size_t place; /// in the heap
    };
    using Candidates = std::map<TrackedString, Candidate, std::less<>, TrackedAllocator<std::pair<const TrackedString, Candidate>>>;
    using Position = Candidates::iterator;

    [[nodiscard]] static bool isWeaker(const Position & a, const Position & b) noexcept
    {
        return a->second.estimate != b->second.estimate ? a->second.estimate < b->second.estimate : a->first > b->first;
    }
    /// The key as a new candidate, where it is none.
    void addIfNew(Candidates & to, std::string_view key) const;
    /// Merges the tables by `merge_tables()`, which alone may fail behind the allocations; then asks for all estimates anew and keeps the strongest.
    template <typename MergeTables>
    void mergeWith(Candidates && others, MergeTables && merge_tables);
    void reserveHeap();
    void moveUp(size_t place) noexcept;
    void moveDown(size_t place) noexcept;
    void put(size_t place, Position candidate) noexcept;

    CountMinSketch<UInt64> counts;
    size_t most;
    Candidates candidates;
    /// The candidates as a heap, the weakest first.
    TrackedVector<Position> heap;
};

}
