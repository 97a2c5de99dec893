#include "RoaringBitmap.h"

#include "RoaringKernelTable.h"
#include "RoaringOperations.h"
#include "RoaringWriter.h"

#include <algorithm>
#include <array>

namespace DB::inline statewire
{

namespace
{
/// Below this many values a comparison sort is faster than passes over 256 counters.
constexpr size_t RADIX_SORT_THRESHOLD = 256;
/// Pending values that are always allowed, so that small sets are not folded all the time.
constexpr size_t MIN_PENDING = 1024;
/// Values of one container from which on bits are cheaper than sorting.
constexpr size_t BITS_THRESHOLD = 512;
/// Batches that are worth looking at as a whole.
constexpr size_t MIN_BATCH = 16;

/// Sorts by the bytes from bit `first_bit` on, least significant first; bytes in which all values agree cost nothing.
template <typename T>
void radixSort(std::vector<T> & values, std::vector<T> & room, unsigned first_bit)
{
    T all_and = static_cast<T>(~T{0});
    T all_or = 0;
    for (const T value : values)
    {
        all_and &= value;
        all_or |= value;
    }
    const UInt64 differing = all_and ^ all_or;
    room.resize(values.size());
    for (unsigned shift = first_bit; shift < 8 * sizeof(T); shift += 8)
    {
        if ((differing >> shift & 0xff) == 0)
            continue;
        std::array<size_t, 256> starts{};
        for (const T value : values)
            ++starts[UInt64{value} >> shift & 0xff];
        size_t sum = 0;
        for (size_t & start : starts)
            sum += std::exchange(start, sum);
        for (const T value : values)
            room[starts[UInt64{value} >> shift & 0xff]++] = value;
        values.swap(room);
    }
}

/// Brings values with equal upper bits (all but 16) together, in ascending order of those; lower bits stay in any order where that is
/// cheaper.
template <typename T>
void sortByKey(std::vector<T> & values)
{
    if (values.size() < RADIX_SORT_THRESHOLD)
    {
        std::sort(values.begin(), values.end());
        return;
    }
    std::vector<T> room;
    radixSort(values, room, 16);
}

/// Calls f(key, container) for every key among values that are sorted by key.
template <typename T, typename F>
void forEachGroup(std::span<const T> values, F && f)
{
    std::vector<UInt16> lows;
    std::vector<UInt16> room;
    for (size_t begin = 0; begin < values.size();)
    {
        const UInt64 key = UInt64{values[begin]} >> 16;
        size_t end = begin + 1;
        /// In steps: most groups are either tiny or long.
        while (end + 16 < values.size() && UInt64{values[end + 16]} >> 16 == key)
            end += 16;
        while (end < values.size() && UInt64{values[end]} >> 16 == key)
            ++end;
        const size_t n = end - begin;
        lows.resize(n);
        for (size_t i = 0; i < n; ++i)
            lows[i] = static_cast<UInt16>(values[begin + i]);
        begin = end;
        bool increasing = false;
        if constexpr (std::endian::native == std::endian::little)
            increasing = roaringKernels().check_array(reinterpret_cast<const char *>(lows.data()), n).increasing;
        if (!increasing && n >= BITS_THRESHOLD)
        {
            std::array<char, BITSET_BYTES> bits{};
            for (const UInt16 low : lows)
            {
                char * word = bits.data() + low / 64 * 8;
                unalignedStoreLittleEndian<UInt64>(word, unalignedLoadLittleEndian<UInt64>(word) | UInt64{1} << (low % 64));
            }
            f(key, containerFromBitset(bits.data()));
            continue;
        }
        if (!increasing)
        {
            if (n < RADIX_SORT_THRESHOLD)
                std::sort(lows.begin(), lows.end());
            else
                radixSort(lows, room, 0);
            lows.erase(std::unique(lows.begin(), lows.end()), lows.end());
        }
        f(key, containerFromSorted(lows.data(), lows.size()));
    }
}
}

RoaringContainer copyContainer(ContainerView view, bool trusted)
{
    if (view.kind == ContainerKind::Bitset && !trusted)
        return containerFromBitset(view.data);
    return {view, static_cast<UInt32>(std::min<UInt64>(containerCardinality(view), CONTAINER_VALUES))};
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
    return static_cast<size_t>(std::max<UInt64>(MIN_PENDING, sealed_cardinality));
}

void RoaringBitmap::append(UInt64 key, RoaringContainer && container)
{
    sealed_cardinality += container.cardinality();
    keys.push_back(key);
    containers.push_back(std::move(container));
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
    pending.push_back(value);
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
        pending.insert(pending.end(), values.begin(), values.end());
        if (pending.size() >= pendingLimit())
            seal();
        return;
    }
    RoaringBitmap added;
    const auto append_to = [&](UInt64 key, RoaringContainer && container) { added.append(key, std::move(container)); };
    if (is_sorted)
        forEachGroup(values, append_to);
    else
    {
        std::vector<T> sorted(values.begin(), values.end());
        sortByKey(sorted);
        forEachGroup(std::span<const T>(sorted), append_to);
    }
    mergeAndConsume(std::move(added));
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
    sortByKey(pending);
    RoaringBitmap delta;
    forEachGroup(std::span<const UInt64>(pending), [&](UInt64 key, RoaringContainer && container) { delta.append(key, std::move(container)); });
    mergeAndConsume(std::move(delta));
    pending.clear();
    /// A large buffer is only worth keeping while values keep coming in no order, and then it grows again soon.
    pending.shrink_to_fit();
}

