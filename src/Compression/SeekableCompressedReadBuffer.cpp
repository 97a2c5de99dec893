#include "SeekableCompressedReadBuffer.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

namespace DB::inline statewire
{

void SeekableCompressedReadBuffer::seek(CompressedPosition position)
{
    bytes += offset();
    working_buffer = Buffer{};
    pos = nullptr;
    if (block.empty() || position.offset_in_file != block_offset)
    {
        forgetPosition();
        file->seek(position.offset_in_file);
        if (position.offset_in_block == 0 || !next())
        {
            if (position.offset_in_block == 0)
                return;
            throwError(
                ErrorCodes::ARGUMENT_OUT_OF_BOUND,
                concat(
                    "Cannot seek to byte ", position.offset_in_block, " of a frame at byte ", position.offset_in_file, ": there is none"));
        }
    }
    if (position.offset_in_block > block.size())
        throwError(
            ErrorCodes::ARGUMENT_OUT_OF_BOUND,
            concat(
                "Cannot seek to byte ",
                position.offset_in_block,
                " of the frame at byte ",
                position.offset_in_file,
                ": it has only ",
                block.size(),
                " decompressed bytes"));
    /// What lies before the position is passed over, not read: it does not count.
    working_buffer = Buffer{block.begin() + position.offset_in_block, block.end()};
    pos = working_buffer.begin();
}

bool SeekableCompressedReadBuffer::isAt(CompressedPosition position) const noexcept
{
    if (!block.empty() && pos == block.end() && position == CompressedPosition{block_offset, block.size()})
        return true;
    return position == getPosition();
}

CompressedPosition SeekableCompressedReadBuffer::getPosition() const noexcept
{
    if (block.empty() || pos == block.end())
        return {nextFrameOffset(), 0};
    return {block_offset, static_cast<UInt64>(pos - block.begin())};
}

}
