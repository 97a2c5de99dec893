#include "RoaringBitmap.h"

#include "RoaringBatch.h"
#include "RoaringOperations.h"
#include "RoaringWriter.h"

#include <algorithm>

namespace DB::inline statewire
{

namespace
{
/// Pending values that are always allowed, so that small sets are not folded all the time.
constexpr size_t MIN_PENDING = 1024;
/// Pending values for each one in the set.
constexpr UInt64 PENDING_OF_SEALED = 2;
/// More pending values than this only wait where folding them in rewrites much: as many values as the payloads could hold as arrays, or
/// many containers.
constexpr UInt64 MANY_PENDING = UInt64{1} << 18;
constexpr UInt64 PENDING_OF_CONTAINER = 16;
/// Batches that are worth looking at as a whole.
constexpr size_t MIN_BATCH = 16;
}

RoaringBitmap::RoaringBitmap(RoaringView view)
{
    mergeCursor(view.cursor());
}

RoaringBitmap RoaringBitmap::borrow(RoaringView view)
{
    RoaringBitmap result;
    for (RoaringCursor at = view.cursor(); at.valid(); at.next())
    {
        RoaringContainer container = at.isTrusted()
            ? RoaringContainer::borrow(at.container(), static_cast<UInt32>(containerCardinality(at.container())))
            : copyContainer(at.container(), false);
        /// What unchecked bytes call a container may hold nothing.
        if (container.cardinality() != 0)
            result.append(at.key(), std::move(container));
    }
    return result;
}

size_t RoaringBitmap::pendingLimit() const noexcept
{
    const UInt64 in_arrays = std::min<UInt64>(sealed_cardinality, MAX_ARRAY_CARDINALITY * containers.size());
    const UInt64 many = std::max({MANY_PENDING, in_arrays, PENDING_OF_CONTAINER * containers.size()});
    return static_cast<size_t>(std::max<UInt64>(MIN_PENDING, std::min(PENDING_OF_SEALED * sealed_cardinality, many)));
}

void RoaringBitmap::reserveMore(size_t added)
{
    const size_t needed = keys.size() + added;
    if (needed <= std::min(keys.capacity(), containers.capacity()))
        return;
    const size_t grown = std::max(needed, 2 * keys.size());
    keys.reserve(grown);
    containers.reserve(grown);
}

void RoaringBitmap::add(UInt64 value)
{
    const UInt64 key = value >> 16;
    const auto low = static_cast<UInt16>(value);
    /// Ascending values go straight to their place.
    if (pending.empty())
    {
        if (keys.empty() || keys.back() < key)
        {
            append(key, containerFromSorted(&low, 1));
            return;
        }
        if (keys.back() == key)
        {
            RoaringContainer & last = containers.back();
            const ContainerView view = last.view();
            if (view.kind == ContainerKind::Bitset)
            {
                char & byte = last.mutableData()[low / 8];
                const auto changed = static_cast<char>(byte | 1 << (low % 8));
                const UInt32 added = changed != byte;
                byte = changed;
                last.setCardinality(last.cardinality() + added);
                sealed_cardinality += added;
                return;
            }
            if (view.kind == ContainerKind::Array && low >= arrayValue(view.data, view.size - 1) && view.size < MAX_ARRAY_CARDINALITY)
            {
                if (low != arrayValue(view.data, view.size - 1))
                {
                    last.appendToArray(low);
                    ++sealed_cardinality;
                }
                return;
            }
        }
    }
    pending.push(value);
    if (pending.size() >= pendingLimit())
        seal();
}

template <typename T>
void RoaringBitmap::addBatch(std::span<const T> values)
{
    if (values.size() < MIN_BATCH)
    {
        for (const T value : values)
            add(value);
        return;
    }
    /// A batch is folded in at once when it begins at the end of the set, or when it is as large as what may be pending; else it waits.
    const bool at_end = pending.empty() && (keys.empty() || UInt64{values.front()} >> 16 >= keys.back());
    const bool is_large = values.size() >= pendingLimit();
    const bool is_sorted = (at_end || is_large) && isSortedBatch(values);
    if (!is_large && !is_sorted)
    {
        /// Where it fills soon, at its final size.
        const bool fills_soon = values.size() >= pendingLimit() / 8;
        pending.append(values, fills_soon ? pendingLimit() + values.size() : 0);
        if (pending.size() >= pendingLimit())
            seal();
        return;
    }
    if (is_sorted)
        fold(values);
    else
        fold(RoaringValuesByKey<T>(values).values());
}

size_t RoaringBitmap::seekFrom(size_t at, UInt64 key) const noexcept
{
    const size_t n = keys.size();
    size_t step = 8;
    if (at + step >= n || keys[at + step] >= key)
    {
        while (at < n && keys[at] < key)
            ++at;
        return at;
    }
    for (; at + step < n && keys[at + step] < key; step *= 2)
        at += step;
    const auto begin = keys.begin() + static_cast<std::ptrdiff_t>(at + 1);
    return static_cast<size_t>(std::lower_bound(begin, keys.begin() + static_cast<std::ptrdiff_t>(std::min(at + step, n)), key) - keys.begin());
}

void RoaringBitmap::uniteAt(size_t at, ContainerView other)
{
    RoaringContainer & container = containers[at];
    const UInt32 before = container.cardinality();
    uniteWith(container, other);
    sealed_cardinality += container.cardinality() - before;
}

void RoaringBitmap::keepSmall(RoaringContainer & container, size_t expected)
{
    const size_t bytes = container.view().payloadBytes();
    if (container.isOnHeap() && bytes <= RoaringPayloads::MAX_BYTES)
        container.lend(payloads.alloc(bytes, expected));
}

template <typename Source>
void RoaringBitmap::insertFromBack(size_t added, Source && source)
{
    if (added == 0)
        return;
    /// Into larger arrays when these are full. Nothing fails behind the allocations.
    size_t from = keys.size();
    size_t to = from + added;
    TrackedVector<UInt64> larger_keys;
    TrackedVector<RoaringContainer> larger_containers;
    const bool is_larger = to > std::min(keys.capacity(), containers.capacity());
    TrackedVector<UInt64> & to_keys = is_larger ? larger_keys : keys;
    TrackedVector<RoaringContainer> & to_containers = is_larger ? larger_containers : containers;
    if (is_larger)
    {
        const size_t grown = std::max(to, from + from / 2);
        larger_keys.reserve(grown);
        larger_containers.reserve(grown);
    }
    to_keys.resize(to);
    to_containers.resize(to);
    const auto move_one = [&] {
        to_keys[--to] = keys[--from];
        to_containers[to].swap(containers[from]);
    };
    for (; to != from; source.next())
    {
        const UInt64 key = source.key();
        while (from != 0 && keys[from - 1] > key)
            move_one();
        if (from != 0 && keys[from - 1] == key)
            continue;
        to_keys[--to] = key;
        to_containers[to] = source.take();
        sealed_cardinality += to_containers[to].cardinality();
    }
    if (!is_larger)
        return;
    while (from != 0)
        move_one();
    keys.swap(larger_keys);
    containers.swap(larger_containers);
}

namespace
{
/// Containers from the last one on, as insertFromBack takes them.
class ContainersFromBack
{
public:
    ContainersFromBack(std::span<const UInt64> keys_, std::span<RoaringContainer> containers_) noexcept : keys(keys_), containers(containers_) { }

