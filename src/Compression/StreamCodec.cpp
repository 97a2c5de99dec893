#include "StreamCodec.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../base/unaligned.h"
#include "CompressionCodecLZ4.h"
#include "CompressionCodecZSTD.h"

namespace DB::inline statewire
{

namespace
{
constexpr UInt32 ZSTD_MAGIC = 0xfd2fb528;
constexpr UInt32 LZ4_MAGIC = 0x184d2204;
constexpr size_t MAGIC_SIZE = 4;

void checkLevel(int level, int largest, std::string_view name)
{
    if (level < 0 || level > largest)
        throwError(ErrorCodes::BAD_ARGUMENTS, concat("Bad level for ", name, ": expected 1..", largest, ", found ", level));
}
}

std::optional<StreamFormat> streamFormatOfName(std::string_view file_name) noexcept
{
    if (file_name.ends_with(".zst") || file_name.ends_with(".zstd"))
        return StreamFormat::ZSTD;
    if (file_name.ends_with(".lz4"))
        return StreamFormat::LZ4;
    return std::nullopt;
}

std::optional<StreamFormat> streamFormatOfBytes(std::string_view first_bytes) noexcept
{
    if (first_bytes.size() < MAGIC_SIZE)
        return std::nullopt;
    switch (unalignedLoadLittleEndian<UInt32>(first_bytes.data()))
    {
        case ZSTD_MAGIC:
            return StreamFormat::ZSTD;
        case LZ4_MAGIC:
            return StreamFormat::LZ4;
        default:
            return std::nullopt;
    }
}

std::unique_ptr<IStreamEncoder> createStreamEncoder(StreamFormat format, const StreamOptions & options)
{
    if (format == StreamFormat::ZSTD)
    {
        checkLevel(options.level, 22, "ZSTD");
        return createStreamEncoderZSTD(options.level);
    }
    checkLevel(options.level, 12, "LZ4");
    return createStreamEncoderLZ4(options.level);
}

std::unique_ptr<IStreamDecoder> createStreamDecoder(StreamFormat format, const StreamOptions & options)
{
    if (format == StreamFormat::ZSTD)
        return createStreamDecoderZSTD(options.max_window_log);
    return createStreamDecoderLZ4();
}

}
