#include "HashingReadBuffer.h"

namespace DB::inline statewire
{

HashingReadBuffer::HashingReadBuffer(NestedBuffer<ReadBuffer> in_) : ReadBuffer(nullptr, 0), in(std::move(in_))
{
    if (in->hasPendingData())
    {
        expose();
        pos = working_buffer.begin();
    }
}

HashingReadBuffer::~HashingReadBuffer() { handBack(); }

UInt128Hash HashingReadBuffer::getHash()
{
    if (exposed && hashed_until != pos)
    {
        hash.append({hashed_until, static_cast<size_t>(pos - hashed_until)});
        hashed_until = pos;
    }
    return hash.get();
}

void HashingReadBuffer::handBack() noexcept
{
    if (!exposed || !pos)
        return;
    if (hashed_until != pos)
        hash.append({hashed_until, static_cast<size_t>(pos - hashed_until)});
    in->position() = pos;
    exposed = false;
}

void HashingReadBuffer::expose()
{
    working_buffer = Buffer{in->position(), in->position() + in->available()};
    hashed_until = working_buffer.begin();
    exposed = true;
}

bool HashingReadBuffer::nextImpl()
{
    handBack();
    if (in->eof())
        return false;
    expose();
    return true;
}

std::ptrdiff_t HashingReadBuffer::readDirectImpl(char * to, size_t n)
{
    if (n < getDirectSize(in->buffer().size()))
        return -1;
    handBack();
    const size_t done = in->readBig(to, n);
    hash.append({to, done});
    return static_cast<std::ptrdiff_t>(done);
}

}
