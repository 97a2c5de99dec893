#pragma once

#include "RandomSeed.h"

#include <cstddef>
#include <cstdio>
#include <set>
#include <string>

namespace statewire_tests
{

/** How much of a long test a sanitizer runs: one case in this many. The release runs every case and is where answers are compared in full; a
  * sanitizer looks at what the same code does to memory, ten times slower.
  */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr size_t SAMPLED_ONE_IN = 4;
#elif defined(__has_feature)
#    if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr size_t SAMPLED_ONE_IN = 4;
#    else
inline constexpr size_t SAMPLED_ONE_IN = 1;
#    endif
#else
inline constexpr size_t SAMPLED_ONE_IN = 1;
#endif

/** Which cases of a list are run: all of them, or under a sanitizer one in SAMPLED_ONE_IN, spread evenly and others in each run. It prints how many
  * there were and the seed that gives the same ones again.
  */
class CaseSample
{
public:
    explicit CaseSample(std::string name_) : name(std::move(name_)), next(SAMPLED_ONE_IN == 1 ? 0 : chosenSeed() % SAMPLED_ONE_IN) { }
    ~CaseSample()
    {
        if (SAMPLED_ONE_IN != 1)
            std::printf("%s: sampled %zu of %zu cases\n", name.c_str(), taken, seen);
    }
    CaseSample(const CaseSample &) = delete;
    CaseSample & operator=(const CaseSample &) = delete;

    /// Whether to run the next case. The first one of each kind is always run.
    [[nodiscard]] bool takes(const std::string & kind = {})
    {
        const bool is_chosen = (next + seen++) % SAMPLED_ONE_IN == 0;
        const bool is_taken = kinds.insert(kind).second || is_chosen;
        taken += is_taken;
        return is_taken;
    }

private:
    std::string name;
    size_t next;
    size_t seen = 0;
    size_t taken = 0;
    std::set<std::string> kinds;
};

}
