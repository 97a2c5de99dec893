#include "CountMinBenchmark.h"

#include <statewire/CountMin/CountMinView.h>
#include <statewire/IO/WriteBufferFromMemory.h>
#include <statewire/IO/WriteBufferFromVector.h>

#include <count_min.hpp>

#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

using namespace DB;
using namespace statewire_benchmarks;

/** Count-min sketches beside Apache DataSketches C++, in one program: the four benchmarks of the public sink proposal under its names and sizes (7
  * rows), for the library and for ours, and a table of ratios of interleaved pairs. The only file that includes a stream header: that is how the
  * library's second way out works.
  */
namespace
{
using Peer = datasketches::count_min_sketch<UInt64>;

/// The installed release has the proposal's sink.
template <typename Sketch>
constexpr bool HAS_SINK = requires(const Sketch & sketch) { sketch.serialize_to([](const void *, size_t) {}); };

/// The same weights in both.
struct Both
{
    explicit Both(UInt32 num_buckets) : parameters(NUM_HASHES, num_buckets), ours(parameters), peer(NUM_HASHES, num_buckets)
    {
        for (UInt64 i = 0; i < 1000; ++i)
        {
            ours.update(keyOf(i), i % 10 + 1);
            peer.update(i, i % 10 + 1);
        }
        image = ours.toString();
        memory = std::make_unique<char[]>(image.size());
        const auto bytes = peer.serialize();
        if (std::string_view(reinterpret_cast<const char *>(bytes.data()), bytes.size()) != image)
        {
            std::fprintf(stderr, "The two libraries do not write the same bytes: nothing here can be compared\n");
            std::exit(1);
        }
    }

    CountMinParameters parameters;
    CountMinSketch<UInt64> ours;
    Peer peer;
    std::string image;
    std::unique_ptr<char[]> memory;
};

template <typename Call>
void measure(benchmark::State & state, size_t bytes, Call && call)
{
    for (auto iteration : state)
    {
        static_cast<void>(iteration);
        call();
        benchmark::ClobberMemory();
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(bytes));
}

Both bothOf(const benchmark::State & state) { return Both(static_cast<UInt32>(state.range(0))); }

void oursIntoSink(Both & both)
{
    char * pos = both.memory.get();
    both.ours.writeTo([&](const void * from, size_t n) {
        std::memcpy(pos, from, n);
        pos += n;
    });
    benchmark::DoNotOptimize(pos);
}

void oursIntoWriteBuffer(Both & both)
{
    WriteBufferFromMemory out(both.memory.get(), both.image.size());
    WriteBufferSink sink(out);
    both.ours.writeImage(sink);
    out.finalize();
}

/// As ClickHouse does it today.
void peerVectorIntoWriteBuffer(Both & both)
{
    WriteBufferFromMemory out(both.memory.get(), both.image.size());
    const auto bytes = both.peer.serialize();
    out.write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    out.finalize();
}

template <typename Sketch>
void peerIntoSink(const Sketch & sketch, char * to)
{
    sketch.serialize_to([&](const void * from, size_t n) {
        std::memcpy(to, from, n);
        to += n;
    });
    benchmark::DoNotOptimize(to);
}
}

static void BM_CountMinGetSerializedSizeBytes(benchmark::State & state)
{
    const Both both = bothOf(state);
    measure(state, 0, [&] {
        const auto * sketch = &both.peer;
        benchmark::DoNotOptimize(sketch);
        benchmark::DoNotOptimize(sketch->get_serialized_size_bytes());
    });
}
BENCHMARK(BM_CountMinGetSerializedSizeBytes)->Apply(sizes);

static void BM_CountMinSerializeVector(benchmark::State & state)
{
    const Both both = bothOf(state);
    measure(state, both.image.size(), [&] { benchmark::DoNotOptimize(both.peer.serialize().data()); });
}
BENCHMARK(BM_CountMinSerializeVector)->Apply(sizes);

static void BM_CountMinSerializeOStream(benchmark::State & state)
{
    const Both both = bothOf(state);
    std::ostringstream stream;
    measure(state, both.image.size(), [&] {
        stream.seekp(0);
        both.peer.serialize(stream);
    });
}
BENCHMARK(BM_CountMinSerializeOStream)->Apply(sizes);

/// Of releases that have it.
template <typename Sketch>
static void serializeToSink(benchmark::State & state)
{
    if constexpr (HAS_SINK<Sketch>)
    {
        Both both = bothOf(state);
        measure(state, both.image.size(), [&] { peerIntoSink<Sketch>(both.peer, both.memory.get()); });
    }
    else
        state.SkipWithError("the installed DataSketches has no serialize_to");
}
static void BM_CountMinSerializeToSink(benchmark::State & state) { serializeToSink<Peer>(state); }
BENCHMARK(BM_CountMinSerializeToSink)->Apply(sizes);

