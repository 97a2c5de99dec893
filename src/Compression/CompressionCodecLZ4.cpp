#include "CompressionCodecLZ4.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

#include <algorithm>

#include <lz4.h>
#include <lz4frame.h>
#include <lz4hc.h>

namespace DB::inline statewire
{

namespace
{
class CodecLZ4 final : public ICompressionCodec
{
public:
    explicit CodecLZ4(int level_) noexcept : level(level_) { }

    [[nodiscard]] CompressionMethod method() const noexcept override { return CompressionMethod::LZ4; }
    [[nodiscard]] std::string description() const override { return level == 0 ? "LZ4" : concat("LZ4HC(", level, ')'); }
    [[nodiscard]] size_t maxCompressedSize(size_t size) const noexcept override
    {
        return size > LZ4_MAX_INPUT_SIZE ? size : static_cast<size_t>(LZ4_compressBound(static_cast<int>(size)));
    }

    size_t compress(const char * from, size_t size, char * to) const override
    {
        const auto from_size = static_cast<int>(size);
        const auto to_size = static_cast<int>(maxCompressedSize(size));
        const int result = size > LZ4_MAX_INPUT_SIZE ? 0
            : level == 0                             ? LZ4_compress_default(from, to, from_size, to_size)
                                                     : LZ4_compress_HC(from, to, from_size, to_size, level);
        if (result <= 0)
            throwError(ErrorCodes::CANNOT_COMPRESS, concat("Cannot compress a block of ", size, " bytes with ", description()));
        return static_cast<size_t>(result);
    }

private:
    int level;
};

void checkFrameResult(size_t result)
{
    if (LZ4F_isError(result))
        throwError(ErrorCodes::CANNOT_COMPRESS, concat("Cannot compress an LZ4 stream: ", LZ4F_getErrorName(result)));
}

class StreamEncoderLZ4 final : public IStreamEncoder
{
public:
    explicit StreamEncoderLZ4(int level)
    {
        preferences.compressionLevel = level;
        /// As the lz4 program does: without it a damaged file may go unnoticed.
        preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
        LZ4F_cctx * created = nullptr;
        if (LZ4F_isError(LZ4F_createCompressionContext(&created, LZ4F_VERSION)))
            throwError(ErrorCodes::CANNOT_ALLOCATE_MEMORY, "Cannot allocate a context to compress with LZ4");
        context.reset(created);
        /// The library wants room for the worst case of every call, so its calls are cut to pieces.
        capacity = std::max<size_t>(LZ4F_compressBound(PIECE, &preferences), LZ4F_HEADER_SIZE_MAX);
        scratch = std::make_unique_for_overwrite<char[]>(capacity);
    }

    void encode(std::string_view bytes, WriteBuffer & out) override
    {
        begin(out);
        for (; !bytes.empty(); bytes.remove_prefix(std::min(PIECE, bytes.size())))
        {
            const std::string_view piece = bytes.substr(0, PIECE);
            emit(out, [&](char * to) { return LZ4F_compressUpdate(context.get(), to, capacity, piece.data(), piece.size(), nullptr); });
        }
    }

    void flush(WriteBuffer & out) override
    {
        begin(out);
        emit(out, [&](char * to) { return LZ4F_flush(context.get(), to, capacity, nullptr); });
    }

    void finish(WriteBuffer & out) override
    {
        begin(out);
        emit(out, [&](char * to) { return LZ4F_compressEnd(context.get(), to, capacity, nullptr); });
    }

private:
    struct Deleter
    {
        void operator()(LZ4F_cctx * context) const noexcept { LZ4F_freeCompressionContext(context); }
    };
    /// The library's smallest block.
    static constexpr size_t PIECE = 65536;

    void begin(WriteBuffer & out)
    {
        if (!begun)
            emit(out, [&](char * to) { return LZ4F_compressBegin(context.get(), to, capacity, &preferences); });
        begun = true;
    }

    template <typename Call>
    void emit(WriteBuffer & out, Call && call)
    {
        const bool in_place = out.available() >= capacity;
        const size_t size = call(in_place ? out.position() : scratch.get());
        checkFrameResult(size);
        if (in_place)
            out.position() += size;
        else
            out.write(scratch.get(), size);
    }

    LZ4F_preferences_t preferences{};
    std::unique_ptr<LZ4F_cctx, Deleter> context;
    size_t capacity = 0;
    std::unique_ptr<char[]> scratch;
    bool begun = false;
};

class StreamDecoderLZ4 final : public IStreamDecoder
{
public:
    StreamDecoderLZ4()
    {
        LZ4F_dctx * created = nullptr;
        if (LZ4F_isError(LZ4F_createDecompressionContext(&created, LZ4F_VERSION)))
            throwError(ErrorCodes::CANNOT_ALLOCATE_MEMORY, "Cannot allocate a context to decompress LZ4");
        context.reset(created);
    }

    Progress decode(std::string_view from, char * to, size_t to_size) noexcept override
    {
        size_t consumed = from.size();
        size_t produced = to_size;
        const size_t left = LZ4F_decompress(context.get(), to, &produced, from.data(), &consumed, nullptr);
        if (LZ4F_isError(left))
            return {0, 0, LZ4F_getErrorName(left)};
        complete = left == 0;
        return {consumed, produced, {}};
    }

    [[nodiscard]] bool isComplete() const noexcept override { return complete; }

private:
    struct Deleter
    {
        void operator()(LZ4F_dctx * context) const noexcept { LZ4F_freeDecompressionContext(context); }
    };

    std::unique_ptr<LZ4F_dctx, Deleter> context;
    bool complete = false;
};
}

CompressionCodecPtr createCodecLZ4(int level) { return std::make_shared<CodecLZ4>(level); }

bool tryDecompressLZ4(const char * from, size_t size, char * to, size_t to_size) noexcept
{
    if (size > LZ4_MAX_INPUT_SIZE || to_size > LZ4_MAX_INPUT_SIZE)
        return false;
    const int result = LZ4_decompress_safe(from, to, static_cast<int>(size), static_cast<int>(to_size));
    return result >= 0 && static_cast<size_t>(result) == to_size;
}

std::unique_ptr<IStreamEncoder> createStreamEncoderLZ4(int level) { return std::make_unique<StreamEncoderLZ4>(level); }

std::unique_ptr<IStreamDecoder> createStreamDecoderLZ4() { return std::make_unique<StreamDecoderLZ4>(); }

}
