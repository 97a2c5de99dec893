#pragma once

#include "../IO/NestedBuffer.h"
#include "../IO/ReadBuffer.h"
#include "../IO/ZeroCopyReader.h"
#include "CompressedFrame.h"
#include "CompressionCodecZSTD.h"

#include <memory>

namespace DB::inline statewire
{

/** Reads ClickHouse's compressed frames from another buffer; methods may change from frame to frame.
  *
  * Every frame is checked before a byte of it is handed out. A frame that lies in one piece in the nested buffer is used in place, the
  * bytes of a NONE frame are handed out where they are, and readBig decompresses straight into the caller's memory what fits there.
  * The end is legal only between frames. Memory: one decompressed frame, and one compressed frame where it had to be gathered, which
  * grows with the bytes that arrive: within twice the limits.
  * The nested buffer is owned or borrowed, by constructor. A borrowed one stands behind the last frame that was read, or behind the header
  * of the next one.
  * Errors: those of parseFrameHeader and checkFrame; CANNOT_DECOMPRESS for a payload that is not what its method says or does not have the
  *     announced size; CANNOT_READ_ALL_DATA for a frame that is cut off. Offsets count compressed bytes.
  */
class CompressedReadBuffer : public ReadBuffer
{
public:
    explicit CompressedReadBuffer(NestedBuffer<ReadBuffer> in_, FrameLimits limits_ = {}) noexcept
        : ReadBuffer(nullptr, 0), in(std::move(in_)), reader(*in), limits(limits_)
    {
    }

    /// Bytes of compressed frames that did not lie in one piece in the nested buffer and were copied together.
    [[nodiscard]] UInt64 gatheredBytes() const noexcept { return reader.copiedBytes(); }
    /// Bytes that were decompressed into this object's own memory, as opposed to the caller's.
    [[nodiscard]] UInt64 bufferedBytes() const noexcept { return buffered; }

protected:
    bool nextImpl() override;
    std::ptrdiff_t readDirectImpl(char * to, size_t n) override;

    /// The frame whose bytes are in the working buffer, and where that began: none when `block` is empty.
    UInt64 block_offset = 0;
    Buffer block;
    /// Drops what is known about the position in the nested buffer.
    void forgetPosition() noexcept;
    /// Where the next frame begins.
    [[nodiscard]] UInt64 nextFrameOffset() const noexcept { return header_is_waiting ? frame_offset : in->count(); }

private:
    /// Reads the next header unless one is waiting; false at the end.
    bool readHeader();
    /// The waiting frame's payload, checked. Valid until the next call on the nested buffer.
    std::string_view readPayload();
    void decompress(std::string_view payload, char * to);
    [[noreturn]] void throwCannotDecompress(size_t payload_size) const;

    NestedBuffer<ReadBuffer> in;
    ZeroCopyReader reader;
    FrameLimits limits;
    FrameHeader header;
    UInt64 frame_offset = 0;
    bool header_is_waiting = false;
    DecompressorZSTD zstd;
    std::unique_ptr<char[]> memory;
    size_t memory_size = 0;
    UInt64 buffered = 0;
};

}
