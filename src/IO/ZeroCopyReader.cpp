#include "ZeroCopyReader.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "VarInt.h"

#include <algorithm>

namespace DB::inline statewire
{

namespace
{
/// The first allocation for bytes whose number is only claimed.
constexpr size_t FIRST_GATHER = 4096;
/// Up to here a claimed length is allocated in an arena as it is: as much as a lie may cost, and more than almost all states have. What is
/// longer goes to memory of its own, which grows with what arrives, and which copies can share.
constexpr UInt64 MAX_LENGTH_IN_ARENA = 65536;
}

std::string_view ZeroCopyReader::borrow(UInt64 n)
{
    if (n == 0)
        return {};
    if (!in.eof() && n <= in.available())
    {
        const std::string_view result(in.position(), static_cast<size_t>(n));
        in.position() += n;
        return result;
    }
    gathered.size = 0;
    gather(gathered, n);
    return gathered.bytes();
}

PinnedBytes ZeroCopyReader::pin(UInt64 n)
{
    const bool is_in_one_piece = n != 0 && !in.eof() && n <= in.available();
    if (owner && is_in_one_piece)
        return {borrow(n), owner};
    if (arena && n <= MAX_LENGTH_IN_ARENA)
        return {pinInArena(n), nullptr};
    if (is_in_one_piece)
    {
        copied += n;
        return PinnedBytes(borrow(n), nullptr).shareOrCopy();
    }
    Gathered own;
    gather(own, n);
    return {own.bytes(), own.memory};
}

std::string_view ZeroCopyReader::pinInArena(UInt64 n)
{
    const UInt64 start = offset();
    const auto size = static_cast<size_t>(n);
    char * to = arena->alloc(size);
    for (size_t done = 0; done != size;)
    {
        if (in.eof())
            throwShort(start, n);
        const size_t chunk = std::min(in.available(), size - done);
        std::copy_n(in.position(), chunk, to + done);
        in.position() += chunk;
        copied += chunk;
        done += chunk;
    }
    return {to, size};
}

UInt8 ZeroCopyReader::readByte()
{
    if (in.eof())
        throwShort(offset(), 1);
    return static_cast<UInt8>(*in.position()++);
}

UInt64 ZeroCopyReader::readVarUInt()
{
    UInt64 value = 0;
    DB::readVarUInt(value, in);
    return value;
}

void ZeroCopyReader::skip(UInt64 n)
{
    const UInt64 start = offset();
    UInt64 left = n;
    while (left != 0)
    {
        if (in.eof())
            throwShort(start, n);
        const UInt64 chunk = std::min<UInt64>(in.available(), left);
        in.position() += chunk;
        left -= chunk;
    }
}

void ZeroCopyReader::gather(Gathered & to, UInt64 n)
{
    const UInt64 start = offset();
    UInt64 left = n;
    while (left != 0)
    {
        if (in.eof())
            throwShort(start, n);
        const auto chunk = static_cast<size_t>(std::min<UInt64>(in.available(), left));
        if (to.capacity - to.size < chunk)
        {
            const UInt64 doubled = std::max<UInt64>({to.capacity * 2, to.size + chunk, FIRST_GATHER});
            const auto capacity = static_cast<size_t>(std::min(doubled, to.size + left));
            std::shared_ptr<char[]> larger = trackedShared(capacity);
            std::copy_n(to.memory.get(), to.size, larger.get());
            to.memory = std::move(larger);
            to.capacity = capacity;
        }
        std::copy_n(in.position(), chunk, to.memory.get() + to.size);
        to.size += chunk;
        in.position() += chunk;
        copied += chunk;
        left -= chunk;
    }
}

void ZeroCopyReader::throwShort(UInt64 start, UInt64 expected) const
{
    throwError(
        ErrorCodes::CANNOT_READ_ALL_DATA,
        concat("Cannot read all data at byte ", start, ". Bytes read: ", offset() - start, ". Bytes expected: ", expected, "."));
}

}
