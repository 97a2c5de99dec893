#include "AllocationCounter.h"
#include "CountMinBenchmark.h"

#include <statewire/AggregateFunctions/CountMinSketchState.h>
#include <statewire/CountMin/CountMinSketch.h>
#include <statewire/CountMin/CountMinView.h>
#include <statewire/IO/WriteBufferFromFileDescriptor.h>
#include <statewire/IO/WriteBufferFromMemory.h>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

using namespace DB;
using statewire_tests::AllocationCounter;
using namespace statewire_benchmarks;

/** The serialization lines of the public sink proposal (7 rows; its names and sizes), each beside its baseline: the memcpy of the same bytes
  * into the same memory, and the way through a temporary vector. Then opening, querying, merging and updating.
  *
  * `allocs` are the allocations of one call; `copied_bytes` what one call moved before the bytes reached their destination's memory or device.
  */
namespace
{
/// A sketch with some weight in it, as the proposal's benchmarks fill theirs.
struct Fixture
{
    explicit Fixture(const benchmark::State & state) : parameters(NUM_HASHES, static_cast<UInt32>(state.range(0))), sketch(parameters)
    {
        for (UInt64 i = 0; i < 1000; ++i)
            sketch.update(keyOf(i), i % 10 + 1);
        image = sketch.toString();
        memory = std::make_unique<char[]>(image.size() + 64);
    }

    CountMinParameters parameters;
    CountMinSketch<UInt64> sketch;
    std::string image;
    std::unique_ptr<char[]> memory;
};

template <typename Call>
double allocationsOf(Call && call)
{
    AllocationCounter counter;
    call();
    return static_cast<double>(counter.allocations());
}

void report(benchmark::State & state, size_t bytes, double allocations, double copied_bytes)
{
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(bytes));
    state.counters["allocs"] = allocations;
    state.counters["copied_bytes"] = copied_bytes;
}

/// Measures `call`, which writes `bytes` bytes.
template <typename Call>
void measure(benchmark::State & state, size_t bytes, double copied_bytes, Call && call)
{
    const double allocations = allocationsOf(call);
    for (auto iteration : state)
    {
        static_cast<void>(iteration);
        call();
        benchmark::ClobberMemory();
    }
    report(state, bytes, allocations, copied_bytes);
}

}

static void BM_CountMinGetSerializedSizeBytes(benchmark::State & state)
{
    const Fixture fixture(state);
    const double allocations = allocationsOf([&] { benchmark::DoNotOptimize(fixture.sketch.imageSize()); });
    for (auto iteration : state)
    {
        static_cast<void>(iteration);
        const auto * sketch = &fixture.sketch;
        benchmark::DoNotOptimize(sketch);
        benchmark::DoNotOptimize(sketch->imageSize());
    }
    state.counters["allocs"] = allocations;
    state.counters["copied_bytes"] = 0;
}
BENCHMARK(BM_CountMinGetSerializedSizeBytes)->Apply(sizes);

static void BM_CountMinSerializeVector(benchmark::State & state)
{
    const Fixture fixture(state);
    measure(state, fixture.image.size(), 0, [&] { benchmark::DoNotOptimize(fixture.sketch.toVector().data()); });
}
BENCHMARK(BM_CountMinSerializeVector)->Apply(sizes);

/// Memory of the right size and one memcpy.
static void BM_CountMinSerializeVectorBaselineMallocMemcpy(benchmark::State & state)
{
    const Fixture fixture(state);
    measure(state, fixture.image.size(), 0, [&] {
        const auto memory = std::make_unique_for_overwrite<char[]>(fixture.image.size());
        std::memcpy(memory.get(), fixture.image.data(), fixture.image.size());
        benchmark::DoNotOptimize(memory.get());
    });
}
BENCHMARK(BM_CountMinSerializeVectorBaselineMallocMemcpy)->Apply(sizes);

static void BM_CountMinSerializeToSink(benchmark::State & state)
{
    const Fixture fixture(state);
    measure(state, fixture.image.size(), 0, [&] {
        char * pos = fixture.memory.get();
        fixture.sketch.writeTo([&](const void * from, size_t n) {
            std::memcpy(pos, from, n);
            pos += n;
        });
        benchmark::DoNotOptimize(pos);
    });
}
BENCHMARK(BM_CountMinSerializeToSink)->Apply(sizes);

