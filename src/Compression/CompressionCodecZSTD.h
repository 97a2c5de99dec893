#pragma once

#include "CompressionCodec.h"

namespace DB::inline statewire
{

/// level 1..22. zstd.h is included by the .cpp alone.
[[nodiscard]] CompressionCodecPtr createCodecZSTD(int level);
[[nodiscard]] bool tryDecompressZSTD(const char * from, size_t size, char * to, size_t to_size) noexcept;
/// False when the payload's own header names another content size, or is no header.
[[nodiscard]] bool isPlausibleSizeZSTD(std::string_view payload, UInt64 to_size) noexcept;

}
