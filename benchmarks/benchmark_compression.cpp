/** ClickHouse's frames against the bare libraries and the bare hash.
  *
  *     BM_Compress/<codec>      blocks of 1 MiB compressed into frames            BM_CompressBare...      the library and CityHash128 alone
  *     BM_Decompress/<codec>    frames decompressed into the caller's memory      BM_DecompressBare...    the same
  *     BM_BitFlipSearch/size    a damaged block that no flipped bit explains: the worst case
  * The target is the bare time + 3 %.
  */
#include "AllocationCounter.h"

#include <statewire/Compression/BitFlipSearch.h>
#include <statewire/Compression/CompressedReadBuffer.h>
#include <statewire/Compression/CompressedWriteBuffer.h>
#include <statewire/Compression/ParallelCompressedWriteBuffer.h>
#include <statewire/Compression/StreamCompressingWriteBuffer.h>
#include <statewire/Compression/StreamDecompressingReadBuffer.h>
#include <statewire/IO/CountingWriteBuffer.h>
#include <statewire/IO/ReadBufferFromMemory.h>
#include <statewire/IO/WriteBufferFromVector.h>

#include <benchmark/benchmark.h>

#include <random>

using namespace DB;

namespace
{
constexpr size_t TOTAL = 32 << 20;
constexpr size_t BLOCK = DEFAULT_COMPRESS_BLOCK_SIZE;
constexpr const char * CODECS[] = {"NONE", "LZ4", "ZSTD(1)", "ZSTD(3)"};

/// As sorted values in array containers look: 16-bit numbers that grow.
const std::string & data()
{
    static const std::string bytes = [] {
        std::mt19937_64 random(1);
        std::string result;
        UInt32 value = 0;
        while (result.size() < TOTAL)
        {
            value += 1 + random() % 30;
            result += static_cast<char>(value);
            result += static_cast<char>(value >> 8);
        }
        return result;
    }();
    return bytes;
}

void report(benchmark::State & state, size_t allocations, UInt64 copied)
{
    state.SetLabel(CODECS[state.range(0)]);
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * TOTAL));
    state.counters["allocs"] = static_cast<double>(allocations);
    state.counters["copied_bytes"] = static_cast<double>(copied);
}

void codecs(benchmark::internal::Benchmark * benchmark)
{
    for (int codec = 0; codec < 4; ++codec)
        benchmark->Arg(codec);
    benchmark->Unit(benchmark::kMillisecond);
}

std::string frames(const char * codec)
{
    std::string result;
    WriteBufferFromString out(result);
    CompressedWriteBuffer writer(out, createCompressionCodec(codec));
    writer.write(data().data(), data().size());
    writer.finalize();
    out.finalize();
    return result;
}

void BM_Compress(benchmark::State & state)
{
    const CompressionCodecPtr codec = createCompressionCodec(CODECS[state.range(0)]);
    data();
    size_t allocations = 0;
    UInt64 copied = 0;
    for (auto _ : state)
    {
        const statewire_tests::AllocationCounter counter;
        CountingWriteBuffer out;
        CompressedWriteBuffer writer(out, codec);
        writer.write(data().data(), data().size());
        writer.finalize();
        out.finalize();
        copied = writer.copiedBytes();
        allocations = counter.allocations();
    }
    report(state, allocations, copied);
}
BENCHMARK(BM_Compress)->Apply(codecs);

void BM_CompressBareLibraryAndHash(benchmark::State & state)
{
    const CompressionCodecPtr codec = createCompressionCodec(CODECS[state.range(0)]);
    std::string to(codec->maxCompressedSize(BLOCK), '\0');
    for (auto _ : state)
        for (size_t at = 0; at < TOTAL; at += BLOCK)
        {
            /// NONE has nothing to do but to hash where the bytes are.
            if (codec->method() == CompressionMethod::None)
                benchmark::DoNotOptimize(cityHash128(std::string_view(data()).substr(at, BLOCK)));
            else
                benchmark::DoNotOptimize(cityHash128({to.data(), codec->compress(data().data() + at, BLOCK, to.data())}));
        }
    report(state, 0, 0);
}
BENCHMARK(BM_CompressBareLibraryAndHash)->Apply(codecs);

