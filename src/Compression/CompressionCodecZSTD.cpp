#include "CompressionCodecZSTD.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

#include <zstd.h>

namespace DB::inline statewire
{

namespace
{
class CodecZSTD final : public ICompressionCodec
{
public:
    explicit CodecZSTD(int level_) noexcept : level(level_) { }

    [[nodiscard]] CompressionMethod method() const noexcept override { return CompressionMethod::ZSTD; }
    [[nodiscard]] std::string description() const override { return concat("ZSTD(", level, ')'); }
    [[nodiscard]] size_t maxCompressedSize(size_t size) const noexcept override { return ZSTD_compressBound(size); }

    size_t compress(const char * from, size_t size, char * to) const override
    {
        const size_t result = ZSTD_compress(to, maxCompressedSize(size), from, size, level);
        if (ZSTD_isError(result))
            throwError(
                ErrorCodes::CANNOT_COMPRESS,
                concat("Cannot compress a block of ", size, " bytes with ", description(), ": ", ZSTD_getErrorName(result)));
        return result;
    }

private:
    int level;
};
}

CompressionCodecPtr createCodecZSTD(int level)
{
    return std::make_shared<CodecZSTD>(level);
}

bool tryDecompressZSTD(const char * from, size_t size, char * to, size_t to_size) noexcept
{
    const size_t result = ZSTD_decompress(to, to_size, from, size);
    return !ZSTD_isError(result) && result == to_size;
}

bool isPlausibleSizeZSTD(std::string_view payload, UInt64 to_size) noexcept
{
    const unsigned long long content = ZSTD_getFrameContentSize(payload.data(), payload.size());
    if (content == ZSTD_CONTENTSIZE_ERROR)
        return false;
    return content == ZSTD_CONTENTSIZE_UNKNOWN || content == to_size;
}

}
