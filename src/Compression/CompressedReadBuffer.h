#pragma once

#include "../IO/ReadBuffer.h"
#include "../IO/ZeroCopyReader.h"
#include "CompressedFrame.h"

#include <memory>

namespace DB::inline statewire
{

/** Reads ClickHouse's compressed frames from another buffer; methods may change from frame to frame.
  *
  * Every frame is checked before a byte of it is handed out. A frame that lies in one piece in the nested buffer is used in place, the
  * bytes of a NONE frame are handed out where they are, and readBig decompresses straight into the caller's memory what fits there.
  * The end is legal only between frames. Memory: one decompressed frame, and one compressed frame where it had to be gathered, which
  * grows with the bytes that arrive.
  * Errors: those of parseFrameHeader and checkFrame; CANNOT_DECOMPRESS for a payload that is not what its method says or does not have the
  *     announced size; CANNOT_READ_ALL_DATA for a frame that is cut off. Offsets count compressed bytes.
  */
class CompressedReadBuffer : public ReadBuffer
{
public:
    explicit CompressedReadBuffer(ReadBuffer & in_, FrameLimits limits_ = {}) noexcept
        : ReadBuffer(nullptr, 0), in(in_), reader(in_), limits(limits_)
    {
    }

    /// Bytes decompressed or handed out through this object's own memory, as opposed to the caller's or the nested buffer's.
    [[nodiscard]] UInt64 gatheredBytes() const noexcept { return reader.copiedBytes(); }

protected:
    bool nextImpl() override;
    std::ptrdiff_t readDirectImpl(char * to, size_t n) override;

private:
    /// Reads the next header unless one is waiting; false at the end.
    bool readHeader();
    /// The waiting frame's payload, checked. Valid until the next call on the nested buffer.
    std::string_view readPayload();
    void decompress(std::string_view payload, char * to) const;

    ReadBuffer & in;
    ZeroCopyReader reader;
    FrameLimits limits;
    FrameHeader header;
    UInt64 frame_offset = 0;
    bool header_is_waiting = false;
    std::unique_ptr<char[]> memory;
    size_t memory_size = 0;
};

}
