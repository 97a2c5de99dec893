#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace statewire_tests
{

/// A new seed for each run, printed; STATEWIRE_SEED repeats one.
inline std::uint64_t chosenSeed()
{
    const char * given = std::getenv("STATEWIRE_SEED");
    const std::uint64_t seed = given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
    std::printf("seed %llu (STATEWIRE_SEED repeats it)\n", static_cast<unsigned long long>(seed));
    return seed;
}

}
