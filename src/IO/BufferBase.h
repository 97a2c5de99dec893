#pragma once

#include "../base/types.h"

namespace DB::inline statewire
{

/** What readers and writers share: a window onto bytes and a cursor in it.
  *
  *      internal_buffer      [.............................................]   the whole memory
  *      working_buffer       [===================================]             its valid part (read: bytes present, write: room)
  *      pos                                  ^                                 the cursor, begin <= pos <= end of working_buffer
  *      count() = bytes + offset()                                             bytes passed since construction
  *
  * Exactly one virtual call is made per refill or flush; everything else is inline.
  */
class BufferBase
{
public:
    using Position = char *;

    struct Buffer
    {
        Position begin_pos = nullptr;
        Position end_pos = nullptr;

        [[nodiscard]] Position begin() const noexcept { return begin_pos; }
        [[nodiscard]] Position end() const noexcept { return end_pos; }
        [[nodiscard]] size_t size() const noexcept { return static_cast<size_t>(end_pos - begin_pos); }
        [[nodiscard]] bool empty() const noexcept { return begin_pos == end_pos; }
        void resize(size_t size) noexcept { end_pos = begin_pos + size; }
    };

    BufferBase(const BufferBase &) = delete;
    BufferBase & operator=(const BufferBase &) = delete;
    BufferBase(BufferBase &&) = delete;
    BufferBase & operator=(BufferBase &&) = delete;

    /// The cursor. Callers that read or write in place move it themselves, never past the working buffer's end.
    [[nodiscard]] Position & position() noexcept { return pos; }
    /// Bytes (read) or room (write) between the cursor and the end of the working buffer.
    [[nodiscard]] size_t available() const noexcept { return static_cast<size_t>(working_buffer.end_pos - pos); }
    [[nodiscard]] bool hasPendingData() const noexcept { return pos != working_buffer.end_pos; }
    /// The cursor's distance from the start of the working buffer.
    [[nodiscard]] size_t offset() const noexcept { return static_cast<size_t>(pos - working_buffer.begin_pos); }
    /// Bytes read or written through this object since its construction.
    [[nodiscard]] UInt64 count() const noexcept { return bytes + offset(); }
    [[nodiscard]] Buffer & buffer() noexcept { return working_buffer; }

protected:
    BufferBase(Position begin, size_t size) noexcept : internal_buffer{begin, begin + size}, working_buffer{begin, begin + size}, pos(begin)
    {
    }
    ~BufferBase() = default;

    /// Both buffers become [begin, begin + size), the cursor its start. `bytes` is the caller's to keep right.
    void set(Position begin, size_t size) noexcept
    {
        internal_buffer = Buffer{begin, begin + size};
        working_buffer = internal_buffer;
        pos = begin;
    }

    Buffer internal_buffer;
    Buffer working_buffer;
    Position pos;
    /// Bytes passed before the current working buffer.
    UInt64 bytes = 0;
};

}