void BM_CompressParallel(benchmark::State & state)
{
    const CompressionCodecPtr codec = createCompressionCodec(CODECS[state.range(0)]);
    for (auto _ : state)
    {
        CountingWriteBuffer out;
        ParallelCompressedWriteBuffer writer(out, codec, 2);
        writer.write(data().data(), data().size());
        writer.finalize();
        out.finalize();
    }
    report(state, 0, TOTAL);
}
BENCHMARK(BM_CompressParallel)->Apply(codecs)->UseRealTime();

void BM_Decompress(benchmark::State & state)
{
    const std::string stream = frames(CODECS[state.range(0)]);
    std::string to(TOTAL, '\0');
    size_t allocations = 0;
    UInt64 copied = 0;
    for (auto _ : state)
    {
        const statewire_tests::AllocationCounter counter;
        ReadBufferFromMemory in(stream);
        CompressedReadBuffer reader(in);
        reader.readStrict(to.data(), to.size());
        allocations = counter.allocations();
        copied = reader.gatheredBytes() + reader.bufferedBytes();
    }
    report(state, allocations, copied);
}
BENCHMARK(BM_Decompress)->Apply(codecs);

void BM_DecompressBareLibraryAndHash(benchmark::State & state)
{
    const std::string stream = frames(CODECS[state.range(0)]);
    std::string to(TOTAL, '\0');
    DecompressorZSTD zstd;
    for (auto _ : state)
    {
        size_t written = 0;
        for (size_t at = 0; at < stream.size();)
        {
            const FrameHeader header = parseFrameHeader(stream.data() + at, at, {});
            const std::string_view hashed = std::string_view(stream).substr(at + FRAME_CHECKSUM_SIZE, header.compressed_size);
            benchmark::DoNotOptimize(cityHash128(hashed));
            const std::string_view payload = hashed.substr(FRAME_HEADER_SIZE);
            benchmark::DoNotOptimize(tryDecompressWith(
                zstd,
                static_cast<CompressionMethod>(header.method),
                payload.data(),
                payload.size(),
                to.data() + written,
                header.decompressed_size));
            written += header.decompressed_size;
            at += FRAME_CHECKSUM_SIZE + header.compressed_size;
        }
    }
    report(state, 0, 0);
}
BENCHMARK(BM_DecompressBareLibraryAndHash)->Apply(codecs);

void BM_StreamCompress(benchmark::State & state)
{
    for (auto _ : state)
    {
        CountingWriteBuffer out;
        StreamCompressingWriteBuffer writer(out, state.range(0) ? StreamFormat::LZ4 : StreamFormat::ZSTD);
        writer.write(data().data(), data().size());
        writer.finalize();
        out.finalize();
    }
    state.SetLabel(state.range(0) ? ".lz4" : ".zst");
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * TOTAL));
}
BENCHMARK(BM_StreamCompress)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void BM_CityHash128(benchmark::State & state)
{
    const auto size = static_cast<size_t>(state.range(0));
    for (auto _ : state)
        benchmark::DoNotOptimize(cityHash128(std::string_view(data()).substr(0, size)));
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * size));
}
BENCHMARK(BM_CityHash128)->Arg(64)->Arg(4096)->Arg(65536)->Arg(1 << 20);

void BM_BitFlipSearch(benchmark::State & state)
{
    std::string block = data().substr(0, static_cast<size_t>(state.range(0)));
    for (auto _ : state)
        benchmark::DoNotOptimize(findBitFlip(block, {1, 2}));
}
BENCHMARK(BM_BitFlipSearch)->Arg(4096)->Arg(65536)->Unit(benchmark::kMillisecond);

/// Hashing the whole block for every bit, as ClickHouse does.
void BM_BitFlipSearchNaive(benchmark::State & state)
{
    std::string block = data().substr(0, static_cast<size_t>(state.range(0)));
    for (auto _ : state)
        for (size_t byte = 0; byte < block.size(); ++byte)
            for (int bit = 0; bit < 8; ++bit)
            {
                block[byte] = static_cast<char>(block[byte] ^ (1 << bit));
                benchmark::DoNotOptimize(cityHash128(block));
                block[byte] = static_cast<char>(block[byte] ^ (1 << bit));
            }
}
BENCHMARK(BM_BitFlipSearchNaive)->Arg(4096)->Unit(benchmark::kMillisecond);
}
