#pragma once

#include "../IO/NestedBuffer.h"
#include "../IO/ReadBuffer.h"
#include "StreamCodec.h"

namespace DB::inline statewire
{

/** Reads .zst and .lz4 files: standard frames, one or several, to the end of the nested buffer.
  *
  * The end is legal only behind a complete frame: a stream that is cut off, and one without any frame, are CANNOT_READ_ALL_DATA. Checksums
  * are verified where the frame has them. readBig decompresses straight into the caller's memory.
  * Memory: the frame's window, limited by StreamOptions, and the buffer.
  * Errors: CANNOT_DECOMPRESS with the library's text and the byte in the compressed stream.
  */
class StreamDecompressingReadBuffer final : public ReadBuffer
{
public:
    static constexpr size_t DEFAULT_SIZE = 131072;

    StreamDecompressingReadBuffer(
        NestedBuffer<ReadBuffer> in_, StreamFormat format, const StreamOptions & options = {}, size_t buffer_size = DEFAULT_SIZE);

protected:
    bool nextImpl() override;
    std::ptrdiff_t readDirectImpl(char * to, size_t n) override;

private:
    /// At least one byte, or 0 at the end.
    size_t decodeSome(char * to, size_t n);

    NestedBuffer<ReadBuffer> in;
    std::unique_ptr<IStreamDecoder> decoder;
    std::unique_ptr<char[]> memory;
};

}
