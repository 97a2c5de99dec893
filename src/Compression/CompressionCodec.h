#pragma once

#include "../base/types.h"

#include <memory>
#include <string>
#include <string_view>

namespace DB::inline statewire
{

/// The method byte of a frame, as ClickHouse numbers them. LZ4HC writes the same payload as LZ4 and shares its byte.
enum class CompressionMethod : UInt8
{
    None = 0x02,
    LZ4 = 0x82,
    ZSTD = 0x90
};

/** Compresses one block. Immutable; threads may share one. */
class ICompressionCodec
{
public:
    virtual ~ICompressionCodec() = default;

    [[nodiscard]] virtual CompressionMethod method() const noexcept = 0;
    /// As createCompressionCodec takes it: "ZSTD(3)".
    [[nodiscard]] virtual std::string description() const = 0;
    /// The most that compress can write for `size` bytes.
    [[nodiscard]] virtual size_t maxCompressedSize(size_t size) const noexcept = 0;
    /// Compresses [from, from + size) to `to`, which has room for maxCompressedSize(size). Returns the compressed size.
    /// CANNOT_COMPRESS on failure.
    virtual size_t compress(const char * from, size_t size, char * to) const = 0;
};

using CompressionCodecPtr = std::shared_ptr<const ICompressionCodec>;

/// From "NONE", "LZ4", "LZ4HC", "LZ4HC(level 1..12)", "ZSTD" (level 1), "ZSTD(level 1..22)", in any case of letters.
/// UNKNOWN_CODEC for another name, BAD_ARGUMENTS for a level outside its range.
[[nodiscard]] CompressionCodecPtr createCompressionCodec(std::string_view description);

/// True for the methods that can be decompressed here.
[[nodiscard]] bool isKnownMethod(UInt8 method_byte) noexcept;

/// Decompresses one payload into exactly `to_size` bytes. Returns false when the payload is not what its method says or gives another size.
/// Never reads outside [from, from + size) and never writes outside [to, to + to_size).
[[nodiscard]] bool tryDecompress(CompressionMethod method, const char * from, size_t size, char * to, size_t to_size) noexcept;

/// The same for many payloads one after another, with a context that is made once.
class DecompressorZSTD;
[[nodiscard]] bool
tryDecompressWith(DecompressorZSTD & zstd, CompressionMethod method, const char * from, size_t size, char * to, size_t to_size) noexcept;

/// False when no payload of `size` bytes can hold `to_size` bytes under this method, so that a lying header is refused before it allocates.
[[nodiscard]] bool isPlausibleSize(CompressionMethod method, std::string_view payload, UInt64 to_size) noexcept;

}
