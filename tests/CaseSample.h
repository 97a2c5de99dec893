#pragma once

#include "RandomSeed.h"

#include <cstddef>
#include <cstdio>
#include <set>
#include <string>

namespace statewire_tests
{

/// tests/CMakeLists.txt says why.
inline constexpr size_t SAMPLED_ONE_IN = STATEWIRE_SAMPLED_ONE_IN;

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
