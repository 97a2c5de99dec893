#include "Serialize.h"

#include <statewire/Roaring/RoaringDirectory.h>
#include <statewire/Roaring/RoaringExpand.h>
#include <statewire/Roaring/RoaringIterator.h>
#include <statewire/Roaring/RoaringMerge.h>
#include <statewire/Roaring/RoaringOperations.h>
#include <statewire/Roaring/RoaringQueries.h>
#include <statewire/Roaring/RoaringSlices.h>
#include <statewire/Roaring/RoaringStatistics.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <string>
#include <vector>

/** What must hold between operations, whatever the sets: each side an owner or a view. */

using namespace DB;

namespace
{
constexpr UInt64 LAST = ~UInt64{0};

std::string serialize(const RoaringBitmap & bitmap)
{
    return statewire_tests::serialize(bitmap, RoaringFormat::Portable64);
}

/// Arrays, bitsets, runs and full containers around a few borders, so that sets have something in common.
RoaringBitmap someSet(std::mt19937_64 & random)
{
    static constexpr UInt64 BASES[] = {0, 65536, UInt64{1} << 31, (UInt64{1} << 32) - 65536, UInt64{1} << 32, UInt64{1} << 63, LAST - 200000};
    RoaringBitmap result;
    for (UInt64 parts = random() % 6; parts != 0; --parts)
    {
        const UInt64 first = BASES[random() % std::size(BASES)] + random() % 70000;
        const UInt64 n = random() % 3 == 0 ? 1 + random() % 130000 : 1 + random() % 5000;
        const UInt64 step = 1 + random() % 40;
        if (random() % 3 == 0)
            result.addRange(first, first + std::min(n - 1, LAST - first));
        else
            for (UInt64 i = 0; i < std::min<UInt64>(n, 6000) && first <= LAST - i * step; ++i)
                result.add(first + i * step);
        if (random() % 2)
            result.flip(first, first + std::min(n, LAST - first));
    }
    if (random() % 2)
        result.optimize();
    return result;
}

/// A set as an owner and as a view.
struct Both
{
    explicit Both(RoaringBitmap && bitmap_)
        : bitmap(std::move(bitmap_)), bytes(serialize(bitmap)), view(RoaringView::parse(bytes, RoaringFormat::Portable64)), owner(bitmap),
          borrowed(view)
    {
    }
    Both(const Both &) = delete;
    Both & operator=(const Both &) = delete;

    [[nodiscard]] const RoaringSnapshot & side(UInt64 which) const { return which % 2 ? borrowed : owner; }

    RoaringBitmap bitmap;
    std::string bytes;
    RoaringView view;
    RoaringSnapshot owner;
    RoaringSnapshot borrowed;
};

RoaringBitmap both(const RoaringSnapshot & a, const RoaringSnapshot & b)
{
    return roaringCombine(SetOperation::And, a, b);
}
RoaringBitmap either(const RoaringSnapshot & a, const RoaringSnapshot & b)
{
    return roaringCombine(SetOperation::Or, a, b);
}
RoaringBitmap different(const RoaringSnapshot & a, const RoaringSnapshot & b)
{
    return roaringCombine(SetOperation::Xor, a, b);
}
RoaringBitmap without(const RoaringSnapshot & a, const RoaringSnapshot & b)
{
    return roaringCombine(SetOperation::AndNot, a, b);
}

class RoaringLaws : public testing::Test
{
protected:
    /// Calls f(three sets, random) for many sets.
    template <typename F>
    void forSets(int rounds, F && f)
    {
        constexpr UInt64 SEED = 9091;
        RecordProperty("seed", std::to_string(SEED));
        std::mt19937_64 random(SEED);
        for (int round = 0; round < rounds; ++round)
        {
            SCOPED_TRACE("seed " + std::to_string(SEED) + " round " + std::to_string(round));
            const Both a(someSet(random));
            const Both b(someSet(random));
            const Both c(someSet(random));
            ASSERT_NO_FATAL_FAILURE(f(a, b, c, random));
        }
    }
};
}

