#pragma once

#include "../base/unaligned.h"
#include "RoaringKernels.h"

#include <algorithm>

/** Containers that are found by their index, in ascending order of keys: what an owner holds and what one 32-bit image holds. Each table has
  * `size`, key(i) and container(i).
  *
  * Points into: what it was made from. Valid while: that lives and does not change.
  */
namespace DB::inline statewire
{

struct RoaringOwnerTable
{
    const UInt64 * keys;
    const RoaringContainer * containers;
    size_t size;

    [[nodiscard]] UInt64 key(size_t i) const noexcept { return keys[i]; }
    [[nodiscard]] ContainerView container(size_t i) const noexcept { return containers[i].view(); }
};

/// Of an image whose structure was checked.
struct RoaringImageTable
{
    RoaringImageTable() = default;
    /// `key_prefix` is the upper part of all keys.
    explicit RoaringImageTable(const char * begin_, UInt64 key_prefix_ = 0) noexcept : begin(begin_), key_prefix(key_prefix_)
    {
        const auto cookie = unalignedLoadLittleEndian<UInt32>(begin);
        if (cookie == COOKIE_WITHOUT_RUNS)
        {
            size = unalignedLoadLittleEndian<UInt32>(begin + 4);
            run_flags = nullptr;
            descriptions = begin + 8;
        }
        else
        {
            size = (cookie >> 16) + 1;
            run_flags = begin + 4;
            descriptions = run_flags + (size + 7) / 8;
        }
        offsets = !run_flags || size >= NO_OFFSET_THRESHOLD ? descriptions + 4 * size : nullptr;
    }

    [[nodiscard]] UInt64 key(size_t i) const noexcept { return key_prefix | unalignedLoadLittleEndian<UInt16>(descriptions + 4 * i); }
    [[nodiscard]] ContainerView container(size_t i) const noexcept
    {
        if (offsets)
            return containerAt(i, begin + unalignedLoadLittleEndian<UInt32>(offsets + 4 * i));
        /// A handful at most; each begins where the one before ends.
        ContainerView result = containerAt(0, firstPayload());
        for (size_t j = 1; j <= i; ++j)
            result = containerAt(j, result.data + result.payloadBytes());
        return result;
    }
    /// Container i, whose payload is at `payload`.
    [[nodiscard]] ContainerView containerAt(size_t i, const char * payload) const noexcept
    {
        if (isRun(i))
            return {ContainerKind::Run, unalignedLoadLittleEndian<UInt16>(payload), payload + 2};
        const UInt32 cardinality = UInt32{unalignedLoadLittleEndian<UInt16>(descriptions + 4 * i + 2)} + 1;
        return {cardinality <= MAX_ARRAY_CARDINALITY ? ContainerKind::Array : ContainerKind::Bitset, cardinality, payload};
    }
    [[nodiscard]] bool isRun(size_t i) const noexcept { return run_flags && (static_cast<UInt8>(run_flags[i / 8]) >> (i % 8) & 1); }
    [[nodiscard]] const char * firstPayload() const noexcept { return descriptions + (offsets ? 8 : 4) * size; }

    /// Its start, run flags (or null), key/cardinality pairs, offsets (or null).
    const char * begin;
    const char * run_flags;
    const char * descriptions;
    const char * offsets;
    size_t size;
    UInt64 key_prefix;
};

/// The first index in (from, end] whose key is not below `key`, which is above that of `from`: it is near most of the time. key_of(i) gives the
/// keys, all different.
template <typename KeyOf>
[[nodiscard]] size_t gallop(size_t from, size_t end, UInt64 key, KeyOf && key_of) noexcept
{
    /// So few keys are cheap to touch at both ends.
    constexpr size_t FEW_KEYS = 128;
    size_t behind = from + 1;
    if (behind == end || key_of(behind) >= key)
        return behind;
    if (end - from <= FEW_KEYS)
    {
        /// A key is no more places away than it is larger or smaller, which says where it is when hardly any is left out.
        const UInt64 last = key_of(end - 1);
        if (last < key)
            return end;
        behind = std::min<UInt64>(end - 1, from + (key - key_of(from)));
        from = std::max<UInt64>(from + 2, end - 1 - std::min<UInt64>(end - 1, last - key)) - 1;
    }
    else
    {
        /// In steps that double.
        size_t distance = 1;
        while (from + distance < end && key_of(from + distance) < key)
        {
            from += distance;
            distance *= 2;
        }
        behind = std::min(from + distance, end);
    }
    while (behind - from > 1)
    {
        const size_t middle = from + (behind - from) / 2;
        (key_of(middle) < key ? from : behind) = middle;
    }
    return behind;
}

/// Calls f(key, container of a, container of b) at every key that both tables have, until f returns false.
template <typename A, typename B, typename F>
void forCommonKeys(const A & a, const B & b, F && f)
{
    size_t i = 0;
    size_t j = 0;
    while (i < a.size && j < b.size)
    {
        const UInt64 key_a = a.key(i);
        const UInt64 key_b = b.key(j);
        if (key_a < key_b)
            i = gallop(i, a.size, key_b, [&](size_t at) { return a.key(at); });
        else if (key_b < key_a)
            j = gallop(j, b.size, key_a, [&](size_t at) { return b.key(at); });
        else if (!f(key_a, a.container(i++), b.container(j++)))
            return;
    }
}

}
