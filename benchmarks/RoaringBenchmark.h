#pragma once

#include "AllocationCounter.h"
#include "Vectors.h"

#include <statewire/Common/CpuFeatures.h>
#include <statewire/Common/throwError.h>
#include <statewire/IO/WriteBufferFromVector.h>
#include <statewire/Roaring/RoaringBitmap.h>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#ifdef STATEWIRE_HAS_CROARING
#    include <roaring/roaring.h>
/// Releases that have the 64-bit C interface also have views over portable bytes.
#    if __has_include(<roaring/roaring64.h>)
#        define STATEWIRE_HAS_CROARING_VIEWS 1
#    endif
#endif

/** What the Roaring benchmarks share: interleaved pairs, the shapes, and the real data sets where they are present. */
namespace statewire_benchmarks
{

using namespace DB;

/// One line: a job of ours beside the peer's.
struct Pair
{
    std::string name;
    std::function<void()> ours;
    /// None where the peer is not found.
    std::function<void()> peer;
    /// What was validated before or is validated inside the line.
    std::string trust;
    int pairs = 21;
    /// The median ratio is also added here, for registerMean.
    std::vector<double> * ratios = nullptr;
    /// What ours may take, where that is an absolute figure.
    double limit_ns = 0;
    /// Values that one run of ours handles, where time for each is of interest.
    size_t values = 0;
};

/// Runs ours and the peer's alternately and reports the median of the ratios peer / ours (above 1: ours is faster) with its quartiles.
inline void measurePairs(benchmark::State & state, const Pair & pair)
{
    const auto & [name, ours, peer, trust, pairs, all_ratios, limit_ns, value_count] = pair;
    /// Time of this thread alone: machines are shared.
    const auto now = [] {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
    };
    const auto nanoseconds = [&](const std::function<void()> & job, int repeat) {
        const double begin = now();
        for (int i = 0; i < repeat; ++i)
            job();
        return (now() - begin) / repeat;
    };
    const auto median_of = [](std::vector<double> values, size_t part) {
        std::sort(values.begin(), values.end());
        return values[values.size() * part / 4];
    };
    for (auto _ : state)
    {
        /// A processor that was idle is slow at first.
        for (const double begin = now(); now() - begin < 1e7;)
            ours();
        /// At least half a millisecond a sample, so that the clock does not show.
        const double once = std::max(1.0, std::max(nanoseconds(ours, 3), peer ? nanoseconds(peer, 1) : 0.0));
        const int repeat = static_cast<int>(std::clamp(5e5 / once, 1.0, 1e5));
        std::vector<double> times_ours;
        std::vector<double> times_peer;
        std::vector<double> ratios;
        for (int i = 0; i < pairs; ++i)
        {
            times_ours.push_back(nanoseconds(ours, repeat));
            if (!peer)
                continue;
            times_peer.push_back(nanoseconds(peer, repeat));
            ratios.push_back(times_peer.back() / times_ours.back());
        }
        state.counters["ours_ns"] = median_of(times_ours, 2);
        if (limit_ns != 0)
            state.counters["limit_ns"] = limit_ns;
        if (value_count != 0)
            state.counters["ns_a_value"] = median_of(times_ours, 2) / static_cast<double>(value_count);
        if (peer)
        {
            state.counters["peer_ns"] = median_of(times_peer, 2);
            state.counters["ratio"] = median_of(ratios, 2);
            state.counters["ratio_q1"] = median_of(ratios, 1);
            state.counters["ratio_q3"] = median_of(ratios, 3);
            if (all_ratios)
                all_ratios->push_back(median_of(ratios, 2));
        }
        {
            const statewire_tests::AllocationCounter counter;
            ours();
            state.counters["allocs"] = static_cast<double>(counter.allocations());
        }
    }
    state.SetLabel(concat(cpuLevelName(cpuLevel()), ", ", trust, peer ? "" : ", no peer here"));
}

inline void registerPair(Pair pair)
{
    benchmark::RegisterBenchmark(pair.name.c_str(), [=](benchmark::State & state) { measurePairs(state, pair); })
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
}

/// The geometric mean and the worst of the ratios of the lines before that were run.
inline void registerMean(const std::string & name, const std::shared_ptr<std::vector<double>> & ratios)
{
    benchmark::RegisterBenchmark(
        name.c_str(),
        [=](benchmark::State & state) {
            for (auto _ : state)
                continue;
            double logarithms = 0;
            for (const double ratio : *ratios)
                logarithms += std::log(ratio);
            const auto n = static_cast<double>(ratios->size());
            state.counters["lines"] = n;
            state.counters["geometric_mean"] = n == 0 ? 0 : std::exp(logarithms / n);
            state.counters["worst"] = n == 0 ? 0 : *std::min_element(ratios->begin(), ratios->end());
        })
        ->Iterations(1);
}

inline std::string serialize(const RoaringBitmap & bitmap, RoaringFormat format)
{
    std::string result;
    WriteBufferFromString out(result);
    bitmap.write(out, format);
    out.finalize();
    return result;
}

inline const char * const REAL_SETS[]
    = {"census1881", "census1881_srt", "census-income", "census-income_srt", "wikileaks-noquotes", "weather_sept_85"};

/// The sets of one real data set; empty where it is not present.
inline std::vector<std::vector<UInt32>> readRealSets(const std::string & name)
{
    std::vector<std::vector<UInt32>> result;
    const auto folder = statewire_tests::findVectors("realdata");
    if (!folder)
        return result;
    const std::string bytes = statewire_tests::readVector(*folder / (name + ".rdv"));
    const auto * at = reinterpret_cast<const unsigned char *>(bytes.data()) + 4;
    const auto fixed = [&] {
        const UInt32 value = at[0] | at[1] << 8 | at[2] << 16 | UInt32{at[3]} << 24;
        at += 4;
        return value;
    };
    const auto variable = [&] {
        UInt32 value = 0;
        for (int shift = 0;; shift += 7)
        {
            value |= UInt32{*at & 0x7fu} << shift;
            if (!(*at++ & 0x80))
                return value;
        }
    };
    result.resize(fixed());
    for (auto & set : result)
    {
        set.resize(fixed());
        UInt32 value = 0;
        for (UInt32 & element : set)
            element = value += variable();
    }
    return result;
}

}
