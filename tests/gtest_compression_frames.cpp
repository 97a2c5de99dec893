#include "AllocationCounter.h"
#include "CompressionTestHelpers.h"
#include "TornReadBuffer.h"
#include "Vectors.h"

#include <nlohmann/json.hpp>

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Compression/CompressedFrameIndex.h>
#include <statewire/Compression/ParallelCompressedWriteBuffer.h>
#include <statewire/Compression/SeekableCompressedReadBuffer.h>
#include <statewire/IO/CountingWriteBuffer.h>
#include <statewire/IO/MMapReadBufferFromFile.h>
#include <statewire/IO/ReadBufferFromFilePRead.h>
#include <statewire/IO/WriteBufferFromFile.h>
#include <statewire/IO/WriteBufferToObject.h>

using namespace DB;
using namespace statewire_tests;

namespace
{
constexpr const char * CODECS[] = {"NONE", "LZ4", "LZ4HC(1)", "LZ4HC(9)", "LZ4HC(12)", "ZSTD", "ZSTD(3)", "ZSTD(12)"};
}

TEST(Frames, TheGoldenOnesAreTheServers)
{
    /// "SELECT 1" without compression, and the empty block of two public bug reports.
    EXPECT_EQ(toHex(compressFrames("SELECT 1", "NONE")), "e6a16b4f4243468cf86313b48c09390702110000000800000053454c4543542031");
    const std::string empty_block = fromHex("a783ac6cd55c7a7cb5ac46bddb86e21482140000000a000000a0010002ffffffff000000");
    EXPECT_EQ(toHex(decompressFrames(empty_block)), "010002ffffffff000000");
    EXPECT_EQ(toHex(compressFrames(fromHex("010002ffffffff000000"), "LZ4")), toHex(empty_block));
}

TEST(Frames, GoBothWaysWithEveryCodecAndCut)
{
    const std::string text = compressibleBytes(100000, 1) + randomBytes(3000, 2);
    for (const char * codec : CODECS)
    {
        const std::string whole = compressFrames(text, codec, 4096);
        EXPECT_EQ(decompressFrames(whole), text) << codec;
        for (const size_t piece : TORN_SIZES)
        {
            std::string cut;
            WriteBufferFromString out(cut);
            CompressedWriteBuffer frames(out, createCompressionCodec(codec), 4096);
            for (size_t at = 0; at < text.size(); at += piece)
                frames.write(text.data() + at, std::min(piece, text.size() - at));
            frames.finalize();
            out.finalize();
            ASSERT_TRUE(cut == whole) << codec << ", pieces of " << piece;

            TornReadBuffer in(whole, piece);
            CompressedReadBuffer torn(in);
            std::string back(text.size(), '\0');
            size_t at = 0;
            std::mt19937_64 random(piece);
            while (at < text.size())
            {
                const size_t size = std::min<size_t>(random() % 10000, text.size() - at);
                ASSERT_EQ(torn.readBig(back.data() + at, size), size);
                at += size;
            }
            ASSERT_TRUE(torn.eof());
            ASSERT_TRUE(back == text) << codec << ", pieces of " << piece;
        }
    }
}

TEST(Frames, MethodsMayChangeInOneStream)
{
    std::string stream;
    std::string text;
    for (const char * codec : CODECS)
    {
        const std::string part = compressibleBytes(5000, static_cast<unsigned>(text.size()));
        stream += compressFrames(part, codec, 1500);
        text += part;
    }
    EXPECT_TRUE(decompressFrames(stream) == text);
}

TEST(Frames, CodecsAreNamedAsUsersNameThem)
{
    EXPECT_EQ(createCompressionCodec("zstd(3)")->description(), "ZSTD(3)");
    EXPECT_EQ(createCompressionCodec("lz4hc")->description(), "LZ4HC(9)");
    EXPECT_EQ(createCompressionCodec("Lz4")->description(), "LZ4");
    for (const char * bad : {"ZSTD(0)", "ZSTD(23)", "ZSTD()", "ZSTD(3", "ZSTD(3x)", "LZ4HC(13)", "ZSTD(99999999999)"})
        EXPECT_NE(codeOf([&] { static_cast<void>(createCompressionCodec(bad)); }), 0) << bad;
    EXPECT_EQ(codeOf([&] { static_cast<void>(createCompressionCodec("Delta")); }), ErrorCodes::UNKNOWN_CODEC);
    CountingWriteBuffer out;
    EXPECT_EQ(codeOf([&] { CompressedWriteBuffer(out, createCompressionCodec("LZ4"), 0).cancel(); }), ErrorCodes::BAD_ARGUMENTS);
    out.cancel();
}

