/** Each buffer against the bare system call or memcpy, and VarUInt against a plain loop.
  *
  *     BM_Write<Buffer>/size    pieces of `size` bytes written through the buffer       BM_WriteBare...    the same without one
  *     BM_Read<Buffer>/size     pieces of `size` bytes read through the buffer
  *     BM_VarUInt...            a million lengths, most of them one byte
  * copied_bytes is what the library moved itself, an iteration.
  */
#include "AllocationCounter.h"

#include <statewire/IO/CountingWriteBuffer.h>
#include <statewire/IO/HashingWriteBuffer.h>
#include <statewire/IO/MMapReadBufferFromFile.h>
#include <statewire/IO/ReadBufferFromFileDescriptor.h>
#include <statewire/IO/ReadBufferFromFilePRead.h>
#include <statewire/IO/ReadBufferFromMemory.h>
#include <statewire/IO/VarInt.h>
#include <statewire/IO/WriteBufferFromFileDescriptor.h>
#include <statewire/IO/WriteBufferFromMemory.h>
#include <statewire/IO/WriteBufferFromVector.h>
#include <statewire/IO/WriteBufferToObject.h>
#include <statewire/IO/ZeroCopyReader.h>

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <random>
#include <sys/uio.h>
#include <unistd.h>

using namespace DB;

namespace
{
constexpr size_t TOTAL = 64 << 20;

const std::string & data()
{
    static const std::string bytes(TOTAL, 'x');
    return bytes;
}

void report(benchmark::State & state, size_t bytes, UInt64 copied, size_t allocations)
{
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * bytes));
    state.counters["copied_bytes"] = static_cast<double>(copied);
    state.counters["allocs"] = static_cast<double>(allocations);
}

template <typename Make>
void write(benchmark::State & state, Make && make)
{
    const auto piece = static_cast<size_t>(state.range(0));
    UInt64 copied = 0;
    size_t allocations = 0;
    for (auto _ : state)
    {
        const statewire_tests::AllocationCounter counter;
        make([&](WriteBuffer & out) {
            for (size_t at = 0; at < TOTAL; at += piece)
                out.write(data().data() + at, piece);
            out.finalize();
            copied = out.copiedBytes();
        });
        allocations = counter.allocations();
    }
    report(state, TOTAL, copied, allocations);
}

void sizes(benchmark::internal::Benchmark * benchmark)
{
    benchmark->Arg(16)->Arg(4096)->Arg(1 << 20)->Arg(TOTAL)->Unit(benchmark::kMillisecond);
}

void BM_WriteMemory(benchmark::State & state)
{
    std::string to(TOTAL, '\0');
    write(state, [&](auto && body) {
        WriteBufferFromMemory out(to.data(), to.size());
        body(out);
    });
}
BENCHMARK(BM_WriteMemory)->Apply(sizes);

void BM_WriteBareMemcpy(benchmark::State & state)
{
    const auto piece = static_cast<size_t>(state.range(0));
    std::string to(TOTAL, '\0');
    for (auto _ : state)
    {
        for (size_t at = 0; at < TOTAL; at += piece)
        {
            std::memcpy(to.data() + at, data().data() + at, piece);
            benchmark::ClobberMemory();
        }
    }
    report(state, TOTAL, 0, 0);
}
BENCHMARK(BM_WriteBareMemcpy)->Apply(sizes);

void BM_WriteString(benchmark::State & state)
{
    std::string to;
    write(state, [&](auto && body) {
        WriteBufferFromString out(to);
        body(out);
    });
}
BENCHMARK(BM_WriteString)->Apply(sizes);

void BM_WriteBareStringAppend(benchmark::State & state)
{
    const auto piece = static_cast<size_t>(state.range(0));
    std::string to;
    for (auto _ : state)
    {
        to.clear();
        for (size_t at = 0; at < TOTAL; at += piece)
            to.append(data().data() + at, piece);
    }
    report(state, TOTAL, 0, 0);
}
BENCHMARK(BM_WriteBareStringAppend)->Apply(sizes);

void BM_WriteDescriptor(benchmark::State & state)
{
    const int fd = ::open("/dev/null", O_WRONLY);
    write(state, [&](auto && body) {
        WriteBufferFromFileDescriptor out(fd, "null");
        body(out);
    });
    ::close(fd);
}
BENCHMARK(BM_WriteDescriptor)->Apply(sizes);

void BM_WriteBareSystemCall(benchmark::State & state)
{
    const auto piece = static_cast<size_t>(state.range(0));
    const int fd = ::open("/dev/null", O_WRONLY);
    for (auto _ : state)
        for (size_t at = 0; at < TOTAL; at += piece)
            benchmark::DoNotOptimize(::write(fd, data().data() + at, piece));
    report(state, TOTAL, 0, 0);
    ::close(fd);
}
BENCHMARK(BM_WriteBareSystemCall)->Apply(sizes);

