#pragma once

#include "../Common/TrackedAllocator.h"
#include "../base/unaligned.h"
#include "RoaringKernelTable.h"
#include "RoaringKernels.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <utility>

/** How a batch of values in any order becomes containers. Included by RoaringBitmap.cpp. */
namespace DB::inline statewire
{

/// Below this many values a comparison sort is faster than passes over 256 counters.
inline constexpr size_t ROARING_RADIX_SORT_THRESHOLD = 256;
/// Values of one container from which on bits are cheaper than sorting.
inline constexpr size_t ROARING_BITS_THRESHOLD = 512;

/// Values that are sorted pass by pass as a whole: they and the room beside them stay in a core's own cache.
inline constexpr size_t ROARING_SORTED_AT_ONCE_BYTES = size_t{256} << 10;

/** Values in the order of their keys (all bits but 16), by a radix sort of bytes in which bytes that all values share cost nothing. Many values
  * are first put apart by their highest byte, so that what follows stays in the cache; few at a time are sorted from the lowest byte on. Lower
  * bits are in any order, unless sorting all at once costs less than group by group.
  *
  * Points into: the values it was given, where they may be overwritten. Valid while: those live unchanged. Not copied.
  * Errors: those of TrackedAllocator.h.
  */
template <typename T>
class RoaringValuesByKey
{
public:
    explicit RoaringValuesByKey(std::span<const T> values) : copy(values.size())
    {
        std::copy(values.begin(), values.end(), copy.data());
        sort({copy.data(), values.size()});
    }
    /// The values are sorted where they lie, and none is lost when memory runs out.
    explicit RoaringValuesByKey(std::span<T> values) { sort(values); }
    RoaringValuesByKey(const RoaringValuesByKey &) = delete;
    RoaringValuesByKey & operator=(const RoaringValuesByKey &) = delete;

    [[nodiscard]] std::span<const T> values() const noexcept { return sorted; }

private:
    void sort(std::span<T> values)
    {
        sorted = values;
        if (values.size() < ROARING_RADIX_SORT_THRESHOLD)
        {
            std::sort(values.begin(), values.end());
            return;
        }
        T all_and = static_cast<T>(~T{0});
        T all_or = 0;
        for (const T value : values)
        {
            all_and &= value;
            all_or |= value;
        }
        const UInt64 differing = all_and ^ all_or;
        /// At least so many values a key, when all keys that are possible came.
        const UInt64 group = values.size() >> std::bit_width(differing >> 16);
        const bool are_small_groups = group >= 2 && group < ROARING_RADIX_SORT_THRESHOLD;
        unsigned shifts[sizeof(T)] = {};
        size_t count = 0;
        for (unsigned shift = are_small_groups ? 0 : 16; shift < 8 * sizeof(T); shift += 8)
            if ((differing >> shift & 0xff) != 0)
                shifts[count++] = shift;
        if (count == 0)
            return;
        const TrackedArray<T> room(values.size());
        sortBytes(values.data(), room.data(), values.size(), {shifts, count}, false);
    }

    /// Sorts n values by the bytes at `shifts`, lowest first, with the help of room for as many; they end there or where they were.
    static void sortBytes(T * from, T * to, size_t n, std::span<const unsigned> shifts, bool to_room)
    {
        if (n < ROARING_RADIX_SORT_THRESHOLD)
        {
            std::sort(from, from + n);
            if (to_room)
                std::copy(from, from + n, to);
            return;
        }
        if (shifts.size() < 2 || n * sizeof(T) <= ROARING_SORTED_AT_ONCE_BYTES)
        {
            for (const unsigned shift : shifts)
            {
                sortByByte(from, to, n, shift);
                std::swap(from, to);
            }
            if (to_room != (shifts.size() % 2 != 0))
                std::copy(from, from + n, to);
            return;
        }
        const std::array<size_t, 256> ends = sortByByte(from, to, n, shifts.back());
        size_t begin = 0;
        for (const size_t end : ends)
        {
            sortBytes(to + begin, from + begin, end - begin, shifts.first(shifts.size() - 1), !to_room);
            begin = end;
        }
    }