static void BM_CountMinSerializeWriteBuffer(benchmark::State & state)
{
    const Fixture fixture(state);
    measure(state, fixture.image.size(), 0, [&] {
        WriteBufferFromMemory out(fixture.memory.get(), fixture.image.size());
        WriteBufferSink sink(out);
        fixture.sketch.writeImage(sink);
        out.finalize();
    });
}
BENCHMARK(BM_CountMinSerializeWriteBuffer)->Apply(sizes);

/// The baseline of both: the same bytes into the same memory.
static void BM_CountMinSerializeBaselineMemcpy(benchmark::State & state)
{
    const Fixture fixture(state);
    measure(state, fixture.image.size(), 0, [&] { std::memcpy(fixture.memory.get(), fixture.image.data(), fixture.image.size()); });
}
BENCHMARK(BM_CountMinSerializeBaselineMemcpy)->Apply(sizes);

/// The way around both: a vector, zeroed and filled, and its copy into the buffer.
static void BM_CountMinSerializeBaselineVectorThenCopy(benchmark::State & state)
{
    const Fixture fixture(state);
    measure(state, fixture.image.size(), static_cast<double>(fixture.image.size()), [&] {
        std::vector<UInt8> bytes(fixture.image.size());
        std::memcpy(bytes.data(), fixture.image.data(), fixture.image.size());
        benchmark::DoNotOptimize(bytes.data());
        WriteBufferFromMemory out(fixture.memory.get(), fixture.image.size());
        out.write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
        out.finalize();
    });
}
BENCHMARK(BM_CountMinSerializeBaselineVectorThenCopy)->Apply(sizes);

/// A state into a descriptor whose buffer is smaller than the table: the table leaves from where it is.
static void BM_CountMinStateWriteFileDescriptor(benchmark::State & state)
{
    const Fixture fixture(state);
    CountMinSketchState<UInt64> sketch_state(fixture.parameters, sizeof(UInt64));
    for (UInt64 i = 0; i < 1000; ++i)
        sketch_state.add(keyOf(i), i % 10 + 1);
    const int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    WriteBufferFromFileDescriptor out(fd, "/dev/null", 4096);
    UInt64 written = 0;
    for (auto iteration : state)
    {
        static_cast<void>(iteration);
        sketch_state.write(out);
        ++written;
    }
    out.next();
    report(state, sketch_state.serializedSize(), 0, static_cast<double>(out.copiedBytes()) / static_cast<double>(written));
    out.finalize();
    close(fd);
}
BENCHMARK(BM_CountMinStateWriteFileDescriptor)->Apply(sizes);

/// Opens bytes with prepared parameters and asks one question.
static void BM_CountMinOpenAndEstimate(benchmark::State & state)
{
    const Fixture fixture(state);
    const std::string key = keyOf(5);
    measure(state, 0, 0, [&] {
        const auto view = CountMinView<UInt64>::parse(fixture.image, fixture.parameters, Validation::Structure);
        benchmark::DoNotOptimize(view.estimate(key));
    });
}
BENCHMARK(BM_CountMinOpenAndEstimate)->Apply(sizes);

/// Its baseline: building an owner from the bytes first.
static void BM_CountMinOpenAndEstimateBaselineOwner(benchmark::State & state)
{
    const Fixture fixture(state);
    const std::string key = keyOf(5);
    measure(state, 0, static_cast<double>(fixture.image.size()), [&] {
        const CountMinSketch<UInt64> owner(CountMinView<UInt64>::fromValidated(fixture.image, fixture.parameters));
        benchmark::DoNotOptimize(owner.estimate(key));
    });
}
BENCHMARK(BM_CountMinOpenAndEstimateBaselineOwner)->Apply(sizes);

static void BM_CountMinValidateFull(benchmark::State & state)
{
    const Fixture fixture(state);
    measure(state, fixture.image.size(), 0, [&] {
        benchmark::DoNotOptimize(CountMinView<UInt64>::parse(fixture.image, fixture.parameters).bytes().data());
    });
}
BENCHMARK(BM_CountMinValidateFull)->Apply(sizes);

