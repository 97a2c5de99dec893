#include "StreamCompressingWriteBuffer.h"

namespace DB::inline statewire
{

StreamCompressingWriteBuffer::StreamCompressingWriteBuffer(
    NestedBuffer<WriteBuffer> out_, StreamFormat format, const StreamOptions & options, size_t buffer_size)
    : WriteBuffer(nullptr, 0),
      out(std::move(out_)),
      encoder(createStreamEncoder(format, options)),
      memory(std::make_unique_for_overwrite<char[]>(buffer_size))
{
    set(memory.get(), buffer_size);
}

StreamCompressingWriteBuffer::~StreamCompressingWriteBuffer() { closeInDestructor(); }

void StreamCompressingWriteBuffer::nextImpl()
{
    if (offset() != 0)
        encoder->encode({working_buffer.begin(), offset()}, *out);
}

size_t StreamCompressingWriteBuffer::writeDirectImpl(const char * from, size_t n)
{
    if (n < internal_buffer.size())
        return 0;
    nextImpl();
    encoder->encode({from, n}, *out);
    return n;
}

void StreamCompressingWriteBuffer::finalizeImpl()
{
    next();
    encoder->finish(*out);
    out.finalizeIfOwned();
}

void StreamCompressingWriteBuffer::cancelImpl() noexcept { out.cancelIfOwned(); }

void StreamCompressingWriteBuffer::syncImpl()
{
    if (!isFinalized())
        encoder->flush(*out);
    out->sync();
}

}
