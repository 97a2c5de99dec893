#include "RoaringBitmapState.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../IO/VarInt.h"
#include "../Roaring/RoaringWriter.h"
#include "RoaringBitmapStateDetail.h"

#include <algorithm>
#include <new>

/** The bytes of a groupBitmap state: docs/group_bitmap_state_format.md. */
namespace DB::inline statewire
{

namespace
{
constexpr UInt8 KIND_SMALL = 0;
constexpr UInt8 KIND_BITMAP = 1;

/// How many values the body of a small state announces.
UInt64 readSmallSize(ZeroCopyReader & reader, UInt64 most)
{
    const UInt64 offset = reader.offset();
    const UInt64 n = reader.readVarUInt();
    if (n > most)
        throwError(
            ErrorCodes::INCORRECT_DATA,
            concat("Illegal size of a small groupBitmap state at byte ", offset, ": expected at most ", most, ", found ", n));
    return n;
}
}

template <typename T>
    requires std::integral<T>
void RoaringBitmapState<T>::write(WriteBuffer & out) const
{
    WriteBufferSink sink(out);
    if (kind == Storage::Small)
    {
        char * head = sink.reserve(2);
        head[0] = static_cast<char>(KIND_SMALL);
        head[1] = static_cast<char>(small_size);
        sink.commit(2);
        constexpr size_t CHUNK = MAX_SINK_RESERVE / sizeof(T);
        for (size_t i = 0; i < small_size; i += CHUNK)
        {
            const size_t n = std::min(CHUNK, small_size - i);
            char * to = sink.reserve(n * sizeof(T));
            for (size_t j = 0; j < n; ++j)
                unalignedStoreLittleEndian<T>(to + j * sizeof(T), smallValues()[i + j]);
            sink.commit(n * sizeof(T));
        }
        return;
    }
    const auto write_head = [&](UInt64 size) {
        if (size > MAX_BITMAP_BYTES)
            throwError(
                ErrorCodes::TOO_LARGE_ARRAY_SIZE,
                concat("Too large groupBitmap state to write: expected at most ", MAX_BITMAP_BYTES, " bytes, found ", size));
        char * head = sink.reserve(1 + VAR_UINT_MAX_SIZE);
        head[0] = static_cast<char>(KIND_BITMAP);
        sink.commit(static_cast<size_t>(writeVarUInt(size, head + 1) - head));
    };
    if (kind == Storage::Borrowed && content.borrowed.view.isCanonical())
    {
        const std::string_view bytes = content.borrowed.view.bytes();
        write_head(bytes.size());
        sink.append(bytes.data(), bytes.size());
        return;
    }
    withSnapshot([&](const RoaringSnapshot & snapshot) {
        const RoaringWriter writer(snapshot.cursor(), FORMAT);
        write_head(writer.size());
        writer.write(sink);
    });
}

template <typename T>
    requires std::integral<T>
UInt64 RoaringBitmapState<T>::serializedSize() const
{
    if (kind == Storage::Small)
        return 2 + small_size * sizeof(T);
    UInt64 size = 0;
    if (kind == Storage::Borrowed && content.borrowed.view.isCanonical())
        size = content.borrowed.view.sizeInBytes();
    else
        size = withSnapshot([](const RoaringSnapshot & snapshot) { return roaringWrittenSize(snapshot.cursor(), FORMAT); });
    return 1 + getLengthOfVarUInt(size) + size;
}

template <typename T>
    requires std::integral<T>
void RoaringBitmapState<T>::throwUnknownKind(UInt8 found, UInt64 offset)
{
    throwError(
        ErrorCodes::INCORRECT_DATA, concat("Unknown kind of groupBitmap state at byte ", offset, ": expected 0 or 1, found ", found));
}

template <typename T>
    requires std::integral<T>
typename RoaringBitmapState<T>::SmallValues RoaringBitmapState<T>::readSmall(ZeroCopyReader & reader)
{
    const UInt64 n = readSmallSize(reader, MAX_SMALL);
    const UInt64 values_offset = reader.offset();
    const char * bytes = reader.borrow(n * sizeof(T)).data();
    SmallValues result;
    result.size = static_cast<size_t>(n);
    for (size_t i = 0; i < result.size; ++i)
        result.values[i] = unalignedLoadLittleEndian<T>(bytes + i * sizeof(T));
    std::sort(result.values, result.values + result.size, detail::isLessRaw<T>);
    const T * duplicate = std::adjacent_find(result.values, result.values + result.size);
    if (duplicate != result.values + result.size)
        throwError(
            ErrorCodes::INCORRECT_DATA,
            concat(
                "Duplicate value in a small groupBitmap state at byte ", values_offset, ": expected ", n, " distinct values, found ",
                Int64{static_cast<Int64>(*duplicate)}, " twice"));
    return result;
}

template <typename T>
    requires std::integral<T>
UInt64 RoaringBitmapState<T>::readBitmapSize(ZeroCopyReader & reader)
{
    const UInt64 offset = reader.offset();
    const UInt64 size = reader.readVarUInt();
    if (size == 0)
        throwError(ErrorCodes::INCORRECT_DATA, concat("Incorrect size (0) of the bitmap in a groupBitmap state at byte ", offset));
    if (size > MAX_BITMAP_BYTES)
        throwError(
            ErrorCodes::TOO_LARGE_ARRAY_SIZE,
            concat("Too large bitmap in a groupBitmap state at byte ", offset, ": expected at most ", MAX_BITMAP_BYTES, " bytes, found ", size));
    return size;
}

template <typename T>
    requires std::integral<T>
RoaringView RoaringBitmapState<T>::parseBitmap(std::string_view bytes, UInt64 offset)
{
    RoaringView view;
    const RoaringParseResult result = RoaringView::tryParse(bytes, FORMAT, Validation::Full, view);
    if (!result.ok())
        throwError(ErrorCodes::INCORRECT_DATA, concat("Incorrect bitmap in a groupBitmap state: ", result.describe(offset)));
    if (view.sizeInBytes() != bytes.size())
        throwError(
            ErrorCodes::INCORRECT_DATA,
            concat(
                "Bytes behind the bitmap in a groupBitmap state at byte ", offset + view.sizeInBytes(), ": expected a bitmap of ", bytes.size(),
                " bytes, found one of ", view.sizeInBytes()));
    if (const auto out = detail::findOutOfDomain<T>(view.cursor()); out.found)
        throwError(
            ErrorCodes::INCORRECT_DATA,
            concat(
                "Value outside the element type in a groupBitmap state at byte ", offset, ": expected raw values of a ", 8 * sizeof(T), "-bit ",
                std::is_signed_v<T> ? "signed" : "unsigned", " type, found ", out.raw));
    return view;
}

template <typename T>
    requires std::integral<T>
void RoaringBitmapState<T>::read(ReadBuffer & in, std::shared_ptr<const void> owner, Arena * arena)
{
    ZeroCopyReader reader(in, std::move(owner), arena);
    const UInt64 start = reader.offset();
    const UInt8 found = reader.readByte();
    if (found == KIND_SMALL)
    {
        const SmallValues small = readSmall(reader);
        setSmall(small.values, small.size);
        return;
    }
    if (found != KIND_BITMAP)
        throwUnknownKind(found, start);
    const UInt64 size = readBitmapSize(reader);
    const UInt64 offset = reader.offset();
    PinnedBytes pinned = reader.pin(size);
    const RoaringView view = parseBitmap(pinned.bytes(), offset);
    if (view.cardinality() <= MAX_SMALL)
    {
        SmallValues small;
        forEachValue(RoaringSnapshot(view), [&](UInt64 raw) { small.values[small.size++] = fromRaw(raw); });
        setSmall(small.values, small.size);
        return;
    }
    reset();
    new (&content.borrowed) Borrowed{view, pinned.owner()};
    kind = Storage::Borrowed;
}

template <typename T>
    requires std::integral<T>
void RoaringBitmapState<T>::readAndMerge(ReadBuffer & in)
{
    ZeroCopyReader reader(in);
    const UInt64 start = reader.offset();
    const UInt8 found = reader.readByte();
    if (found == KIND_SMALL)
    {
        const SmallValues small = readSmall(reader);
        addBatch(small.values, small.size);
        return;
    }
    if (found != KIND_BITMAP)
        throwUnknownKind(found, start);
    const UInt64 size = readBitmapSize(reader);
    const UInt64 offset = reader.offset();
    const RoaringView view = parseBitmap(reader.borrow(size), offset);
    if (kind == Storage::Small && small_size + view.cardinality() <= MAX_SMALL)
        forEachValue(RoaringSnapshot(view), [&](UInt64 raw) { addToSmall(fromRaw(raw)); });
    else if (kind == Storage::Small)
    {
        RoaringBitmap united(view);
        for (size_t i = 0; i < small_size; ++i)
            united.add(toRaw(smallValues()[i]));
        *this = fromBitmap(std::move(united));
    }
    else
        makeOwned().merge(view);
}

template <typename T>
    requires std::integral<T>
void RoaringBitmapState<T>::skip(ReadBuffer & in)
{
    ZeroCopyReader reader(in);
    const UInt64 start = reader.offset();
    const UInt8 found = reader.readByte();
    if (found == KIND_SMALL)
        reader.skip(readSmallSize(reader, MAX_SMALL) * sizeof(T));
    else if (found == KIND_BITMAP)
        reader.skip(readBitmapSize(reader));
    else
        throwUnknownKind(found, start);
}

#define INSTANTIATE(T) \
    template void RoaringBitmapState<T>::write(WriteBuffer &) const; \
    template UInt64 RoaringBitmapState<T>::serializedSize() const; \
    template void RoaringBitmapState<T>::read(ReadBuffer &, std::shared_ptr<const void>, Arena *); \
    template void RoaringBitmapState<T>::readAndMerge(ReadBuffer &); \
    template void RoaringBitmapState<T>::skip(ReadBuffer &);

INSTANTIATE(UInt8)
INSTANTIATE(UInt16)
INSTANTIATE(UInt32)
INSTANTIATE(UInt64)
INSTANTIATE(Int8)
INSTANTIATE(Int16)
INSTANTIATE(Int32)
INSTANTIATE(Int64)
#undef INSTANTIATE

}
