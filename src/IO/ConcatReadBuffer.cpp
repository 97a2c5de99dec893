#include "ConcatReadBuffer.h"

#include <algorithm>

namespace DB::inline statewire
{

ConcatReadBuffer::~ConcatReadBuffer() { handBack(); }

bool ConcatReadBuffer::isStable() const noexcept
{
    return std::all_of(parts.begin(), parts.end(), [](const auto & part) { return part->isStable(); });
}

void ConcatReadBuffer::handBack() noexcept
{
    if (exposed && pos)
        parts[current]->position() = pos;
    exposed = false;
}

bool ConcatReadBuffer::nextImpl()
{
    handBack();
    while (current < parts.size() && parts[current]->eof())
        ++current;
    if (current == parts.size())
        return false;
    ReadBuffer & in = *parts[current];
    working_buffer = Buffer{in.position(), in.position() + in.available()};
    exposed = true;
    return true;
}

std::ptrdiff_t ConcatReadBuffer::readDirectImpl(char * to, size_t n)
{
    handBack();
    for (; current < parts.size(); ++current)
    {
        ReadBuffer & in = *parts[current];
        if (n < getDirectSize(in.buffer().size()))
            return -1;
        if (const size_t done = in.readBig(to, n))
            return static_cast<std::ptrdiff_t>(done);
    }
    return 0;
}

}