    [[nodiscard]] UInt64 key() const noexcept { return keys.back(); }
    [[nodiscard]] RoaringContainer take() noexcept { return std::move(containers.back()); }
    void next() noexcept
    {
        keys = keys.first(keys.size() - 1);
        containers = containers.first(keys.size());
    }

private:
    std::span<const UInt64> keys;
    std::span<RoaringContainer> containers;
};

/// The same from values that are sorted by key: containers of many values are made already, in `large`.
template <typename T>
class GroupsFromBack
{
public:
    GroupsFromBack(std::span<const T> values_, RoaringGroupContainer & maker_, TrackedVector<RoaringContainer> & large_) noexcept
        : values(values_), maker(maker_), large(large_), begin(beginOfLast())
    {
    }

    [[nodiscard]] UInt64 key() const noexcept { return UInt64{values.back()} >> 16; }
    [[nodiscard]] RoaringContainer take()
    {
        if (values.size() - begin <= RoaringGroupContainer::INLINE_VALUES)
            return maker.make(values.subspan(begin));
        RoaringContainer container = std::move(large.back());
        large.pop_back();
        return container;
    }
    void next() noexcept
    {
        values = values.first(begin);
        begin = beginOfLast();
    }

private:
    [[nodiscard]] size_t beginOfLast() const noexcept { return values.empty() ? 0 : beginOfRoaringGroup(values); }

