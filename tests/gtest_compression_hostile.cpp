#include "AllocationCounter.h"
#include "CompressionTestHelpers.h"
#include "TornReadBuffer.h"
#include "Vectors.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Compression/BitFlipSearch.h>

#include <set>

using namespace DB;
using namespace statewire_tests;

namespace
{
constexpr int NONE = 0x02;
constexpr int LZ4 = 0x82;
constexpr int ZSTD = 0x90;

int readCode(std::string_view bytes, const FrameLimits & limits = {.max_bit_flip_search = 0})
{
    return codeOf([&] { static_cast<void>(decompressFrames(bytes, limits)); });
}
}

TEST(HostileFrames, ChecksComeInClickHousesOrder)
{
    /// Each wrong in everything that is checked later.
    EXPECT_EQ(readCode(makeFrame(0x99, 0, 0, "x")), ErrorCodes::UNKNOWN_CODEC);
    EXPECT_EQ(readCode(makeFrame(LZ4, 0, 5, "x")), ErrorCodes::CORRUPTED_DATA);
    EXPECT_EQ(readCode(makeFrame(LZ4, 0xffffffff, 0, "x")), ErrorCodes::CORRUPTED_DATA);
    EXPECT_EQ(readCode(makeFrame(LZ4, 0x40000001, 0xffffffff, "x")), ErrorCodes::TOO_LARGE_SIZE_COMPRESSED);
    EXPECT_EQ(readCode(makeFrame(LZ4, 8, 5, "x")), ErrorCodes::CORRUPTED_DATA);
    EXPECT_EQ(readCode(makeFrame(LZ4, 10, 0x40000001, "x")), ErrorCodes::TOO_LARGE_SIZE_COMPRESSED);
    /// The limits are inclusive: these get past the header and fail later.
    EXPECT_EQ(readCode(makeFrame(LZ4, 0x40000000, 5, "x")), ErrorCodes::CANNOT_READ_ALL_DATA);
    EXPECT_EQ(readCode(makeFrame(LZ4, 10, 0x40000000, "x")), ErrorCodes::CANNOT_DECOMPRESS);
    std::string damaged = makeFrame(LZ4, 10, 0x40000000, "x");
    damaged[0] = static_cast<char>(damaged[0] ^ 3);
    EXPECT_EQ(readCode(damaged), ErrorCodes::CHECKSUM_DOESNT_MATCH) << "the checksum comes before the decompression";
}

TEST(HostileFrames, EveryHeaderFieldAtItsExtremes)
{
    const std::string text = compressibleBytes(1000, 1);
    for (const char * codec : {"NONE", "LZ4", "ZSTD"})
    {
        const std::string good = compressFrames(text, codec);
        const std::string payload = good.substr(FRAME_PREFIX_SIZE);
        for (int method = 0; method < 256; ++method)
            for (const UInt32 compressed :
                 {0u, 1u, 8u, 9u, 10u, 0x7fffffffu, 0x80000000u, 0xffffffffu, 0x40000000u, static_cast<UInt32>(good.size() - 16)})
                for (const UInt32 decompressed : {0u, 1u, 999u, 1000u, 1001u, 0x7fffffffu, 0x80000000u, 0xffffffffu, 0x40000000u})
                {
                    const FrameLimits limits{.max_compressed_size = 1 << 20, .max_decompressed_size = 1 << 20, .max_bit_flip_search = 0};
                    const std::string frame = makeFrame(method, compressed, decompressed, payload);
                    const AllocationCounter counter;
                    const bool is_good = static_cast<char>(method) == good[16] && compressed == good.size() - 16 && decompressed == 1000;
                    const int code = readCode(frame, limits);
                    ASSERT_EQ(code == 0, is_good) << codec << method << " " << compressed << " " << decompressed;
                    ASSERT_LE(counter.peakBytes(), 100000u);
                }
    }
}

TEST(HostileFrames, EveryTruncationIsTheEndInsideAFrame)
{
    const std::string text = compressibleBytes(300, 2);
    for (const char * codec : {"NONE", "LZ4", "ZSTD"})
    {
        const std::string stream = compressFrames(text, codec, 100);
        std::set<size_t> boundaries{0};
        for (size_t at = 0; at < stream.size();)
        {
            at += FRAME_CHECKSUM_SIZE + parseFrameHeader(stream.data() + at, at, {}).compressed_size;
            boundaries.insert(at);
        }
        for (size_t cut = 0; cut < stream.size(); ++cut)
            for (const size_t piece : {size_t{1}, size_t{7}, size_t{100000}})
            {
                const std::string_view bytes = std::string_view(stream).substr(0, cut);
                TornReadBuffer in(bytes, piece);
                CompressedReadBuffer frames(in);
                const int code = codeOf([&] { static_cast<void>(readAll(frames)); });
                ASSERT_EQ(code, boundaries.contains(cut) ? 0 : ErrorCodes::CANNOT_READ_ALL_DATA) << codec << " " << cut;
                TornReadBuffer again(bytes, piece);
                CompressedReadBuffer direct(again);
                std::string to(1000, '\0');
                ASSERT_EQ(codeOf([&] { static_cast<void>(direct.readBig(to.data(), to.size())); }), code);
            }
    }
}

