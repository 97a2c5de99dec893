#include "WriteBuffer.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <exception>

namespace DB::inline statewire
{

namespace
{
/// Runs on scope exit unless dismissed. Failure paths must hold without `catch`, so that they also hold where exceptions are off.
class CancelUnlessDone
{
public:
    explicit CancelUnlessDone(WriteBuffer & buffer_) noexcept : buffer(&buffer_) { }
    CancelUnlessDone(const CancelUnlessDone &) = delete;
    CancelUnlessDone & operator=(const CancelUnlessDone &) = delete;
    ~CancelUnlessDone()
    {
        if (buffer)
            buffer->cancel();
    }
    void done() noexcept { buffer = nullptr; }

private:
    WriteBuffer * buffer;
};
}

WriteBuffer::WriteBuffer(Position begin, size_t size) noexcept
    : BufferBase(begin, size), exceptions_at_construction(std::uncaught_exceptions())
{
}

void WriteBuffer::closeInDestructor() noexcept
{
    if (state != State::Open)
        return;
    const bool unwinding = std::uncaught_exceptions() > exceptions_at_construction;
    cancel();
    if (unwinding)
        return;
    std::fputs(
        "WriteBuffer is neither finalized nor canceled in its destructor: what was buffered is lost, a file may be missing or cut off\n",
        stderr);
    assert(false && "WriteBuffer is neither finalized nor canceled");
}

void WriteBuffer::next()
{
    requireOpen();
    const size_t buffered = offset();
    if (buffered == 0 && available() != 0)
        return;
    CancelUnlessDone guard(*this);
    nextImpl();
    guard.done();
    bytes += buffered;
    pos = working_buffer.begin();
}

void WriteBuffer::writeSlow(const char * from, size_t n)
{
    requireOpen();
    while (n != 0 && n >= available())
    {
        CancelUnlessDone guard(*this);
        const size_t buffered = offset();
        if (const size_t taken = writeDirectImpl(from, n))
        {
            bytes += buffered + taken;
            direct_bytes += taken;
            pos = working_buffer.begin();
            from += taken;
            n -= taken;
        }
        else
        {
            const size_t chunk = available();
            if (chunk != 0)
                std::memcpy(pos, from, chunk);
            pos += chunk;
            from += chunk;
            n -= chunk;
            /// A buffer that is full by the last byte is flushed when there is more.
            if (n != 0)
            {
                next();
                if (available() == 0)
                    throwFull();
            }
        }
        guard.done();
    }
    if (n != 0)
        std::memcpy(pos, from, n);
    pos += n;
}

void WriteBuffer::finalize()
{
    if (state == State::Finalized)
        return;
    if (state == State::Canceled)
        throwError(ErrorCodes::LOGICAL_ERROR, "Cannot finalize a canceled WriteBuffer");
    CancelUnlessDone guard(*this);
    finalizeImpl();
    guard.done();
    close(State::Finalized);
}

void WriteBuffer::cancel() noexcept
{
    if (state != State::Open)
        return;
    close(State::Canceled);
    cancelImpl();
}

void WriteBuffer::sync()
{
    if (state == State::Canceled)
        requireOpen();
    if (state == State::Open && offset() != 0)
        next();
    /// Canceling a finalized buffer does nothing, so one guard serves both states.
    CancelUnlessDone guard(*this);
    syncImpl();
    guard.done();
}

void WriteBuffer::requireOpen() const
{
    if (state == State::Finalized)
        throwError(ErrorCodes::LOGICAL_ERROR, "Cannot write to a finalized WriteBuffer");
    if (state == State::Canceled)
        throwError(ErrorCodes::CANNOT_WRITE_AFTER_BUFFER_CANCELED, "Cannot write to a canceled WriteBuffer");
}

void WriteBuffer::close(State terminal) noexcept
{
    bytes += offset();
    set(nullptr, 0);
    state = terminal;
}

void WriteBuffer::nextImpl() { throwFull(); }

void WriteBuffer::throwFull() const
{
    throwError(
        ErrorCodes::CANNOT_WRITE_AFTER_END_OF_BUFFER,
        concat("Cannot write after the end of a buffer of ", internal_buffer.size(), " bytes"));
}

size_t WriteBuffer::writeDirectImpl(const char *, size_t) { return 0; }

}
