#include "RoaringIterator.h"

#include "RoaringContainerSearch.h"
#include "RoaringKernelTable.h"

#include <algorithm>

namespace DB::inline statewire
{

bool RoaringBatchIterator::decodeBits() noexcept
{
    used = 0;
    decoded_size = 0;
    const char * words = at.container().data;
    while (decoded_size == 0 && position < BITSET_WORDS)
    {
        const size_t n = std::min<size_t>(DECODED_WORDS, BITSET_WORDS - position);
        decoded_size = static_cast<UInt32>(
            roaringKernels().bits_to_array(words + 8 * size_t{position}, n, static_cast<UInt16>(64 * position), decoded.data()));
        position += static_cast<UInt32>(n);
    }
    return decoded_size != 0;
}

size_t RoaringBatchIterator::readContainer(UInt64 * to, size_t n) noexcept
{
    const ContainerView container = at.container();
    const UInt64 base = at.key() << 16;
    switch (container.kind)
    {
        case ContainerKind::Array:
        {
            const auto count = static_cast<UInt32>(std::min<size_t>(n, container.size - position));
            roaringKernels().widen64(container.data + 2 * size_t{position}, count, base, to);
            position += count;
            return count;
        }
        case ContainerKind::Bitset:
        {
            size_t written = 0;
            while (written < n && (used < decoded_size || decodeBits()))
            {
                const auto count = static_cast<UInt32>(std::min<size_t>(n - written, decoded_size - used));
                roaringKernels().widen64(decoded.data() + 2 * size_t{used}, count, base, to + written);
                used += count;
                written += count;
            }
            return written;
        }
        case ContainerKind::Run:
        {
            size_t written = 0;
            while (written < n && position < container.size)
            {
                const UInt32 first = runStart(container.data, position) + used;
                const UInt32 end = std::min(runLast(container.data, position) + 1, CONTAINER_VALUES);
                const auto count = first < end ? static_cast<UInt32>(std::min<size_t>(n - written, end - first)) : 0;
                roaringKernels().fill64(base + first, count, to + written);
                written += count;
                used += count;
                if (first + count >= end)
                {
                    ++position;
                    used = 0;
                }
            }
            return written;
        }
    }
    return 0;
}

size_t RoaringBatchIterator::read(UInt64 * to, size_t n) noexcept
{
    size_t written = 0;
    while (written < n && at.valid())
    {
        const size_t count = readContainer(to + written, n - written);
        written += count;
        if (written == n)
            break;
        at.next();
        position = 0;
        used = 0;
        decoded_size = 0;
    }
    return written;
}

void RoaringBatchIterator::seek(UInt64 value) noexcept
{
    if (at.valid() && at.key() < value >> 16)
    {
        at.seek(value >> 16);
        position = 0;
        used = 0;
        decoded_size = 0;
    }
    if (!at.valid() || at.key() != value >> 16)
        return;
    const ContainerView container = at.container();
    const auto low = static_cast<UInt16>(value);
    switch (container.kind)
    {
        case ContainerKind::Array:
            position = std::max(position, static_cast<UInt32>(roaringKernels().lower_bound(container.data, container.size, low)));
            return;
        case ContainerKind::Bitset:
            if (low / 64 >= position)
            {
                position = low / 64;
                decodeBits();
            }
            while (used < decoded_size && arrayValue(decoded.data(), used) < low)
                ++used;
            return;
        case ContainerKind::Run:
        {
            const auto run = static_cast<UInt32>(runUpperBound(container.data, container.size, low));
            if (run == 0 || run - 1 < position)
                return;
            if (run - 1 > position)
            {
                position = run - 1;
                used = 0;
            }
            const UInt32 start = runStart(container.data, position);
            used = std::max(used, std::max<UInt32>(low, start) - start);
            return;
        }
    }
}

RoaringBackwardIterator::RoaringBackwardIterator(const RoaringSnapshot & set) : bound(CONTAINER_VALUES - 1)
{
    for (RoaringCursor at = set.cursor(); at.valid(); at.next())
        containers.push_back(at.keyed());
}

bool RoaringBackwardIterator::next(UInt64 & value) noexcept
{
    while (!containers.empty())
    {
        const KeyedContainer & last = containers.back();
        const UInt32 low = bound < CONTAINER_VALUES ? containerPrevious(last.container, static_cast<UInt16>(bound)) : CONTAINER_VALUES;
        if (low < CONTAINER_VALUES)
        {
            value = last.key << 16 | low;
            /// Below 0 there is nothing: then the container is done.
            bound = low == 0 ? CONTAINER_VALUES : low - 1;
            return true;
        }
        containers.pop_back();
        bound = CONTAINER_VALUES - 1;
    }
    return false;
}

void RoaringBackwardIterator::seek(UInt64 value) noexcept
{
    while (!containers.empty() && containers.back().key > value >> 16)
    {
        containers.pop_back();
        bound = CONTAINER_VALUES - 1;
    }
    if (!containers.empty() && containers.back().key == value >> 16 && bound < CONTAINER_VALUES)
        bound = std::min(bound, static_cast<UInt32>(value & 0xffff));
}

bool RoaringRangeIterator::next(UInt64 & first, UInt64 & last) noexcept
{
    UInt32 start = CONTAINER_VALUES;
    for (; at.valid(); at.next(), from = 0)
    {
        start = containerNext(at.container(), from);
        if (start < CONTAINER_VALUES)
            break;
    }
    if (!at.valid())
        return false;
    first = at.key() << 16 | start;
    for (;;)
    {
        const UInt32 end = containerNextAbsent(at.container(), start);
        last = at.key() << 16 | (end - 1);
        from = end;
        if (end < CONTAINER_VALUES)
            return true;
        const UInt64 next_key = at.key() + 1;
        at.next();
        from = 0;
        if (!at.valid() || at.key() != next_key || !containerContains(at.container(), 0))
            return true;
        start = 0;
    }
}

}