TEST(Frames, WholeBlocksAreCompressedFromTheCallersMemory)
{
    const std::string text = compressibleBytes(1 << 20, 3);
    for (const char * codec : CODECS)
    {
        CountingWriteBuffer out;
        CompressedWriteBuffer frames(out, createCompressionCodec(codec), 65536);
        frames.write(text.data(), text.size());
        EXPECT_EQ(frames.copiedBytes(), 0u) << codec;
        frames.write(text.data(), 100);
        EXPECT_EQ(frames.copiedBytes(), 100u);
        frames.finalize();
        out.finalize();
    }
    /// NONE hands the caller's memory on to the device.
    RecordingObject object;
    WriteBufferToObject<RecordingObject> out(object, 1000);
    CompressedWriteBuffer frames(out, createCompressionCodec("NONE"), 65536);
    frames.write(text.data(), text.size());
    frames.finalize();
    EXPECT_EQ(out.copiedBytes(), FRAME_PREFIX_SIZE * 16);
    out.finalize();
}

TEST(Frames, AreBuiltInPlaceWhereThereIsRoom)
{
    const std::string text = compressibleBytes(60000, 4);
    std::string to(1 << 20, '\0');
    WriteBufferFromVector<std::string> out(to);
    CompressedWriteBuffer frames(out, createCompressionCodec("ZSTD"), 65536);
    frames.write(text.data(), text.size());
    const AllocationCounter counter;
    frames.finalize();
    EXPECT_LE(counter.allocations(), 2u) << "no frame of its own: only the list of contexts";
    EXPECT_LT(counter.peakBytes(), 1000u);
    out.finalize();
    EXPECT_TRUE(decompressFrames(to) == text);
}

TEST(Frames, AreDecompressedIntoTheCallersMemory)
{
    const std::string text = compressibleBytes(1 << 20, 5);
    std::string to(text.size(), '\0');
    for (const char * codec : CODECS)
    {
        const std::string stream = compressFrames(text, codec, 65536);
        ReadBufferFromMemory in(stream);
        CompressedReadBuffer frames(in);
        const AllocationCounter counter;
        ASSERT_EQ(frames.readBig(to.data(), to.size()), to.size());
        EXPECT_EQ(frames.bufferedBytes(), 0u) << codec;
        EXPECT_EQ(frames.gatheredBytes(), 0u) << codec;
        EXPECT_LE(counter.allocations(), 1u) << codec;
        EXPECT_TRUE(to == text);
        EXPECT_EQ(frames.count(), text.size());
    }
}

TEST(Frames, NoneHandsOutTheNestedMemory)
{
    const std::string text = randomBytes(5000, 6);
    const std::string stream = compressFrames(text, "NONE", 1000);
    ReadBufferFromMemory in(stream);
    CompressedReadBuffer frames(in);
    ASSERT_FALSE(frames.eof());
    EXPECT_EQ(frames.position(), stream.data() + FRAME_PREFIX_SIZE);
    EXPECT_TRUE(readAll(frames) == text);
    EXPECT_EQ(frames.bufferedBytes(), 0u);
}

TEST(Frames, AllOfTheEnginesPartsAreRead)
{
    REQUIRE_VECTORS(parts, "clickhouse/parts");
    const auto manifest = nlohmann::json::parse(readFile(parts / "manifest.json"));
    size_t frames = 0;
    for (const auto & part : manifest)
    {
        const std::filesystem::path file = parts / part["part"].get<std::string>() / part["file"].get<std::string>();
        SCOPED_TRACE(file);
        ReadBufferFromFilePRead source(file, 4096);
        const CompressedFrameIndex index = CompressedFrameIndex::build(source);
        ASSERT_EQ(index.frames().size(), part["frames"].size());
        MMapReadBufferFromFile mapped(file);
        SeekableCompressedReadBuffer in(mapped);
        for (size_t i = 0; i < index.frames().size(); ++i, ++frames)
        {
            const auto & expected = part["frames"][i];
            const FrameIndexEntry & entry = index.frames()[i];
            EXPECT_EQ(entry.offset_in_file, expected["offset"].get<UInt64>());
            EXPECT_EQ(entry.compressed_size, expected["size_compressed_incl_header"].get<UInt32>());
            EXPECT_EQ(entry.decompressed_size, expected["size_raw"].get<UInt32>());
            in.seek({entry.offset_in_file, 0});
            std::string raw(entry.decompressed_size, '\0');
            in.readStrict(raw.data(), raw.size());
            EXPECT_EQ(toHex(raw.substr(0, 32)), expected["raw_first32"].get<std::string>());
        }
    }
    EXPECT_GE(frames, 28u);
    /// Every file with frames of every part decompresses, but for columns of other codecs, and the wide columns are what the engine says they are.
    size_t other_codecs = 0;
    for (const auto & entry : std::filesystem::recursive_directory_iterator(parts))
    {
        const std::string name = entry.path().filename();
        const bool is_bad = entry.path().parent_path().filename() == "handmade_bad";
        if (!entry.is_regular_file() || is_bad
            || !(name.ends_with(".bin") || name.ends_with(".cmrk2") || name.ends_with(".cmrk4") || name.ends_with(".cidx")))
            continue;
        if (entry.path().parent_path().filename().string().ends_with("_codecs")
            && codeOf([&] { static_cast<void>(decompressFrames(readFile(entry.path()))); }) == ErrorCodes::UNKNOWN_CODEC)
            ++other_codecs;
        else
            EXPECT_EQ(decompressFrames(readFile(entry.path())).empty(), entry.file_size() == 0) << entry.path();
    }
    EXPECT_LE(other_codecs, 2u);
    for (const char * part : {"wide_lz4", "wide_lz4hc9", "wide_none", "wide_zstd1"})
        EXPECT_EQ(decompressFrames(readFile(parts / part / "s.bin")), readFile(parts / (std::string(part) + ".s.raw")));
}

