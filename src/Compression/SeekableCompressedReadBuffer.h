#pragma once

#include "../IO/SeekableReadBuffer.h"
#include "CompressedReadBuffer.h"

namespace DB::inline statewire
{

/// A place in a compressed file, as ClickHouse's marks give it: where the frame begins in the file, and how far into its decompressed
/// bytes.
struct CompressedPosition
{
    UInt64 offset_in_file = 0;
    UInt64 offset_in_block = 0;

    bool operator==(const CompressedPosition &) const = default;
};

/** Reads the frames of a seekable source from any position. count() goes on counting the bytes passed; a seek passes none.
  *
  * A seek inside the frame that was read last costs nothing; otherwise one frame is read and decompressed.
  */
class SeekableCompressedReadBuffer final : public CompressedReadBuffer
{
public:
    explicit SeekableCompressedReadBuffer(SeekableReadBuffer & in_, FrameLimits limits_ = {}) noexcept
        : CompressedReadBuffer(in_, limits_), file(&in_)
    {
    }
    explicit SeekableCompressedReadBuffer(std::unique_ptr<SeekableReadBuffer> in_, FrameLimits limits_ = {}) noexcept
        : SeekableCompressedReadBuffer(in_.get(), std::move(in_), limits_)
    {
    }

    /// offset_in_block is at most the block's size (ARGUMENT_OUT_OF_BOUND); at the end of the file it is 0.
    /// Otherwise the errors of reading; after any the position is somewhere else, and another seek may be tried where the source allows.
    void seek(CompressedPosition position);
    /// Where the next byte comes from. At the end of a block that is the next frame.
    [[nodiscard]] CompressedPosition getPosition() const noexcept;
    /// Whether that is the place where the next byte comes from. The end of a block and the begin of the next are the same place.
    [[nodiscard]] bool isAt(CompressedPosition position) const noexcept;

private:
    SeekableCompressedReadBuffer(SeekableReadBuffer * file_, std::unique_ptr<SeekableReadBuffer> && owned, FrameLimits limits_) noexcept
        : CompressedReadBuffer(std::move(owned), limits_), file(file_)
    {
    }

    SeekableReadBuffer * file;
};

}
