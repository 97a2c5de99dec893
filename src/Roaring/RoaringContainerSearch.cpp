#include "RoaringContainerSearch.h"

#include "RoaringKernelTable.h"

#include <algorithm>

namespace DB::inline statewire
{

namespace
{
/// Bits of word i, or of its complement.
UInt64 wordOf(const char * words, size_t i, bool complement) noexcept
{
    return complement ? ~bitsetWord(words, i) : bitsetWord(words, i);
}

UInt32 nextBit(const char * words, UInt32 from, bool complement) noexcept
{
    for (size_t i = from / 64; i < BITSET_WORDS; ++i)
        if (const UInt64 word = wordOf(words, i, complement) & rangeMask(i, from, CONTAINER_VALUES - 1))
            return static_cast<UInt32>(64 * i) + static_cast<UInt32>(std::countr_zero(word));
    return CONTAINER_VALUES;
}

UInt32 previousBit(const char * words, UInt32 from, bool complement) noexcept
{
    for (size_t i = from / 64 + 1; i-- > 0;)
        if (const UInt64 word = wordOf(words, i, complement) & rangeMask(i, 0, from))
            return static_cast<UInt32>(64 * i) + 63 - static_cast<UInt32>(std::countl_zero(word));
    return CONTAINER_VALUES;
}
}

UInt64 containerCardinality(ContainerView container) noexcept
{
    if (container.kind != ContainerKind::Run)
        return container.size;
    UInt64 result = container.size;
    for (size_t i = 0; i < container.size; ++i)
        result += unalignedLoadLittleEndian<UInt16>(container.data + 4 * i + 2);
    return result;
}

bool containerContains(ContainerView container, UInt16 value) noexcept
{
    switch (container.kind)
    {
        case ContainerKind::Array:
        {
            const size_t i = roaringKernels().lower_bound(container.data, container.size, value);
            return i < container.size && arrayValue(container.data, i) == value;
        }
        case ContainerKind::Bitset:
            return static_cast<UInt8>(container.data[value / 8]) >> (value % 8) & 1;
        case ContainerKind::Run:
        {
            const size_t i = runUpperBound(container.data, container.size, value);
            return i != 0 && value <= runLast(container.data, i - 1);
        }
    }
    return false;
}

ContainerCount countContainer(ContainerView container) noexcept
{
    switch (container.kind)
    {
        case ContainerKind::Array:
            return {container.size, roaringKernels().check_array(container.data, container.size).runs};
        case ContainerKind::Bitset:
            return roaringKernels().count_bitset(container.data);
        case ContainerKind::Run:
            return {static_cast<UInt32>(std::min<UInt64>(containerCardinality(container), CONTAINER_VALUES)), container.size};
    }
    return {};
}

UInt32 countBitsetRange(const char * words, UInt32 first, UInt32 last) noexcept
{
    UInt32 result = 0;
    for (size_t i = first / 64; i <= last / 64; ++i)
        result += static_cast<UInt32>(std::popcount(bitsetWord(words, i) & rangeMask(i, first, last)));
    return result;
}

UInt16 containerMinimum(ContainerView container) noexcept
{
    const UInt32 found = container.kind != ContainerKind::Bitset && container.size != 0 ? arrayValue(container.data, 0) : containerNext(container, 0);
    return found == CONTAINER_VALUES ? UInt16{0} : static_cast<UInt16>(found);
}

UInt16 containerMaximum(ContainerView container) noexcept
{
    if (container.kind == ContainerKind::Array)
        return container.size == 0 ? UInt16{0} : arrayValue(container.data, container.size - 1);
    if (container.kind == ContainerKind::Run)
        return container.size == 0 ? UInt16{0} : static_cast<UInt16>(std::min(runLast(container.data, container.size - 1), CONTAINER_VALUES - 1));
    const UInt32 found = previousBit(container.data, CONTAINER_VALUES - 1, false);
    return found == CONTAINER_VALUES ? UInt16{0} : static_cast<UInt16>(found);
}

UInt32 containerRank(ContainerView container, UInt16 value) noexcept
{
    switch (container.kind)
    {
        case ContainerKind::Array:
            return static_cast<UInt32>(roaringKernels().lower_bound(container.data, container.size, UInt32{value} + 1));
        case ContainerKind::Bitset:
            return countBitsetRange(container.data, 0, value);
        case ContainerKind::Run:
        {
            const size_t n = runUpperBound(container.data, container.size, value);
            UInt64 result = 0;
            for (size_t i = 0; i < n; ++i)
                result += std::min<UInt32>(runLast(container.data, i), value) + 1 - std::min<UInt32>(runStart(container.data, i), value);
            return static_cast<UInt32>(std::min<UInt64>(result, CONTAINER_VALUES));
        }
    }
    return 0;
}

UInt32 containerSelect(ContainerView container, UInt32 index) noexcept
{
    switch (container.kind)
    {
        case ContainerKind::Array:
            return index < container.size ? arrayValue(container.data, index) : CONTAINER_VALUES;
        case ContainerKind::Bitset:
            for (size_t i = 0; i < BITSET_WORDS; ++i)
            {
                UInt64 word = bitsetWord(container.data, i);
                const auto count = static_cast<UInt32>(std::popcount(word));
                if (index >= count)
                {
                    index -= count;
                    continue;
                }
                for (; index != 0; --index)
                    word &= word - 1;
                return static_cast<UInt32>(64 * i) + static_cast<UInt32>(std::countr_zero(word));
            }
            return CONTAINER_VALUES;
        case ContainerKind::Run:
            for (size_t i = 0; i < container.size; ++i)
            {
                const UInt32 length = runLast(container.data, i) - runStart(container.data, i) + 1;
                if (index < length)
                    return std::min(runStart(container.data, i) + index, CONTAINER_VALUES);
                index -= length;
            }
            return CONTAINER_VALUES;
    }
    return CONTAINER_VALUES;
}

UInt32 containerNext(ContainerView container, UInt32 from) noexcept
{
    if (from >= CONTAINER_VALUES)
        return CONTAINER_VALUES;
    switch (container.kind)
    {
        case ContainerKind::Array:
        {
            const size_t i = roaringKernels().lower_bound(container.data, container.size, from);
            return i < container.size ? arrayValue(container.data, i) : CONTAINER_VALUES;
        }
        case ContainerKind::Bitset:
            return nextBit(container.data, from, false);
        case ContainerKind::Run:
        {
            const size_t i = runUpperBound(container.data, container.size, from);
            if (i != 0 && from <= runLast(container.data, i - 1))
                return from;
            return i < container.size ? std::max(runStart(container.data, i), from) : CONTAINER_VALUES;
        }
    }
    return CONTAINER_VALUES;
}

UInt32 containerPrevious(ContainerView container, UInt16 from) noexcept
{
    switch (container.kind)
    {
        case ContainerKind::Array:
        {
            const size_t i = roaringKernels().lower_bound(container.data, container.size, UInt32{from} + 1);
            return i != 0 ? arrayValue(container.data, i - 1) : CONTAINER_VALUES;
        }
        case ContainerKind::Bitset:
            return previousBit(container.data, from, false);
        case ContainerKind::Run:
        {
            const size_t i = runUpperBound(container.data, container.size, from);
            return i != 0 ? std::min<UInt32>(runLast(container.data, i - 1), from) : CONTAINER_VALUES;
        }
    }
    return CONTAINER_VALUES;
}

UInt32 containerNextAbsent(ContainerView container, UInt32 from) noexcept
{
    if (from >= CONTAINER_VALUES)
        return CONTAINER_VALUES;
    switch (container.kind)
    {
        case ContainerKind::Array:
            for (size_t i = roaringKernels().lower_bound(container.data, container.size, from);
                 i < container.size && arrayValue(container.data, i) == from; ++i)
                ++from;
            return from;
        case ContainerKind::Bitset:
            return nextBit(container.data, from, true);
        case ContainerKind::Run:
        {
            const size_t i = runUpperBound(container.data, container.size, from);
            if (i == 0 || from > runLast(container.data, i - 1))
                return from;
            return std::min(runLast(container.data, i - 1) + 1, CONTAINER_VALUES);
        }
    }
    return CONTAINER_VALUES;
}

UInt32 containerPreviousAbsent(ContainerView container, UInt16 from) noexcept
{
    switch (container.kind)
    {
        case ContainerKind::Array:
        {
            UInt32 value = from;
            for (size_t i = roaringKernels().lower_bound(container.data, container.size, UInt32{from} + 1);
                 i != 0 && arrayValue(container.data, i - 1) == value; --i, --value)
                if (value == 0)
                    return CONTAINER_VALUES;
            return value;
        }
        case ContainerKind::Bitset:
            return previousBit(container.data, from, true);
        case ContainerKind::Run:
        {
            const size_t i = runUpperBound(container.data, container.size, from);
            if (i == 0 || from > runLast(container.data, i - 1))
                return from;
            const UInt32 start = runStart(container.data, i - 1);
            return start == 0 ? CONTAINER_VALUES : start - 1;
        }
    }
    return CONTAINER_VALUES;
}

UInt32 containerRangeCardinality(ContainerView container, UInt16 first, UInt16 last) noexcept
{
    if (first > last)
        return 0;
    if (container.kind == ContainerKind::Bitset)
        return countBitsetRange(container.data, first, last);
    const UInt32 until_last = containerRank(container, last);
    const UInt32 before = first == 0 ? 0 : containerRank(container, static_cast<UInt16>(first - 1));
    return until_last - std::min(before, until_last);
}

RoaringContainer containerRange(ContainerView container, UInt16 first, UInt16 last)
{
    if (first > last)
        return {};
    if (container.kind == ContainerKind::Array)
    {
        const size_t begin = roaringKernels().lower_bound(container.data, container.size, first);
        const size_t end = std::max(begin, roaringKernels().lower_bound(container.data, container.size, UInt32{last} + 1));
        const auto n = static_cast<UInt32>(end - begin);
        return {{ContainerKind::Array, n, container.data + 2 * begin}, n};
    }
    char run[4];
    storeRun(run, 0, first, last);
    return combine(SetOperation::And, container, {ContainerKind::Run, 1, run});
}

}