TEST(Frames, TheEnginesBadOnesEndWithItsCodes)
{
    REQUIRE_VECTORS(parts, "clickhouse/parts");
    std::map<int, int> codes;
    for (const auto & entry : std::filesystem::directory_iterator(parts / "handmade_bad"))
    {
        const std::string bytes = readFile(entry.path());
        ++codes[codeOf([&] { static_cast<void>(decompressFrames(bytes)); })];
    }
    /// A decompressed size of 2^31 - 1 is refused from the header (39); the engine of version 26.7 finds out by decompressing (271).
    EXPECT_EQ(codes[ErrorCodes::CHECKSUM_DOESNT_MATCH], 1);
    EXPECT_EQ(codes[ErrorCodes::TOO_LARGE_SIZE_COMPRESSED], 2);
    EXPECT_EQ(codes[ErrorCodes::CANNOT_DECOMPRESS], 1);
    EXPECT_EQ(codes[ErrorCodes::CORRUPTED_DATA], 1);
    EXPECT_EQ(codes[ErrorCodes::UNKNOWN_CODEC], 1);
}

TEST(FrameSeek, GoesToEveryMark)
{
    const std::string text = compressibleBytes(50000, 7);
    std::string stream = compressFrames(std::string_view(text).substr(0, 20000), "LZ4", 3000);
    stream += compressFrames(std::string_view(text).substr(20000, 10000), "NONE", 700);
    stream += compressFrames(std::string_view(text).substr(30000), "ZSTD", 5000);
    const TemporaryFolder folder;
    WriteBufferFromFile out(folder.path("file"));
    out.write(stream.data(), stream.size());
    out.finalize();
    ReadBufferFromMemory memory(stream);
    const CompressedFrameIndex index = CompressedFrameIndex::build(memory);
    EXPECT_EQ(index.decompressedSize(), text.size());
    std::vector<std::unique_ptr<SeekableCompressedReadBuffer>> readers;
    memory.seek(0);
    readers.push_back(std::make_unique<SeekableCompressedReadBuffer>(memory));
    readers.push_back(std::make_unique<SeekableCompressedReadBuffer>(std::make_unique<ReadBufferFromFilePRead>(folder.path("file"), 1000)));
    std::mt19937_64 random(9);
    for (auto & in : readers)
    {
        for (int i = 0; i < 1000; ++i)
        {
            const UInt64 offset = random() % (text.size() + 1);
            const CompressedPosition position = index.find(offset);
            in->seek(position);
            const UInt64 before = in->count();
            if (position.offset_in_block != 0)
            {
                EXPECT_EQ(in->getPosition(), position);
            }
            const size_t size = std::min<size_t>(random() % 4000, text.size() - offset);
            std::string piece(size, '\0');
            in->readStrict(piece.data(), size);
            ASSERT_EQ(piece, text.substr(offset, size));
            EXPECT_EQ(in->count() - before, size);
            ASSERT_EQ(in->getPosition(), index.find(offset + size));
            if (i % 3 == 0 && offset + size < text.size())
            {
                char byte = 0;
                ASSERT_TRUE(in->peek(byte));
                ASSERT_EQ(byte, text[offset + size]);
            }
        }
        EXPECT_EQ(codeOf([&] { in->seek({0, 3001}); }), ErrorCodes::ARGUMENT_OUT_OF_BOUND);
        in->seek({0, 3000});
        EXPECT_EQ(in->getPosition(), index.find(3000));
        EXPECT_EQ(readAll(*in), text.substr(3000));
        EXPECT_EQ(codeOf([&] { in->seek({stream.size(), 1}); }), ErrorCodes::ARGUMENT_OUT_OF_BOUND);
    }
    EXPECT_EQ(codeOf([&] { static_cast<void>(index.find(text.size() + 1)); }), ErrorCodes::ARGUMENT_OUT_OF_BOUND);
    for (const size_t cut : {size_t{1}, size_t{24}, size_t{25}, size_t{100}, stream.size() - 1})
    {
        ReadBufferFromMemory truncated(std::string_view(stream).substr(0, cut));
        const std::string message = messageOf([&] { static_cast<void>(CompressedFrameIndex::build(truncated)); });
        EXPECT_NE(message.find("Cannot read all data"), std::string::npos) << cut << message;
    }
}

