#include "RoaringBitmapState.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../IO/VarInt.h"
#include "../Roaring/RoaringWriter.h"

#include <algorithm>
#include <limits>
#include <new>

namespace DB::inline statewire
{

namespace
{
constexpr UInt8 KIND_SMALL = 0;
constexpr UInt8 KIND_BITMAP = 1;

/// The first value of a checked bitmap that T cannot hold, as a raw value; `found` is false when there is none.
template <typename T>
struct OutOfDomain
{
    bool found = false;
    UInt64 raw = 0;
};

template <typename T>
OutOfDomain<T> findOutOfDomain(RoaringCursor cursor)
{
    if constexpr (sizeof(T) >= 4)
        return {};
    else
    {
        /// Values T can hold are the raw values [0, max] and, for signed types, [2^32 + min, 2^32).
        constexpr UInt32 LAST_LOW = static_cast<UInt32>(std::numeric_limits<T>::max());
        constexpr UInt32 FIRST_HIGH = std::is_signed_v<T> ? static_cast<UInt32>(Int32{std::numeric_limits<T>::min()}) : 0xffffffff;
        constexpr bool HAS_HIGH = std::is_signed_v<T>;
        for (; cursor.valid(); cursor.next())
        {
            const auto base = static_cast<UInt32>(cursor.key() << 16);
            const UInt32 smallest = base | containerMinimum(cursor.container());
            const UInt32 largest = base | containerMaximum(cursor.container());
            if (largest <= LAST_LOW || (HAS_HIGH && smallest >= FIRST_HIGH))
                continue;
            return {true, smallest > LAST_LOW ? smallest : largest};
        }
        return {};
    }
}

template <typename T>
bool isLess(T a, T b) noexcept
{
    return RoaringBitmapState<T>::toRaw(a) < RoaringBitmapState<T>::toRaw(b);
}
}

template <typename T>
    requires std::integral<T>
RoaringBitmapState<T>::RoaringBitmapState(const RoaringBitmapState & other)
{
    switch (other.kind)
    {
        case Storage::Small:
            setSmall(other.smallValues(), other.small_size);
            return;
        case Storage::Borrowed:
        {
            /// The copy may outlive the arena that the bytes lie in, so it shares or owns them.
            const RoaringView & view = other.content.borrowed.view;
            const PinnedBytes kept = PinnedBytes(view.bytes(), other.content.borrowed.owner).shareOrCopy();
            new (&content.borrowed) Borrowed{view.over(kept.bytes().data()), kept.owner()};
            kind = Storage::Borrowed;
            return;
        }
        case Storage::Owned:
            becomeOwned(std::make_unique<Owned>(Owned{other.content.owned->bitmap, {}}));
            return;
    }
}

template <typename T>
    requires std::integral<T>
RoaringBitmapState<T>::RoaringBitmapState(RoaringBitmapState && other) noexcept
{
    moveFrom(other);
}

template <typename T>
    requires std::integral<T>
RoaringBitmapState<T> & RoaringBitmapState<T>::operator=(const RoaringBitmapState & other)
{
    if (this != &other)
        *this = RoaringBitmapState(other);
    return *this;
}

template <typename T>
    requires std::integral<T>
RoaringBitmapState<T> & RoaringBitmapState<T>::operator=(RoaringBitmapState && other) noexcept
{
    if (this != &other)
    {
        reset();
        moveFrom(other);
    }
    return *this;
}

template <typename T>
    requires std::integral<T>
void RoaringBitmapState<T>::reset() noexcept
{
    switch (kind)
    {
        case Storage::Small:
            if (!isInline())
                delete[] content.heap;
            break;
        case Storage::Borrowed:
            content.borrowed.~Borrowed();
            break;
        case Storage::Owned:
            delete content.owned;
            break;
    }
    kind = Storage::Small;
    small_size = 0;
    small_capacity = INLINE_VALUES;
}

template <typename T>
    requires std::integral<T>
void RoaringBitmapState<T>::moveFrom(RoaringBitmapState & other) noexcept
{
    kind = other.kind;
    small_size = other.small_size;
    small_capacity = other.small_capacity;
    if (kind == Storage::Borrowed)
    {
        new (&content.borrowed) Borrowed(std::move(other.content.borrowed));
        other.reset();
        return;
    }
    if (kind == Storage::Owned)
        content.owned = other.content.owned;
    else if (isInline())
        std::copy_n(other.content.inlined, small_size, content.inlined);
    else
        content.heap = other.content.heap;
    other.kind = Storage::Small;
    other.small_size = 0;
    other.small_capacity = INLINE_VALUES;
}

template <typename T>
    requires std::integral<T>
void RoaringBitmapState<T>::reserveSmall(size_t capacity)
{
    if (capacity <= small_capacity)
        return;
    const size_t grown = std::min(MAX_SMALL, std::max<size_t>(capacity, size_t{2} * small_capacity));
    T * moved = new T[grown];
    std::copy_n(smallValues(), small_size, moved);
    if (!isInline())
        delete[] content.heap;
    content.heap = moved;
    small_capacity = static_cast<UInt8>(grown);
}

template <typename T>
    requires std::integral<T>
void RoaringBitmapState<T>::setSmall(const T * values, size_t n)
{
    reserveSmall(n);
    std::copy_n(values, n, smallValues());
    small_size = static_cast<UInt8>(n);
}

template <typename T>
    requires std::integral<T>
void RoaringBitmapState<T>::becomeOwned(std::unique_ptr<Owned> owned) noexcept
{
    reset();
    content.owned = owned.release();
    kind = Storage::Owned;
}

template <typename T>
    requires std::integral<T>
RoaringBitmap & RoaringBitmapState<T>::makeOwned()
{
    if (kind == Storage::Borrowed)
        /// Containers are copied when they change, one at a time.
        becomeOwned(std::make_unique<Owned>(Owned{RoaringBitmap::borrow(content.borrowed.view), content.borrowed.owner}));
    else if (kind == Storage::Small)
        becomeOwned(std::make_unique<Owned>(Owned{toBitmap(), {}}));
    return content.owned->bitmap;
}

template <typename T>
    requires std::integral<T>
void RoaringBitmapState<T>::addToSmall(T value)
{
    const T * begin = smallValues();
    const T * end = begin + small_size;
    const T * at = std::lower_bound(begin, end, value, isLess<T>);
    if (at != end && *at == value)
        return;
    if (small_size == MAX_SMALL)
    {
        makeOwned().add(toRaw(value));
        return;
    }
    const auto index = at - begin;
    reserveSmall(small_size + size_t{1});
    T * values = smallValues();
    std::copy_backward(values + index, values + small_size, values + small_size + 1);
    values[index] = value;
    ++small_size;
}

template <typename T>
    requires std::integral<T>
void RoaringBitmapState<T>::add(T value)
{
    if (kind == Storage::Small)
        addToSmall(value);
    else
        makeOwned().add(toRaw(value));
}

template <typename T>
    requires std::integral<T>
void RoaringBitmapState<T>::addBatch(const T * values, size_t n)
{
    size_t i = 0;
    for (; i < n && kind == Storage::Small; ++i)
        addToSmall(values[i]);
    if (i == n)
        return;
    RoaringBitmap & bitmap = makeOwned();
    if constexpr (std::is_same_v<T, UInt64>)
        bitmap.addMany({values + i, n - i});
    else
    {
        /// Raw values, as many at a time as make a batch worth its while.
        constexpr size_t MAX_BATCH = 65536;
        std::vector<UInt64> raw;
        raw.reserve(std::min(MAX_BATCH, n - i));
        while (i < n)
        {
            raw.clear();
            for (const size_t end = i + std::min(MAX_BATCH, n - i); i < end; ++i)
                raw.push_back(toRaw(values[i]));
            bitmap.addMany(raw);
        }
    }
}

template <typename T>
    requires std::integral<T>
void RoaringBitmapState<T>::merge(const RoaringBitmapState & other)
{
    if (this == &other)
        return;
    if (other.kind == Storage::Small)
    {
        addBatch(other.smallValues(), other.small_size);
        return;
    }
    if (kind == Storage::Small)
    {
        RoaringBitmapState united(other);
        united.addBatch(smallValues(), small_size);
        *this = std::move(united);
        return;
    }
    RoaringBitmap & bitmap = makeOwned();
    if (other.kind == Storage::Borrowed)
        bitmap.merge(other.content.borrowed.view);
    else
        bitmap.merge(other.content.owned->bitmap);
}

template <typename T>
    requires std::integral<T>
template <typename F>
decltype(auto) RoaringBitmapState<T>::withAnySnapshot(F && f) const
{
    if (kind != Storage::Small)
        return withSnapshot(f);
    const RoaringBitmap bitmap = toBitmap();
    return f(RoaringSnapshot(bitmap));
}

template <typename T>
    requires std::integral<T>
template <typename Sink>
void RoaringBitmapState<T>::writeTo(Sink & sink) const
{
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
void RoaringBitmapState<T>::write(WriteBuffer & out) const
{
    WriteBufferSink sink(out);
    writeTo(sink);
}

template <typename T>
    requires std::integral<T>
UInt64 RoaringBitmapState<T>::serializedSize() const
{
    CountingSink sink;
    writeTo(sink);
    return sink.size();
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
    const UInt64 offset = reader.offset();
    const UInt64 n = reader.readVarUInt();
    if (n > MAX_SMALL)
        throwError(
            ErrorCodes::INCORRECT_DATA,
            concat("Illegal size of a small groupBitmap state at byte ", offset, ": expected at most ", MAX_SMALL, ", found ", n));
    const UInt64 values_offset = reader.offset();
    const char * bytes = reader.borrow(n * sizeof(T)).data();
    SmallValues result;
    result.size = static_cast<size_t>(n);
    for (size_t i = 0; i < result.size; ++i)
        result.values[i] = unalignedLoadLittleEndian<T>(bytes + i * sizeof(T));
    std::sort(result.values, result.values + result.size, isLess<T>);
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
    if (const auto out = findOutOfDomain<T>(view.cursor()); out.found)
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
        static_cast<void>(readSmall(reader));
    else if (found == KIND_BITMAP)
        reader.skip(readBitmapSize(reader));
    else
        throwUnknownKind(found, start);
}

template <typename T>
    requires std::integral<T>
UInt64 RoaringBitmapState<T>::cardinality() const
{
    switch (kind)
    {
        case Storage::Small:
            return small_size;
        case Storage::Borrowed:
            return content.borrowed.view.cardinality();
        case Storage::Owned:
            return content.owned->bitmap.cardinality();
    }
    return 0;
}

template <typename T>
    requires std::integral<T>
bool RoaringBitmapState<T>::containsRaw(UInt64 raw) const
{
    switch (kind)
    {
        case Storage::Small:
        {
            const T value = fromRaw(raw);
            return toRaw(value) == raw && std::binary_search(smallValues(), smallValues() + small_size, value, isLess<T>);
        }
        case Storage::Borrowed:
            return content.borrowed.view.contains(raw);
        case Storage::Owned:
            return content.owned->bitmap.contains(raw);
    }
    return false;
}

template <typename T>
    requires std::integral<T>
void RoaringBitmapState<T>::appendTo(std::vector<T> & values) const
{
    forEach([&](T value) { values.push_back(value); });
}

template <typename T>
    requires std::integral<T>
RoaringBitmap RoaringBitmapState<T>::toBitmap() const
{
    if (kind == Storage::Borrowed)
        return RoaringBitmap(content.borrowed.view);
    if (kind == Storage::Owned)
        return content.owned->bitmap;
    RoaringBitmap result;
    for (size_t i = 0; i < small_size; ++i)
        result.add(toRaw(smallValues()[i]));
    return result;
}

template <typename T>
    requires std::integral<T>
RoaringBitmapState<T> RoaringBitmapState<T>::fromBitmap(RoaringBitmap && bitmap)
{
    bitmap.seal();
    {
        const RoaringSnapshot snapshot(bitmap);
        const bool too_wide = sizeof(T) < 8 && bitmap.maximum() > 0xffffffff;
        if (too_wide || findOutOfDomain<T>(snapshot.cursor()).found)
            throwError(
                ErrorCodes::ARGUMENT_OUT_OF_BOUND,
                concat("Bitmap does not fit a groupBitmap state of a ", 8 * sizeof(T), "-bit type: found values up to ", bitmap.maximum()));
    }
    RoaringBitmapState result;
    if (bitmap.cardinality() > MAX_SMALL)
    {
        result.becomeOwned(std::make_unique<Owned>(Owned{std::move(bitmap), {}}));
        return result;
    }
    forEachValue(RoaringSnapshot(bitmap), [&](UInt64 raw) { result.addToSmall(fromRaw(raw)); });
    return result;
}

template <typename T>
    requires std::integral<T>
UInt64 RoaringBitmapState<T>::combinedCardinality(SetOperation operation, const RoaringBitmapState & other) const
{
    return withAnySnapshot([&](const RoaringSnapshot & a) {
        return other.withAnySnapshot([&](const RoaringSnapshot & b) { return roaringCombinedCardinality(operation, a, b); });
    });
}

template <typename T>
    requires std::integral<T>
RoaringBitmapState<T> RoaringBitmapState<T>::combine(SetOperation operation, const RoaringBitmapState & a, const RoaringBitmapState & b)
{
    return a.withAnySnapshot([&](const RoaringSnapshot & set_a) {
        return b.withAnySnapshot([&](const RoaringSnapshot & set_b) { return fromBitmap(roaringCombine(operation, set_a, set_b)); });
    });
}

template <typename T>
    requires std::integral<T>
UInt64 RoaringBitmapState<T>::andCardinality(const RoaringBitmapState & other) const
{
    return combinedCardinality(SetOperation::And, other);
}

template <typename T>
    requires std::integral<T>
UInt64 RoaringBitmapState<T>::orCardinality(const RoaringBitmapState & other) const
{
    return combinedCardinality(SetOperation::Or, other);
}

template <typename T>
    requires std::integral<T>
UInt64 RoaringBitmapState<T>::xorCardinality(const RoaringBitmapState & other) const
{
    return combinedCardinality(SetOperation::Xor, other);
}

template <typename T>
    requires std::integral<T>
UInt64 RoaringBitmapState<T>::andNotCardinality(const RoaringBitmapState & other) const
{
    return combinedCardinality(SetOperation::AndNot, other);
}

template <typename T>
    requires std::integral<T>
RoaringBitmapState<T> RoaringBitmapState<T>::bitmapAnd(const RoaringBitmapState & a, const RoaringBitmapState & b)
{
    return combine(SetOperation::And, a, b);
}

template <typename T>
    requires std::integral<T>
RoaringBitmapState<T> RoaringBitmapState<T>::bitmapOr(const RoaringBitmapState & a, const RoaringBitmapState & b)
{
    return combine(SetOperation::Or, a, b);
}

template <typename T>
    requires std::integral<T>
RoaringBitmapState<T> RoaringBitmapState<T>::bitmapXor(const RoaringBitmapState & a, const RoaringBitmapState & b)
{
    return combine(SetOperation::Xor, a, b);
}

template <typename T>
    requires std::integral<T>
RoaringBitmapState<T> RoaringBitmapState<T>::bitmapAndNot(const RoaringBitmapState & a, const RoaringBitmapState & b)
{
    return combine(SetOperation::AndNot, a, b);
}

template <typename T>
    requires std::integral<T>
size_t RoaringBitmapState<T>::heldBytes() const noexcept
{
    switch (kind)
    {
        case Storage::Small:
            return isInline() ? 0 : small_capacity * sizeof(T);
        case Storage::Borrowed:
            return 0;
        case Storage::Owned:
            return sizeof(Owned) + content.owned->bitmap.heldBytes();
    }
    return 0;
}

template class RoaringBitmapState<UInt8>;
template class RoaringBitmapState<UInt16>;
template class RoaringBitmapState<UInt32>;
template class RoaringBitmapState<UInt64>;
template class RoaringBitmapState<Int8>;
template class RoaringBitmapState<Int16>;
template class RoaringBitmapState<Int32>;
template class RoaringBitmapState<Int64>;

static_assert(sizeof(RoaringBitmapState<UInt8>) == 48);
static_assert(sizeof(RoaringBitmapState<UInt64>) == 48);

}
