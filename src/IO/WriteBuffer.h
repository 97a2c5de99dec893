#pragma once

#include "BufferBase.h"

#include <cstring>

namespace DB::inline statewire
{

/** A sink of bytes. A resource: neither copied nor moved.
  *
  * States
  *     Open        the only state in which bytes are taken.
  *     Finalized   after finalize(): everything reached the device. Terminal.
  *     Canceled    after cancel(), or after any call that failed: what was buffered is dropped and never tried again. Terminal.
  *
  * Calls                   Open                                   Finalized                    Canceled
  *     write, next         takes the bytes / hands the buffer on  throws LOGICAL_ERROR         throws CANNOT_WRITE_AFTER_BUFFER_CANCELED
  *     sync                next(), then durable                   durable                      throws CANNOT_WRITE_AFTER_BUFFER_CANCELED
  *     finalize            -> Finalized                           nothing                      throws LOGICAL_ERROR
  *     cancel              -> Canceled                            nothing                      nothing
  *     count               bytes taken so far                     bytes written                bytes taken before the failure
  *     destructor          silent while an exception unwinds (as cancel), otherwise an assertion in debug builds, a logged error in release
  *
  * The whole table, and what each class adds to it, is docs/buffer_contract.md, which the tests read.
  * The destructor never flushes. position() and available() let a caller write in place; next() may leave less room than asked for.
  * Invalidated by next, write, finalize and cancel: every pointer into the working buffer.
  * Errors: DB::Exception; whatever a flush, a sync or finalize throws leaves the buffer Canceled.
  * Threads: one at a time.
  */
class WriteBuffer : public BufferBase
{
public:
    virtual ~WriteBuffer() { closeInDestructor(); }

    /// Appends n bytes. Small ones are copied into the buffer; a run at least as long as the buffer goes to the device without passing
    /// through it.
    void write(const char * from, size_t n)
    {
        /// What would fill the buffer to the brim is not for it: an empty buffer must not copy a write of its own size. No bytes at all in
        /// a closed buffer, which has no room, take the slow path, which knows the state.
        if (n < available()) [[likely]]
        {
            if (n != 0)
                std::memcpy(pos, from, n);
            pos += n;
            return;
        }
        writeSlow(from, n);
    }

    void write(char byte)
    {
        if (available() == 0) [[unlikely]]
        {
            writeSlow(&byte, 1);
            return;
        }
        *pos++ = byte;
    }

    /// Hands the buffered bytes to the device and makes room. Room may still be 0 afterwards only for a buffer that is full for good.
    void next();
    void nextIfAtEnd()
    {
        if (available() == 0)
            next();
    }

    /// Flushes everything and closes. Call it exactly where success is known.
    void finalize();
    /// Drops what is buffered and closes without finishing. Never throws.
    void cancel() noexcept;
    /// Makes what was written so far durable, where the device knows durability; elsewhere it is next().
    void sync();

    [[nodiscard]] bool isFinalized() const noexcept { return state == State::Finalized; }
    [[nodiscard]] bool isCanceled() const noexcept { return state == State::Canceled; }

    /// Bytes that were moved through this object's own buffer, as opposed to handed to the device from the caller's memory.
    [[nodiscard]] UInt64 copiedBytes() const noexcept { return count() - direct_bytes; }

protected:
    WriteBuffer(Position begin, size_t size) noexcept;

    /// Disposes of [working_buffer.begin, pos) and sets working_buffer for what comes next; the caller resets pos and count.
    /// The default, for memory that cannot grow, throws CANNOT_WRITE_AFTER_END_OF_BUFFER.
    virtual void nextImpl();
    /// Offered n >= available() bytes in the caller's memory. Takes 0 < k <= n of them straight to the device, after what is buffered, and
    /// returns k; the caller resets pos and count. Returns 0, having done nothing, to let them be copied piece by piece.
    virtual size_t writeDirectImpl(const char * from, size_t n);
    /// The default flushes. Runs once, only from the Open state.
    virtual void finalizeImpl() { next(); }
    virtual void cancelImpl() noexcept { }
    /// What is buffered was handed on before. Runs in the Open and in the Finalized state.
    virtual void syncImpl() { }
    /// For the destructor of a subclass whose cancelImpl has something to release: cancels an open buffer, and says so loudly
    /// unless an exception is unwinding.
    void closeInDestructor() noexcept;

private:
    enum class State : UInt8
    {
        Open,
        Finalized,
        Canceled
    };

    void writeSlow(const char * from, size_t n);
    [[noreturn]] void throwFull() const;
    void requireOpen() const;
    /// Ends in a terminal state: no room is left, so that the inline fast paths fall through to the check.
    void close(State terminal) noexcept;

    UInt64 direct_bytes = 0;
    int exceptions_at_construction;
    State state = State::Open;
};

}
