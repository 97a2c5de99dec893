#pragma once

#include "CompressionCodec.h"
#include "StreamCodec.h"

namespace DB::inline statewire
{

/// level 0 is plain LZ4, 1..12 LZ4HC. lz4.h, lz4hc.h and lz4frame.h are included by the .cpp alone.
[[nodiscard]] CompressionCodecPtr createCodecLZ4(int level);
[[nodiscard]] bool tryDecompressLZ4(const char * from, size_t size, char * to, size_t to_size) noexcept;

[[nodiscard]] std::unique_ptr<IStreamEncoder> createStreamEncoderLZ4(int level);
[[nodiscard]] std::unique_ptr<IStreamDecoder> createStreamDecoderLZ4();

}