    std::span<const T> values;
    RoaringGroupContainer & maker;
    TrackedVector<RoaringContainer> & large;
    size_t begin;
};
}

template <typename T>
void RoaringBitmap::fold(std::span<const T> values)
{
    if (payloads.hasGrown())
        dropPayloads();
    RoaringGroupContainer group;
    /// Unites what is there, and makes the new containers that may fail.
    TrackedVector<RoaringContainer> large;
    size_t added = 0;
    size_t at = 0;
    for (std::span<const T> rest = values; !rest.empty();)
    {
        const UInt64 key = UInt64{rest[0]} >> 16;
        const size_t n = endOfRoaringGroup(rest);
        at = seekFrom(at, key);
        if (at < keys.size() && keys[at] == key)
            uniteAt(at, group.make(rest.first(n)).view());
        else
        {
            ++added;
            if (n > RoaringGroupContainer::INLINE_VALUES)
            {
                large.push_back(group.make(rest.first(n)));
                keepSmall(large.back(), rest.size() * sizeof(UInt16));
            }
        }
        rest = rest.subspan(n);
    }
    insertFromBack(added, GroupsFromBack<T>(values, group, large));
}

void RoaringBitmap::addMany(std::span<const UInt64> values)
{
    addBatch(values);
}

void RoaringBitmap::addMany(std::span<const UInt32> values)
{
    addBatch(values);
}

void RoaringBitmap::seal()
{
    if (pending.empty())
        return;
    pending.visitMutable([this]<typename T>(std::span<T> values) { fold(RoaringValuesByKey<T>(values).values()); });
    pending.clear();
}

void RoaringBitmap::mergeCursor(RoaringCursor other)
{
    TrackedVector<UInt64> new_keys;
    TrackedVector<RoaringContainer> new_containers;
    size_t at = 0;
    for (; other.valid(); other.next())
    {
        const UInt64 key = other.key();
        at = seekFrom(at, key);
        if (at < keys.size() && keys[at] == key)
        {
            uniteAt(at, other.container());
            continue;
        }
        RoaringContainer container = other.copy();
        if (container.cardinality() == 0)
            continue;
        new_keys.push_back(key);
        new_containers.push_back(std::move(container));
    }
    insertFromBack(new_keys.size(), ContainersFromBack(new_keys, new_containers));
}

void RoaringBitmap::merge(RoaringBitmap && other)
{
    if (this == &other)
        return;
    seal();
    other.seal();
    other.dropPayloads();
    /// Containers of new keys move to the front; none of them shows memory of somebody else.
    size_t added = 0;
    size_t at = 0;
    for (size_t i = 0; i < other.keys.size(); ++i)
    {
        const UInt64 key = other.keys[i];
        RoaringContainer & container = other.containers[i];
        at = seekFrom(at, key);
        if (at < keys.size() && keys[at] == key)
        {
            uniteAt(at, container.view());
            continue;
        }
        if (container.isBorrowed() && !other.payloads.contains(container.view().data))
            container.own();
        other.keys[added] = key;
        other.containers[added++].swap(container);
    }
    if (keys.empty())
    {
        clear();
        swap(other);
        return;
    }
    insertFromBack(added, ContainersFromBack({other.keys.data(), added}, {other.containers.data(), added}));
    payloads.splice(std::move(other.payloads));
    other.clear();
}

void RoaringBitmap::merge(const RoaringBitmap & other)
{
    if (this == &other)
        return;
    seal();
    mergeCursor(other.sealedCursor());
    other.pending.visit([this](const auto values) { addMany(values); });
    seal();
}

void RoaringBitmap::merge(RoaringView other)
{
    seal();
    mergeCursor(other.cursor());
}

UInt64 RoaringBitmap::cardinality() const
{
    return RoaringSnapshot(*this).cardinality();
}

bool RoaringBitmap::contains(UInt64 value) const noexcept
{
    RoaringCursor i = sealedCursor();
    i.seek(value >> 16);
    if (i.valid() && i.key() == value >> 16 && containerContains(i.container(), static_cast<UInt16>(value)))
        return true;
    return pending.visit([value](const auto values) { return std::find(values.begin(), values.end(), value) != values.end(); });
}

UInt64 RoaringBitmap::minimum() const
{
    const bool any_sealed = !keys.empty();
    const UInt64 sealed = any_sealed ? keys.front() << 16 | containerMinimum(containers.front().view()) : 0;
    if (pending.empty())
        return sealed;
    const UInt64 waiting = pending.visit([](const auto values) { return UInt64{*std::min_element(values.begin(), values.end())}; });
    return any_sealed ? std::min(sealed, waiting) : waiting;
}

UInt64 RoaringBitmap::maximum() const
{
    const UInt64 sealed = keys.empty() ? 0 : keys.back() << 16 | containerMaximum(containers.back().view());
    if (pending.empty())
        return sealed;
    return std::max(sealed, pending.visit([](const auto values) { return UInt64{*std::max_element(values.begin(), values.end())}; }));
}

void RoaringBitmap::write(WriteBuffer & out, RoaringFormat format) const
{
    const RoaringSnapshot snapshot(*this);
    WriteBufferSink sink(out);
    RoaringWriter(snapshot.cursor(), format).write(sink);
}

UInt64 RoaringBitmap::serializedSize(RoaringFormat format) const
{
    const RoaringSnapshot snapshot(*this);
    return roaringWrittenSize(snapshot.cursor(), format);
}

size_t RoaringBitmap::heldBytes() const noexcept
{
    size_t result = keys.capacity() * sizeof(UInt64) + containers.capacity() * sizeof(RoaringContainer) + payloads.heldBytes() + pending.heldBytes();
    for (const RoaringContainer & container : containers)
        result += container.heldBytes();
    return result;
}

bool operator==(const RoaringBitmap & a, const RoaringBitmap & b)
{
    return roaringEquals(a, b);
}

void RoaringBuilder::reserve()
{
    bitmap.keys.reserve(expected);
    bitmap.containers.reserve(expected);
}

RoaringBitmap RoaringBuilder::finish()
{
    constexpr size_t SPARE = 64;
    if (bitmap.keys.capacity() > 2 * bitmap.keys.size() + SPARE)
    {
        bitmap.keys.shrink_to_fit();
        bitmap.containers.shrink_to_fit();
    }
    return std::move(bitmap);
}

void RoaringSnapshot::foldPending()
{
    const RoaringCursor start = bitmap->sealedCursor();
    folded = makeTracked<Folded>();
    TrackedVector<RoaringContainer> & touched = folded->touched;
    TrackedVector<KeyedContainer> & all = folded->all;
    RoaringGroupContainer group;
    TrackedVector<UInt64> touched_keys;
    bitmap->pending.visit([&]<typename T>(std::span<const T> pending) {
        const RoaringValuesByKey<T> values(pending);
        RoaringCursor existing = start;
        for (std::span<const T> rest = values.values(); !rest.empty();)
        {
            const UInt64 key = UInt64{rest[0]} >> 16;
            const size_t n = endOfRoaringGroup(rest);
            RoaringContainer container = group.make(rest.first(n));
            existing.seek(key);
            if (existing.valid() && existing.key() == key)
                uniteWith(container, existing.container());
            touched_keys.push_back(key);
            touched.push_back(std::move(container));
            rest = rest.subspan(n);
        }
    });
    all.reserve(bitmap->keys.size() + touched.size());
    size_t i = 0;
    for (RoaringCursor existing = start; existing.valid(); existing.next())
    {
        for (; i < touched.size() && touched_keys[i] < existing.key(); ++i)
            all.push_back({touched_keys[i], touched[i].view()});
        if (i < touched.size() && touched_keys[i] == existing.key())
            all.push_back({touched_keys[i], touched[i].view()}), ++i;
        else
            all.push_back(existing.keyed());
    }
    for (; i < touched.size(); ++i)
        all.push_back({touched_keys[i], touched[i].view()});
}

}
