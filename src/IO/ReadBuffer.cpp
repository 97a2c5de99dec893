#include "ReadBuffer.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

#include <algorithm>

namespace DB::inline statewire
{

namespace
{
/// A refill that throws may leave its buffer half set. Failure paths must hold without `catch`, so that they also hold where
/// exceptions are off.
class EmptyUnlessDone
{
public:
    EmptyUnlessDone(BufferBase::Buffer & window_, BufferBase::Position & pos_, bool & failed_) noexcept
        : window(window_), pos(pos_), failed(failed_)
    {
        failed = true;
    }
    EmptyUnlessDone(const EmptyUnlessDone &) = delete;
    EmptyUnlessDone & operator=(const EmptyUnlessDone &) = delete;
    ~EmptyUnlessDone()
    {
        if (failed)
        {
            window = BufferBase::Buffer{};
            pos = nullptr;
        }
    }
    void done() noexcept { failed = false; }

private:
    BufferBase::Buffer & window;
    BufferBase::Position & pos;
    bool & failed;
};
}

void ReadBuffer::requireNotFailed() const
{
    if (failed)
        throwError(ErrorCodes::LOGICAL_ERROR, concat("Cannot read on after a failed read, at byte ", count()));
}

bool ReadBuffer::next()
{
    requireNotFailed();
    bytes += offset();
    pos = working_buffer.end();
    working_buffer.begin_pos = pos;
    EmptyUnlessDone guard(working_buffer, pos, failed);
    const bool refilled = nextImpl();
    guard.done();
    if (!refilled)
    {
        working_buffer = Buffer{working_buffer.end_pos, working_buffer.end_pos};
        pos = working_buffer.begin();
        return false;
    }
    pos = working_buffer.begin();
    return hasPendingData();
}

size_t ReadBuffer::read(char * to, size_t n)
{
    size_t done = 0;
    while (done < n && !eof())
    {
        const size_t chunk = std::min(available(), n - done);
        std::memcpy(to + done, pos, chunk);
        pos += chunk;
        done += chunk;
    }
    return done;
}

size_t ReadBuffer::readBig(char * to, size_t n)
{
    size_t done = std::min(available(), n);
    if (done != 0)
        std::memcpy(to, pos, done);
    pos += done;
    while (n - done >= internal_buffer.size() && n != done)
    {
        requireNotFailed();
        bytes += offset();
        working_buffer.begin_pos = pos;
        EmptyUnlessDone guard(working_buffer, pos, failed);
        const std::ptrdiff_t direct = readDirectImpl(to + done, n - done);
        guard.done();
        if (direct < 0)
            break;
        if (direct == 0)
            return done;
        bytes += static_cast<UInt64>(direct);
        done += static_cast<size_t>(direct);
    }
    return done + read(to + done, n - done);
}

void ReadBuffer::readStrict(char * to, size_t n)
{
    const UInt64 start = count();
    const size_t done = readBig(to, n);
    if (done != n)
        throwError(
            ErrorCodes::CANNOT_READ_ALL_DATA,
            concat("Cannot read all data at byte ", start, ". Bytes read: ", done, ". Bytes expected: ", n, "."));
}

void ReadBuffer::readStrict(char & byte)
{
    if (eof())
        throwError(
            ErrorCodes::CANNOT_READ_ALL_DATA, concat("Cannot read all data at byte ", count(), ". Bytes read: 0. Bytes expected: 1."));
    byte = *pos++;
}

bool ReadBuffer::peek(char & byte)
{
    if (eof())
        return false;
    byte = *pos;
    return true;
}

void ReadBuffer::ignore(UInt64 n)
{
    const UInt64 start = count();
    const UInt64 done = tryIgnore(n);
    if (done != n)
        throwError(
            ErrorCodes::ATTEMPT_TO_READ_AFTER_EOF,
            concat("Attempt to read after the end: ", n, " bytes to pass at byte ", start, ", only ", done, " are there"));
}

UInt64 ReadBuffer::tryIgnore(UInt64 n)
{
    UInt64 done = 0;
    while (done < n && !eof())
    {
        const UInt64 chunk = std::min<UInt64>(available(), n - done);
        pos += chunk;
        done += chunk;
    }
    return done;
}

std::ptrdiff_t ReadBuffer::readDirectImpl(char *, size_t) { return -1; }

}
