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
            throwCannotDecompress(payload.size());
        block = Buffer{const_cast<char *>(payload.data()), const_cast<char *>(payload.data()) + payload.size()};
    }
    else
    {
        if (!isPlausibleSize(static_cast<CompressionMethod>(header.method), payload, header.decompressed_size))
            throwCannotDecompress(payload.size());
        if (memory_size < header.decompressed_size)
        {
            memory.reset();
            memory_size = 0;
            memory = std::make_unique_for_overwrite<char[]>(header.decompressed_size);
            memory_size = header.decompressed_size;
        }
        decompress(payload, memory.get());
        buffered += header.decompressed_size;
        block = Buffer{memory.get(), memory.get() + header.decompressed_size};
    }
    block_offset = frame_offset;
    working_buffer = block;
    return true;
}

std::ptrdiff_t CompressedReadBuffer::readDirectImpl(char * to, size_t n)
{
    if (!readHeader())
        return 0;
    if (header.decompressed_size > n)
        return -1;
    const bool is_in_one_piece = in->available() >= header.payloadSize();
    if (header.method == static_cast<UInt8>(CompressionMethod::None) && header.payloadSize() == header.decompressed_size
        && !is_in_one_piece)
    {
        /// Gathering it first would copy it twice.
        const size_t size = in->readBig(to, header.decompressed_size);
        if (size != header.decompressed_size)
            throwError(
                ErrorCodes::CANNOT_READ_ALL_DATA,
                concat(
                    "Cannot read all data at byte ",
                    frame_offset + FRAME_PREFIX_SIZE,
                    ". Bytes read: ",
                    size,
                    ". Bytes expected: ",
                    header.decompressed_size,
                    "."));
        checkFrame(header, {to, size}, frame_offset, limits);
    }
    else
        decompress(readPayload(), to);
    header_is_waiting = false;
    return static_cast<std::ptrdiff_t>(header.decompressed_size);
}

bool CompressedReadBuffer::readHeader()
{
    if (header_is_waiting)
        return true;
    /// A NONE block lies in the nested buffer, and the next call on that may move it.
    block = Buffer{};
    if (in->eof())
        return false;
    frame_offset = in->count();
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

void CompressedReadBuffer::decompress(std::string_view payload, char * to)
{
    const auto method = static_cast<CompressionMethod>(header.method);
    if (!tryDecompressWith(zstd, method, payload.data(), payload.size(), to, header.decompressed_size))
        throwCannotDecompress(payload.size());
}

void CompressedReadBuffer::throwCannotDecompress(size_t payload_size) const
{
    throwError(
        ErrorCodes::CANNOT_DECOMPRESS,
        concat(
            "Cannot decompress the frame at byte ",
            frame_offset,
            ": expected ",
            header.decompressed_size,
            " bytes from a payload of ",
            payload_size,
            " with method ",
            header.method,
            ", found a payload that does not give them"));
}

void CompressedReadBuffer::forgetPosition() noexcept
{
    header_is_waiting = false;
    block = Buffer{};
}

}