TEST(FrameIndex, TouchesHeadersOnly)
{
    const std::string text = randomBytes(64 << 20, 8);
    std::string stream = compressFrames(text, "NONE");
    const TemporaryFolder folder;
    WriteBufferFromFile out(folder.path("file"));
    out.write(stream.data(), stream.size());
    out.finalize();
    ReadBufferFromFilePRead in(folder.path("file"), 512);
    const AllocationCounter counter;
    const CompressedFrameIndex index = CompressedFrameIndex::build(in);
    EXPECT_EQ(index.frames().size(), 64u);
    EXPECT_LT(counter.peakBytes(), 10000u);
}

TEST(ParallelFrames, AreTheSameBytes)
{
    const std::string text = compressibleBytes(2000000, 9);
    for (const char * codec : {"LZ4", "ZSTD(3)", "NONE"})
        for (const size_t threads : {1, 2, 5})
            for (const size_t block_size : {1000, 65536, 4000000})
            {
                std::string result;
                WriteBufferFromString out(result);
                ParallelCompressedWriteBuffer frames(out, createCompressionCodec(codec), threads, block_size);
                std::mt19937_64 random(threads);
                for (size_t at = 0; at < text.size();)
                {
                    const size_t size = std::min<size_t>(random() % 100000, text.size() - at);
                    frames.write(text.data() + at, size);
                    at += size;
                }
                frames.finalize();
                out.finalize();
                ASSERT_TRUE(result == compressFrames(text, codec, block_size)) << codec << " " << threads << " " << block_size;
            }
}

TEST(ParallelFrames, AFailingCodecOrDeviceIsOneError)
{
    struct Failing final : ICompressionCodec
    {
        [[nodiscard]] CompressionMethod method() const noexcept override { return CompressionMethod::None; }
        [[nodiscard]] std::string description() const override { return "failing"; }
        [[nodiscard]] size_t maxCompressedSize(size_t size) const noexcept override { return size; }
        size_t compress(const char *, size_t, char *) const override { throw Exception(ErrorCodes::CANNOT_COMPRESS, "no"); }
    };
    const std::string text(100000, 'x');
    CountingWriteBuffer out;
    ParallelCompressedWriteBuffer frames(out, std::make_shared<Failing>(), 3, 1000);
    EXPECT_EQ(codeOf([&] { frames.write(text.data(), text.size()); }), ErrorCodes::CANNOT_COMPRESS);
    EXPECT_TRUE(frames.isCanceled());
    EXPECT_EQ(out.count(), 0u);
    out.cancel();

    RecordingObject object;
    object.calls_before_failure = 2;
    WriteBufferToObject<RecordingObject> device(object, 100);
    ParallelCompressedWriteBuffer other(device, createCompressionCodec("NONE"), 3, 1000);
    EXPECT_EQ(codeOf([&] { other.write(text.data(), text.size()); }), 75);
    EXPECT_TRUE(other.isCanceled());
    EXPECT_TRUE(device.isCanceled());
    EXPECT_EQ(object.calls, 3);
    EXPECT_EQ(codeOf([&] { ParallelCompressedWriteBuffer(out, createCompressionCodec("LZ4"), 0).cancel(); }), ErrorCodes::BAD_ARGUMENTS);
}

TEST(Frames, ADeviceThatFailsInTheMiddleCancelsOnce)
{
    const std::string text = compressibleBytes(100000, 10);
    for (int calls = 0; calls < 20; ++calls)
        for (const char * codec : {"NONE", "LZ4"})
        {
            RecordingObject object;
            object.calls_before_failure = calls;
            WriteBufferToObject<RecordingObject> device(object, 300);
            CompressedWriteBuffer frames(device, createCompressionCodec(codec), 1000);
            EXPECT_EQ(codeOf([&] { frames.write(text.data(), text.size()); }), 75);
            EXPECT_TRUE(frames.isCanceled());
            EXPECT_TRUE(device.isCanceled());
            EXPECT_EQ(object.calls, calls + 1) << "the device was asked again";
        }
}
