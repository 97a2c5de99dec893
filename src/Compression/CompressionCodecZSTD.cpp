#include "CompressionCodecZSTD.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

#include <mutex>
#include <vector>

#include <zstd.h>

namespace DB::inline statewire
{

namespace
{
/// The largest block of a ZSTD frame, and the fewest bytes that can stand for one (a run: three bytes of header and the byte).
constexpr UInt64 MAX_ZSTD_BLOCK = 131072;
constexpr UInt64 MIN_ZSTD_BLOCK = 4;

struct ContextDeleter
{
    void operator()(ZSTD_CCtx * context) const noexcept { ZSTD_freeCCtx(context); }
    void operator()(ZSTD_DCtx * context) const noexcept { ZSTD_freeDCtx(context); }
};
using CompressionContext = std::unique_ptr<ZSTD_CCtx, ContextDeleter>;
using DecompressionContext = std::unique_ptr<ZSTD_DCtx, ContextDeleter>;

CompressionContext createCompressionContext()
{
    CompressionContext context(ZSTD_createCCtx());
    if (!context)
        throwError(ErrorCodes::CANNOT_ALLOCATE_MEMORY, "Cannot allocate a context to compress with ZSTD");
    return context;
}

/// A context costs more to make than a small block to compress, so the codec keeps those that are not in use: as many as were ever at work
/// at once.
class CodecZSTD final : public ICompressionCodec
{
public:
    explicit CodecZSTD(int level_) noexcept : level(level_) { }

    [[nodiscard]] CompressionMethod method() const noexcept override { return CompressionMethod::ZSTD; }
    [[nodiscard]] std::string description() const override { return concat("ZSTD(", level, ')'); }
    [[nodiscard]] size_t maxCompressedSize(size_t size) const noexcept override { return ZSTD_compressBound(size); }

    size_t compress(const char * from, size_t size, char * to) const override
    {
        CompressionContext context = takeContext();
        const size_t result = ZSTD_compressCCtx(context.get(), to, maxCompressedSize(size), from, size, level);
        giveBack(std::move(context));
        if (ZSTD_isError(result))
            throwError(
                ErrorCodes::CANNOT_COMPRESS,
                concat("Cannot compress a block of ", size, " bytes with ", description(), ": ", ZSTD_getErrorName(result)));
        return result;
    }

private:
    CompressionContext takeContext() const
    {
        {
            const std::lock_guard lock(mutex);
            if (!idle.empty())
            {
                CompressionContext context = std::move(idle.back());
                idle.pop_back();
                return context;
            }
        }
        return createCompressionContext();
    }

    void giveBack(CompressionContext context) const
    {
        const std::lock_guard lock(mutex);
        idle.push_back(std::move(context));
    }

    int level;
    mutable std::mutex mutex;
    mutable std::vector<CompressionContext> idle;
};

class StreamEncoderZSTD final : public IStreamEncoder
{
public:
    explicit StreamEncoderZSTD(int level) : context(createCompressionContext())
    {
        ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
        /// As the zstd program does: without it a damaged file may go unnoticed.
        ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
    }

    void encode(std::string_view bytes, WriteBuffer & out) override { run(bytes, out, ZSTD_e_continue); }
    void flush(WriteBuffer & out) override { run({}, out, ZSTD_e_flush); }
    void finish(WriteBuffer & out) override { run({}, out, ZSTD_e_end); }

private:
    void run(std::string_view bytes, WriteBuffer & out, ZSTD_EndDirective directive)
    {
        ZSTD_inBuffer from{bytes.data(), bytes.size(), 0};
        while (true)
        {
            out.nextIfAtEnd();
            /// A sink without a window of its own gets its bytes from the stack.
            char scratch[4096];
            const bool in_place = out.available() != 0;
            ZSTD_outBuffer to{in_place ? out.position() : scratch, in_place ? out.available() : sizeof(scratch), 0};
            const size_t left = ZSTD_compressStream2(context.get(), &to, &from, directive);
            if (ZSTD_isError(left))
                throwError(ErrorCodes::CANNOT_COMPRESS, concat("Cannot compress a ZSTD stream: ", ZSTD_getErrorName(left)));
            if (in_place)
                out.position() += to.pos;
            else
                out.write(scratch, to.pos);
            if (from.pos == from.size && (directive == ZSTD_e_continue || left == 0))
                return;
        }
    }

    CompressionContext context;
};

class StreamDecoderZSTD final : public IStreamDecoder
{
public:
    explicit StreamDecoderZSTD(int max_window_log) : context(ZSTD_createDCtx())
    {
        if (!context)
            throwError(ErrorCodes::CANNOT_ALLOCATE_MEMORY, "Cannot allocate a context to decompress ZSTD");
        const size_t result = ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, max_window_log);
        if (ZSTD_isError(result))
            throwError(ErrorCodes::BAD_ARGUMENTS, concat("Bad largest window for ZSTD: 2^", max_window_log));
    }

    Progress decode(std::string_view from, char * to, size_t to_size) noexcept override
    {
        ZSTD_inBuffer input{from.data(), from.size(), 0};
        ZSTD_outBuffer output{to, to_size, 0};
        const size_t left = ZSTD_decompressStream(context.get(), &output, &input);
        if (ZSTD_isError(left))
            return {input.pos, output.pos, ZSTD_getErrorName(left)};
        complete = left == 0;
        return {input.pos, output.pos, {}};
    }

    [[nodiscard]] bool isComplete() const noexcept override { return complete; }

private:
    DecompressionContext context;
    bool complete = false;
};
}

CompressionCodecPtr createCodecZSTD(int level) { return std::make_shared<CodecZSTD>(level); }

void DecompressorZSTD::Deleter::operator()(ZSTD_DCtx_s * context) const noexcept { ZSTD_freeDCtx(context); }

bool DecompressorZSTD::tryDecompress(const char * from, size_t size, char * to, size_t to_size) noexcept
{
    if (!context)
        context.reset(ZSTD_createDCtx());
    if (!context)
        return false;
    const size_t result = ZSTD_decompressDCtx(context.get(), to, to_size, from, size);
    return !ZSTD_isError(result) && result == to_size;
}

bool isPlausibleSizeZSTD(std::string_view payload, UInt64 to_size) noexcept
{
    const unsigned long long content = ZSTD_getFrameContentSize(payload.data(), payload.size());
    if (content == ZSTD_CONTENTSIZE_ERROR)
        return false;
    if (content == to_size)
        return true;
    if (content != ZSTD_CONTENTSIZE_UNKNOWN)
    {
        /// Less is possible when the payload goes on with more frames. No writer does that, but the library reads it.
        const size_t first = ZSTD_findFrameCompressedSize(payload.data(), payload.size());
        if (content > to_size || ZSTD_isError(first) || first >= payload.size())
            return false;
    }
    return to_size <= payload.size() / MIN_ZSTD_BLOCK * MAX_ZSTD_BLOCK;
}

std::unique_ptr<IStreamEncoder> createStreamEncoderZSTD(int level) { return std::make_unique<StreamEncoderZSTD>(level); }

std::unique_ptr<IStreamDecoder> createStreamDecoderZSTD(int max_window_log) { return std::make_unique<StreamDecoderZSTD>(max_window_log); }

}
