#pragma once

#include "../IO/NestedBuffer.h"
#include "StreamCodec.h"

namespace DB::inline statewire
{

/** Writes a .zst or .lz4 file: one standard frame with a checksum of its content, that every tool opens.
  *
  * A write at least as large as the buffer is compressed from the caller's memory. sync() ends a block, so that a reader gets everything
  * written so far. finalize() ends the frame (also an empty one) and finalizes an owned nested buffer; a borrowed one stays open.
  * Errors: BAD_ARGUMENTS for the level, CANNOT_COMPRESS; what the nested buffer throws.
  */
class StreamCompressingWriteBuffer final : public WriteBuffer
{
public:
    static constexpr size_t DEFAULT_SIZE = 65536;

    StreamCompressingWriteBuffer(
        NestedBuffer<WriteBuffer> out_, StreamFormat format, const StreamOptions & options = {}, size_t buffer_size = DEFAULT_SIZE);
    ~StreamCompressingWriteBuffer() override;

protected:
    void nextImpl() override;
    size_t writeDirectImpl(const char * from, size_t n) override;
    void finalizeImpl() override;
    void cancelImpl() noexcept override;
    void syncImpl() override;

private:
    NestedBuffer<WriteBuffer> out;
    std::unique_ptr<IStreamEncoder> encoder;
    std::unique_ptr<char[]> memory;
};

}
