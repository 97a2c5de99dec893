#pragma once

#include "CompressionCodec.h"

namespace DB::inline statewire
{

/// level 0 is plain LZ4, 1..12 LZ4HC. lz4.h is included by the .cpp alone.
[[nodiscard]] CompressionCodecPtr createCodecLZ4(int level);
[[nodiscard]] bool tryDecompressLZ4(const char * from, size_t size, char * to, size_t to_size) noexcept;

}
