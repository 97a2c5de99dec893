#include "CountMinRangesState.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../CountMin/CountMinArithmetic.h"
#include "../IO/VarInt.h"
#include "../IO/WriteBufferSink.h"
#include "../IO/ZeroCopyReader.h"

#include <algorithm>
#include <utility>

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

void addEntries(CountMinRanges & ranges, const CountMinEntries<UInt64> & entries)
{
    for (UInt32 i = 0; i < entries.count(); ++i)
        ranges.add(valueOf(entries.key(i)), entries.weight(i));
}
}

UInt64 CountMinRangesState::smallLimit() const noexcept
{
    return std::min(CountMinRanges::imageSize(*shape, bits()), COUNT_MIN_MAX_SMALL_BYTES);
}

void CountMinRangesState::become(CountMinRanges && content)
{
    levels = std::make_unique<CountMinRanges>(std::move(content));
    small = CountMinEntries<UInt64>(value_size);
}

void CountMinRangesState::add(UInt64 value, UInt64 weight)
{
    if (value > last()) [[unlikely]]
        throwError(ErrorCodes::BAD_ARGUMENTS, concat("Count-min ranges of ", bits(), " bits: found the value ", value));
    if (weight == 0)
        return;
    if (!isSmall())
    {
        levels->add(value, weight);
        return;
    }
    const UInt64 new_total = countMinCheckedTotal<UInt64>(small.total(), weight);
    const ValueKey key(value, value_size);
    const auto place = small.find(key.view());
    if (place.found)
        small.setWeight(place.index, small.weight(place.index) + weight);
    else if (small.bytes().size() + CountMinEntries<UInt64>::entrySize(value_size) <= smallLimit())
        small.insert(place.index, key.view(), weight);
    else
    {
        CountMinRanges ranges(*shape, bits());
        addEntries(ranges, small);
        ranges.add(value, weight);
        become(std::move(ranges));
        return;
    }
    small.setTotal(new_total);
}

void CountMinRangesState::mergeSmall(const CountMinEntries<UInt64> & entries)
{
    if (entries.count() == 0)
        return;
    const UInt64 new_total = countMinCheckedTotal<UInt64>(total(), entries.total());
    if (!isSmall())
    {
        /// The total fits, so that no addition fails.
        addEntries(*levels, entries);
        return;
    }
    CountMinEntries<UInt64> both = CountMinEntries<UInt64>::merged(small, entries, new_total);
    if (both.bytes().size() <= smallLimit())
    {
        small = std::move(both);
        return;
    }
    CountMinRanges ranges(*shape, bits());
    addEntries(ranges, both);
    become(std::move(ranges));
}

void CountMinRangesState::merge(const CountMinRangesState & other)
{
    if (!(shape == other.shape || *shape == *other.shape)) [[unlikely]]
        throwIncompatibleCountMin(*shape, *other.shape);
    if (value_size != other.value_size) [[unlikely]]
        throwError(ErrorCodes::BAD_ARGUMENTS, concat("Cannot merge count-min ranges of ", bits(), " and of ", other.bits(), " bits"));
    if (other.isSmall())
    {
        if (this == &other)
            mergeSmall(other.small.clone());
        else
            mergeSmall(other.small);
        return;
    }
    if (!isSmall() && this != &other)
    {
        levels->merge(*other.levels);
        return;
    }
    CountMinRanges both(*other.levels);
    if (this == &other)
        both.merge(*other.levels);
    else
    {
        static_cast<void>(countMinCheckedTotal<UInt64>(both.total(), small.total()));
        addEntries(both, small);
    }
    become(std::move(both));
}

void CountMinRangesState::write(WriteBuffer & out) const
{
    WriteBufferSink sink(out);
    char * const prefix = sink.reserve(1 + VAR_UINT_MAX_SIZE);
    if (isSmall())
    {
        *prefix = static_cast<char>(countMinSmallKind(*shape));
        sink.commit(1);
        small.write(sink);
        return;
    }
    *prefix = static_cast<char>(countMinTableKind(*shape));
    sink.commit(static_cast<size_t>(writeVarUInt(CountMinRanges::imageSize(*shape, bits()), prefix + 1) - prefix));
    levels->write(sink);
}

void CountMinRangesState::read(ReadBuffer & in)
{
    ZeroCopyReader reader(in);
    const UInt64 size = CountMinRanges::imageSize(*shape, bits());
    if (readCountMinKindIsSmall(reader, *shape, size))
    {
        small = CountMinEntries<UInt64>::read(reader, value_size, smallLimit());
        return;
    }
    const UInt64 start = reader.offset();
    const std::string_view image = reader.borrow(size);
    become(CountMinRanges::read(image, *shape, bits(), start));
}

void CountMinRangesState::readAndMerge(ReadBuffer & in)
{
    CountMinRangesState other(*shape, value_size);
    other.read(in);
    merge(other);
}

UInt64 CountMinRangesState::count(UInt64 first, UInt64 last_value) const noexcept
{
    if (!isSmall())
        return levels->count(first, last_value);
    UInt64 sum = 0;
    const UInt64 begin = std::min(first, last());
    if (begin == first)
        for (UInt32 i = small.find(ValueKey(begin, value_size).view()).index; i < small.count() && valueOf(small.key(i)) <= last_value; ++i)
            sum += small.weight(i);
    return sum;
}

UInt64 CountMinRangesState::lowerBound(UInt64 first, UInt64 last_value) const noexcept
{
    return isSmall() ? count(first, last_value) : levels->lowerBound(first, last_value);
}

UInt64 CountMinRangesState::quantile(double level) const noexcept
{
    if (!isSmall())
        return levels->quantile(level);
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

size_t CountMinRangesState::heldBytes() const noexcept
{
    return isSmall() ? small.heldBytes() : sizeof(CountMinRanges) + levels->heldBytes();
}

}
