#pragma once

#include "CompressionCodec.h"
#include "StreamCodec.h"

/// As zstd.h declares it.
struct ZSTD_DCtx_s;

namespace DB::inline statewire
{

/// level 1..22. zstd.h is included by the .cpp alone.
[[nodiscard]] CompressionCodecPtr createCodecZSTD(int level);
/// False when the payload's own header names a content size that does not fit, or is no header, or when so few bytes cannot hold so many.
[[nodiscard]] bool isPlausibleSizeZSTD(std::string_view payload, UInt64 to_size) noexcept;

/// Decompresses payloads one after another with one context. No window is allocated: the output is the window.
class DecompressorZSTD
{
public:
    DecompressorZSTD() noexcept = default;
    ~DecompressorZSTD() = default;
    DecompressorZSTD(const DecompressorZSTD &) = delete;
    DecompressorZSTD & operator=(const DecompressorZSTD &) = delete;

    /// False when the payload is not sound or gives another size, or when there is no memory for the context.
    [[nodiscard]] bool tryDecompress(const char * from, size_t size, char * to, size_t to_size) noexcept;

private:
    struct Deleter
    {
        void operator()(ZSTD_DCtx_s * context) const noexcept;
    };
    std::unique_ptr<ZSTD_DCtx_s, Deleter> context;
};

[[nodiscard]] std::unique_ptr<IStreamEncoder> createStreamEncoderZSTD(int level);
[[nodiscard]] std::unique_ptr<IStreamDecoder> createStreamDecoderZSTD(int max_window_log);

}
