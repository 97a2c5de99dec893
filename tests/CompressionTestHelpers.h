#pragma once

#include "IOTestHelpers.h"

#include <statewire/Compression/CompressedFrame.h>
#include <statewire/Compression/CompressedReadBuffer.h>
#include <statewire/Compression/CompressedWriteBuffer.h>
#include <statewire/IO/ReadBufferFromMemory.h>
#include <statewire/IO/WriteBufferFromVector.h>

#include <string>
#include <string_view>

namespace statewire_tests
{

inline std::string compressFrames(std::string_view bytes, const char * codec, size_t block_size = DB::DEFAULT_COMPRESS_BLOCK_SIZE)
{
    std::string result;
    DB::WriteBufferFromString out(result);
    DB::CompressedWriteBuffer frames(out, DB::createCompressionCodec(codec), block_size);
    frames.write(bytes.data(), bytes.size());
    frames.finalize();
    out.finalize();
    return result;
}

inline std::string decompressFrames(std::string_view bytes, const DB::FrameLimits & limits = {})
{
    DB::ReadBufferFromMemory in(bytes);
    DB::CompressedReadBuffer frames(in, limits);
    return readAll(frames);
}

/// A frame with a right checksum around whatever is given.
inline std::string makeFrame(int method, DB::UInt32 compressed_size, DB::UInt32 decompressed_size, std::string_view payload)
{
    std::string head(DB::FRAME_HEADER_SIZE, '\0');
    head[0] = static_cast<char>(method);
    for (int i = 0; i < 4; ++i)
    {
        head[static_cast<size_t>(1 + i)] = static_cast<char>(compressed_size >> (8 * i));
        head[static_cast<size_t>(5 + i)] = static_cast<char>(decompressed_size >> (8 * i));
    }
    const DB::UInt128Hash hash = DB::cityHash128(head + std::string(payload));
    std::string checksum(DB::FRAME_CHECKSUM_SIZE, '\0');
    for (int i = 0; i < 8; ++i)
    {
        checksum[static_cast<size_t>(i)] = static_cast<char>(hash.low >> (8 * i));
        checksum[static_cast<size_t>(8 + i)] = static_cast<char>(hash.high >> (8 * i));
    }
    return checksum + head + std::string(payload);
}

inline std::string makeFrame(int method, DB::UInt32 decompressed_size, std::string_view payload)
{
    return makeFrame(method, static_cast<DB::UInt32>(DB::FRAME_HEADER_SIZE + payload.size()), decompressed_size, payload);
}

}
