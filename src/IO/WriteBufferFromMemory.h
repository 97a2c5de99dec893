#pragma once

#include "WriteBuffer.h"

namespace DB::inline statewire
{

/** Writes into the caller's memory, [to, to + size), and nowhere else.
  *
  * A write past the end throws CANNOT_WRITE_AFTER_END_OF_BUFFER and cancels; what fitted before is in place. next() and sync() leave the
  * bytes where they are. count() is the number of bytes written. The memory must outlive this object.
  */
class WriteBufferFromMemory : public WriteBuffer
{
public:
    WriteBufferFromMemory(char * to, size_t size) noexcept : WriteBuffer(to, size) { }

protected:
    void nextImpl() override
    {
        if (available() == 0)
            WriteBuffer::nextImpl();
        working_buffer.begin_pos = pos;
    }
    void finalizeImpl() override { }
};

}
