#include "AggregationColumns.h"

#include "../programs/tuneAllocator.h"

#include <benchmark/benchmark.h>

#include <statewire/Formats/FormatFactory.h>
#include <statewire/IO/WriteBufferFromFile.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace statewire_benchmarks;

namespace
{
constexpr UInt64 ROWS = 10'000'000;

/// Aggregates all blocks and gives the groups out; returns the bytes of groups and states before that.
UInt64 aggregate(const Aggregator & aggregator, const std::vector<Block> & blocks, size_t threads, bool measured = false)
{
    AggregatingTransform transform(aggregator, {.threads = threads, .memory_tracker = measured ? std::make_shared<MemoryTracker>() : nullptr});
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

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

double secondsOf(const std::function<void()> & job)
{
    const auto begin = std::chrono::steady_clock::now();
    job();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// A process that does a job again and again while it is let.
class Neighbour
{
public:
    explicit Neighbour(const std::function<void()> & job) : child(::fork())
    {
        if (child == 0)
        {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (;;)
                job();
        }
        if (child < 0)
            throw std::runtime_error("no process");
        pause();
    }
    Neighbour(const Neighbour &) = delete;
    Neighbour & operator=(const Neighbour &) = delete;
    ~Neighbour()
    {
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
    }

    void run() const { ::kill(child, SIGCONT); }
    void pause() const
    {
        ::kill(child, SIGSTOP);
        ::waitpid(child, nullptr, WUNTRACED);
    }

private:
    pid_t child;
};

/// The median of first() / second(), both in seconds and in turns, five times and for some seconds.
double ratioInTurns(const std::function<double()> & first, const std::function<double()> & second)
{
    std::vector<double> ratios;
    for (double all = 0; ratios.size() < 5 || all < 4;)
    {
        const double a = first();
        const double b = second();
        ratios.push_back(a / b);
        all += a + b;
    }
    return median(ratios);
}

/// `ratio` is above 1 where two threads are faster than one; `processes` is what two processes with a thread each come to, the most that this machine
/// has for two threads.
void BM_TwoThreadsRatio(benchmark::State & state, const Table & table)
{
    const std::vector<Block> blocks = makeBlocks(table, ROWS);
    const Aggregator aggregator = makeAggregator(table);
    const auto seconds = [&](size_t threads) { return secondsOf([&] { aggregate(aggregator, blocks, threads); }); };
    const auto one = [&] { return seconds(1); };
    for (auto _ : state)
    {
        state.counters["ratio"] = ratioInTurns(one, [&] { return seconds(2); });
        const Neighbour neighbour([&] { one(); });
        state.counters["processes"] = 2 * ratioInTurns(one, [&] {
            neighbour.run();
            const double beside = seconds(1);
            neighbour.pause();
            return beside;
        });
    }
}

/// secondsOf(job) in a process of its own, which has touched none of the memory that the job takes.
double secondsInNewProcess(const std::function<void()> & job)
{
    int ends[2];
    if (::pipe(ends) != 0)
        throw std::runtime_error("no pipe");
    const pid_t child = ::fork();
    if (child == 0)
    {
        const double seconds = secondsOf(job);
        ::_exit(::write(ends[1], &seconds, sizeof(seconds)) == sizeof(seconds) ? 0 : 1);
    }
    double seconds = 0;
    const bool is_read = child > 0 && ::read(ends[0], &seconds, sizeof(seconds)) == sizeof(seconds);
    ::waitpid(child, nullptr, 0);
    ::close(ends[0]);
    ::close(ends[1]);
    if (!is_read)
        throw std::runtime_error("no process");
    return seconds;
}

/// `statewire aggregate` from a Native file, which is in the page cache, to a Native file, beside the library over the same columns in memory, in
/// turns and both in a new process; all are medians, and `ratio` is the library's time over the program's. STATEWIRE_PROGRAM is the program's path.
void BM_Program(benchmark::State & state, const Table & table)
{
    const std::vector<Block> blocks = makeBlocks(table, ROWS);
    const Aggregator aggregator = makeAggregator(table);
    const std::filesystem::path directory = std::filesystem::temp_directory_path() / ("statewire_benchmark_" + std::to_string(getpid()));
    std::filesystem::create_directories(directory);
    const std::string input = directory / "rows.native";
    {
        WriteBufferFromFile out(input);
        NamesAndTypes header;
        for (size_t i = 0; i < blocks[0].columns(); ++i)
            header.push_back({blocks[0].getByPosition(i).name, blocks[0].getByPosition(i).type});
        const auto format = createOutputFormat("Native", out, header);
        for (const Block & block : blocks)
            format->write(block);
        format->finalize();
        out.finalize();
    }
    const std::string command = std::string("'") + std::getenv("STATEWIRE_PROGRAM") + "' aggregate --threads 1 --aggregates 'groupBitmap(v) AS b'"
        + (table.has_key ? " --keys k" : "") + " -o '" + std::string(directory / "states.native") + "' '" + input + "'";
    std::vector<double> library_seconds;
    std::vector<double> program_seconds;
    std::vector<double> ratios;
    for (auto _ : state)
        for (int i = 0; i < 5; ++i)
        {
            library_seconds.push_back(secondsInNewProcess([&] { aggregate(aggregator, blocks, 1); }));
            program_seconds.push_back(secondsOf([&] {
                if (std::system(command.c_str()) != 0)
                    state.SkipWithError("the program failed");
            }));
            ratios.push_back(library_seconds.back() / program_seconds.back());
        }
    std::filesystem::remove_all(directory);
    state.counters["library_s"] = median(library_seconds);
    state.counters["program_s"] = median(program_seconds);
    state.counters["ratio"] = median(ratios);
    state.counters["wanted"] = 0.5;
}

const int registered = [] {
    statewire_program::tuneAllocator();
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
        if (std::getenv("STATEWIRE_PROGRAM"))
            benchmark::RegisterBenchmark(("Program/" + std::string(table.name)).c_str(), BM_Program, table)
                ->Iterations(1)
                ->UseRealTime()
                ->Unit(benchmark::kMillisecond);
    }
    return 0;
}();
}