TEST_F(RoaringLaws, Algebra)
{
    forSets(150, [](const Both & x, const Both & y, const Both & z, std::mt19937_64 & random) {
        const RoaringSnapshot & a = x.side(random());
        const RoaringSnapshot & b = y.side(random());
        const RoaringSnapshot & c = z.side(random());
        const RoaringBitmap a_and_b = both(a, b);
        const RoaringBitmap a_or_b = either(a, b);
        const RoaringBitmap a_xor_b = different(a, b);
        ASSERT_EQ(a_and_b, both(b, a));
        ASSERT_EQ(a_or_b, either(b, a));
        ASSERT_EQ(a_xor_b, different(b, a));
        ASSERT_EQ(both(a_and_b, c), both(a, both(b, c)));
        ASSERT_EQ(either(a_or_b, c), either(a, either(b, c)));
        ASSERT_EQ(different(a_xor_b, c), different(a, different(b, c)));
        ASSERT_EQ(both(a, either(b, c)), either(a_and_b, both(a, c)));
        ASSERT_EQ(either(a, both(b, c)), both(a_or_b, either(a, c)));
        ASSERT_EQ(both(a, different(b, c)), different(a_and_b, both(a, c)));
        ASSERT_EQ(both(a, a_or_b), x.bitmap);
        ASSERT_EQ(either(a, a_and_b), x.bitmap);
        ASSERT_EQ(both(a, a), x.bitmap);
        ASSERT_EQ(either(a, a), x.bitmap);
        ASSERT_EQ(different(a_xor_b, b), x.bitmap);
        ASSERT_TRUE(different(a, a).empty());
        ASSERT_TRUE(without(a, a).empty());
        ASSERT_EQ(without(a, b), different(a, a_and_b));
        ASSERT_EQ(without(a_or_b, b), without(a, b));
        ASSERT_EQ(without(a, either(b, c)), both(without(a, b), without(a, c)));
        ASSERT_EQ(without(a, both(b, c)), either(without(a, b), without(a, c)));
        ASSERT_EQ(either(without(a, b), without(b, a)), a_xor_b);
    });
}

TEST_F(RoaringLaws, InPlaceAndNew)
{
    forSets(150, [](const Both & a, const Both & b, const Both &, std::mt19937_64 & random) {
        for (const auto operation : {SetOperation::And, SetOperation::Or, SetOperation::Xor, SetOperation::AndNot})
        {
            const std::string expected = serialize(roaringCombine(operation, a.side(random()), b.side(random())));
            RoaringBitmap with_owner = a.bitmap;
            with_owner.combineWith(operation, b.bitmap);
            ASSERT_EQ(serialize(with_owner), expected);
            RoaringBitmap with_view = RoaringBitmap::borrow(a.view);
            with_view.combineWith(operation, b.view);
            ASSERT_EQ(serialize(with_view), expected);
            RoaringBitmap with_itself = a.bitmap;
            with_itself.combineWith(operation, with_itself);
            ASSERT_EQ(with_itself, roaringCombine(operation, a.owner, a.borrowed));
        }
        RoaringBitmap merged = a.bitmap;
        merged.merge(b.view);
        ASSERT_EQ(merged, either(a.owner, b.owner));
    });
}

TEST_F(RoaringLaws, CardinalitiesAndComparisons)
{
    forSets(200, [](const Both & x, const Both & y, const Both &, std::mt19937_64 & random) {
        const RoaringSnapshot & a = x.side(random());
        const RoaringSnapshot & b = y.side(random());
        for (const auto operation : {SetOperation::And, SetOperation::Or, SetOperation::Xor, SetOperation::AndNot})
            ASSERT_EQ(roaringCombinedCardinality(operation, a, b), roaringCombine(operation, a, b).cardinality());
        const UInt64 common = roaringCombinedCardinality(SetOperation::And, a, b);
        const UInt64 all = roaringCombinedCardinality(SetOperation::Or, a, b);
        ASSERT_EQ(common + all, x.bitmap.cardinality() + y.bitmap.cardinality());
        ASSERT_EQ(roaringIntersects(a, b), common != 0);
        ASSERT_EQ(roaringIsSubset(a, b), common == x.bitmap.cardinality());
        ASSERT_EQ(roaringIsSubset(a, b), both(a, b) == x.bitmap);
        ASSERT_EQ(roaringEquals(a, b), roaringIsSubset(a, b) && roaringIsSubset(b, a));
        ASSERT_EQ(roaringIsStrictSubset(a, b), roaringIsSubset(a, b) && !roaringEquals(a, b));
        ASSERT_EQ(roaringEquals(a, b), x.bytes == y.bytes);
        ASSERT_TRUE(roaringIsSubset(both(a, b), a));
        ASSERT_TRUE(roaringIsSubset(a, either(a, b)));
        ASSERT_DOUBLE_EQ(roaringJaccard(a, b), roaringJaccard(b, a));
        ASSERT_DOUBLE_EQ(roaringJaccard(a, b), all == 0 ? 1 : static_cast<double>(common) / static_cast<double>(all));
        ASSERT_EQ(roaringStatistics(a).cardinality, x.bitmap.cardinality());
    });
}

