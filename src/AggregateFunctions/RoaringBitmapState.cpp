#include "RoaringBitmapState.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../Roaring/RoaringIterator.h"
#include "RoaringBitmapStateDetail.h"

#include <algorithm>
#include <new>
#include <utility>

namespace DB::inline statewire
{

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
            becomeOwned(makeTracked<Owned>(Owned{other.content.owned->bitmap, {}}));
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
            freeSmall();
            break;
        case Storage::Borrowed:
            content.borrowed.~Borrowed();
            break;
        case Storage::Owned:
            static_cast<void>(TrackedPtr<Owned>(content.owned));
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
    T * const moved = static_cast<T *>(trackedNew(grown * sizeof(T)));
    std::copy_n(smallValues(), small_size, moved);
    freeSmall();
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
void RoaringBitmapState<T>::becomeOwned(TrackedPtr<Owned> owned) noexcept
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
        becomeOwned(makeTracked<Owned>(Owned{RoaringBitmap::borrow(content.borrowed.view), content.borrowed.owner}));
    else if (kind == Storage::Small)
        becomeOwned(makeTracked<Owned>(Owned{toBitmap(), {}}));
    return content.owned->bitmap;
}

template <typename T>
    requires std::integral<T>
void RoaringBitmapState<T>::addToSmall(T value)
{
    const T * begin = smallValues();
    const T * end = begin + small_size;
    const T * at = std::lower_bound(begin, end, value, detail::isLessRaw<T>);
    if (at != end && *at == value)
        return;
    if (small_size == MAX_SMALL)
    {
        /// Not makeOwned: should the addition fail, this stays small.
        RoaringBitmap bitmap = toBitmap();
        bitmap.add(toRaw(value));
        becomeOwned(makeTracked<Owned>(Owned{std::move(bitmap), {}}));
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
    /// Raw values of the wide types have the bits of the values themselves.
    if constexpr (sizeof(T) == 8)
        bitmap.addMany(std::span(reinterpret_cast<const UInt64 *>(values + i), n - i));
    else if constexpr (sizeof(T) == 4)
        bitmap.addMany(std::span(reinterpret_cast<const UInt32 *>(values + i), n - i));
    else
    {
        /// As many at a time as make a batch worth its while.
        constexpr size_t MAX_BATCH = 65536;
        TrackedVector<UInt32> raw;
        while (i < n)
        {
            raw.resize(std::min(MAX_BATCH, n - i));
            for (UInt32 & element : raw)
                element = static_cast<UInt32>(toRaw(values[i++]));
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
void RoaringBitmapState<T>::merge(RoaringBitmapState && other)
{
    if (this == &other)
        return;
    RoaringBitmapState taken(std::move(other));
    if (kind == Storage::Small && taken.kind == Storage::Owned)
    {
        RoaringBitmap united;
        united.merge(std::move(taken.content.owned->bitmap));
        for (size_t i = 0; i < small_size; ++i)
            united.add(toRaw(smallValues()[i]));
        becomeOwned(makeTracked<Owned>(Owned{std::move(united), {}}));
    }
    else if (taken.kind == Storage::Owned)
        makeOwned().merge(std::move(taken.content.owned->bitmap));
    else
        merge(std::as_const(taken));
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
            return toRaw(value) == raw && std::binary_search(smallValues(), smallValues() + small_size, value, detail::isLessRaw<T>);
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
    if (kind == Storage::Small)
    {
        values.insert(values.end(), smallValues(), smallValues() + small_size);
        return;
    }
    /// Exact for the first state; a vector that takes many grows by itself, for exact reserves would move it for each of them.
    if (values.empty())
        values.reserve(static_cast<size_t>(cardinality()));
    withSnapshot([&](const RoaringSnapshot & snapshot) {
        constexpr size_t AT_ONCE = 512;
        UInt64 raw[AT_ONCE];
        RoaringBatchIterator source(snapshot);
        while (const size_t n = source.read(raw, AT_ONCE))
        {
            const size_t begin = values.size();
            values.resize(begin + n);
            for (size_t i = 0; i < n; ++i)
                values[begin + i] = fromRaw(raw[i]);
        }
    });
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
        if (too_wide || detail::findOutOfDomain<T>(snapshot.cursor()).found)
            throwError(
                ErrorCodes::ARGUMENT_OUT_OF_BOUND,
                concat("Bitmap does not fit a groupBitmap state of a ", 8 * sizeof(T), "-bit type: found values up to ", bitmap.maximum()));
    }
    RoaringBitmapState result;
    if (bitmap.cardinality() > MAX_SMALL)
    {
        result.becomeOwned(makeTracked<Owned>(Owned{std::move(bitmap), {}}));
        return result;
    }
    forEachValue(RoaringSnapshot(bitmap), [&](UInt64 raw) { result.addToSmall(fromRaw(raw)); });
    return result;
}

template <typename T>
    requires std::integral<T>
RoaringBitmapState<T> RoaringBitmapState<T>::combine(SetOperation operation, const RoaringBitmapState & a, const RoaringBitmapState & b)
{
    return a.withSet([&](const RoaringSnapshot & set_a) {
        return b.withSet([&](const RoaringSnapshot & set_b) { return fromBitmap(roaringCombine(operation, set_a, set_b)); });
    });
}

template <typename T>
    requires std::integral<T>
UInt64 RoaringBitmapState<T>::combinedCardinality(SetOperation operation, const RoaringBitmapState & a, const RoaringBitmapState & b)
{
    return a.withSet([&](const RoaringSnapshot & set_a) {
        return b.withSet([&](const RoaringSnapshot & set_b) { return roaringCombinedCardinality(operation, set_a, set_b); });
    });
}

template <typename T>
    requires std::integral<T>
void RoaringBitmapState<T>::seal()
{
    if (kind == Storage::Owned)
        content.owned->bitmap.seal();
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

static_assert(sizeof(RoaringBitmapState<UInt8>) <= 48);
static_assert(sizeof(RoaringBitmapState<UInt64>) <= 48);

}
