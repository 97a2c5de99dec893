#include "AggregationColumns.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>

using namespace statewire_benchmarks;

namespace
{
constexpr UInt64 ROWS = 10'000'000;

/// Aggregates all blocks and gives the groups out; returns the bytes of groups and states before that.
UInt64 aggregate(const Aggregator & aggregator, const std::vector<Block> & blocks, size_t threads, bool measured = false)
{
    AggregatingTransform transform(aggregator, {.threads = threads});
    for (const Block & block : blocks)
        transform.consume(block);
    const UInt64 bytes = measured ? transform.measureBytes() : 0;
    transform.generate([](const Block & block) { benchmark::DoNotOptimize(block.rows()); });
    return bytes;
}

void BM_Aggregate(benchmark::State & state, const Table & table)
{
    const std::vector<Block> blocks = makeBlocks(table, ROWS);
    const Aggregator aggregator = makeAggregator(table);
    for (auto _ : state)
        aggregate(aggregator, blocks, static_cast<size_t>(state.range(0)));
    state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * ROWS));
    state.counters["bytes"] = static_cast<double>(aggregate(aggregator, blocks, static_cast<size_t>(state.range(0)), true));
}

/// One thread and two in turns; the median of the ratios, above 1 where two are faster.
void BM_TwoThreadsRatio(benchmark::State & state, const Table & table)
{
    const std::vector<Block> blocks = makeBlocks(table, ROWS);
    const Aggregator aggregator = makeAggregator(table);
    const auto seconds = [&](size_t threads) {
        const auto begin = std::chrono::steady_clock::now();
        aggregate(aggregator, blocks, threads);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    std::vector<double> ratios;
    for (auto _ : state)
        for (int i = 0; i < 5; ++i)
        {
            const double one = seconds(1);
            ratios.push_back(one / seconds(2));
        }
    std::sort(ratios.begin(), ratios.end());
    state.counters["ratio"] = ratios[ratios.size() / 2];
}

const int registered = [] {
    for (const Table & table : TABLES)
    {
        benchmark::RegisterBenchmark(("Aggregate/" + std::string(table.name)).c_str(), BM_Aggregate, table)
            ->Arg(1)
            ->Arg(2)
            ->UseRealTime()
            ->Unit(benchmark::kMillisecond);
        benchmark::RegisterBenchmark(("Aggregate/" + std::string(table.name) + "/TwoThreadsRatio").c_str(), BM_TwoThreadsRatio, table)
            ->Iterations(1)
            ->UseRealTime()
            ->Unit(benchmark::kMillisecond);
    }
    return 0;
}();
}