/// Merges serialized bytes that passed Full validation before.
static void BM_CountMinMergeSerialized(benchmark::State & state)
{
    const Fixture fixture(state);
    const auto view = CountMinView<UInt64>::parse(fixture.image, fixture.parameters);
    CountMinSketch<UInt64> target(view);
    measure(state, fixture.image.size(), 0, [&] { target.merge(view); });
}
BENCHMARK(BM_CountMinMergeSerialized)->Apply(sizes);

/// The plain loop over two tables.
static void BM_CountMinMergeBaselineVectorAdd(benchmark::State & state)
{
    const Fixture fixture(state);
    std::vector<UInt64> from(fixture.parameters.cells(), 1);
    std::vector<UInt64> to(fixture.parameters.cells(), 1);
    measure(state, fixture.image.size(), 0, [&] {
        benchmark::DoNotOptimize(from.data());
        for (size_t i = 0; i < to.size(); ++i)
            to[i] += from[i];
        benchmark::DoNotOptimize(to.data());
    });
}
BENCHMARK(BM_CountMinMergeBaselineVectorAdd)->Apply(sizes);

namespace
{
void shapes(benchmark::internal::Benchmark * benchmark) { benchmark->Args({7, 2719})->Args({7, 65536})->Args({5, 1 << 22}); }

/// `with` measured beside `without` in turns within one process, so that a loaded machine slows both: the counters are the medians of both in
/// nanoseconds an item and of their ratio (how many times faster `with` is).
template <typename Without, typename With>
void measureRatio(benchmark::State & state, size_t items, Without && without, With && with)
{
    std::vector<double> ratios;
    std::vector<double> slow;
    std::vector<double> fast;
    const auto time_of = [&](auto && call) {
        const double start = threadNanoseconds();
        call();
        return (threadNanoseconds() - start) / static_cast<double>(items);
    };
    for (auto iteration : state)
    {
        static_cast<void>(iteration);
        slow.push_back(time_of(without));
        fast.push_back(time_of(with));
        ratios.push_back(slow.back() / fast.back());
    }
    state.counters["one_ns"] = quantileOf(slow, 0.5);
    state.counters["many_ns"] = quantileOf(fast, 0.5);
    state.counters["ratio"] = quantileOf(ratios, 0.5);
}

/// One update at a time against updateMany, for UInt64 keys (key_size 8) and strings of 16 bytes (key_size 16).
void updateRatio(benchmark::State & state, size_t key_size)
{
    const CountMinParameters parameters(static_cast<UInt32>(state.range(0)), static_cast<UInt32>(state.range(1)));
    CountMinSketch<UInt64> one(parameters);
    CountMinSketch<UInt64> many(parameters);
    const std::string column = manyKeys() + manyKeys();
    std::vector<std::string_view> views;
    for (size_t i = 0; i < KEYS; ++i)
        views.push_back(std::string_view(column).substr(i * key_size, key_size));
    const CountMinKeys keys = key_size == 8 ? CountMinKeys::fixed(column.data(), 8, KEYS) : CountMinKeys::strings(views);
    measureRatio(
        state,
        KEYS,
        [&] {
            for (const std::string_view key : views)
                one.update(key, 1);
        },
        [&] { many.updateMany(keys); });
}
}


static void BM_CountMinUpdate(benchmark::State & state)
{
    const CountMinParameters parameters(static_cast<UInt32>(state.range(0)), static_cast<UInt32>(state.range(1)));
    CountMinSketch<UInt64> sketch(parameters);
    const std::string keys = manyKeys();
    for (auto iteration : state)
    {
        static_cast<void>(iteration);
        for (size_t i = 0; i < KEYS; ++i)
            sketch.update({keys.data() + i * sizeof(UInt64), sizeof(UInt64)}, 1);
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(KEYS));
}
BENCHMARK(BM_CountMinUpdate)->Apply(shapes);

static void BM_CountMinEstimate(benchmark::State & state)
{
    const CountMinParameters parameters(static_cast<UInt32>(state.range(0)), static_cast<UInt32>(state.range(1)));
    CountMinSketch<UInt64> sketch(parameters);
    const std::string keys = manyKeys();
    for (size_t i = 0; i < KEYS; ++i)
        sketch.update({keys.data() + i * sizeof(UInt64), sizeof(UInt64)}, 1);
    for (auto iteration : state)
    {
        static_cast<void>(iteration);
        UInt64 sum = 0;
        for (size_t i = 0; i < KEYS; ++i)
            sum += sketch.estimate({keys.data() + i * sizeof(UInt64), sizeof(UInt64)});
        benchmark::DoNotOptimize(sum);
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(KEYS));
}
BENCHMARK(BM_CountMinEstimate)->Apply(shapes);

