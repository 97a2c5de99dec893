#pragma once

#include "../base/types.h"
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
  * merges as well: docs/count_min_estimators.md has the reason. Adding costs an update, an estimate and a search in a tree; where a new
  * candidate comes, a pass over all of them.
  * Errors: as CountMinSketch's; BAD_ARGUMENTS for a capacity of 0. A call that throws DECIMAL_OVERFLOW has changed nothing.
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
    CountMinHeavyHitters(const CountMinHeavyHitters &) = delete;
    CountMinHeavyHitters & operator=(const CountMinHeavyHitters &) = delete;

    void add(std::string_view key, UInt64 weight = 1);
    void merge(const CountMinHeavyHitters & other);

    [[nodiscard]] const CountMinSketch<UInt64> & sketch() const noexcept { return counts; }
    [[nodiscard]] size_t capacity() const noexcept { return most; }
    /// At most k candidates by estimate, the largest first; ties by key.
    [[nodiscard]] std::vector<Hitter> top(size_t k) const;

private:
    using Candidates = std::map<std::string, UInt64, std::less<>>;

    /// Makes the key a candidate with this estimate where it belongs among them.
    void offer(std::string_view key, UInt64 estimate);
    void findSmallest() noexcept;

    CountMinSketch<UInt64> counts;
    size_t most;
    Candidates candidates;
    /// The candidate of the smallest estimate, once there are `most` of them.
    Candidates::iterator smallest;
};

}
