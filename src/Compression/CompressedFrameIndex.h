#pragma once

#include "../IO/SeekableReadBuffer.h"
#include "CompressedFrame.h"
#include "SeekableCompressedReadBuffer.h"

#include <span>
#include <vector>

namespace DB::inline statewire
{

struct FrameIndexEntry
{
    /// Of the frame's first byte, its checksum.
    UInt64 offset_in_file = 0;
    /// Of the frame's first byte in the decompressed stream.
    UInt64 offset_decompressed = 0;
    UInt32 compressed_size = 0;
    UInt32 decompressed_size = 0;
    UInt8 method = 0;
};

/** Where the frames of a compressed file are, found by walking their headers: no payload is read, nothing is decompressed, and checksums
  * are not verified. Of each frame the header and the last byte are touched, the latter to know that the file is not cut off; give the
  * source a small buffer, or map it.
  */
class CompressedFrameIndex
{
public:
    /// Walks from the source's position to its end. Errors: those of parseFrameHeader, CANNOT_READ_ALL_DATA for a file that is cut off.
    [[nodiscard]] static CompressedFrameIndex build(SeekableReadBuffer & in, const FrameLimits & limits = {});

    [[nodiscard]] std::span<const FrameIndexEntry> frames() const noexcept { return entries; }
    [[nodiscard]] UInt64 decompressedSize() const noexcept { return total; }
    /// Where a byte of the decompressed stream is, for SeekableCompressedReadBuffer. ARGUMENT_OUT_OF_BOUND behind the end.
    [[nodiscard]] CompressedPosition find(UInt64 offset_decompressed) const;

private:
    std::vector<FrameIndexEntry> entries;
    UInt64 end_of_file = 0;
    UInt64 total = 0;
};

}