TEST(HostileFrames, EveryBitFlipIsFoundAndNamed)
{
    const std::string text = compressibleBytes(200, 3);
    for (const char * codec : {"NONE", "LZ4", "ZSTD"})
    {
        const std::string good = compressFrames(text, codec);
        for (size_t byte = 0; byte < good.size(); ++byte)
            for (int bit = 0; bit < 8; ++bit)
            {
                std::string bad = good;
                bad[byte] = static_cast<char>(bad[byte] ^ (1 << bit));
                const std::string message = messageOf([&] { static_cast<void>(decompressFrames(bad)); });
                ASSERT_FALSE(message.empty()) << byte;
                if (byte < FRAME_CHECKSUM_SIZE)
                {
                    ASSERT_NE(message.find("caused by a single bit flip in the checksum"), std::string::npos) << message;
                }
                else if (byte >= FRAME_PREFIX_SIZE)
                {
                    const std::string expected
                        = "single bit flip in the data block at byte " + std::to_string(byte - 16) + ", bit " + std::to_string(bit);
                    ASSERT_NE(message.find(expected), std::string::npos) << message;
                }
            }
    }
}

TEST(HostileFrames, TheMismatchIsPrintedAsClickHouseDoes)
{
    std::string frame = fromHex("a783ac6cd55c7a7cb5ac46bddb86e21482140000000a000000a0010002ffffffff000000");
    frame[30] = static_cast<char>(frame[30] ^ 3);
    const std::string message = messageOf([&] { static_cast<void>(decompressFrames(frame)); });
    EXPECT_NE(message.find("Checksum doesn't match in the compressed frame at byte 0: corrupted data. Reference: "), std::string::npos)
        << message;
    EXPECT_NE(message.find("Reference: 14e286dbbd46acb57c7a5cd56cac83a7. Actual: "), std::string::npos) << message;
    EXPECT_NE(message.find("Size of compressed block: 20. No single bit flip explains it"), std::string::npos) << message;
}

TEST(BitFlipSearch, FindsAFlipAnywhereInEverySize)
{
    std::mt19937_64 random(4);
    for (size_t size = 1; size < 700; size += 1 + random() % 7)
    {
        std::string bytes = randomBytes(size, static_cast<unsigned>(size));
        const UInt128Hash hash = cityHash128(bytes);
        for (int i = 0; i < 20; ++i)
        {
            const size_t byte = random() % size;
            const int bit = static_cast<int>(random() % 8);
            bytes[byte] = static_cast<char>(bytes[byte] ^ (1 << bit));
            const std::string before = bytes;
            const auto found = findBitFlip(bytes, hash);
            ASSERT_TRUE(found) << size << " " << byte;
            ASSERT_EQ(found->byte, byte);
            ASSERT_EQ(found->bit, bit);
            ASSERT_EQ(bytes, before);
            bytes[byte] = static_cast<char>(bytes[byte] ^ (1 << bit));
        }
        EXPECT_FALSE(findBitFlip(bytes, {1, 2}));
    }
}

TEST(BitFlipSearch, IsBoundedAndSaysSo)
{
    std::string frame = compressFrames(randomBytes(200000, 5), "NONE");
    frame[1000] = static_cast<char>(frame[1000] ^ 1);
    const std::string message = messageOf([&] { static_cast<void>(decompressFrames(frame)); });
    EXPECT_NE(message.find("Not searched for a single bit flip: the block is larger than 65536 bytes"), std::string::npos) << message;
    std::string small = compressFrames(randomBytes(20000, 6), "NONE");
    small[15000] = static_cast<char>(small[15000] ^ 1);
    const std::string found = messageOf([&] { static_cast<void>(decompressFrames(small)); });
    EXPECT_NE(found.find("at byte 14984, bit 0"), std::string::npos) << found;
}

