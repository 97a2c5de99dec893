#include "CountMinSketchState.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../CountMin/CountMinArithmetic.h"
#include "../IO/VarInt.h"
#include "../IO/WriteBufferSink.h"
#include "../base/unaligned.h"
#include "CountMinStateKind.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace DB::inline statewire
{

template <CountMinStateWeight W>
CountMinSketchState<W>::CountMinSketchState(const CountMinSketchState & other) : CountMinSketchState(*other.shape, other.key_size)
{
    switch (other.kind)
    {
        case Storage::Small:
            become(other.small.clone());
            break;
        case Storage::Borrowed:
            become(other.borrowed.shareOrCopy());
            break;
        case Storage::Owned:
            become(CountMinSketch<W>(other.owned));
            break;
    }
}

template <CountMinStateWeight W>
CountMinSketchState<W> & CountMinSketchState<W>::operator=(const CountMinSketchState & other)
{
    if (this != &other)
        *this = CountMinSketchState(other);
    return *this;
}

template <CountMinStateWeight W>
CountMinSketchState<W>::CountMinSketchState(CountMinSketchState && other) noexcept : CountMinSketchState(*other.shape, other.key_size)
{
    *this = std::move(other);
}

template <CountMinStateWeight W>
CountMinSketchState<W> & CountMinSketchState<W>::operator=(CountMinSketchState && other) noexcept
{
    if (this == &other)
        return *this;
    shape = other.shape;
    key_size = other.key_size;
    switch (other.kind)
    {
        case Storage::Small:
            become(std::move(other.small));
            break;
        case Storage::Borrowed:
            become(std::move(other.borrowed));
            break;
        case Storage::Owned:
            become(std::move(other.owned));
            break;
    }
    other.become(CountMinEntries<W>(key_size));
    return *this;
}

template <CountMinStateWeight W>
void CountMinSketchState<W>::destroy() noexcept
{
    switch (kind)
    {
        case Storage::Small:
            std::destroy_at(&small);
            break;
        case Storage::Borrowed:
            std::destroy_at(&borrowed);
            break;
        case Storage::Owned:
            std::destroy_at(&owned);
            break;
    }
}

template <CountMinStateWeight W>
void CountMinSketchState<W>::become(CountMinEntries<W> && content) noexcept
{
    destroy();
    std::construct_at(&small, std::move(content));
    kind = Storage::Small;
}

template <CountMinStateWeight W>
void CountMinSketchState<W>::become(PinnedBytes && content) noexcept
{
    destroy();
    std::construct_at(&borrowed, std::move(content));
    kind = Storage::Borrowed;
}

template <CountMinStateWeight W>
void CountMinSketchState<W>::become(CountMinSketch<W> && content) noexcept
{
    destroy();
    std::construct_at(&owned, std::move(content));
    kind = Storage::Owned;
}

template <CountMinStateWeight W>
UInt64 CountMinSketchState<W>::smallLimit() const noexcept
{
    return std::min(countMinImageSize<W>(shape->cells()), MAX_SMALL_BYTES);
}

template <CountMinStateWeight W>
void CountMinSketchState<W>::requireKeySize(std::string_view key) const
{
    if (key_size != 0 && key.size() != key_size) [[unlikely]]
        throwError(
            ErrorCodes::BAD_ARGUMENTS, concat("Count-min sketch of keys of ", key_size, " bytes: found a key of ", key.size(), " bytes"));
}

template <CountMinStateWeight W>
void CountMinSketchState<W>::requireSameKeySize(const CountMinSketchState & other) const
{
    if (key_size != other.key_size) [[unlikely]]
        throwError(
            ErrorCodes::BAD_ARGUMENTS,
            concat("Cannot put count-min sketches of keys of ", key_size, " and of ", other.key_size, " bytes (0: strings) together"));
}

template <CountMinStateWeight W>
void CountMinSketchState<W>::add(std::string_view key, W weight)
{
    requireKeySize(key);
    if (weight == 0)
        return;
    countMinRequireFinite<W>(weight);
    if (kind == Storage::Owned)
    {
        owned.update(key, weight);
        return;
    }
    if (kind == Storage::Borrowed)
    {
        CountMinSketch<W> sketch(view());
        sketch.update(key, weight);
        become(std::move(sketch));
        return;
    }
    if (small.tryAdd(key, weight, smallLimit()))
        return;
    CountMinSketch<W> sketch(*shape);
    sketch.merge(small);
    sketch.update(key, weight);
    become(std::move(sketch));
}

template <CountMinStateWeight W>
void CountMinSketchState<W>::mergeSmall(const CountMinEntries<W> & other)
{
    if (other.count() == 0)
        return;
    if (kind == Storage::Owned)
    {
        owned.merge(other);
        return;
    }
    if (kind == Storage::Borrowed)
    {
        CountMinSketch<W> sketch(view());
        sketch.merge(other);
        become(std::move(sketch));
        return;
    }
    const W new_total = countMinCheckedTotal<W>(small.total(), countMinMagnitude<W>(other.total()));
    CountMinEntries<W> both = CountMinEntries<W>::merged(small, other, new_total);
    if (both.bytes().size() <= smallLimit())
    {
        become(std::move(both));
        return;
    }
    CountMinSketch<W> sketch(*shape);
    sketch.merge(both);
    become(std::move(sketch));
}

template <CountMinStateWeight W>
template <typename Sketch>
void CountMinSketchState<W>::mergeSketch(const Sketch & other)
{
    if (kind == Storage::Owned)
    {
        owned.merge(other);
        return;
    }
    /// Whatever was small or borrowed becomes a table of its own; entries come last, as on the other side of the merge.
    CountMinSketch<W> sketch(*shape);
    if (kind == Storage::Borrowed)
        sketch.merge(view());
    sketch.merge(other);
    if (kind == Storage::Small)
        sketch.merge(small);
    become(std::move(sketch));
}

template <CountMinStateWeight W>
void CountMinSketchState<W>::merge(const CountMinSketchState & other)
{
    if (!(shape == other.shape || *shape == *other.shape)) [[unlikely]]
        throwIncompatibleCountMin(*shape, *other.shape);
    requireSameKeySize(other);
    if (other.isEmpty())
        return;
    if (this == &other)
    {
        merge(CountMinSketchState(other));
        return;
    }
    switch (other.kind)
    {
        case Storage::Small:
            if (isEmpty())
                become(other.small.clone());
            else
                mergeSmall(other.small);
            break;
        case Storage::Borrowed:
            if (isEmpty())
                become(other.borrowed.shareOrCopy());
            else
                mergeSketch(other.view());
            break;
        case Storage::Owned:
            mergeSketch(other.owned);
            break;
    }
}

template <CountMinStateWeight W>
template <typename Sink>
void CountMinSketchState<W>::writeInto(Sink & sink) const
{
    char * const prefix = sink.reserve(1 + VAR_UINT_MAX_SIZE);
    if (kind == Storage::Small)
    {
        *prefix = static_cast<char>(countMinSmallKind(*shape));
        sink.commit(1);
        small.write(sink);
        return;
    }
    *prefix = static_cast<char>(countMinTableKind(*shape));
    sink.commit(static_cast<size_t>(writeVarUInt(countMinImageSize<W>(shape->cells()), prefix + 1) - prefix));
    if (kind == Storage::Borrowed)
        sink.append(borrowed.bytes().data(), borrowed.bytes().size());
    else
        owned.writeImage(sink);
}

template <CountMinStateWeight W>
void CountMinSketchState<W>::write(WriteBuffer & out) const
{
    WriteBufferSink sink(out);
    writeInto(sink);
}

template <CountMinStateWeight W>
UInt64 CountMinSketchState<W>::serializedSize() const
{
    CountingSink sink;
    writeInto(sink);
    return sink.size();
}

template <CountMinStateWeight W>
bool CountMinSketchState<W>::readIsSmall(ZeroCopyReader & reader) const
{
    return readCountMinKindIsSmall(reader, *shape, countMinImageSize<W>(shape->cells()));
}

template <CountMinStateWeight W>
CountMinView<W> CountMinSketchState<W>::parseImage(std::string_view image, UInt64 base_offset) const
{
    CountMinView<W> parsed;
    const auto result = CountMinView<W>::tryParse(image, *shape, Validation::Full, parsed);
    if (!result.ok()) [[unlikely]]
        throwError(result.code(), result.describe(base_offset));
    return parsed;
}

template <CountMinStateWeight W>
void CountMinSketchState<W>::read(ReadBuffer & in, std::shared_ptr<const void> owner, Arena * arena)
{
    ZeroCopyReader reader(in, std::move(owner), arena);
    if (readIsSmall(reader))
    {
        become(CountMinEntries<W>::read(reader, key_size, smallLimit(), shape->isDecayed()));
        return;
    }
    const UInt64 start = reader.offset();
    PinnedBytes image = reader.pin(countMinImageSize<W>(shape->cells()));
    static_cast<void>(parseImage(image.bytes(), start));
    become(std::move(image));
}

template <CountMinStateWeight W>
void CountMinSketchState<W>::readAndMerge(ReadBuffer & in)
{
    ZeroCopyReader reader(in);
    if (readIsSmall(reader))
    {
        CountMinEntries<W> entries = CountMinEntries<W>::read(reader, key_size, smallLimit(), shape->isDecayed());
        if (isEmpty())
            become(std::move(entries));
        else
            mergeSmall(entries);
        return;
    }
    const UInt64 start = reader.offset();
    mergeSketch(parseImage(reader.borrow(countMinImageSize<W>(shape->cells())), start));
}

template <CountMinStateWeight W>
void CountMinSketchState<W>::skip(ReadBuffer & in)
{
    ZeroCopyReader reader(in);
    skipCountMinState(reader);
}

template <CountMinStateWeight W>
W CountMinSketchState<W>::total() const noexcept
{
    switch (kind)
    {
        case Storage::Small:
            return small.total();
        case Storage::Borrowed:
            return view().total();
        case Storage::Owned:
            break;
    }
    return owned.total();
}

template <CountMinStateWeight W>
W CountMinSketchState<W>::estimate(std::string_view key) const noexcept
{
    switch (kind)
    {
        case Storage::Small:
        {
            const auto place = small.find(key);
            return place.found ? small.weight(place.index) : W{0};
        }
        case Storage::Borrowed:
            return view().estimate(key);
        case Storage::Owned:
            break;
    }
    return owned.estimate(key);
}

template <CountMinStateWeight W>
size_t CountMinSketchState<W>::heldBytes() const noexcept
{
    return kind == Storage::Small ? small.heldBytes() : kind == Storage::Owned ? owned.heldBytes() : 0;
}

static_assert(sizeof(CountMinSketchState<UInt64>) <= 48, "an aggregation state stays within 48 bytes");

template class CountMinSketchState<UInt64>;
template class CountMinSketchState<Int64>;
template class CountMinSketchState<Float64>;
template void CountMinSketchState<UInt64>::mergeSketch(const CountMinView<UInt64> &);
template void CountMinSketchState<Int64>::mergeSketch(const CountMinView<Int64> &);
template void CountMinSketchState<Float64>::mergeSketch(const CountMinView<Float64> &);

}
