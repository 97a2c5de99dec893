#include "AggregationColumns.h"

#include "../programs/tuneAllocator.h"

#include <engine/Engine.h>

#include <statewire/Columns/ColumnAggregateFunction.h>
#include <statewire/Formats/FormatFactory.h>
#include <statewire/Functions/FunctionFactory.h>
#include <statewire/IO/ReadBufferFromMemory.h>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <stdexcept>

using namespace statewire_benchmarks;

/** Ours beside the real engine over the same columns, both with one thread: scripts/benchmark_engine.sh builds and runs this program.
 *
 * Rows are in a Memory table there and in blocks of 65536 rows here; states are in a MergeTree table without compression there, warm, and in
 * the same states' Native bytes here, checked as everything that is read. `ratio` is the engine's time over ours, `cpu_ratio` the same of
 * processor time, which depends less on what else runs, `wanted` what it has to be.
 * Memory: the engine runs with a limit of so many times the bytes that ours has accounted, and `engine_needs_more` is 1 when that is too
 * little for it.
 */
namespace
{
constexpr UInt64 ROWS = 10'000'000;

statewire_tests::Engine * engine()
{
    return statewire_tests::Engine::shared();
}

struct Seconds
{
    double elapsed = 0;
    double processor = 0;
};

/// The fastest of some runs, since the machine is shared; slow jobs run once. `processor_seconds` reads the clock of who does the job.
Seconds bestSecondsOf(const std::function<void()> & job, const std::function<double()> & processor_seconds)
{
    Seconds best;
    for (int i = 0; i < 5 && (i == 0 || best.elapsed < 2); ++i)
    {
        const double processor_begin = processor_seconds();
        const auto begin = std::chrono::steady_clock::now();
        job();
        const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        const double processor = processor_seconds() - processor_begin;
        best.elapsed = i == 0 ? elapsed : std::min(best.elapsed, elapsed);
        best.processor = i == 0 ? processor : std::min(best.processor, processor);
    }
    return best;
}

void report(benchmark::State & state, const std::string & sql, double wanted, const std::function<UInt64()> & ours)
{
    UInt64 found = 0;
    const Seconds our_seconds
        = bestSecondsOf([&] { found = ours(); }, [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; });
    std::string answer;
    const Seconds engine_seconds = bestSecondsOf(
        [&] { answer = engine()->query(sql + " SETTINGS max_threads = 1"); }, [] { return engine()->processorSeconds(); });
    state.counters["ours_s"] = our_seconds.elapsed;
    state.counters["engine_s"] = engine_seconds.elapsed;
    state.counters["ratio"] = engine_seconds.elapsed / our_seconds.elapsed;
    state.counters["cpu_ratio"] = engine_seconds.processor / our_seconds.processor;
    state.counters["wanted"] = wanted;
    if (answer != std::to_string(found) + "\n")
        state.SkipWithError(("the answers differ: ours " + std::to_string(found) + ", the engine's " + answer).c_str());
}

std::string keySQL(const Table & table, const std::string & row)
{
    return std::string(table.key_sql).empty() ? "toUInt32(" + hashSQL("intDiv(" + row + ", 10)") + ")"
                                              : "toUInt32(" + hashSQL(row) + " " + table.key_sql + ")";
}

void fillTable(const Table & table, UInt64 rows)
{
    engine()->query("DROP TABLE IF EXISTS rows");
    engine()->query("CREATE TABLE rows (k UInt32, v " + std::string(table.value_size == 4 ? "UInt32" : "UInt64") + ") ENGINE = Memory");
    engine()->query(
        "INSERT INTO rows SELECT " + (table.has_key ? keySQL(table, "number") : std::string("0")) + ", " + table.value_sql("number")
        + " FROM numbers(" + std::to_string(rows) + ")");
}

UInt64 cardinalityOf(const Block & block)
{
    const auto & states = static_cast<const ColumnAggregateFunction &>(*block.findByName("b")->column);
    ColumnVector<UInt64> counts;
    for (size_t row = 0; row < states.size(); ++row)
        states.getFunction()->insertResultInto(const_cast<AggregateDataPtr>(states[row]), counts, nullptr);
    UInt64 sum = 0;
    for (const UInt64 count : counts.getData())
        sum += count;
    return sum;
}

UInt64 aggregate(const Aggregator & aggregator, const std::vector<Block> & blocks, bool has_states = false)
{
    AggregatingTransform transform(aggregator, {.has_states = has_states});
    for (const Block & block : blocks)
        transform.consume(block);
    UInt64 sum = 0;
    transform.generate([&](const Block & block) { sum += cardinalityOf(block); });
    return sum;
}

void BM_Rows(benchmark::State & state, const Table & table, double wanted)
{
    const std::vector<Block> blocks = makeBlocks(table, ROWS);
    const Aggregator aggregator = makeAggregator(table);
    fillTable(table, ROWS);
    for (auto _ : state)
        report(
            state, table.has_key ? "SELECT sum(c) FROM (SELECT groupBitmap(v) AS c FROM rows GROUP BY k)" : "SELECT groupBitmap(v) FROM rows",
            wanted, [&] { return aggregate(aggregator, blocks); });
}

/// The bytes that ours takes for groups and states, and whether the engine can do with `times` as many.
void BM_Memory(benchmark::State & state, const Table & table, double times)
{
    const std::vector<Block> blocks = makeBlocks(table, ROWS);
    const Aggregator aggregator = makeAggregator(table);
    fillTable(table, ROWS);
    for (auto _ : state)
    {
        AggregatingTransform transform(aggregator, {.memory_tracker = std::make_shared<MemoryTracker>()});
        for (const Block & block : blocks)
            transform.consume(block);
        const UInt64 bytes = transform.measureBytes();
        const auto limit = static_cast<UInt64>(static_cast<double>(bytes) * times);
        bool needs_more = false;
        try
        {
            engine()->query(
                "SELECT k, groupBitmapState(v) FROM rows GROUP BY k FORMAT Null SETTINGS max_threads = 1, max_memory_usage = "
                + std::to_string(limit));
        }
        catch (const std::runtime_error & e)
        {
            needs_more = std::string(e.what()).find("MEMORY_LIMIT_EXCEEDED") != std::string::npos;
        }
        state.counters["ours_bytes"] = static_cast<double>(bytes);
        state.counters["engine_limit"] = static_cast<double>(limit);
        state.counters["engine_needs_more"] = needs_more;
    }
}

struct States
{
    const char * name;
    UInt64 states;
    UInt64 values;
    std::string (*value_sql)(const std::string & row);
};

std::string wideSQL(const std::string & row) { return random32SQL(row); }
std::string belowMillionSQL(const std::string & row) { return "toUInt32(" + hashSQL(row) + " % 1000000)"; }

const States SMALL = {"small", 1'000'000, 10, wideSQL};
const States ARRAYS = {"arrays", 100'000, 100, belowMillionSQL};
const States BITSETS = {"bitsets", 1000, 100'000, belowMillionSQL};

/// Makes the states in the engine and returns their Native bytes.
std::string makeStates(const States & states)
{
    engine()->query("DROP TABLE IF EXISTS states");
    engine()->query(
        "CREATE TABLE states (k UInt32, b AggregateFunction(groupBitmap, UInt32) CODEC(NONE)) ENGINE = MergeTree ORDER BY k "
        "SETTINGS min_bytes_for_wide_part = 0, min_rows_for_wide_part = 0");
    const std::string number_of_state = "intDiv(number, " + std::to_string(states.values) + ")";
    /// In parts, so that the engine's memory does not grow large.
    constexpr UInt64 PARTS = 10;
    const UInt64 part = states.states / PARTS * states.values;
    for (UInt64 i = 0; i < PARTS; ++i)
        engine()->query(
            "INSERT INTO states SELECT toUInt32(" + number_of_state + ") AS k, groupBitmapState(" + states.value_sql("number") + ") FROM numbers("
            + std::to_string(i * part) + ", " + std::to_string(part) + ") GROUP BY k");
    engine()->query("OPTIMIZE TABLE states FINAL");
    return engine()->query("SELECT k, b FROM states ORDER BY k", "Native");
}

UInt64 readStates(const std::string & bytes, const std::function<UInt64(const Block &)> & use)
{
    ReadBufferFromMemory in(bytes);
    const auto reader = createInputFormat("Native", in);
    UInt64 sum = 0;
    Block block;
    while (reader->read(block))
        sum += use(block);
    return sum;
}

void BM_ReadStates(benchmark::State & state, const States & states, double wanted)
{
    const std::string bytes = makeStates(states);
    for (auto _ : state)
        report(state, "SELECT sum(bitmapCardinality(b)) FROM states", wanted, [&] { return readStates(bytes, cardinalityOf); });
}

void BM_MergeStates(benchmark::State & state, const States & states, double wanted)
{
    const std::string bytes = makeStates(states);
    const DataTypePtr type = std::make_shared<DataTypeNumber<UInt32>>();
    const Aggregator aggregator({}, {{defaultAggregateFunctionFactory().get("groupBitmap", {type}, {}), {}, "b"}});
    for (auto _ : state)
        report(state, "SELECT groupBitmapMerge(b) FROM states", wanted, [&] {
            AggregatingTransform transform(aggregator, {.has_states = true});
            readStates(bytes, [&](const Block & block) {
                transform.consume(block);
                return UInt64{0};
            });
            UInt64 sum = 0;
            transform.generate([&](const Block & block) { sum += cardinalityOf(block); });
            return sum;
        });
}

const int registered = [] {
    statewire_program::tuneAllocator();
    if (!engine())
        return 0;
    benchmark::AddCustomContext("engine", engine()->version());
    const auto once = [](const std::string & name, auto && function, const auto & subject, double number) {
        benchmark::RegisterBenchmark(name.c_str(), function, subject, number)->Iterations(1)->Unit(benchmark::kMillisecond)->UseRealTime();
    };
    const double wanted[] = {10, 30, 2, 1, 10, 2, 1};
    static_assert(std::size(TABLES) == std::size(wanted));
    for (size_t i = 0; i < std::size(TABLES); ++i)
        once("Rows/" + std::string(TABLES[i].name), BM_Rows, TABLES[i], wanted[i]);
    once("States/small/merge", BM_MergeStates, SMALL, 10);
    once("States/arrays/read", BM_ReadStates, ARRAYS, 10);
    once("States/bitsets/read", BM_ReadStates, BITSETS, 1);
    once("States/bitsets/merge", BM_MergeStates, BITSETS, 1);
    static const Table GROUPS_OF_TEN = {"groups_of_ten", 4, true, random32, random32SQL, keyOfTen, ""};
    once("Memory/random64", BM_Memory, TABLES[1], 2);
    once("Memory/groups_of_ten", BM_Memory, GROUPS_OF_TEN, 1);
    return 0;
}();
}
