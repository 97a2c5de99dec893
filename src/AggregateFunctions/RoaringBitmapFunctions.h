#pragma once

#include "../Roaring/RoaringExpand.h"
#include "../Roaring/RoaringQueries.h"
#include "../Roaring/RoaringSlices.h"
#include "RoaringBitmapState.h"

#include <algorithm>
#include <limits>
#include <span>

/** ClickHouse's SQL functions over bitmaps, as functions over states: the same answer whether a state is small, borrowed or owned.
  *
  * Order and numbers are those of T read as unsigned, as ClickHouse has them: of the Int8 values -1, -2, -3 the smallest is 253. Ranges of
  * SQL are half open, [start, end). Numbers that T cannot hold lie behind all values.
  */
namespace DB::inline statewire
{

namespace detail
{
[[noreturn]] void throwTransformSizesDiffer(size_t from, size_t to);
[[noreturn]] void throwArrayTooLarge(UInt64 elements, UInt64 element_size, UInt64 max_bytes);
}

template <typename T>
struct BitmapFunctions
{
    using State = RoaringBitmapState<T>;
    using Unsigned = std::make_unsigned_t<T>;
    static constexpr UInt64 LAST = std::numeric_limits<Unsigned>::max();

    [[nodiscard]] static State build(std::span<const T> values)
    {
        State result;
        result.addBatch(values.data(), values.size());
        return result;
    }

    /// Ascending, small or not. MEMORY_LIMIT_EXCEEDED before anything is allocated when the array would be larger than `max_bytes`.
    [[nodiscard]] static std::vector<T> toArray(const State & bitmap, UInt64 max_bytes = DEFAULT_MAX_EXPANSION_BYTES)
    {
        if (bitmap.cardinality() > max_bytes / sizeof(T))
            detail::throwArrayTooLarge(bitmap.cardinality(), sizeof(T), max_bytes);
        std::vector<T> result;
        bitmap.appendTo(result);
        return result;
    }

    [[nodiscard]] static bool contains(const State & bitmap, UInt64 number)
    {
        return number <= LAST && bitmap.containsRaw(rawOf(number));
    }

    /// The values in [start, end).
    [[nodiscard]] static State subsetInRange(const State & bitmap, UInt64 start, UInt64 end)
    {
        if (start >= end || start > LAST)
            return {};
        return bitmap.withSet([&](const RoaringSnapshot & set) {
            return State::fromBitmap(roaringSubset(set, rawOf(start), rawOf(std::min(end - 1, LAST))));
        });
    }

    /// The `limit` smallest values that are at least `start`.
    [[nodiscard]] static State subsetLimit(const State & bitmap, UInt64 start, UInt64 limit)
    {
        if (start > LAST)
            return {};
        return bitmap.withSet(
            [&](const RoaringSnapshot & set) { return State::fromBitmap(roaringSubsetLimit(set, rawOf(start), limit)); });
    }

    /// The values of index [offset, offset + limit) in ascending order: bitmap {0, 5, 10, 20, 30}, offset 1, limit 2 gives {5, 10}.
    [[nodiscard]] static State subBitmap(const State & bitmap, UInt64 offset, UInt64 limit)
    {
        return bitmap.withSet([&](const RoaringSnapshot & set) { return State::fromBitmap(roaringSlice(set, offset, limit)); });
    }

    [[nodiscard]] static bool hasAny(const State & a, const State & b)
    {
        return a.withSet([&](const RoaringSnapshot & set_a) {
            return b.withSet([&](const RoaringSnapshot & set_b) { return roaringIntersects(set_a, set_b); });
        });
    }
    /// True when a holds every value of b; also when b is empty.
    [[nodiscard]] static bool hasAll(const State & a, const State & b)
    {
        return a.withSet([&](const RoaringSnapshot & set_a) {
            return b.withSet([&](const RoaringSnapshot & set_b) { return roaringIsSubset(set_b, set_a); });
        });
    }

    /// For an empty bitmap the largest UInt32 where T has at most 32 bits, the largest UInt64 otherwise.
    [[nodiscard]] static UInt64 minimum(const State & bitmap)
    {
        if (bitmap.empty())
            return sizeof(T) == 8 ? std::numeric_limits<UInt64>::max() : std::numeric_limits<UInt32>::max();
        return bitmap.withSet([](const RoaringSnapshot & set) { return numberOf(roaringMinimum(set).value_or(0)); });
    }
    /// 0 for an empty bitmap.
    [[nodiscard]] static UInt64 maximum(const State & bitmap)
    {
        if (bitmap.empty())
            return 0;
        return bitmap.withSet([](const RoaringSnapshot & set) { return numberOf(roaringMaximum(set).value_or(0)); });
    }

    /// Replaces from[i] by to[i], one pair after another: a later pair sees what an earlier one put in. BAD_ARGUMENTS when the lists have
    /// different lengths.
    [[nodiscard]] static State transform(const State & bitmap, std::span<const T> from, std::span<const T> to)
    {
        if (from.size() != to.size())
            detail::throwTransformSizesDiffer(from.size(), to.size());
        RoaringBitmap result = bitmap.toBitmap();
        for (size_t i = 0; i < from.size(); ++i)
            if (from[i] != to[i] && result.remove(State::toRaw(from[i])))
                result.add(State::toRaw(to[i]));
        return State::fromBitmap(std::move(result));
    }

private:
    [[nodiscard]] static UInt64 rawOf(UInt64 number) noexcept { return State::toRaw(static_cast<T>(static_cast<Unsigned>(number))); }
    [[nodiscard]] static UInt64 numberOf(UInt64 raw) noexcept { return static_cast<Unsigned>(raw); }
};

}