static void BM_CountMinUpdateManyRatio(benchmark::State & state) { updateRatio(state, 8); }
BENCHMARK(BM_CountMinUpdateManyRatio)->Apply(shapes)->MinTime(1);

static void BM_CountMinUpdateManyStrings16Ratio(benchmark::State & state) { updateRatio(state, 16); }
BENCHMARK(BM_CountMinUpdateManyStrings16Ratio)->Args({7, 2719})->MinTime(1);

/// Estimates one at a time against estimateMany, over an image.
static void BM_CountMinEstimateManyRatio(benchmark::State & state)
{
    const CountMinParameters parameters(static_cast<UInt32>(state.range(0)), static_cast<UInt32>(state.range(1)));
    CountMinSketch<UInt64> sketch(parameters);
    const std::string column = manyKeys();
    const CountMinKeys keys = CountMinKeys::fixed(column.data(), 8, KEYS);
    sketch.updateMany(keys);
    const std::string image = sketch.toString();
    const auto view = CountMinView<UInt64>::parse(image, parameters);
    std::vector<UInt64> answers(KEYS);
    measureRatio(
        state,
        KEYS,
        [&] {
            for (size_t i = 0; i < KEYS; ++i)
                answers[i] = view.estimate(keys[i]);
            benchmark::DoNotOptimize(answers.data());
        },
        [&] {
            view.estimateMany(keys, answers.data());
            benchmark::DoNotOptimize(answers.data());
        });
}
BENCHMARK(BM_CountMinEstimateManyRatio)->Apply(shapes)->MinTime(1);

/// A batch into one state, through its checks.
static void BM_CountMinStateAddBatch(benchmark::State & state)
{
    const CountMinParameters parameters(static_cast<UInt32>(state.range(0)), static_cast<UInt32>(state.range(1)));
    CountMinSketchState<UInt64> sketch_state(parameters, 8);
    const std::string column = manyKeys();
    for (auto iteration : state)
    {
        static_cast<void>(iteration);
        sketch_state.addBatch(CountMinKeys::fixed(column.data(), 8, KEYS));
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(KEYS));
}
BENCHMARK(BM_CountMinStateAddBatch)->Apply(shapes);

/// The plain loop over two tables against merging an image that passed Full validation: ratio 1 is its speed.
static void BM_CountMinMergeSerializedRatio(benchmark::State & state)
{
    const Fixture fixture(state);
    const auto view = CountMinView<UInt64>::parse(fixture.image, fixture.parameters);
    CountMinSketch<UInt64> target(view);
    std::vector<UInt64> from(fixture.parameters.cells(), 1);
    std::vector<UInt64> to(fixture.parameters.cells(), 1);
    measureRatio(
        state,
        from.size(),
        [&] {
            benchmark::DoNotOptimize(from.data());
            for (size_t i = 0; i < to.size(); ++i)
                to[i] += from[i];
            benchmark::DoNotOptimize(to.data());
        },
        [&] { target.merge(view); });
}
BENCHMARK(BM_CountMinMergeSerializedRatio)->Apply(sizes)->MinTime(0.5);

/// Small states: a key that is there.
static void BM_CountMinSmallStateAdd(benchmark::State & state)
{
    const CountMinParameters parameters(NUM_HASHES, 2719);
    CountMinSketchState<UInt64> sketch_state(parameters, sizeof(UInt64));
    const std::string keys = manyKeys();
    const auto distinct = static_cast<size_t>(state.range(0));
    size_t i = 0;
    for (auto iteration : state)
    {
        static_cast<void>(iteration);
        sketch_state.add({keys.data() + i * sizeof(UInt64), sizeof(UInt64)}, 1);
        i = i + 1 == distinct ? 0 : i + 1;
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(BM_CountMinSmallStateAdd)->Arg(1)->Arg(30)->Arg(240);
