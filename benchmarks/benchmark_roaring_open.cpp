#include "AllocationCounter.h"

#include <statewire/Roaring/RoaringBitmap.h>
#include <statewire/Roaring/RoaringView.h>

#include <benchmark/benchmark.h>

#include <string>

/** Opening serialized 64-bit bitmaps, as the benchmark of Go's FromUnsafeBytes does it: the values 0 .. n - 1 in the bytes that Go writes for
  * them, where a full container is one run and the rest an array or a bitset. The baseline is what a copying reader does: it builds an owner.
  */

using namespace DB;

namespace
{
/// Go's bytes for the values 0 .. n - 1 (one bucket): 1328, 8220, 8220, 8344 and 9615 bytes for the five sizes.
std::string imageOfGo(UInt32 n)
{
    const UInt32 full = n / CONTAINER_VALUES;
    const UInt32 rest = n % CONTAINER_VALUES;
    const UInt32 count = full + (rest != 0);
    std::string image;
    const auto put = [&]<typename T>(T value) {
        char bytes[sizeof(T)];
        unalignedStoreLittleEndian<T>(bytes, value);
        image.append(bytes, sizeof(T));
    };
    put(UInt64{1});
    put(UInt32{0});
    const size_t begin = image.size();
    if (full == 0)
    {
        put(COOKIE_WITHOUT_RUNS);
        put(count);
    }
    else
    {
        put(COOKIE_WITH_RUNS | (count - 1) << 16);
        for (UInt32 i = 0; i < count; i += 8)
        {
            UInt8 flags = 0;
            for (UInt32 j = i; j < std::min(i + 8, full); ++j)
                flags = static_cast<UInt8>(flags | 1u << (j - i));
            put(flags);
        }
    }
    for (UInt32 i = 0; i < count; ++i)
    {
        put(static_cast<UInt16>(i));
        put(static_cast<UInt16>((i < full ? CONTAINER_VALUES : rest) - 1));
    }
    if (full == 0 || count >= NO_OFFSET_THRESHOLD)
    {
        auto offset = static_cast<UInt32>(image.size() - begin) + 4 * count;
        for (UInt32 i = 0; i < count; ++i, offset += 6)
            put(offset);
    }
    for (UInt32 i = 0; i < full; ++i)
    {
        put(UInt16{1});
        put(UInt16{0});
        put(UInt16{65535});
    }
    if (rest <= MAX_ARRAY_CARDINALITY)
        for (UInt32 value = 0; value < rest; ++value)
            put(static_cast<UInt16>(value));
    else
        for (UInt32 bit = 0; bit < CONTAINER_VALUES; bit += 64)
            put(bit + 64 <= rest ? ~UInt64{0} : bit >= rest ? UInt64{0} : ~UInt64{0} >> (64 - (rest - bit)));
    return image;
}

template <typename Open>
void measure(benchmark::State & state, size_t copied_bytes, Open && open)
{
    const std::string image = imageOfGo(static_cast<UInt32>(state.range(0)));
    size_t allocations = 0;
    {
        const statewire_tests::AllocationCounter counter;
        open(image);
        allocations = counter.allocations();
    }
    for (auto _ : state)
        open(image);
    state.counters["image_bytes"] = static_cast<double>(image.size());
    state.counters["allocs"] = static_cast<double>(allocations);
    state.counters["copied_bytes"] = static_cast<double>(copied_bytes * image.size());
}

void BM_RoaringOpen64Structure(benchmark::State & state)
{
    measure(state, 0, [](const std::string & image) {
        RoaringView view;
        benchmark::DoNotOptimize(RoaringView::tryParse(image, RoaringFormat::Portable64, Validation::Structure, view).ok());
        benchmark::DoNotOptimize(view);
    });
}

void BM_RoaringOpen64Full(benchmark::State & state)
{
    measure(state, 0, [](const std::string & image) {
        RoaringView view;
        benchmark::DoNotOptimize(RoaringView::tryParse(image, RoaringFormat::Portable64, Validation::Full, view).ok());
        benchmark::DoNotOptimize(view);
    });
}

void BM_RoaringOpen64BaselineCopyingReader(benchmark::State & state)
{
    measure(state, 1, [](const std::string & image) {
        const RoaringBitmap owner(RoaringView::parse(image, RoaringFormat::Portable64, Validation::Structure));
        benchmark::DoNotOptimize(owner.empty());
    });
}

void sizes(benchmark::internal::Benchmark * benchmark)
{
    for (const int n : {650, 6500, 65000, 650000, 6500000})
        benchmark->Arg(n);
}

BENCHMARK(BM_RoaringOpen64Structure)->Apply(sizes);
BENCHMARK(BM_RoaringOpen64Full)->Apply(sizes);
BENCHMARK(BM_RoaringOpen64BaselineCopyingReader)->Apply(sizes);
}
