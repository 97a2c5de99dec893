#include "CompressedReadBuffer.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

namespace DB::inline statewire
{

bool CompressedReadBuffer::nextImpl()
{
    if (!readHeader())
        return false;
    const std::string_view payload = readPayload();
    header_is_waiting = false;
    if (header.method == static_cast<UInt8>(CompressionMethod::None))
    {
        if (payload.size() != header.decompressed_size)
            decompress(payload, nullptr);
        working_buffer = Buffer{const_cast<char *>(payload.data()), const_cast<char *>(payload.data()) + payload.size()};
        return true;
    }
    if (!isPlausibleSize(static_cast<CompressionMethod>(header.method), payload, header.decompressed_size))
        decompress(payload, nullptr);
    if (memory_size < header.decompressed_size)
    {
        memory.reset();
        memory_size = 0;
        memory = std::make_unique_for_overwrite<char[]>(header.decompressed_size);
        memory_size = header.decompressed_size;
    }
    decompress(payload, memory.get());
    working_buffer = Buffer{memory.get(), memory.get() + header.decompressed_size};
    return true;
}

std::ptrdiff_t CompressedReadBuffer::readDirectImpl(char * to, size_t n)
{
    if (!readHeader())
        return 0;
    if (header.decompressed_size > n)
        return -1;
    const std::string_view payload = readPayload();
    header_is_waiting = false;
    decompress(payload, to);
    return static_cast<std::ptrdiff_t>(header.decompressed_size);
}

bool CompressedReadBuffer::readHeader()
{
    if (header_is_waiting)
        return true;
    if (in.eof())
        return false;
    frame_offset = in.count();
    header = parseFrameHeader(reader.borrow(FRAME_PREFIX_SIZE).data(), frame_offset, limits);
    header_is_waiting = true;
    return true;
}

std::string_view CompressedReadBuffer::readPayload()
{
    const std::string_view payload = reader.borrow(header.payloadSize());
    checkFrame(header, payload, frame_offset, limits);
    return payload;
}

void CompressedReadBuffer::decompress(std::string_view payload, char * to) const
{
    if (to && tryDecompress(static_cast<CompressionMethod>(header.method), payload.data(), payload.size(), to, header.decompressed_size))
        return;
    throwError(
        ErrorCodes::CANNOT_DECOMPRESS,
        concat(
            "Cannot decompress the frame at byte ", frame_offset, ": expected ", header.decompressed_size, " bytes from a payload of ",
            payload.size(), " with method ", header.method, ", found a payload that does not give them"));
}

}
