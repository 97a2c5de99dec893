#pragma once

#include <statewire/CountMin/CountMinSketch.h>
#include <statewire/base/unaligned.h>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

/** What the count-min benchmarks share: the shapes of the public sink proposal, keys, and the thread's clock. */
namespace statewire_benchmarks
{

using namespace DB;

constexpr UInt32 NUM_HASHES = 7;
/// Keys of a column.
constexpr size_t KEYS = 65536;

inline std::string keyOf(UInt64 value)
{
    std::string result(sizeof(value), '\0');
    unalignedStoreLittleEndian<UInt64>(result.data(), value);
    return result;
}

/// KEYS different numbers, back to back.
inline std::string manyKeys()
{
    std::string keys;
    for (UInt64 i = 0; i < KEYS; ++i)
        keys += keyOf(i * 0x9E3779B97F4A7C15U);
    return keys;
}

/// Buckets of the proposal's benchmarks.
inline constexpr int SIZES[] = {1024, 4096, 32768, 65536};

inline void sizes(benchmark::internal::Benchmark * benchmark)
{
    for (const int num_buckets : SIZES)
        benchmark->Arg(num_buckets);
}

/// The time of this thread alone: machines are shared.
inline double threadNanoseconds()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

/// Reorders the values.
inline double quantileOf(std::vector<double> & values, double level)
{
    const auto place = static_cast<std::ptrdiff_t>(level * static_cast<double>(values.size() - 1) + 0.5);
    std::nth_element(values.begin(), values.begin() + place, values.end());
    return values[static_cast<size_t>(place)];
}

}
