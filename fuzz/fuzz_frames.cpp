#include "IOTargets.h"

#include "../tests/TornReadBuffer.h"

#include <statewire/Common/Exception.h>
#include <statewire/Compression/CompressedFrameIndex.h>
#include <statewire/Compression/CompressedReadBuffer.h>
#include <statewire/Compression/CompressedWriteBuffer.h>
#include <statewire/Compression/StreamDecompressingReadBuffer.h>
#include <statewire/IO/ReadBufferFromMemory.h>
#include <statewire/IO/WriteBufferFromVector.h>
#include <statewire/base/unaligned.h>

#include <string>
#include <string_view>

namespace statewire_fuzz
{

using namespace DB;

namespace
{
constexpr FrameLimits LIMITS{.max_compressed_size = 1 << 16, .max_decompressed_size = 1 << 16, .max_bit_flip_search = 64};
/// Whoever makes 16 MiB of a few bytes has made the point.
constexpr size_t MAX_OUTPUT = 1 << 24;

struct Result
{
    std::string bytes;
    int code = 0;
    std::string message;

    bool operator==(const Result &) const = default;
};

/// `big` reads into this function's own memory in pieces of that size; 0 reads through the window.
Result readEverything(ReadBuffer & in, size_t big)
{
    Result result;
    try
    {
        while (result.bytes.size() < MAX_OUTPUT)
        {
            if (big == 0)
            {
                if (in.eof())
                    break;
                result.bytes.append(in.position(), in.available());
                in.position() += in.available();
                continue;
            }
            const size_t before = result.bytes.size();
            result.bytes.resize(before + big);
            size_t got = 0;
            try
            {
                got = in.readBig(result.bytes.data() + before, big);
            }
            catch (...)
            {
                /// How much of a failed read is there is not promised.
                result.bytes.clear();
                throw;
            }
            result.bytes.resize(before + got);
            if (got != big)
                break;
        }
    }
    catch (const Exception & exception)
    {
        result.code = exception.code();
        result.message = exception.message();
        FUZZ_CHECK(in.available() == 0);
    }
    return result;
}

/// Gives every frame, as far as sizes can be followed, the right checksum: otherwise no damage would reach the decoders.
std::string withRightChecksums(std::string stream)
{
    for (size_t at = 0; stream.size() - at >= FRAME_PREFIX_SIZE;)
    {
        const size_t size = unalignedLoadLittleEndian<UInt32>(stream.data() + at + 17);
        if (size < FRAME_HEADER_SIZE || size > stream.size() - at - FRAME_CHECKSUM_SIZE)
            break;
        const UInt128Hash hash = cityHash128(std::string_view(stream).substr(at + FRAME_CHECKSUM_SIZE, size));
        unalignedStoreLittleEndian<UInt64>(stream.data() + at, hash.low);
        unalignedStoreLittleEndian<UInt64>(stream.data() + at + 8, hash.high);
        at += FRAME_CHECKSUM_SIZE + size;
    }
    return stream;
}

void readFrames(std::string_view stream, size_t piece)
{
    ReadBufferFromMemory whole(stream);
    CompressedReadBuffer frames(whole, LIMITS);
    const Result expected = readEverything(frames, 0);

    statewire_tests::TornReadBuffer torn(stream, piece);
    CompressedReadBuffer torn_frames(torn, LIMITS);
    const Result from_torn = readEverything(torn_frames, 0);
    FUZZ_CHECK(from_torn == expected);

    statewire_tests::TornReadBuffer torn_again(stream, piece);
    CompressedReadBuffer big_frames(torn_again, LIMITS);
    const Result from_big = readEverything(big_frames, 5000);
    FUZZ_CHECK(from_big.code == expected.code);
    FUZZ_CHECK(from_big.code != 0 || from_big.bytes == expected.bytes);

    /// Headers alone say no more than reading everything does.
    ReadBufferFromMemory seekable(stream);
    try
    {
        const CompressedFrameIndex index = CompressedFrameIndex::build(seekable, LIMITS);
        FUZZ_CHECK(expected.code != 0 || index.decompressedSize() == expected.bytes.size() || expected.bytes.size() >= MAX_OUTPUT);
    }
    catch (const Exception &)
    {
        FUZZ_CHECK(expected.code != 0);
    }
    if (expected.code != 0 || expected.bytes.size() > 100000)
        return;

    std::string again;
    WriteBufferFromString out(again);
    CompressedWriteBuffer writer(out, createCompressionCodec(piece % 2 ? "LZ4" : "ZSTD"), 1000);
    writer.write(expected.bytes.data(), expected.bytes.size());
    writer.finalize();
    out.finalize();
    ReadBufferFromMemory rewritten(again);
    CompressedReadBuffer rewritten_frames(rewritten);
    FUZZ_CHECK(readEverything(rewritten_frames, 0) == expected);
}

void readStream(std::string_view stream, StreamFormat format, size_t piece)
{
    const StreamOptions options{.max_window_log = 20};
    ReadBufferFromMemory whole(stream);
    StreamDecompressingReadBuffer plain(whole, format, options, 1000);
    const Result expected = readEverything(plain, 0);
    statewire_tests::TornReadBuffer torn(stream, piece);
    StreamDecompressingReadBuffer from_torn(torn, format, options, 777);
    const Result result = readEverything(from_torn, 0);
    /// The library itself is stricter about some damage when it sees a frame as a whole.
    FUZZ_CHECK(result.code != 0 || expected.code != 0 || result.bytes.size() >= MAX_OUTPUT || result.bytes == expected.bytes);
}
}

int fuzzFrames(const std::uint8_t * data, std::size_t size)
{
    if (size == 0)
        return 0;
    const std::string stream(reinterpret_cast<const char *>(data) + 1, size - 1);
    constexpr size_t PIECES[] = {1, 3, 16, 100};
    const size_t piece = PIECES[data[0] >> 2 & 3];
    switch (data[0] & 3)
    {
        case 0:
            readFrames(stream, piece);
            break;
        case 1:
            readFrames(withRightChecksums(stream), piece);
            break;
        case 2:
            readStream(stream, StreamFormat::ZSTD, piece);
            break;
        default:
            readStream(stream, StreamFormat::LZ4, piece);
            break;
    }
    return 0;
}

}

#ifdef STATEWIRE_FUZZER
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t * data, std::size_t size) { return statewire_fuzz::fuzzFrames(data, size); }
#endif
