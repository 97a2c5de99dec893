#include "AllocationCounter.h"
#include "IOTestHelpers.h"
#include "TornReadBuffer.h"
#include "Vectors.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Compression/StreamCompressingWriteBuffer.h>
#include <statewire/Compression/StreamDecompressingReadBuffer.h>
#include <statewire/IO/ReadBufferFromMemory.h>
#include <statewire/IO/WriteBufferFromFile.h>
#include <statewire/IO/WriteBufferFromVector.h>
#include <statewire/IO/WriteBufferToObject.h>

using namespace DB;
using namespace statewire_tests;

namespace
{
constexpr StreamFormat FORMATS[] = {StreamFormat::ZSTD, StreamFormat::LZ4};

std::string compress(std::string_view bytes, StreamFormat format, const StreamOptions & options = {}, size_t piece = 1 << 20)
{
    std::string result;
    WriteBufferFromString out(result);
    StreamCompressingWriteBuffer stream(out, format, options, 1000);
    for (size_t at = 0; at < bytes.size(); at += piece)
        stream.write(bytes.data() + at, std::min(piece, bytes.size() - at));
    stream.finalize();
    out.finalize();
    return result;
}

std::string decompress(std::string_view bytes, StreamFormat format, const StreamOptions & options = {}, size_t piece = 1 << 20)
{
    TornReadBuffer in(bytes, piece);
    StreamDecompressingReadBuffer stream(in, format, options, 1000);
    return readAll(stream);
}

bool haveTool(const char * name) { return std::system((std::string(name) + " --version > /dev/null 2>&1").c_str()) == 0; }
}

TEST(Streams, GoBothWaysOverEveryCut)
{
    for (const StreamFormat format : FORMATS)
        for (const size_t size : {0, 1, 999, 1000, 1001, 300000})
        {
            const std::string text = compressibleBytes(size, 1);
            for (const size_t piece : TORN_SIZES)
            {
                const std::string stream = compress(text, format, {}, piece);
                ASSERT_TRUE(decompress(stream, format, {}, piece) == text) << size << " " << piece;
                EXPECT_EQ(streamFormatOfBytes(stream), format);
            }
        }
}

TEST(Streams, TakeLevels)
{
    const std::string text = compressibleBytes(300000, 2);
    for (const StreamFormat format : FORMATS)
    {
        const size_t fast = compress(text, format, {.level = 1}).size();
        const std::string best = compress(text, format, {.level = 12});
        EXPECT_LT(best.size(), fast);
        EXPECT_TRUE(decompress(best, format) == text);
        EXPECT_EQ(codeOf([&] { static_cast<void>(compress(text, format, {.level = 23})); }), ErrorCodes::BAD_ARGUMENTS);
        EXPECT_EQ(codeOf([&] { static_cast<void>(compress(text, format, {.level = -1})); }), ErrorCodes::BAD_ARGUMENTS);
    }
}

TEST(Streams, EveryTruncationIsAnError)
{
    const std::string text = compressibleBytes(5000, 3);
    for (const StreamFormat format : FORMATS)
    {
        const std::string stream = compress(text, format);
        for (size_t cut = 0; cut < stream.size(); ++cut)
        {
            const std::string_view bytes = std::string_view(stream).substr(0, cut);
            ASSERT_EQ(codeOf([&] { static_cast<void>(decompress(bytes, format)); }), ErrorCodes::CANNOT_READ_ALL_DATA) << cut;
        }
        EXPECT_EQ(decompress(stream + stream, format), text + text) << "frames may follow each other";
        EXPECT_EQ(codeOf([&] { static_cast<void>(decompress(stream + "garbage", format)); }), ErrorCodes::CANNOT_DECOMPRESS);
    }
}

TEST(Streams, DamageIsAnError)
{
    const std::string text = compressibleBytes(3000, 4);
    for (const StreamFormat format : FORMATS)
    {
        const std::string good = compress(text, format);
        size_t errors = 0;
        for (size_t byte = 0; byte < good.size(); ++byte)
        {
            std::string bad = good;
            bad[byte] = static_cast<char>(bad[byte] ^ 0x10);
            std::string back;
            const int code = codeOf([&] { back = decompress(bad, format); });
            ASSERT_TRUE(code == ErrorCodes::CANNOT_DECOMPRESS || code == ErrorCodes::CANNOT_READ_ALL_DATA || back == text) << byte;
            errors += code != 0;
        }
        EXPECT_GT(errors + 8, good.size()) << "checksums are written and verified";
    }
}