TEST_F(RoaringLaws, Ranges)
{
    forSets(200, [](const Both & x, const Both & y, const Both &, std::mt19937_64 & random) {
        const RoaringSnapshot & a = x.side(random());
        const UInt64 from = roaringSelect(y.owner, random() % (y.bitmap.cardinality() + 1)).value_or(random());
        const UInt64 to = from + std::min(LAST - from, random() % 200000);
        const RoaringBitmap range = RoaringBitmap::range(from, to);
        RoaringBitmap changed = x.bitmap;
        changed.addRange(from, to);
        ASSERT_EQ(changed, either(a, range));
        changed = RoaringBitmap::borrow(x.view);
        changed.removeRange(from, to);
        ASSERT_EQ(changed, without(a, range));
        changed = RoaringBitmap(x.view);
        changed.flip(from, to);
        ASSERT_EQ(changed, different(a, range));
        changed.flip(from, to);
        ASSERT_EQ(changed, x.bitmap);
        const UInt64 inside = roaringRangeCardinality(a, from, to);
        ASSERT_EQ(roaringSubset(a, from, to), both(a, range));
        ASSERT_EQ(inside, roaringSubset(a, from, to).cardinality());
        ASSERT_EQ(inside, roaringRank(a, to) - (from == 0 ? 0 : roaringRank(a, from - 1)));
        ASSERT_EQ(roaringIntersectsRange(a, from, to), roaringIntersects(a, range));
        ASSERT_EQ(roaringContainsRange(a, from, to), roaringIsSubset(range, a));
        ASSERT_EQ(roaringContainsRange(a, from, to), inside == to - from + 1);
        RoaringRangeIterator ranges(a);
        RoaringBitmap rebuilt;
        for (UInt64 first = 0, last = 0; ranges.next(first, last);)
            rebuilt.addRange(first, last);
        ASSERT_EQ(rebuilt, x.bitmap);
    });
}

TEST_F(RoaringLaws, OrderAndSlices)
{
    forSets(200, [](const Both & x, const Both &, const Both &, std::mt19937_64 & random) {
        const RoaringSnapshot & a = x.side(random());
        const UInt64 n = x.bitmap.cardinality();
        const UInt64 index = random() % (n + 1);
        const RoaringDirectory directory(x.view);
        const auto value = roaringSelect(a, index);
        ASSERT_EQ(value.has_value(), index < n);
        ASSERT_EQ(directory.select(index), value);
        if (value)
        {
            ASSERT_EQ(roaringIndex(a, *value), index);
            ASSERT_EQ(roaringRank(a, *value), index + 1);
            ASSERT_EQ(roaringNext(a, *value), value);
            ASSERT_EQ(roaringPrevious(a, *value), value);
            ASSERT_EQ(*value == LAST ? std::nullopt : roaringNext(a, *value + 1), roaringSelect(a, index + 1));
            ASSERT_EQ(*value == 0 ? std::nullopt : roaringPrevious(a, *value - 1), index == 0 ? std::nullopt : roaringSelect(a, index - 1));
            ASSERT_EQ(roaringSubsetLimit(a, *value, 1000), roaringSlice(a, index, 1000));
            const auto absent = roaringNextAbsent(a, *value);
            ASSERT_TRUE(roaringContainsRange(a, *value, absent ? *absent - 1 : LAST));
            ASSERT_TRUE(!absent || !x.bitmap.contains(*absent));
            const auto absent_below = roaringPreviousAbsent(a, *value);
            ASSERT_TRUE(roaringContainsRange(a, absent_below ? *absent_below + 1 : 0, *value));
        }
        ASSERT_EQ(roaringMinimum(a), roaringSelect(a, 0));
        ASSERT_EQ(roaringMaximum(a), n == 0 ? std::nullopt : roaringSelect(a, n - 1));
        const RoaringBitmap head = roaringSlice(a, 0, index);
        const RoaringBitmap tail = roaringSlice(a, index, LAST);
        ASSERT_EQ(head.cardinality(), index);
        ASSERT_FALSE(roaringIntersects(head, tail));
        ASSERT_EQ(either(head, tail), x.bitmap);
    });
}

