#include "CountMinRangesState.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

#include <algorithm>

namespace DB::inline statewire
{

namespace
{
/// A value as an entry's key.
class ValueKey
{
public:
    ValueKey(UInt64 value, UInt32 size_) noexcept : size(size_)
    {
        for (UInt32 i = size; i-- > 0; value >>= 8)
            bytes[i] = static_cast<char>(value & 0xff);
    }
    [[nodiscard]] std::string_view view() const noexcept { return {bytes, size}; }

private:
    char bytes[sizeof(UInt64)];
    UInt32 size;
};

[[nodiscard]] UInt64 valueOf(std::string_view key) noexcept
{
    UInt64 value = 0;
    for (const char byte : key)
        value = value << 8 | static_cast<UInt8>(byte);
    return value;
}
}

void CountMinRangesState::addKey(CountMinRanges & ranges, std::string_view key, UInt64 weight) { ranges.add(valueOf(key), weight); }

void CountMinRangesState::addEntries(CountMinRanges & ranges, const Entries & entries)
{
    for (UInt32 i = 0; i < entries.count(); ++i)
        addKey(ranges, entries.key(i), entries.weight(i));
}

void CountMinRangesState::add(UInt64 value, UInt64 weight)
{
    if (value > last()) [[unlikely]]
        throwError(ErrorCodes::BAD_ARGUMENTS, concat("Count-min ranges of ", bits(), " bits: found the value ", value));
    addKeyOrGrow(ValueKey(value, small.keySize()).view(), weight);
}

void CountMinRangesState::skip(ReadBuffer & in)
{
    ZeroCopyReader reader(in);
    skipCountMinState(reader);
}

void CountMinRangesState::requireSameKind(const CountMinRangesState & other) const
{
    if (bits() != other.bits()) [[unlikely]]
        throwError(ErrorCodes::BAD_ARGUMENTS, concat("Cannot merge count-min ranges of ", bits(), " and of ", other.bits(), " bits"));
}

void CountMinRangesState::writeLarge(WriteBufferSink<WriteBuffer> & sink) const { large->write(sink); }

TrackedPtr<CountMinRanges> CountMinRangesState::readLarge(ZeroCopyReader & reader) const
{
    const UInt64 start = reader.offset();
    const std::string_view image = reader.borrow(largeSize());
    return makeTracked<CountMinRanges>(CountMinRanges::read(image, *shape, bits(), start));
}

UInt64 CountMinRangesState::count(UInt64 first, UInt64 last_value) const noexcept
{
    if (!isSmall())
        return large->count(first, last_value);
    UInt64 sum = 0;
    const UInt64 begin = std::min(first, last());
    if (begin == first)
        for (UInt32 i = small.find(ValueKey(begin, small.keySize()).view()).index; i < small.count() && valueOf(small.key(i)) <= last_value; ++i)
            sum += small.weight(i);
    return sum;
}

UInt64 CountMinRangesState::lowerBound(UInt64 first, UInt64 last_value) const noexcept
{
    return isSmall() ? count(first, last_value) : large->lowerBound(first, last_value);
}

UInt64 CountMinRangesState::quantile(double level) const noexcept
{
    if (!isSmall())
        return large->quantile(level);
    /// Written so that NaN is 0.
    const double fraction = level > 0 ? std::min(level, 1.0) : 0.0;
    const double wanted = fraction * static_cast<double>(small.total());
    UInt64 reached = 0;
    for (UInt32 i = 0; i < small.count(); ++i)
    {
        reached += small.weight(i);
        if (static_cast<double>(reached) >= wanted)
            return valueOf(small.key(i));
    }
    return 0;
}

}