TEST(HostileLZ4, OffsetsBeforeTheStartAndLyingSizes)
{
    /// One literal, then a match of four bytes, then ten literals: the format wants the last match to begin twelve bytes before the end.
    const auto block = [](int offset) {
        return std::string{'\x10', 'a', static_cast<char>(offset), static_cast<char>(offset >> 8), '\xa0'} + "bcdefghijk";
    };
    for (const int offset : {2, 3, 100, 65535})
    {
        EXPECT_EQ(readCode(makeFrame(LZ4, 15, block(offset))), ErrorCodes::CANNOT_DECOMPRESS) << offset;
    }
    /// The format calls 0 invalid; liblz4 takes it and gives zeros, never what was in memory before.
    EXPECT_EQ(decompressFrames(makeFrame(LZ4, 15, block(0))), std::string("a\0\0\0\0bcdefghijk", 15));
    const std::string good = block(1);
    EXPECT_EQ(decompressFrames(makeFrame(LZ4, 15, good)), "aaaaabcdefghijk");
    for (UInt32 size = 1; size < 300; ++size)
    {
        EXPECT_EQ(readCode(makeFrame(LZ4, size, good)) == 0, size == 15) << size;
    }
    /// Lengths that run over the end of the payload, and literals that do.
    EXPECT_EQ(readCode(makeFrame(LZ4, 100, std::string(50, '\xff'))), ErrorCodes::CANNOT_DECOMPRESS);
    EXPECT_EQ(readCode(makeFrame(LZ4, 100, "\xf0\xff\xff\xff")), ErrorCodes::CANNOT_DECOMPRESS);
    EXPECT_EQ(readCode(makeFrame(LZ4, 100, "")), ErrorCodes::CANNOT_DECOMPRESS);
    EXPECT_EQ(readCode(makeFrame(NONE, 3, "ab")), ErrorCodes::CANNOT_DECOMPRESS);
    EXPECT_EQ(readCode(makeFrame(NONE, 1, "ab")), ErrorCodes::CANNOT_DECOMPRESS);
    EXPECT_EQ(readCode(makeFrame(NONE, 1, "")), ErrorCodes::CANNOT_DECOMPRESS);
}

TEST(HostileFrames, MemoryStaysWithinTwiceTheLimit)
{
    constexpr UInt32 LIMIT = 1 << 20;
    const FrameLimits limits{.max_compressed_size = LIMIT, .max_decompressed_size = LIMIT, .max_bit_flip_search = 0};
    const auto peak = [&](const std::string & bytes, size_t piece) {
        const AllocationCounter counter;
        int code = 0;
        {
            TornReadBuffer in(bytes, piece);
            CompressedReadBuffer frames(in, limits);
            code = codeOf([&] {
                while (!frames.eof())
                    frames.position() += frames.available();
            });
        }
        EXPECT_LE(counter.peakBytes(), 2 * LIMIT + 100000) << code;
        return counter.peakBytes();
    };
    /// Honest frames at the limit, torn so that they must be gathered.
    peak(compressFrames(randomBytes(LIMIT - 9, 7), "NONE", LIMIT - 9), 4096);
    peak(compressFrames(randomBytes(LIMIT / 300 * 299, 8), "LZ4", LIMIT), 4096);
    peak(compressFrames(std::string(LIMIT, 'x'), "ZSTD", LIMIT), 4096);
    /// Lies: a size that so few bytes cannot have allocates nothing.
    for (const int method : {NONE, LZ4, ZSTD})
        EXPECT_LE(peak(makeFrame(method, LIMIT, "abc"), 4096), 20000u) << method;
    EXPECT_LE(peak(makeFrame(LZ4, LIMIT, 10, "abc"), 4096), 20000u) << "a compressed size that is not there";
    /// A ZSTD frame that names another content size than the header.
    std::string bomb = compressFrames(std::string(LIMIT, 'x'), "ZSTD", LIMIT).substr(FRAME_PREFIX_SIZE);
    EXPECT_LE(peak(makeFrame(ZSTD, 1000, bomb), 4096), 20000u);
    /// One without a content size and with a window of 2^41 bytes: nothing but the output is allocated.
    const std::string window = fromHex("28b52ffd"
                                       "00"
                                       "ff"
                                       "010000");
    EXPECT_LE(peak(makeFrame(ZSTD, LIMIT, window), 4096), 20000u);
    EXPECT_EQ(readCode(makeFrame(ZSTD, 10, window)), ErrorCodes::CANNOT_DECOMPRESS);
}

TEST(HostileFrames, RandomDamageWithRightChecksumsNeverCrashes)
{
    std::mt19937_64 random(9);
    const std::string text = compressibleBytes(3000, 10);
    for (const char * codec : {"LZ4", "ZSTD"})
    {
        const std::string good = compressFrames(text, codec);
        const int method = static_cast<unsigned char>(good[16]);
        for (int i = 0; i < 5000; ++i)
        {
            std::string payload = good.substr(FRAME_PREFIX_SIZE);
            for (UInt64 n = 1 + random() % 4; n != 0; --n)
                payload[random() % payload.size()] = static_cast<char>(random());
            const UInt32 size = random() % 4 ? 3000 : static_cast<UInt32>(random() % 5000 + 1);
            const int code = readCode(makeFrame(method, size, payload));
            ASSERT_TRUE(code == 0 || code == ErrorCodes::CANNOT_DECOMPRESS) << code;
        }
    }
}
