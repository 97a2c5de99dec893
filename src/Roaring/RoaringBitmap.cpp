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
    const bool is_sorted = (at_end || is_large) && std::is_sorted(values.begin(), values.end());
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

template <typename T>
void RoaringBitmap::fold(std::span<const T> values)
{
    RoaringGroupContainer group;
    /// Unites what is there, and makes the new containers that may fail.
    TrackedVector<RoaringContainer> large;
    size_t added = 0;
    size_t at = 0;
    for (std::span<const T> rest = values; !rest.empty();)
    {
        const UInt64 key = UInt64{rest[0]} >> 16;
        const size_t n = endOfRoaringGroup(rest);
        while (at < keys.size() && keys[at] < key)
        {
            /// Neighbours are looked at first, then the rest of the set.
            if (at + 8 < keys.size() && keys[at + 8] < key)
                at = static_cast<size_t>(std::lower_bound(keys.begin() + static_cast<std::ptrdiff_t>(at + 9), keys.end(), key) - keys.begin());
            else
                ++at;
        }
        if (at < keys.size() && keys[at] == key)
        {
            RoaringContainer & container = containers[at];
            const UInt32 before = container.cardinality();
            uniteWith(container, group.make(rest.first(n)).view());
            sealed_cardinality += container.cardinality() - before;
        }
        else
        {
            ++added;
            if (n > RoaringGroupContainer::INLINE_VALUES)
                large.push_back(group.make(rest.first(n)));
        }
        rest = rest.subspan(n);
    }
    if (added != 0)
        insertGroups(values, added, group, large);
}

template <typename T>
void RoaringBitmap::insertGroups(
    std::span<const T> values, size_t added, RoaringGroupContainer & group, TrackedVector<RoaringContainer> & large)
{
    /// Into larger arrays when these are full, and from the back, so that every container moves once. Nothing fails behind the allocations.
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
    for (size_t end = values.size(); to != from;)
    {
        const UInt64 key = UInt64{values[end - 1]} >> 16;
        while (from != 0 && keys[from - 1] > key)
            move_one();
        size_t begin = end - 1;
        while (begin != 0 && UInt64{values[begin - 1]} >> 16 == key)
            --begin;
        if (from == 0 || keys[from - 1] != key)
        {
            to_keys[--to] = key;
            RoaringContainer & container = to_containers[to];
            if (end - begin > RoaringGroupContainer::INLINE_VALUES)
            {
                container.swap(large.back());
                large.pop_back();
            }
            else
                container = group.make(values.subspan(begin, end - begin));
            sealed_cardinality += container.cardinality();
        }
        end = begin;
    }
    if (!is_larger)
        return;
    while (from != 0)
        move_one();
    keys.swap(larger_keys);
    containers.swap(larger_containers);
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

template <typename Take>
void RoaringBitmap::mergeSealed(RoaringCursor other, Take && take)
{
    TrackedVector<UInt64> new_keys;
    TrackedVector<RoaringContainer> new_containers;
    size_t at = 0;
    for (; other.valid(); other.next())
    {
        const UInt64 key = other.key();
        at = static_cast<size_t>(std::lower_bound(keys.begin() + static_cast<std::ptrdiff_t>(at), keys.end(), key) - keys.begin());
        if (at < keys.size() && keys[at] == key)
        {
            RoaringContainer & container = containers[at];
            const UInt32 before = container.cardinality();
            uniteWith(container, other.container());
            sealed_cardinality += container.cardinality() - before;
            ++at;
            continue;
        }
        RoaringContainer container = take(other);
        if (container.cardinality() == 0)
            continue;
        new_keys.push_back(key);
        new_containers.push_back(std::move(container));
    }
    if (new_keys.empty())
        return;
    /// From the back, so that every container moves once.
    size_t from = keys.size();
    size_t added = new_keys.size();
    reserveMore(added);
    keys.resize(from + added);
    containers.resize(from + added);
    while (added != 0)
    {
        const bool take_new = from == 0 || keys[from - 1] < new_keys[added - 1];
        const size_t to = from + added - 1;
        if (take_new)
        {
            --added;
            keys[to] = new_keys[added];
            sealed_cardinality += new_containers[added].cardinality();
            containers[to] = std::move(new_containers[added]);
        }
        else
        {
            --from;
            keys[to] = keys[from];
            containers[to] = std::move(containers[from]);
        }
    }
}

void RoaringBitmap::mergeCursor(RoaringCursor other)
{
    mergeSealed(other, [](const RoaringCursor & at) { return at.copy(); });
}

void RoaringBitmap::mergeAndConsume(RoaringBitmap && other)
{
    if (keys.empty())
    {
        keys.swap(other.keys);
        containers.swap(other.containers);
        sealed_cardinality = other.sealed_cardinality;
        return;
    }
    size_t i = 0;
    mergeSealed(other.sealedCursor(), [&](const RoaringCursor & at) {
        while (other.keys[i] != at.key())
            ++i;
        return std::move(other.containers[i]);
    });
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
    size_t result = keys.capacity() * sizeof(UInt64) + containers.capacity() * sizeof(RoaringContainer) + pending.heldBytes();
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