static void BM_StatewireGetSerializedSizeBytes(benchmark::State & state)
{
    const Both both = bothOf(state);
    measure(state, 0, [&] {
        const auto * sketch = &both.ours;
        benchmark::DoNotOptimize(sketch);
        benchmark::DoNotOptimize(sketch->imageSize());
    });
}
BENCHMARK(BM_StatewireGetSerializedSizeBytes)->Apply(sizes);

static void BM_StatewireSerializeVector(benchmark::State & state)
{
    const Both both = bothOf(state);
    measure(state, both.image.size(), [&] { benchmark::DoNotOptimize(both.ours.toVector().data()); });
}
BENCHMARK(BM_StatewireSerializeVector)->Apply(sizes);

static void BM_StatewireSerializeToSink(benchmark::State & state)
{
    Both both = bothOf(state);
    measure(state, both.image.size(), [&] { oursIntoSink(both); });
}
BENCHMARK(BM_StatewireSerializeToSink)->Apply(sizes);

static void BM_StatewireSerializeWriteBuffer(benchmark::State & state)
{
    Both both = bothOf(state);
    measure(state, both.image.size(), [&] { oursIntoWriteBuffer(both); });
}
BENCHMARK(BM_StatewireSerializeWriteBuffer)->Apply(sizes);