/// The target: 1 GiB to /dev/null in large writes takes the time of the system calls.
void BM_WriteGiBDescriptor(benchmark::State & state)
{
    const int fd = ::open("/dev/null", O_WRONLY);
    /// Made once: its megabyte of memory is not part of a write.
    WriteBufferFromFileDescriptor out(fd, "null");
    for (auto _ : state)
        for (int i = 0; i < 16; ++i)
            out.write(data().data(), TOTAL);
    out.finalize();
    report(state, TOTAL * 16, out.copiedBytes(), 0);
    ::close(fd);
}
BENCHMARK(BM_WriteGiBDescriptor);

void BM_WriteGiBBareSystemCall(benchmark::State & state)
{
    const int fd = ::open("/dev/null", O_WRONLY);
    for (auto _ : state)
        for (int i = 0; i < 16; ++i)
            benchmark::DoNotOptimize(::write(fd, data().data(), TOTAL));
    report(state, TOTAL * 16, 0, 0);
    ::close(fd);
}
BENCHMARK(BM_WriteGiBBareSystemCall);

/// The call that the buffer makes: it joins what is buffered with what comes straight from the caller.
void BM_WriteGiBBareVectoredSystemCall(benchmark::State & state)
{
    const int fd = ::open("/dev/null", O_WRONLY);
    for (auto _ : state)
        for (int i = 0; i < 16; ++i)
        {
            const iovec part{const_cast<char *>(data().data()), TOTAL};
            benchmark::DoNotOptimize(::writev(fd, &part, 1));
        }
    report(state, TOTAL * 16, 0, 0);
    ::close(fd);
}
BENCHMARK(BM_WriteGiBBareVectoredSystemCall);

struct Discard
{
    UInt64 bytes = 0;
    void write(const char * from, size_t n)
    {
        benchmark::DoNotOptimize(from);
        bytes += n;
    }
};

void BM_WriteObject(benchmark::State & state)
{
    write(state, [&](auto && body) {
        Discard discard;
        WriteBufferToObject<Discard> out(discard);
        body(out);
    });
}
BENCHMARK(BM_WriteObject)->Apply(sizes);

void BM_WriteCounting(benchmark::State & state)
{
    write(state, [&](auto && body) {
        CountingWriteBuffer out;
        body(out);
    });
}
BENCHMARK(BM_WriteCounting)->Apply(sizes);

void BM_WriteHashing(benchmark::State & state)
{
    write(state, [&](auto && body) {
        HashingWriteBuffer out(std::make_unique<CountingWriteBuffer>());
        body(out);
    });
}
BENCHMARK(BM_WriteHashing)->Apply(sizes);

void BM_WriteBareChainedHash(benchmark::State & state)
{
    for (auto _ : state)
    {
        ChainedCityHash128 hash;
        hash.append(data());
        benchmark::DoNotOptimize(hash.get());
    }
    report(state, TOTAL, 0, 0);
}
BENCHMARK(BM_WriteBareChainedHash)->Unit(benchmark::kMillisecond);

/// A file of TOTAL bytes in the page cache, gone with the object.
class CachedFile
{
public:
    CachedFile()
    {
        char name[] = "/tmp/statewire-benchmark-XXXXXX";
        fd = ::mkstemp(name);
        path = name;
        if (::write(fd, data().data(), TOTAL) != static_cast<ssize_t>(TOTAL))
            std::abort();
    }
    ~CachedFile()
    {
        ::close(fd);
        ::unlink(path.c_str());
    }
    CachedFile(const CachedFile &) = delete;
    CachedFile & operator=(const CachedFile &) = delete;
    int fd;
    std::string path;
};

template <typename Make>
void read(benchmark::State & state, Make && make)
{
    const auto piece = static_cast<size_t>(state.range(0));
    std::string to(piece, '\0');
    for (auto _ : state)
        make([&](ReadBuffer & in) {
            for (size_t at = 0; at < TOTAL; at += piece)
                in.readStrict(to.data(), piece);
        });
    report(state, TOTAL, 0, 0);
}

void BM_ReadMemory(benchmark::State & state)
{
    read(state, [&](auto && body) {
        ReadBufferFromMemory in(data());
        body(in);
    });
}
BENCHMARK(BM_ReadMemory)->Apply(sizes);

void BM_ReadFile(benchmark::State & state)
{
    const CachedFile file;
    read(state, [&](auto && body) {
        ReadBufferFromFile in(file.path);
        body(in);
    });
}
BENCHMARK(BM_ReadFile)->Apply(sizes);

