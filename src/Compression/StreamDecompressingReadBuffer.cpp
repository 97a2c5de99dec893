#include "StreamDecompressingReadBuffer.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

#include <algorithm>

namespace DB::inline statewire
{

StreamDecompressingReadBuffer::StreamDecompressingReadBuffer(
    NestedBuffer<ReadBuffer> in_, StreamFormat format, const StreamOptions & options, size_t buffer_size)
    : ReadBuffer(nullptr, 0), in(std::move(in_)), decoder(createStreamDecoder(format, options))
{
    buffer_size = std::max<size_t>(buffer_size, 1);
    memory = std::make_unique_for_overwrite<char[]>(buffer_size);
    set(memory.get(), buffer_size);
    working_buffer.resize(0);
}

bool StreamDecompressingReadBuffer::nextImpl()
{
    const size_t size = decodeSome(internal_buffer.begin(), internal_buffer.size());
    working_buffer = Buffer{internal_buffer.begin(), internal_buffer.begin() + size};
    return size != 0;
}

std::ptrdiff_t StreamDecompressingReadBuffer::readDirectImpl(char * to, size_t n) { return static_cast<std::ptrdiff_t>(decodeSome(to, n)); }

size_t StreamDecompressingReadBuffer::decodeSome(char * to, size_t n)
{
    while (true)
    {
        const bool at_end = in->eof();
        if (at_end && decoder->isComplete())
            return 0;
        /// At the end the decoder may still hold what did not fit before.
        const IStreamDecoder::Progress progress
            = decoder->decode(at_end ? std::string_view() : std::string_view(in->position(), in->available()), to, n);
        in->position() += progress.consumed;
        if (!progress.error.empty())
            throwError(ErrorCodes::CANNOT_DECOMPRESS, concat("Cannot decompress the stream at byte ", in->count(), ": ", progress.error));
        if (progress.produced != 0)
            return progress.produced;
        if (at_end && !decoder->isComplete())
            throwError(
                ErrorCodes::CANNOT_READ_ALL_DATA,
                concat("Cannot read all data: the compressed stream ends at byte ", in->count(), " inside a frame or without one"));
    }
}

}
