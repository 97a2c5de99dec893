#pragma once

#include "BufferBase.h"

#include <cstring>

namespace DB::inline statewire
{

/** A source of bytes. A resource: neither copied nor moved.
  *
  * States
  *     Open        bytes may come.
  *     Failed      a refill threw. Nothing is buffered any more, and every later refill throws LOGICAL_ERROR: the device is not
  *                 asked again.
  *
  * Calls                   bytes left                         at the end                              refill fails
  *     eof                 false; may refill                  true                                    throws
  *     next                refills, true                      false, nothing changes                  throws
  *     read                1..n bytes copied                  0                                       throws
  *     readStrict          n bytes copied                     throws CANNOT_READ_ALL_DATA             throws
  *     ignore              n bytes passed                     throws ATTEMPT_TO_READ_AFTER_EOF        throws
  *     peek                true and the byte                  false                                   throws
  *     readBig             as read, but bytes that do not fit the buffer go straight to the caller's memory
  *
  * The whole table, and what each class adds to it, is docs/buffer_contract.md, which the tests read.
  * position() and available() let a caller read in place. eof() has the side effect of refilling.
  * Invalidated by eof, next, read*, ignore and peek whenever they refill: every pointer into the working buffer. Sources for which
  * isStable() answers true never relocate: their bytes stay where they are as long as the memory given to them does.
  * Threads: one at a time.
  */
class ReadBuffer : public BufferBase
{
public:
    virtual ~ReadBuffer() = default;

    /// Refills. Requires that nothing is pending; false at the end.
    bool next();
    [[nodiscard]] bool eof() { return !hasPendingData() && !next(); }

    /// Copies up to n bytes; short only at the end.
    [[nodiscard]] size_t read(char * to, size_t n);
    void readStrict(char * to, size_t n);
    /// The same for one byte.
    void readStrict(char & byte);
    [[nodiscard]] bool peek(char & byte);
    void ignore(UInt64 n);
    /// Passes up to n bytes and returns how many.
    UInt64 tryIgnore(UInt64 n);
    /// Copies up to n bytes, past the buffer where that saves a copy.
    [[nodiscard]] size_t readBig(char * to, size_t n);

    /// True when the bytes of the working buffer never move while the memory given to this source lives.
    [[nodiscard]] virtual bool isStable() const noexcept { return false; }

protected:
    ReadBuffer(Position begin, size_t size) noexcept : BufferBase(begin, size) { }

    /// Sets working_buffer to at least one new byte and returns true, or returns false at the end. Touches neither pos nor count.
    virtual bool nextImpl() { return false; }
    /// Reads 1..n bytes straight into the caller's memory, or 0 at the end. Called with nothing pending and n at least as large as
    /// internal_buffer. Returns -1, having handed out nothing, to let the caller go through the buffer.
    virtual std::ptrdiff_t readDirectImpl(char * to, size_t n);

    /// For decorators that hand out a nested buffer's memory: reads that are no longer than what it holds at once, or than a page, are
    /// better served from there, because the next one then needs no call.
    [[nodiscard]] static size_t getDirectSize(size_t nested_size) noexcept { return nested_size < 4096 ? 4096 : nested_size; }

private:
    void requireNotFailed() const;

    bool failed = false;
};

}