TEST_F(RoaringLaws, Shifts)
{
    forSets(150, [](const Both & x, const Both & y, const Both &, std::mt19937_64 & random) {
        const RoaringSnapshot & a = x.side(random());
        const UInt64 distance = random() % 2 ? random() % 300000 : (random() % 5) << 16;
        for (const bool down : {false, true})
        {
            const RoaringBitmap moved = roaringShift(a, distance, down);
            const RoaringBitmap kept = down ? roaringSubset(a, distance, LAST) : roaringSubset(a, 0, LAST - distance);
            ASSERT_EQ(moved.cardinality(), kept.cardinality());
            ASSERT_EQ(roaringShift(moved, distance, !down), kept);
            ASSERT_EQ(either(moved, roaringShift(y.borrowed, distance, down)), roaringShift(either(a, y.owner), distance, down));
        }
        ASSERT_EQ(roaringShift(a, 0), x.bitmap);
        ASSERT_EQ(roaringShift(a, distance, false, 0xffffffff), roaringSubset(roaringShift(a, distance), 0, 0xffffffff));
    });
}

TEST_F(RoaringLaws, MergesOfMany)
{
    forSets(100, [](const Both & a, const Both & b, const Both & c, std::mt19937_64 & random) {
        const Both * order[] = {&a, &b, &c, &a};
        for (const auto operation : {SetOperation::And, SetOperation::Or, SetOperation::Xor})
        {
            RoaringBitmap expected = a.bitmap;
            for (size_t i = 1; i < std::size(order); ++i)
                expected.combineWith(operation, order[i]->view);
            for (int shuffled = 0; shuffled < 2; ++shuffled)
            {
                std::vector<const Both *> inputs(std::begin(order), std::end(order));
                if (shuffled)
                    std::shuffle(inputs.begin(), inputs.end(), random);
                std::vector<RoaringCursor> cursors;
                for (const Both * input : inputs)
                    cursors.push_back(input->side(random()).cursor());
                ASSERT_EQ(serialize(roaringMerge(operation, cursors)), serialize(expected));
            }
        }
    });
}

TEST_F(RoaringLaws, OutAndInAgain)
{
    forSets(150, [](const Both & x, const Both &, const Both &, std::mt19937_64 & random) {
        const RoaringSnapshot & a = x.side(random());
        ASSERT_TRUE(x.view.isCanonical());
        ASSERT_EQ(serialize(RoaringBitmap(x.view)), x.bytes);
        ASSERT_EQ(serialize(RoaringBitmap::borrow(x.view)), x.bytes);
        RoaringBitmap optimized = x.bitmap;
        optimized.optimize();
        ASSERT_EQ(serialize(optimized), x.bytes);
        std::vector<UInt64> values = roaringToArray(a);
        ASSERT_EQ(values.size(), x.bitmap.cardinality());
        std::shuffle(values.begin(), values.end(), random);
        RoaringBitmap rebuilt;
        rebuilt.addMany(values);
        ASSERT_EQ(serialize(rebuilt), x.bytes);
        const RoaringBitmap low = roaringSubset(a, 0, 1 << 20);
        ASSERT_EQ(roaringFromBits(roaringToBits(low)), low);
        for (const UInt64 value : values)
            if (value % 7 == 0)
                rebuilt.remove(value);
        for (const UInt64 value : values)
            rebuilt.add(value);
        ASSERT_EQ(rebuilt, x.bitmap);
    });
}
