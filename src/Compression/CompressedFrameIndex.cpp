#include "CompressedFrameIndex.h"

#include "../Common/ErrorCodes.h"
#include "../Common/Exception.h"
#include "../Common/throwError.h"

#include <algorithm>

namespace DB::inline statewire
{

CompressedFrameIndex CompressedFrameIndex::build(SeekableReadBuffer & in, const FrameLimits & limits)
{
    CompressedFrameIndex index;
    while (!in.eof())
    {
        FrameIndexEntry entry;
        entry.offset_in_file = in.count();
        entry.offset_decompressed = index.total;
        char prefix[FRAME_PREFIX_SIZE];
        in.readStrict(prefix, sizeof(prefix));
        const FrameHeader header = parseFrameHeader(prefix, entry.offset_in_file, limits);
        entry.compressed_size = header.compressed_size;
        entry.decompressed_size = header.decompressed_size;
        entry.method = header.method;
        if (const size_t payload_size = header.payloadSize())
        {
            const UInt64 last = entry.offset_in_file + FRAME_PREFIX_SIZE + payload_size - 1;
            try
            {
                in.seek(last);
                char byte = 0;
                in.readStrict(byte);
            }
            catch (const Exception & error)
            {
                /// The source's own words are about a seek or a byte; what matters is which frame is cut off.
                if (error.code() != ErrorCodes::CANNOT_SEEK_THROUGH_FILE && error.code() != ErrorCodes::CANNOT_READ_ALL_DATA)
                    throw;
                throwError(
                    ErrorCodes::CANNOT_READ_ALL_DATA,
                    concat("Cannot read all data: the compressed frame at byte ", entry.offset_in_file, " ends before its byte ", last));
            }
        }
        index.total += header.decompressed_size;
        index.entries.push_back(entry);
    }
    index.end_of_file = in.count();
    return index;
}

CompressedPosition CompressedFrameIndex::find(UInt64 offset_decompressed) const
{
    if (offset_decompressed > total)
        throwError(
            ErrorCodes::ARGUMENT_OUT_OF_BOUND,
            concat("Cannot find byte ", offset_decompressed, ": there are only ", total, " decompressed bytes"));
    if (offset_decompressed == total)
        return {end_of_file, 0};
    const auto after
        = std::upper_bound(entries.begin(), entries.end(), offset_decompressed, [](UInt64 offset, const FrameIndexEntry & entry) {
              return offset < entry.offset_decompressed;
          });
    const FrameIndexEntry & entry = *(after - 1);
    return {entry.offset_in_file, offset_decompressed - entry.offset_decompressed};
}

}