    /// Returns where the values of each byte end.
    static std::array<size_t, 256> sortByByte(const T * from, T * to, size_t n, unsigned shift)
    {
        std::array<size_t, 256> starts{};
        for (size_t i = 0; i < n; ++i)
            ++starts[UInt64{from[i]} >> shift & 0xff];
        size_t sum = 0;
        for (size_t & start : starts)
            sum += std::exchange(start, sum);
        for (size_t i = 0; i < n; ++i)
            to[starts[UInt64{from[i]} >> shift & 0xff]++] = from[i];
        return starts;
    }

    TrackedArray<T> copy;
    std::span<const T> sorted;
};

/// Makes the container of values that share their key; the lower 16 bits are in any order and may repeat. Up to INLINE_VALUES do not fail.
class RoaringGroupContainer
{
public:
    /// At most so many values are held by the container itself.
    static constexpr size_t INLINE_VALUES = 4;

    RoaringGroupContainer() { lows.reserve(INLINE_VALUES); }

    template <typename T>
    [[nodiscard]] RoaringContainer make(std::span<const T> group)
    {
        const size_t n = group.size();
        if (n == 1)
        {
            char bytes[sizeof(UInt16)];
            unalignedStoreLittleEndian<UInt16>(bytes, static_cast<UInt16>(group[0]));
            return {{ContainerKind::Array, 1, bytes}, 1};
        }
        lows.resize(n);
        for (size_t i = 0; i < n; ++i)
            lows[i] = static_cast<UInt16>(group[i]);
        bool increasing = false;
        if constexpr (std::endian::native == std::endian::little)
            increasing = roaringKernels().check_array(reinterpret_cast<const char *>(lows.data()), n).isIncreasing();
        if (increasing)
            return containerFromSorted(lows.data(), n);
        if (n >= ROARING_BITS_THRESHOLD)
        {
            std::array<char, BITSET_BYTES> bits{};
            for (const UInt16 low : lows)
            {
                char * word = bits.data() + low / 64 * 8;
                unalignedStoreLittleEndian<UInt64>(word, unalignedLoadLittleEndian<UInt64>(word) | UInt64{1} << (low % 64));
            }
            return containerFromBitset(bits.data());
        }
        std::sort(lows.begin(), lows.end());
        lows.erase(std::unique(lows.begin(), lows.end()), lows.end());
        return containerFromSorted(lows.data(), lows.size());
    }

private:
    TrackedVector<UInt16> lows;
};

/// Behind the last value with the key of the first one, among values that are sorted by key, not empty. Most groups are either tiny or long, so it is
/// looked for in steps that double.
template <typename T>
[[nodiscard]] size_t endOfRoaringGroup(std::span<const T> values) noexcept
{
    const UInt64 key = UInt64{values[0]} >> 16;
    const auto has_key = [key](T value) { return UInt64{value} >> 16 == key; };
    size_t end = 1;
    size_t step = 1;
    for (; end + step <= values.size() && has_key(values[end + step - 1]); step *= 2)
        end += step;
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(end);
    const auto last = values.begin() + static_cast<std::ptrdiff_t>(std::min(values.size(), end + step - 1));
    return static_cast<size_t>(std::partition_point(first, last, has_key) - values.begin());
}

/// The same backwards: where the values with the key of the last one begin.
template <typename T>
[[nodiscard]] size_t beginOfRoaringGroup(std::span<const T> values) noexcept
{
    const UInt64 key = UInt64{values.back()} >> 16;
    const auto has_other_key = [key](T value) { return UInt64{value} >> 16 != key; };
    size_t begin = values.size() - 1;
    size_t step = 1;
    for (; step <= begin && !has_other_key(values[begin - step]); step *= 2)
        begin -= step;
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(begin - std::min(begin, step - 1));
    const auto last = values.begin() + static_cast<std::ptrdiff_t>(begin);
    return static_cast<size_t>(std::partition_point(first, last, has_other_key) - values.begin());
}

/// The standard's, in steps without branches.
template <typename T>
[[nodiscard]] bool isSortedBatch(std::span<const T> values) noexcept
{
    constexpr size_t STEP = 64;
    size_t i = 1;
    for (; i + STEP <= values.size(); i += STEP)
    {
        unsigned falls = 0;
        for (size_t k = i; k < i + STEP; ++k)
            falls += values[k] < values[k - 1] ? 1U : 0U;
        if (falls != 0)
            return false;
    }
    for (; i < values.size(); ++i)
        if (values[i] < values[i - 1])
            return false;
    return true;
}

}
