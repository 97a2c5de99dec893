#include "CompressionCodecLZ4.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

#include <lz4.h>
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
            : level == 0                            ? LZ4_compress_default(from, to, from_size, to_size)
                                                    : LZ4_compress_HC(from, to, from_size, to_size, level);
        if (result <= 0)
            throwError(ErrorCodes::CANNOT_COMPRESS, concat("Cannot compress a block of ", size, " bytes with ", description()));
        return static_cast<size_t>(result);
    }

private:
    int level;
};
}

CompressionCodecPtr createCodecLZ4(int level)
{
    return std::make_shared<CodecLZ4>(level);
}

bool tryDecompressLZ4(const char * from, size_t size, char * to, size_t to_size) noexcept
{
    if (size > LZ4_MAX_INPUT_SIZE || to_size > LZ4_MAX_INPUT_SIZE)
        return false;
    const int result = LZ4_decompress_safe(from, to, static_cast<int>(size), static_cast<int>(to_size));
    return result >= 0 && static_cast<size_t>(result) == to_size;
}

}
