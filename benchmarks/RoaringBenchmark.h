#pragma once

#include "AllocationCounter.h"
#include "Vectors.h"

#include <statewire/Common/CpuFeatures.h>
#include <statewire/IO/WriteBufferFromVector.h>
#include <statewire/Roaring/RoaringBitmap.h>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <functional>
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

/// Runs ours and the peer's alternately and reports the median of the ratios peer / ours (above 1: ours is faster) with its quartiles.
inline void measurePairs(benchmark::State & state, const std::function<void()> & ours, const std::function<void()> & peer, int pairs = 21)
{
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
        if (peer)
        {
            state.counters["peer_ns"] = median_of(times_peer, 2);
            state.counters["ratio"] = median_of(ratios, 2);
            state.counters["ratio_q1"] = median_of(ratios, 1);
            state.counters["ratio_q3"] = median_of(ratios, 3);
        }
        {
            const statewire_tests::AllocationCounter counter;
            ours();
            state.counters["allocs"] = static_cast<double>(counter.allocations());
        }
    }
    state.SetLabel(std::string(cpuLevelName(cpuLevel())) + (peer ? "" : ", no peer here"));
}

inline void registerPair(const std::string & name, std::function<void()> ours, std::function<void()> peer = {}, int pairs = 21)
{
    benchmark::RegisterBenchmark(
        name.c_str(), [=](benchmark::State & state) { measurePairs(state, ours, peer, pairs); })
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
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
