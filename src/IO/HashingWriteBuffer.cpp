#include "HashingWriteBuffer.h"

namespace DB::inline statewire
{

HashingWriteBuffer::HashingWriteBuffer(NestedBuffer<WriteBuffer> out_) : WriteBuffer(nullptr, 0), out(std::move(out_))
{
    expose();
    pos = working_buffer.begin();
}

HashingWriteBuffer::~HashingWriteBuffer() { closeInDestructor(); }

UInt128Hash HashingWriteBuffer::getHash()
{
    if (hashed_until != pos)
        hash.append({hashed_until, static_cast<size_t>(pos - hashed_until)});
    hashed_until = pos;
    return hash.get();
}

void HashingWriteBuffer::handOver()
{
    if (hashed_until != pos)
        hash.append({hashed_until, static_cast<size_t>(pos - hashed_until)});
    out->position() += offset();
}

void HashingWriteBuffer::expose()
{
    working_buffer = Buffer{out->position(), out->position() + out->available()};
    internal_buffer = working_buffer;
    hashed_until = working_buffer.begin();
}

void HashingWriteBuffer::nextImpl()
{
    handOver();
    out->next();
    expose();
}

size_t HashingWriteBuffer::writeDirectImpl(const char * from, size_t n)
{
    handOver();
    hash.append({from, n});
    out->write(from, n);
    expose();
    return n;
}

void HashingWriteBuffer::finalizeImpl()
{
    handOver();
    out.finalizeIfOwned();
    /// Where the cursor will be.
    hashed_until = nullptr;
}

void HashingWriteBuffer::cancelImpl() noexcept
{
    hashed_until = nullptr;
    out.cancelIfOwned();
}

void HashingWriteBuffer::syncImpl()
{
    out->sync();
    if (isFinalized())
        return;
    expose();
    pos = working_buffer.begin();
}

}