void BM_ReadFilePRead(benchmark::State & state)
{
    const CachedFile file;
    read(state, [&](auto && body) {
        ReadBufferFromFilePRead in(file.path);
        body(in);
    });
}
BENCHMARK(BM_ReadFilePRead)->Apply(sizes);

void BM_ReadMMap(benchmark::State & state)
{
    const CachedFile file;
    read(state, [&](auto && body) {
        MMapReadBufferFromFile in(file.path);
        body(in);
    });
}
BENCHMARK(BM_ReadMMap)->Apply(sizes);

void BM_ReadBareSystemCall(benchmark::State & state)
{
    const CachedFile file;
    const auto piece = static_cast<size_t>(state.range(0));
    std::string to(piece, '\0');
    for (auto _ : state)
        for (size_t at = 0; at < TOTAL; at += piece)
            benchmark::DoNotOptimize(::pread(file.fd, to.data(), piece, static_cast<off_t>(at)));
    report(state, TOTAL, 0, 0);
}
BENCHMARK(BM_ReadBareSystemCall)->Apply(sizes);

void BM_ReadZeroCopyBorrow(benchmark::State & state)
{
    const auto piece = static_cast<size_t>(state.range(0));
    UInt64 copied = 0;
    for (auto _ : state)
    {
        ReadBufferFromMemory in(data());
        ZeroCopyReader reader(in);
        for (size_t at = 0; at < TOTAL; at += piece)
            benchmark::DoNotOptimize(reader.borrow(piece).data());
        copied = reader.copiedBytes();
    }
    report(state, TOTAL, copied, 0);
}
BENCHMARK(BM_ReadZeroCopyBorrow)->Apply(sizes);

constexpr size_t NUMBERS = 1000000;

/// `range(0)` in a hundred take more than one byte.
std::vector<UInt64> numbers(benchmark::State & state)
{
    std::mt19937_64 random(1);
    std::vector<UInt64> result(NUMBERS);
    for (UInt64 & number : result)
        number = random() % 100 < static_cast<UInt64>(state.range(0)) ? random() >> (random() % 57) : random() % 128;
    return result;
}

std::string encode(const std::vector<UInt64> & values)
{
    std::string result;
    WriteBufferFromString out(result);
    for (const UInt64 value : values)
        writeVarUInt(value, out);
    out.finalize();
    return result;
}

void BM_VarUIntWrite(benchmark::State & state)
{
    const auto values = numbers(state);
    std::string to(NUMBERS * VAR_UINT_MAX_SIZE, '\0');
    for (auto _ : state)
    {
        WriteBufferFromMemory out(to.data(), to.size());
        for (const UInt64 value : values)
            writeVarUInt(value, out);
        out.finalize();
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * NUMBERS));
}
BENCHMARK(BM_VarUIntWrite)->Arg(0)->Arg(10)->Arg(100);

void BM_VarUIntWritePlainLoop(benchmark::State & state)
{
    const auto values = numbers(state);
    std::string to(NUMBERS * VAR_UINT_MAX_SIZE, '\0');
    for (auto _ : state)
    {
        char * at = to.data();
        for (UInt64 value : values)
        {
            for (; value >= 0x80; value >>= 7)
                *at++ = static_cast<char>(0x80 | (value & 0x7f));
            *at++ = static_cast<char>(value);
        }
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * NUMBERS));
}
BENCHMARK(BM_VarUIntWritePlainLoop)->Arg(0)->Arg(10)->Arg(100);

void BM_VarUIntRead(benchmark::State & state)
{
    const std::string bytes = encode(numbers(state));
    for (auto _ : state)
    {
        ReadBufferFromMemory in(bytes);
        UInt64 sum = 0;
        UInt64 value = 0;
        for (size_t i = 0; i < NUMBERS; ++i)
        {
            readVarUInt(value, in);
            sum += value;
        }
        benchmark::DoNotOptimize(sum);
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * NUMBERS));
}
BENCHMARK(BM_VarUIntRead)->Arg(0)->Arg(10)->Arg(100);

/// Checks nothing: neither the end, nor the length, nor the spelling.
void BM_VarUIntReadPlainLoop(benchmark::State & state)
{
    const std::string bytes = encode(numbers(state));
    for (auto _ : state)
    {
        const char * at = bytes.data();
        UInt64 sum = 0;
        for (size_t i = 0; i < NUMBERS; ++i)
        {
            UInt64 value = 0;
            for (int shift = 0;; shift += 7)
            {
                const auto byte = static_cast<UInt8>(*at++);
                value |= static_cast<UInt64>(byte & 0x7f) << (shift & 63);
                if (byte < 0x80)
                    break;
            }
            sum += value;
        }
        benchmark::DoNotOptimize(sum);
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * NUMBERS));
}
BENCHMARK(BM_VarUIntReadPlainLoop)->Arg(0)->Arg(10)->Arg(100);
}