template <typename Take>
void RoaringBitmap::mergeSealed(RoaringCursor other, Take && take)
{
    std::vector<UInt64> new_keys;
    std::vector<RoaringContainer> new_containers;
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
    mergeSealed(other, [](const RoaringCursor & at) { return copyContainer(at.container(), at.isTrusted()); });
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
    for (const UInt64 value : other.pending)
        add(value);
    seal();
}

void RoaringBitmap::merge(RoaringView other)
{
    seal();
    mergeCursor(other.cursor());
}

UInt64 RoaringBitmap::cardinality() const
{
    if (pending.empty())
        return sealed_cardinality;
    UInt64 result = 0;
    const RoaringSnapshot snapshot(*this);
    for (RoaringCursor i = snapshot.cursor(); i.valid(); i.next())
        result += containerCardinality(i.container());
    return result;
}

bool RoaringBitmap::contains(UInt64 value) const noexcept
{
    RoaringCursor i = sealedCursor();
    i.seek(value >> 16);
    if (i.valid() && i.key() == value >> 16 && containerContains(i.container(), static_cast<UInt16>(value)))
        return true;
    return std::find(pending.begin(), pending.end(), value) != pending.end();
}

UInt64 RoaringBitmap::minimum() const
{
    UInt64 result = pending.empty() ? 0 : *std::min_element(pending.begin(), pending.end());
    if (keys.empty())
        return result;
    const UInt64 sealed = keys.front() << 16 | containerMinimum(containers.front().view());
    return pending.empty() ? sealed : std::min(result, sealed);
}

UInt64 RoaringBitmap::maximum() const
{
    const UInt64 result = pending.empty() ? 0 : *std::max_element(pending.begin(), pending.end());
    if (keys.empty())
        return result;
    return std::max(result, keys.back() << 16 | containerMaximum(containers.back().view()));
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
    return RoaringWriter(snapshot.cursor(), format).size();
}

size_t RoaringBitmap::heldBytes() const noexcept
{
    size_t result = keys.capacity() * sizeof(UInt64) + containers.capacity() * sizeof(RoaringContainer) + pending.capacity() * sizeof(UInt64);
    for (const RoaringContainer & container : containers)
        result += container.heldBytes();
    return result;
}

bool operator==(const RoaringBitmap & a, const RoaringBitmap & b)
{
    return roaringEquals(a, b);
}

void RoaringSnapshot::foldPending(const RoaringBitmap & bitmap)
{
    folded = std::make_unique<Folded>();
    std::vector<RoaringContainer> & touched = folded->touched;
    std::vector<KeyedContainer> & all = folded->all;
    std::vector<UInt64> values = bitmap.pending;
    sortByKey(values);
    std::vector<UInt64> touched_keys;
    forEachGroup(std::span<const UInt64>(values), [&](UInt64 key, RoaringContainer && container) {
        RoaringCursor existing = start;
        existing.seek(key);
        if (existing.valid() && existing.key() == key)
            uniteWith(container, existing.container());
        touched_keys.push_back(key);
        touched.push_back(std::move(container));
    });
    all.reserve(bitmap.keys.size() + touched.size());
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
    start = RoaringCursor(all.data(), all.size());
}

}
