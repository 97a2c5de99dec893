#pragma once

#include "../Common/CityHash102.h"
#include "CompressionCodec.h"

#include <string_view>

/** ClickHouse's compressed block, field by field in docs/compressed_frame_format.md:
  *
  *     checksum    16 bytes    CityHash128 1.0.2 of everything behind it, low half first
  *     method       1 byte
  *     compressed   4 bytes    size of method..payload, so at least 9
  *     raw          4 bytes    size of the decompressed data
  *     payload
  */
namespace DB::inline statewire
{

inline constexpr size_t FRAME_CHECKSUM_SIZE = 16;
inline constexpr size_t FRAME_HEADER_SIZE = 9;
inline constexpr size_t FRAME_PREFIX_SIZE = FRAME_CHECKSUM_SIZE + FRAME_HEADER_SIZE;
/// ClickHouse's limit on either size; inclusive.
inline constexpr UInt32 DEFAULT_MAX_FRAME_SIZE = 0x40000000;
/// ClickHouse's default block.
inline constexpr size_t DEFAULT_COMPRESS_BLOCK_SIZE = 1048576;

struct FrameHeader
{
    UInt128Hash checksum;
    UInt8 method = 0;
    UInt32 compressed_size = 0;
    UInt32 decompressed_size = 0;

    [[nodiscard]] size_t payloadSize() const noexcept { return compressed_size - FRAME_HEADER_SIZE; }
};

/// What a reader refuses. The defaults are ClickHouse's.
struct FrameLimits
{
    UInt32 max_compressed_size = DEFAULT_MAX_FRAME_SIZE;
    UInt32 max_decompressed_size = DEFAULT_MAX_FRAME_SIZE;
    /// Blocks up to this many bytes are searched for a single flipped bit when the checksum is wrong (0: none). The search hashes half the
    /// block for every bit, so its cost grows with the square: 64 KiB is seconds, 1 MiB would be many minutes from one damaged byte.
    UInt32 max_bit_flip_search = 65536;
};

/// Decodes the 25 bytes at `prefix` and checks them in ClickHouse's order: method, zero sizes, upper limit, lower limit, decompressed
/// limit. `offset` is the frame's position in the compressed stream, for the error text.
[[nodiscard]] FrameHeader parseFrameHeader(const char * prefix, UInt64 offset, const FrameLimits & limits);

/// Throws CHECKSUM_DOESNT_MATCH unless the header's hash is the one of method..payload. The text names both, high half first, and says
/// which single flipped bit explains the difference (bytes counted from the method), that none does, or that the block is too large to search.
void checkFrame(const FrameHeader & header, std::string_view payload, UInt64 offset, const FrameLimits & limits);

/// Fills in the 25 bytes at `prefix` for a payload that may lie anywhere.
void finishFrame(char * prefix, CompressionMethod method, std::string_view payload, size_t decompressed_size) noexcept;

}
