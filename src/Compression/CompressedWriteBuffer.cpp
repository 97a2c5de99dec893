#include "CompressedWriteBuffer.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

namespace DB::inline statewire
{

void checkBlockSize(size_t block_size)
{
    if (block_size == 0 || block_size > DEFAULT_MAX_FRAME_SIZE)
        throwError(ErrorCodes::BAD_ARGUMENTS, concat("Bad block size: expected 1..", DEFAULT_MAX_FRAME_SIZE, " bytes, found ", block_size));
}

CompressedWriteBuffer::CompressedWriteBuffer(NestedBuffer<WriteBuffer> out_, CompressionCodecPtr codec_, size_t block_size)
    : WriteBuffer(nullptr, 0), out(std::move(out_)), codec(std::move(codec_))
{
    checkBlockSize(block_size);
    memory = std::make_unique_for_overwrite<char[]>(block_size);
    set(memory.get(), block_size);
}

CompressedWriteBuffer::~CompressedWriteBuffer() { closeInDestructor(); }

void CompressedWriteBuffer::nextImpl()
{
    if (offset() != 0)
        writeFrame(working_buffer.begin(), offset());
}

size_t CompressedWriteBuffer::writeDirectImpl(const char * from, size_t n)
{
    const size_t block_size = internal_buffer.size();
    if (offset() != 0 || n < block_size)
        return 0;
    size_t taken = 0;
    for (; n - taken >= block_size; taken += block_size)
        writeFrame(from + taken, block_size);
    return taken;
}

void CompressedWriteBuffer::writeFrame(const char * from, size_t size)
{
    if (codec->method() == CompressionMethod::None)
    {
        char prefix[FRAME_PREFIX_SIZE];
        finishFrame(prefix, CompressionMethod::None, {from, size}, size);
        out->write(prefix, sizeof(prefix));
        out->write(from, size);
        return;
    }
    const size_t largest = FRAME_PREFIX_SIZE + codec->maxCompressedSize(size);
    const bool in_place = out->available() >= largest;
    if (!in_place && frame_capacity < largest)
    {
        frame = std::make_unique_for_overwrite<char[]>(largest);
        frame_capacity = largest;
    }
    char * prefix = in_place ? out->position() : frame.get();
    char * payload = prefix + FRAME_PREFIX_SIZE;
    const size_t payload_size = codec->compress(from, size, payload);
    finishFrame(prefix, codec->method(), {payload, payload_size}, size);
    if (in_place)
        out->position() += FRAME_PREFIX_SIZE + payload_size;
    else
        out->write(prefix, FRAME_PREFIX_SIZE + payload_size);
}

void CompressedWriteBuffer::finalizeImpl()
{
    next();
    out.finalizeIfOwned();
}

void CompressedWriteBuffer::cancelImpl() noexcept { out.cancelIfOwned(); }

void CompressedWriteBuffer::syncImpl() { out->sync(); }

}
