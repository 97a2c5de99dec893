#pragma once

#include "../IO/WriteBuffer.h"

#include <memory>
#include <optional>
#include <string_view>

/** The formats that other tools write and open: plain .zst and .lz4 files (RFC 8878, the LZ4 frame format), not ClickHouse's frames.
  * Users see StreamCompressingWriteBuffer and StreamDecompressingReadBuffer; what is here is the seam to the two libraries.
  */
namespace DB::inline statewire
{

enum class StreamFormat : UInt8
{
    ZSTD,
    LZ4
};

/// By the name's end: .zst or .zstd, .lz4. Nothing for other names.
[[nodiscard]] std::optional<StreamFormat> streamFormatOfName(std::string_view file_name) noexcept;
/// By the magic number that a file begins with.
[[nodiscard]] std::optional<StreamFormat> streamFormatOfBytes(std::string_view first_bytes) noexcept;

struct StreamOptions
{
    /// 0 is the library's own default: 3 for ZSTD (1..22), the fast one for LZ4 (1..12, from 3 on the high-compression one).
    int level = 0;
    /// Decompressing ZSTD takes a window of at most 2^this bytes. 27 is what the zstd program takes; more is refused, not allocated.
    int max_window_log = 27;
};

/// Appends what it makes of the given bytes to `out`, which may be less, later. CANNOT_COMPRESS on failure.
class IStreamEncoder
{
public:
    virtual ~IStreamEncoder() = default;
    virtual void encode(std::string_view bytes, WriteBuffer & out) = 0;
    /// Makes everything encoded so far readable.
    virtual void flush(WriteBuffer & out) = 0;
    /// Ends the stream. Called once, last.
    virtual void finish(WriteBuffer & out) = 0;
};

class IStreamDecoder
{
public:
    struct Progress
    {
        size_t consumed = 0;
        size_t produced = 0;
        /// The library's text; empty when all went well.
        std::string_view error;
    };

    virtual ~IStreamDecoder() = default;
    /// Decodes some bytes. Without progress it needs more input.
    [[nodiscard]] virtual Progress decode(std::string_view from, char * to, size_t to_size) noexcept = 0;
    /// True when at least one frame was read and the last one is complete: the only places where a stream may end.
    [[nodiscard]] virtual bool isComplete() const noexcept = 0;
};

[[nodiscard]] std::unique_ptr<IStreamEncoder> createStreamEncoder(StreamFormat format, const StreamOptions & options);
[[nodiscard]] std::unique_ptr<IStreamDecoder> createStreamDecoder(StreamFormat format, const StreamOptions & options);

}
