#include "LimitReadBuffer.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

#include <algorithm>

namespace DB::inline statewire
{

LimitReadBuffer::LimitReadBuffer(NestedBuffer<ReadBuffer> in_, Limits limits_) : ReadBuffer(nullptr, 0), in(std::move(in_)), limits(limits_)
{
    if (in->hasPendingData())
    {
        expose();
        pos = working_buffer.begin();
    }
}

LimitReadBuffer::~LimitReadBuffer() { handBack(); }

void LimitReadBuffer::handBack() noexcept
{
    if (exposed && pos)
        in->position() = pos;
    exposed = false;
}

void LimitReadBuffer::expose()
{
    const auto size = static_cast<size_t>(std::min<UInt64>(in->available(), limits.no_more - count()));
    working_buffer = Buffer{in->position(), in->position() + size};
    exposed = true;
}

bool LimitReadBuffer::isAtEnd()
{
    if (count() >= limits.no_more)
    {
        if (limits.expect_end && !in->eof())
            throwError(ErrorCodes::LIMIT_EXCEEDED, concat("Limit exceeded: expected the end after ", limits.no_more, " bytes, found more"));
        return true;
    }
    if (!in->eof())
        return false;
    if (count() < limits.no_less)
        throwError(
            ErrorCodes::CANNOT_READ_ALL_DATA,
            concat("Cannot read all data. Bytes read: ", count(), ". Bytes expected: at least ", limits.no_less, "."));
    return true;
}

bool LimitReadBuffer::nextImpl()
{
    handBack();
    if (isAtEnd())
        return false;
    expose();
    return true;
}

std::ptrdiff_t LimitReadBuffer::readDirectImpl(char * to, size_t n)
{
    if (n < getDirectSize(in->buffer().size()))
        return -1;
    handBack();
    if (isAtEnd())
        return 0;
    return static_cast<std::ptrdiff_t>(in->readBig(to, static_cast<size_t>(std::min<UInt64>(n, limits.no_more - count()))));
}

}