TEST(Streams, AWindowBeyondTheLimitIsRefused)
{
    /// Magic, no content size, a window of 2^30 bytes, an empty last block.
    const std::string bomb = fromHex("28b52ffd"
                                     "00"
                                     "a0"
                                     "010000");
    const AllocationCounter counter;
    const std::string message = messageOf([&] { static_cast<void>(decompress(bomb, StreamFormat::ZSTD)); });
    EXPECT_NE(message.find("requires too much memory"), std::string::npos) << message;
    EXPECT_LT(counter.peakBytes(), 100000u);
    EXPECT_EQ(codeOf([&] { static_cast<void>(decompress(bomb, StreamFormat::ZSTD, {.max_window_log = 31})); }), 0);
    EXPECT_EQ(codeOf([&] { static_cast<void>(decompress(bomb, StreamFormat::ZSTD, {.max_window_log = 99})); }), ErrorCodes::BAD_ARGUMENTS);
}

TEST(Streams, LargePiecesPassByTheBuffers)
{
    const std::string text = compressibleBytes(1 << 20, 5);
    for (const StreamFormat format : FORMATS)
    {
        std::string result;
        WriteBufferFromString out(result);
        StreamCompressingWriteBuffer stream(out, format);
        stream.write(text.data(), text.size());
        EXPECT_EQ(stream.copiedBytes(), 0u);
        stream.finalize();
        out.finalize();
        ReadBufferFromMemory in(result);
        StreamDecompressingReadBuffer back(in, format);
        std::string to(text.size(), '\0');
        ASSERT_EQ(back.readBig(to.data(), to.size()), to.size());
        EXPECT_TRUE(to == text);
        EXPECT_TRUE(back.eof());
    }
}

TEST(Streams, ADeviceWithoutABufferOfItsOwnIsFine)
{
    const std::string text = compressibleBytes(100000, 6);
    for (const StreamFormat format : FORMATS)
    {
        RecordingObject object;
        WriteBufferToObject<RecordingObject> out(object, 0);
        StreamCompressingWriteBuffer stream(out, format);
        stream.write(text.data(), text.size());
        stream.finalize();
        out.finalize();
        EXPECT_TRUE(decompress(object.received, format) == text);
    }
}

TEST(Streams, AreNamedByTheFile)
{
    EXPECT_EQ(streamFormatOfName("a/b.tsv.zst"), StreamFormat::ZSTD);
    EXPECT_EQ(streamFormatOfName("b.lz4"), StreamFormat::LZ4);
    EXPECT_EQ(streamFormatOfName("b.bin"), std::nullopt);
    EXPECT_EQ(streamFormatOfBytes("abc"), std::nullopt);
    EXPECT_EQ(streamFormatOfBytes("abcd"), std::nullopt);
}

TEST(Streams, OtherToolsOpenThemAndAreOpened)
{
    const TemporaryFolder folder;
    const std::string text = compressibleBytes(3000000, 7);
    size_t tools = 0;
    for (const StreamFormat format : FORMATS)
    {
        const std::string tool = format == StreamFormat::ZSTD ? "zstd" : "lz4";
        if (!haveTool(tool.c_str()))
            continue;
        ++tools;
        const std::string compressed = folder.path("ours." + tool);
        WriteBufferFromFile file(compressed);
        StreamCompressingWriteBuffer stream(file, format);
        stream.write(text.data(), text.size());
        stream.finalize();
        file.finalize();
        const std::string plain = folder.path("plain");
        ASSERT_EQ(std::system((tool + " -q -d -c " + compressed + " > " + plain).c_str()), 0);
        EXPECT_TRUE(readFile(plain) == text) << tool;
        ASSERT_EQ(std::system((tool + " -q -9 -c " + plain + " > " + compressed).c_str()), 0);
        EXPECT_TRUE(decompress(readFile(compressed), format) == text) << tool;
    }
    if (tools == 0)
        GTEST_SKIP() << "SKIPPED: neither zstd nor lz4 is installed";
}
