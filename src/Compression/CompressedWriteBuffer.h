#pragma once

#include "../IO/WriteBuffer.h"
#include "CompressedFrame.h"

#include <memory>

namespace DB::inline statewire
{

/** Writes ClickHouse's compressed frames into another buffer, one for every `block_size` bytes and one for the rest.
  *
  * The frames depend on the bytes alone, not on how the caller cut them into writes. A write that covers whole blocks is compressed
  * straight from the caller's memory. The frame is built in place in `out` where it has room.
  * finalize() finishes the last frame and leaves `out` open: it belongs to the caller. Canceling leaves `out` as it is, with whole frames.
  */
class CompressedWriteBuffer : public WriteBuffer
{
public:
    /// block_size: 1..1 GiB.
    CompressedWriteBuffer(WriteBuffer & out_, CompressionCodecPtr codec_, size_t block_size = DEFAULT_COMPRESS_BLOCK_SIZE);

protected:
    void nextImpl() override;
    size_t writeDirectImpl(const char * from, size_t n) override;

private:
    void writeFrame(const char * from, size_t size);

    WriteBuffer & out;
    CompressionCodecPtr codec;
    std::unique_ptr<char[]> memory;
    std::unique_ptr<char[]> frame;
    size_t frame_capacity = 0;
};

}
