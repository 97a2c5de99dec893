#pragma once

#include "ReadBuffer.h"

namespace DB::inline statewire
{

/** A source with positions. count() is the position of the cursor, so that positions in error texts stay true after a seek. */
class SeekableReadBuffer : public ReadBuffer
{
public:
    /// Moves the cursor. What is buffered at the new position is not read again; otherwise the next refill starts there.
    /// A position beyond the end: CANNOT_SEEK_THROUGH_FILE where the size is known (memory, mmap), otherwise the end when it is read.
    virtual void seek(UInt64 position) = 0;

protected:
    SeekableReadBuffer(Position begin, size_t size) noexcept : ReadBuffer(begin, size) { }

    /// For sources whose internal_buffer is everything there is.
    void seekInside(UInt64 position);
};

}
