#include "SeekableReadBuffer.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

namespace DB::inline statewire
{

void SeekableReadBuffer::seekInside(UInt64 position)
{
    if (position > internal_buffer.size())
        throwError(
            ErrorCodes::CANNOT_SEEK_THROUGH_FILE, concat("Cannot seek to byte ", position, ": there are only ", internal_buffer.size()));
    bytes = 0;
    working_buffer = internal_buffer;
    pos = working_buffer.begin() + position;
}

}
