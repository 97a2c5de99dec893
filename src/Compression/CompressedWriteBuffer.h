#pragma once

#include "../IO/NestedBuffer.h"
#include "../IO/WriteBuffer.h"
#include "CompressedFrame.h"

#include <memory>

namespace DB::inline statewire
{

/** Writes ClickHouse's compressed frames into another buffer, one for every `block_size` bytes and one for the rest.
  *
  * The frames depend on the bytes alone (and on where the caller said next or sync), not on how they were cut into writes. A write that
  * covers whole blocks is compressed straight from the caller's memory. The frame is built in place in `out` where it has room.
  * finalize() finishes the last frame and finalizes an owned `out`; a borrowed one stays open. cancel() cancels an owned `out`; a borrowed
  * one is left with whole frames.
  * Errors: BAD_ARGUMENTS for the block size, CANNOT_COMPRESS; what `out` throws, and then this buffer is Canceled like `out`.
  */
class CompressedWriteBuffer final : public WriteBuffer
{
public:
    /// block_size: 1..1 GiB.
    CompressedWriteBuffer(NestedBuffer<WriteBuffer> out_, CompressionCodecPtr codec_, size_t block_size = DEFAULT_COMPRESS_BLOCK_SIZE);
    ~CompressedWriteBuffer() override;

protected:
    void nextImpl() override;
    size_t writeDirectImpl(const char * from, size_t n) override;
    void finalizeImpl() override;
    void cancelImpl() noexcept override;
    void syncImpl() override;

private:
    void writeFrame(const char * from, size_t size);

    NestedBuffer<WriteBuffer> out;
    CompressionCodecPtr codec;
    std::unique_ptr<char[]> memory;
    std::unique_ptr<char[]> frame;
    size_t frame_capacity = 0;
};

/// BAD_ARGUMENTS unless it is 1..1 GiB.
void checkBlockSize(size_t block_size);

}
