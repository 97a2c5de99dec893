#include "RoaringBitmap.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "RoaringContainerSearch.h"

#include <algorithm>

namespace DB::inline statewire
{

namespace
{
/// No limit allows more containers than this, so that sizes never overflow.
constexpr UInt64 MAX_RANGE_CONTAINERS = UInt64{1} << 40;

ContainerView runOver(char * room, UInt16 first, UInt16 last) noexcept
{
    storeRun(room, 0, first, last);
    return {ContainerKind::Run, 1, room};
}
}

RoaringBitmap RoaringBitmap::range(UInt64 first, UInt64 last, UInt64 max_bytes)
{
    RoaringBitmap result;
    if (first > last)
        return result;
    const UInt64 count = (last >> 16) - (first >> 16) + 1;
    constexpr UInt64 CONTAINER_COST = sizeof(UInt64) + sizeof(RoaringContainer);
    if (count > MAX_RANGE_CONTAINERS || count > max_bytes / CONTAINER_COST)
        throwError(
            ErrorCodes::MEMORY_LIMIT_EXCEEDED,
            concat("Range [", first, ", ", last, "] of a Roaring bitmap: expected at most ", max_bytes, " bytes, found ", count, " containers of ",
                   CONTAINER_COST));
    result.keys.reserve(static_cast<size_t>(count));
    result.containers.reserve(static_cast<size_t>(count));
    for (UInt64 key = first >> 16; key <= last >> 16; ++key)
    {
        char run[4];
        const UInt16 from = key == first >> 16 ? static_cast<UInt16>(first) : UInt16{0};
        const UInt16 to = key == last >> 16 ? static_cast<UInt16>(last) : UInt16{CONTAINER_VALUES - 1};
        static_cast<void>(runOver(run, from, to));
        result.append(key, containerFromRuns(run, 1));
    }
    return result;
}

void RoaringBitmap::addRange(UInt64 first, UInt64 last, UInt64 max_bytes)
{
    RoaringBitmap added = range(first, last, max_bytes);
    merge(std::move(added));
}

void RoaringBitmap::flip(UInt64 first, UInt64 last, UInt64 max_bytes)
{
    combineWith(SetOperation::Xor, range(first, last, max_bytes));
}

bool RoaringBitmap::remove(UInt64 value)
{
    if (!contains(value))
        return false;
    removeRange(value, value);
    return true;
}

void RoaringBitmap::removeRange(UInt64 first, UInt64 last)
{
    if (first > last)
        return;
    seal();
    const auto begin = static_cast<size_t>(std::lower_bound(keys.begin(), keys.end(), first >> 16) - keys.begin());
    const auto end = static_cast<size_t>(std::upper_bound(keys.begin(), keys.end(), last >> 16) - keys.begin());
    if (begin == end)
        return;
    /// Only at the ends of the range something may be left of a container; made first, for nothing fails behind it.
    const auto rest_of = [&](size_t i) {
        const UInt16 from = keys[i] == first >> 16 ? static_cast<UInt16>(first) : UInt16{0};
        const UInt16 to = keys[i] == last >> 16 ? static_cast<UInt16>(last) : UInt16{CONTAINER_VALUES - 1};
        char run[4];
        return from == 0 && to == CONTAINER_VALUES - 1 ? RoaringContainer()
                                                       : combine(SetOperation::AndNot, containers[i].view(), runOver(run, from, to));
    };
    RoaringContainer first_rest = rest_of(begin);
    RoaringContainer last_rest = end - begin > 1 ? rest_of(end - 1) : RoaringContainer();
    for (size_t i = begin; i < end; ++i)
        sealed_cardinality -= containers[i].cardinality();
    size_t kept = begin;
    const auto keep = [&](size_t i, RoaringContainer & rest) {
        if (rest.cardinality() == 0)
            return;
        sealed_cardinality += rest.cardinality();
        keys[kept] = keys[i];
        containers[kept++].swap(rest);
    };
    keep(begin, first_rest);
    keep(end - 1, last_rest);
    keys.erase(keys.begin() + static_cast<std::ptrdiff_t>(kept), keys.begin() + static_cast<std::ptrdiff_t>(end));
    containers.erase(containers.begin() + static_cast<std::ptrdiff_t>(kept), containers.begin() + static_cast<std::ptrdiff_t>(end));
    if (containers.empty())
        payloads.clear();
}

void RoaringBitmap::clear() noexcept
{
    keys.clear();
    containers.clear();
    payloads.clear();
    pending.clear();
    sealed_cardinality = 0;
}

void RoaringBitmap::optimize()
{
    seal();
    for (RoaringContainer & container : containers)
    {
        const ContainerView view = container.view();
        const ContainerCount count = countContainer(view);
        const ContainerKind kind = canonicalKind(count);
        if (kind == view.kind)
            continue;
        if (kind != ContainerKind::Run)
        {
            container = view.kind == ContainerKind::Run ? containerFromRuns(view.data, view.size) : containerFromBitset(view.data);
            continue;
        }
        RoaringContainer runs = RoaringContainer::uninitialized(ContainerKind::Run, count.runs, count.cardinality);
        size_t n = 0;
        for (UInt32 start = containerNext(view, 0); start < CONTAINER_VALUES && n < count.runs;)
        {
            const UInt32 end = containerNextAbsent(view, start);
            storeRun(runs.mutableData(), n++, start, end - 1);
            start = containerNext(view, end);
        }
        container = std::move(runs);
    }
    keys.shrink_to_fit();
    containers.shrink_to_fit();
    dropPayloads();
}

void RoaringBitmap::dropPayloads()
{
    size_t shown = 0;
    for (const RoaringContainer & container : containers)
        if (payloads.contains(container.view().data))
            shown += container.view().payloadBytes();
    if (2 * shown >= payloads.heldBytes())
        return;
    for (RoaringContainer & container : containers)
        if (payloads.contains(container.view().data))
            container.own();
    payloads.clear();
}

void RoaringBitmap::combineCursor(SetOperation operation, RoaringCursor other)
{
    RoaringBitmap result;
    const bool keep_own = applyTo(operation, true, false);
    const bool keep_other = applyTo(operation, false, true);
    const auto append_if_any = [&](UInt64 key, RoaringContainer && container) {
        if (container.cardinality() != 0)
            result.append(key, std::move(container));
    };
    for (size_t i = 0; i < keys.size(); ++i)
    {
        const UInt64 key = keys[i];
        if (!keep_other)
            other.seek(key);
        for (; other.valid() && other.key() < key; other.next())
            append_if_any(other.key(), other.copy());
        if (other.valid() && other.key() == key)
        {
            append_if_any(key, combine(operation, containers[i].view(), other.container()));
            other.next();
        }
        else if (keep_own)
            /// An empty container keeps the place of an own one, which moves once nothing can fail any more.
            result.append(key, RoaringContainer());
    }
    for (; keep_other && other.valid(); other.next())
        append_if_any(other.key(), other.copy());
    for (size_t i = 0, at = 0; at < result.keys.size(); ++at)
    {
        if (result.containers[at].cardinality() != 0)
            continue;
        while (keys[i] != result.keys[at])
            ++i;
        result.containers[at].swap(containers[i]);
        result.sealed_cardinality += result.containers[at].cardinality();
    }
    keys.swap(result.keys);
    containers.swap(result.containers);
    sealed_cardinality = result.sealed_cardinality;
    if (containers.empty())
        payloads.clear();
}

void RoaringBitmap::combineWith(SetOperation operation, const RoaringBitmap & other)
{
    if (operation == SetOperation::Or)
    {
        merge(other);
        return;
    }
    if (this == &other)
    {
        if (operation != SetOperation::And)
            clear();
        return;
    }
    seal();
    const RoaringSnapshot snapshot(other);
    combineCursor(operation, snapshot.cursor());
}

void RoaringBitmap::combineWith(SetOperation operation, RoaringView other)
{
    if (operation == SetOperation::Or)
    {
        merge(other);
        return;
    }
    seal();
    combineCursor(operation, other.cursor());
}

}