namespace
{
using Job = std::function<void()>;

constexpr int PAIRS = 21;

/// One line of the table: medians in nanoseconds an item, and the median and quartiles of peer / ours.
void printLine(const std::string & name, std::vector<double> ours, std::vector<double> peer)
{
    std::vector<double> ratios;
    for (size_t i = 0; i < ours.size(); ++i)
        ratios.push_back(peer[i] / ours[i]);
    std::printf(
        "%-44s %12.2f %12.2f %8.2f  [%.2f, %.2f]\n",
        name.c_str(),
        quantileOf(ours, 0.5),
        quantileOf(peer, 0.5),
        quantileOf(ratios, 0.5),
        quantileOf(ratios, 0.25),
        quantileOf(ratios, 0.75));
}

double nanosecondsOf(const Job & job, int repeat)
{
    const double begin = threadNanoseconds();
    for (int i = 0; i < repeat; ++i)
    {
        job();
        benchmark::ClobberMemory();
    }
    return (threadNanoseconds() - begin) / repeat;
}

/// Interleaved pairs of samples of about a millisecond each, so that neither the clock shows nor what the other side left in the caches.
void printPair(const std::string & name, double items, const Job & ours, const Job & peer)
{
    const auto repeats_of = [](const Job & job) {
        nanosecondsOf(job, 2);
        return static_cast<int>(std::clamp(1e6 / std::max(1.0, nanosecondsOf(job, 3)), 1.0, 1e6));
    };
    const int ours_repeat = repeats_of(ours);
    const int peer_repeat = repeats_of(peer);
    std::vector<double> ours_times;
    std::vector<double> peer_times;
    for (int i = 0; i < PAIRS; ++i)
    {
        ours_times.push_back(nanosecondsOf(ours, ours_repeat) / items);
        peer_times.push_back(nanosecondsOf(peer, peer_repeat) / items);
    }
    printLine(name, std::move(ours_times), std::move(peer_times));
}

/// Single calls, each after a pass over more memory than the second cache holds; the clock's own time is taken off.
void printColdPair(const std::string & name, const Job & ours, const Job & peer)
{
    std::vector<char> other_data(size_t{32} << 20);
    const auto cold_nanoseconds = [&](const Job & job) {
        for (size_t i = 0; i < other_data.size(); i += 64)
            ++other_data[i];
        benchmark::ClobberMemory();
        return nanosecondsOf(job, 1);
    };
    std::vector<double> ours_times;
    std::vector<double> peer_times;
    for (int i = 0; i < PAIRS; ++i)
    {
        const double clock = cold_nanoseconds([] {});
        ours_times.push_back(std::max(1.0, cold_nanoseconds(ours) - clock));
        peer_times.push_back(std::max(1.0, cold_nanoseconds(peer) - clock));
    }
    printLine(name, std::move(ours_times), std::move(peer_times));
}

void printSerialization(int num_buckets)
{
    Both both(static_cast<UInt32>(num_buckets));
    const std::string size = "/" + std::to_string(num_buckets);
    const std::string key = keyOf(5);
    printPair(
        "size" + size, 1, [&] { benchmark::DoNotOptimize(both.ours.imageSize()); },
        [&] { benchmark::DoNotOptimize(both.peer.get_serialized_size_bytes()); });
    printPair(
        "vector : vector" + size, 1, [&] { benchmark::DoNotOptimize(both.ours.toVector().data()); },
        [&] { benchmark::DoNotOptimize(both.peer.serialize().data()); });
    printPair("sink : vector" + size, 1, [&] { oursIntoSink(both); }, [&] { benchmark::DoNotOptimize(both.peer.serialize().data()); });
    std::ostringstream stream;
    printPair(
        "sink : ostream" + size, 1, [&] { oursIntoSink(both); },
        [&] {
            stream.seekp(0);
            both.peer.serialize(stream);
        });
    printPair("WriteBuffer : vector then WriteBuffer" + size, 1, [&] { oursIntoWriteBuffer(both); }, [&] { peerVectorIntoWriteBuffer(both); });
    printPair(
        "WriteBuffer : memcpy of an image" + size, 1, [&] { oursIntoWriteBuffer(both); },
        [&] { std::memcpy(both.memory.get(), both.image.data(), both.image.size()); });
    /// An image's cells lie 24 bytes behind its start, so that a table and its place in a buffer differ in their offsets from a cache line where
    /// two images do not; the processor copies such bytes more slowly.
    const void * table = nullptr;
    size_t table_size = 0;
    both.ours.writeTo([&](const void * from, size_t n) {
        table = from;
        table_size = n;
    });
    printPair(
        "WriteBuffer : memcpy of the table" + size, 1, [&] { oursIntoWriteBuffer(both); },
        [&] { std::memcpy(both.memory.get() + (both.image.size() - table_size), table, table_size); });
    const Job open_ours = [&] {
        const auto view = CountMinView<UInt64>::parse(both.image, both.parameters, Validation::Structure);
        benchmark::DoNotOptimize(view.estimate(key));
    };
    const Job open_peer = [&] {
        const Peer peer = Peer::deserialize(both.image.data(), both.image.size());
        benchmark::DoNotOptimize(peer.get_estimate(UInt64{5}));
    };
    printPair("open, estimate : deserialize, estimate" + size, 1, open_ours, open_peer);
    printColdPair("the same, nothing in the caches" + size, open_ours, open_peer);
    CountMinSketch<UInt64> target(both.ours);
    Peer peer_target(both.peer);
    const auto full = CountMinView<UInt64>::parse(both.image, both.parameters);
    std::vector<UInt64> from(both.parameters.cells(), 1);
    std::vector<UInt64> to(both.parameters.cells(), 1);
    printPair(
        "merge of Full bytes : vector-add loop" + size, 1, [&] { target.merge(full); },
        [&] {
            benchmark::DoNotOptimize(from.data());
            for (size_t i = 0; i < to.size(); ++i)
                to[i] += from[i];
            benchmark::DoNotOptimize(to.data());
        });
    printPair(
        "validate, merge : deserialize, merge" + size, 1,
        [&] { target.merge(CountMinView<UInt64>::parse(both.image, both.parameters)); },
        [&] { peer_target.merge(Peer::deserialize(both.image.data(), both.image.size())); });
}

void printColumns(UInt8 num_hashes, UInt32 num_buckets)
{
    const CountMinParameters parameters(num_hashes, num_buckets);
    CountMinSketch<UInt64> ours(parameters);
    Peer peer(num_hashes, num_buckets);
    const std::string column = manyKeys() + manyKeys();
    const CountMinKeys numbers = CountMinKeys::fixed(column.data(), 8, KEYS);
    std::vector<UInt64> values(KEYS);
    std::memcpy(values.data(), column.data(), KEYS * sizeof(UInt64));
    std::vector<std::string_view> views;
    for (size_t i = 0; i < KEYS; ++i)
        views.push_back(std::string_view(column).substr(i * 16, 16));
    const CountMinKeys strings = CountMinKeys::strings(views);
    std::vector<UInt64> answers(KEYS);
    const std::string shape = "/" + std::to_string(num_hashes) + "x" + std::to_string(num_buckets);
    printPair(
        "update UInt64, a column : one by one" + shape, KEYS, [&] { ours.updateMany(numbers); },
        [&] {
            for (const UInt64 value : values)
                peer.update(value, 1);
        });
    printPair(
        "update UInt64, one by one : one by one" + shape, KEYS,
        [&] {
            for (size_t i = 0; i < KEYS; ++i)
                ours.update(numbers[i], 1);
        },
        [&] {
            for (const UInt64 value : values)
                peer.update(value, 1);
        });
    printPair(
        "update 16 bytes, a column : one by one" + shape, KEYS, [&] { ours.updateMany(strings); },
        [&] {
            for (const std::string_view view : views)
                peer.update(view.data(), view.size(), 1);
        });
    printPair(
        "estimate UInt64, a column : one by one" + shape, KEYS, [&] { ours.estimateMany(numbers, answers.data()); },
        [&] {
            for (size_t i = 0; i < KEYS; ++i)
                answers[i] = peer.get_estimate(values[i]);
        });
}
}

int main(int argc, char ** argv)
{
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    std::printf("\n%-44s %12s %12s %8s  %s\n", "ours : DataSketches", "ours, ns", "peer, ns", "ratio", "[quartiles]");
    for (const int num_buckets : SIZES)
        printSerialization(num_buckets);
    printColumns(7, 2719);
    printColumns(7, 65536);
    printColumns(5, 1 << 22);
    return 0;
}
