#pragma once

#include "../Roaring/RoaringDirectory.h"
#include "../Roaring/RoaringExpand.h"
#include "../Roaring/RoaringQueries.h"
#include "../Roaring/RoaringSlices.h"
#include "RoaringBitmapState.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>

/** ClickHouse's SQL functions over bitmaps, and some that it lacks, as functions over states: the same answer whether a state is small,
  * borrowed or owned.
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
[[noreturn]] void throwIndexTooLarge(UInt64 index, UInt64 cardinality);
}

template <typename T>
class RoaringBitmapProbe;

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

    /// Values that are at most `number`.
    [[nodiscard]] static UInt64 rank(const State & bitmap, UInt64 number)
    {
        return bitmap.withSet([&](const RoaringSnapshot & set) { return roaringRank(set, rawOf(std::min(number, LAST))); });
    }
    /// The value that has `index` smaller ones. ARGUMENT_OUT_OF_BOUND when there is none.
    [[nodiscard]] static UInt64 select(const State & bitmap, UInt64 index)
    {
        const auto raw = bitmap.withSet([&](const RoaringSnapshot & set) { return roaringSelect(set, index); });
        if (!raw)
            detail::throwIndexTooLarge(index, bitmap.cardinality());
        return numberOf(*raw);
    }
    /// How many values are in [start, end).
    [[nodiscard]] static UInt64 rangeCardinality(const State & bitmap, UInt64 start, UInt64 end)
    {
        if (start >= end || start > LAST)
            return 0;
        return bitmap.withSet(
            [&](const RoaringSnapshot & set) { return roaringRangeCardinality(set, rawOf(start), rawOf(std::min(end - 1, LAST))); });
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

    /// Every value moved by `distance`, downwards when `down`; what leaves the numbers of T is dropped.
    [[nodiscard]] static State shift(const State & bitmap, UInt64 distance, bool down)
    {
        return overNumbers(bitmap, [&](const RoaringSnapshot & numbers) { return roaringShift(numbers, distance, down, LAST); });
    }
    /// The numbers of [start, end) that are not in the bitmap, and its values outside of that range. MEMORY_LIMIT_EXCEEDED, before
    /// anything is allocated, when that could take more than `max_bytes`.
    [[nodiscard]] static State flip(const State & bitmap, UInt64 start, UInt64 end, UInt64 max_bytes = DEFAULT_MAX_EXPANSION_BYTES)
    {
        if (start >= end || start > LAST)
            return bitmap;
        RoaringBitmap flipped = bitmap.toBitmap();
        if constexpr (HAS_GAP)
        {
            /// On either side of the gap between the raw values of numbers that are not negative and of negative ones.
            const UInt64 last = std::min(end - 1, LAST);
            if (start <= LAST / 2)
                flipped.flip(start, std::min(last, LAST / 2), max_bytes);
            if (last > LAST / 2)
                flipped.flip(rawOf(std::max(start, LAST / 2 + 1)), rawOf(last), max_bytes);
        }
        else
            flipped.flip(start, std::min(end - 1, LAST), max_bytes);
        return State::fromBitmap(std::move(flipped));
    }

    /// |a and b| / |a or b|; 1 for two empty bitmaps, which are equal.
    [[nodiscard]] static double jaccard(const State & a, const State & b)
    {
        return a.withSet([&](const RoaringSnapshot & set_a) {
            return b.withSet([&](const RoaringSnapshot & set_b) { return roaringJaccard(set_a, set_b); });
        });
    }

private:
    friend class RoaringBitmapProbe<T>;

    /// Raw values of narrow signed types are the numbers [0, LAST / 2] and, far behind them, the others.
    static constexpr bool HAS_GAP = std::is_signed_v<T> && sizeof(T) < 4;

    [[nodiscard]] static UInt64 rawOf(UInt64 number) noexcept { return State::toRaw(static_cast<T>(static_cast<Unsigned>(number))); }
    [[nodiscard]] static UInt64 numberOf(UInt64 raw) noexcept { return static_cast<Unsigned>(raw); }

    /// f(set of numbers) -> set of numbers, without the gap.
    template <typename F>
    [[nodiscard]] static State overNumbers(const State & bitmap, F && f)
    {
        if constexpr (!HAS_GAP)
            return bitmap.withSet([&](const RoaringSnapshot & set) { return State::fromBitmap(f(set)); });
        else
        {
            RoaringBitmap numbers;
            bitmap.forEach([&](T value) { numbers.add(static_cast<Unsigned>(value)); });
            numbers.seal();
            State result;
            forEachValue(f(numbers), [&](UInt64 number) { result.add(static_cast<T>(static_cast<Unsigned>(number))); });
            return result;
        }
    }
};

/** Repeated questions about one state.
  *
  * A borrowed state gets a RoaringDirectory, for its bytes have no index of their own; an owned one is asked as it is.
  * Points into: the state. Valid while: it lives unchanged. Const calls may run together.
  */
template <typename T>
class RoaringBitmapProbe
{
    using Functions = BitmapFunctions<T>;

public:
    /// Without `is_indexed` there is no directory: for a question or two.
    explicit RoaringBitmapProbe(const RoaringBitmapState<T> & state_, bool is_indexed = true) : state(state_)
    {
        if (const auto view = state.borrowedView(); view && is_indexed)
            directory.emplace(*view);
    }

    /// The answers of BitmapFunctions.
    [[nodiscard]] bool contains(UInt64 number) const
    {
        if (!directory)
            return Functions::contains(state, number);
        return number <= Functions::LAST && directory->contains(Functions::rawOf(number));
    }
    [[nodiscard]] UInt64 rank(UInt64 number) const
    {
        return directory ? directory->rank(Functions::rawOf(std::min(number, Functions::LAST))) : Functions::rank(state, number);
    }
    [[nodiscard]] UInt64 select(UInt64 index) const
    {
        if (!directory)
            return Functions::select(state, index);
        const auto raw = directory->select(index);
        if (!raw)
            detail::throwIndexTooLarge(index, directory->cardinality());
        return Functions::numberOf(*raw);
    }

private:
    const RoaringBitmapState<T> & state;
    std::optional<RoaringDirectory> directory;
};

}
