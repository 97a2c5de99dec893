#include "AllocationCounter.h"
#include "Serialize.h"
#include "Vectors.h"

#include <statewire/Common/Exception.h>
#include <statewire/IO/WriteBufferFromVector.h>
#include <statewire/Roaring/RoaringBatch.h>
#include <statewire/Roaring/RoaringOperations.h>
#include <statewire/Roaring/RoaringWriter.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <random>
#include <set>

using namespace DB;
using namespace statewire_tests;

namespace
{
RoaringBitmap fromValues(const std::vector<UInt64> & values)
{
    RoaringBitmap result;
    result.addMany(values);
    return result;
}

std::vector<UInt64> valuesOf(const RoaringSnapshot & set)
{
    std::vector<UInt64> result;
    forEachValue(set, [&](UInt64 value) { result.push_back(value); });
    return result;
}

std::string rewrite(RoaringView view)
{
    return serialize(RoaringBitmap(view), view.format());
}

std::vector<UInt64> range(UInt64 first, UInt64 count, UInt64 step = 1)
{
    std::vector<UInt64> result;
    for (UInt64 i = 0; i < count; ++i)
        result.push_back(first + i * step);
    return result;
}

/// Sets whose containers have every shape and stand at every border.
std::vector<std::vector<UInt64>> shapes()
{
    std::vector<std::vector<UInt64>> result{
        {}, {0}, {65535}, {65536}, {1, 2, 3}, range(0, 33), range(5, 4095, 2), range(0, 4096, 3), range(1, 4097, 7), range(0, 65536),
        range(3, 65536), range(0, 32768, 2), range(0, 2047, 32), range(100, 70000), range(60000, 10000, 13), {0, 65535, 65536, 1u << 31, 0xffffffff}};
    std::vector<UInt64> runs;
    for (UInt64 i = 0; i < 2048; ++i)
        for (UInt64 j = 0; j < 20; ++j)
            runs.push_back(i * 32 + j);
    result.push_back(runs);
    runs.resize(2047 * 20);
    result.push_back(runs);
    return result;
}

std::vector<UInt64> expectedOf(SetOperation operation, const std::vector<UInt64> & a, const std::vector<UInt64> & b)
{
    std::vector<UInt64> result;
    const auto out = std::back_inserter(result);
    switch (operation)
    {
        case SetOperation::And:
            std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), out);
            break;
        case SetOperation::Or:
            std::set_union(a.begin(), a.end(), b.begin(), b.end(), out);
            break;
        case SetOperation::Xor:
            std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), out);
            break;
        case SetOperation::AndNot:
            std::set_difference(a.begin(), a.end(), b.begin(), b.end(), out);
            break;
    }
    return result;
}

constexpr SetOperation ALL_OPERATIONS[] = {SetOperation::And, SetOperation::Or, SetOperation::Xor, SetOperation::AndNot};
}

TEST(RoaringBitmap, EveryShapeSurvivesBothFormats)
{
    for (const auto & values : shapes())
        for (const RoaringFormat format : {RoaringFormat::Portable32, RoaringFormat::Portable64})
        {
            const RoaringBitmap bitmap = fromValues(values);
            const std::string bytes = serialize(bitmap, format);
            const RoaringView view = RoaringView::parse(bytes, format);
            EXPECT_TRUE(view.isCanonical());
            EXPECT_EQ(view.sizeInBytes(), bytes.size());
            EXPECT_EQ(view.cardinality(), values.size());
            EXPECT_EQ(bitmap.cardinality(), values.size());
            EXPECT_EQ(valuesOf(view), values);
            EXPECT_EQ(valuesOf(bitmap), values);
            EXPECT_EQ(rewrite(view), bytes);
            if (!values.empty())
            {
                EXPECT_EQ(bitmap.minimum(), values.front());
                EXPECT_EQ(bitmap.maximum(), values.back());
            }
        }
}

TEST(RoaringBitmap, OrderOfAdditionDoesNotMatter)
{
    std::mt19937_64 random(1);
    for (auto values : shapes())
    {
        const std::string bytes = serialize(fromValues(values), RoaringFormat::Portable32);
        std::shuffle(values.begin(), values.end(), random);
        RoaringBitmap unsealed = fromValues(values);
        unsealed.addMany(values);
        EXPECT_EQ(serialize(unsealed, RoaringFormat::Portable32), bytes);
        for (size_t i = 0; i < values.size(); i += 97)
            EXPECT_TRUE(unsealed.contains(values[i]));
        unsealed.seal();
        EXPECT_EQ(serialize(unsealed, RoaringFormat::Portable32), bytes);
    }
}

TEST(RoaringBitmap, OperationsAgreeWithSortedLists)
{
    const auto all = shapes();
    for (const auto & a : all)
        for (const auto & b : all)
        {
            const RoaringBitmap owner_a = fromValues(a);
            const RoaringBitmap owner_b = fromValues(b);
            const std::string bytes_a = serialize(owner_a, RoaringFormat::Portable64);
            const std::string bytes_b = serialize(owner_b, RoaringFormat::Portable32);
            const RoaringView view_a = RoaringView::parse(bytes_a, RoaringFormat::Portable64);
            const RoaringView view_b = RoaringView::parse(bytes_b, RoaringFormat::Portable32);
            for (const SetOperation operation : ALL_OPERATIONS)
            {
                const auto expected = expectedOf(operation, a, b);
                const RoaringBitmap result = roaringCombine(operation, owner_a, owner_b);
                ASSERT_EQ(valuesOf(result), expected);
                ASSERT_EQ(result.cardinality(), expected.size());
                ASSERT_EQ(roaringCombine(operation, view_a, owner_b), result);
                ASSERT_EQ(roaringCombine(operation, owner_a, view_b), result);
                ASSERT_EQ(roaringCombine(operation, view_a, view_b), result);
                ASSERT_EQ(roaringCombinedCardinality(operation, view_a, view_b), expected.size());
                ASSERT_EQ(roaringCombinedCardinality(operation, owner_a, view_b), expected.size());
                const std::string bytes = serialize(result, RoaringFormat::Portable32);
                ASSERT_TRUE(RoaringView::parse(bytes, RoaringFormat::Portable32).isCanonical());
            }
            RoaringBitmap merged = owner_a;
            merged.merge(view_b);
            ASSERT_EQ(valuesOf(merged), expectedOf(SetOperation::Or, a, b));
            ASSERT_EQ(merged.cardinality(), expectedOf(SetOperation::Or, a, b).size());
            RoaringBitmap other_way = owner_b;
            other_way.merge(owner_a);
            ASSERT_EQ(serialize(other_way, RoaringFormat::Portable32), serialize(merged, RoaringFormat::Portable32));
        }
}

TEST(RoaringBitmap, RandomProgramsAgreeWithStdSet)
{
    for (UInt64 seed = 1; seed <= 40; ++seed)
    {
        SCOPED_TRACE(seed);
        std::mt19937_64 random(seed);
        std::set<UInt64> oracle;
        RoaringBitmap bitmap;
        const UInt64 bits = 4 + random() % 60;
        for (int step = 0; step < 30; ++step)
        {
            const UInt64 base = (random() & ((UInt64{1} << bits) - 1)) & ~UInt64{0xfff};
            const UInt64 count = random() % 3000;
            switch (random() % 6)
            {
                case 0:
                    for (UInt64 i = 0; i < count; ++i)
                    {
                        const UInt64 value = random() & ((UInt64{1} << bits) - 1);
                        bitmap.add(value);
                        oracle.insert(value);
                    }
                    break;
                case 1:
                    for (UInt64 i = 0; i < count; ++i)
                    {
                        bitmap.add(base + i);
                        oracle.insert(base + i);
                    }
                    break;
                case 2:
                {
                    RoaringBitmap other;
                    for (UInt64 i = 0; i < count; ++i)
                    {
                        const UInt64 value = base ^ random() % 100000;
                        other.add(value);
                        oracle.insert(value);
                    }
                    if (count % 2 == 0)
                        bitmap.merge(other);
                    else
                    {
                        bitmap.merge(std::move(other));
                        ASSERT_TRUE(other.empty());
                    }
                    break;
                }
                case 3:
                {
                    /// Batches of some values a container, in order or not.
                    std::vector<UInt64> values(count);
                    for (UInt64 i = 0; i < count; ++i)
                        values[i] = base + (i * 4096 + random() % 4096);
                    if (count % 2 == 0)
                        std::shuffle(values.begin(), values.end(), random);
                    bitmap.addMany(values);
                    oracle.insert(values.begin(), values.end());
                    break;
                }
                case 4:
                {
                    /// Neither a copy nor what was moved depends on where it came from.
                    const RoaringBitmap copy(bitmap);
                    if (count % 3 == 0)
                        bitmap.optimize();
                    RoaringBitmap taken(std::move(bitmap));
                    bitmap = count % 2 == 0 ? RoaringBitmap(copy) : std::move(taken);
                    ASSERT_TRUE(bitmap == copy);
                    break;
                }
                default:
                {
                    const std::string bytes = serialize(bitmap, RoaringFormat::Portable64);
                    const RoaringView view = RoaringView::parse(bytes, RoaringFormat::Portable64);
                    ASSERT_TRUE(view.isCanonical());
                    ASSERT_EQ(view.cardinality(), oracle.size());
                    break;
                }
            }
            ASSERT_EQ(bitmap.cardinality(), oracle.size());
        }
        ASSERT_EQ(valuesOf(bitmap), std::vector<UInt64>(oracle.begin(), oracle.end()));
        for (int probe = 0; probe < 200; ++probe)
        {
            const UInt64 value = random() & ((UInt64{1} << bits) - 1);
            ASSERT_EQ(bitmap.contains(value), oracle.contains(value));
        }
    }
}

TEST(RoaringBitmap, SmallPayloadsOfABatchTakeFewBlocks)
{
    RoaringBitmap bitmap;
    std::vector<UInt64> values;
    for (UInt64 key = 0; key < 10000; ++key)
        for (UInt64 low = 0; low < 20; ++low)
            values.push_back(key << 16 | low * 3);
    bitmap.addMany(values);
    EXPECT_LT(bitmap.heldBytes(), 10000 * (24 + 40) * 3 / 2);
    {
        const AllocationCounter counter;
        const RoaringBitmap copy(bitmap);
        EXPECT_TRUE(!AllocationCounter::isCounting() || counter.allocations() > 10000u) << "a copy owns what it shows";
        EXPECT_TRUE(copy == bitmap);
    }

    /// Payloads that changed are on their own, those of another set that went away too.
    bitmap.add(5 << 16 | 1);
    RoaringBitmap other;
    other.addMany(std::vector<UInt64>(values.begin(), values.begin() + 5000));
    {
        RoaringBitmap shifted;
        std::vector<UInt64> beyond;
        for (const UInt64 value : values)
            beyond.push_back(value + (UInt64{20000} << 16));
        shifted.addMany(beyond);
        other.merge(std::move(shifted));
        values.insert(values.end(), beyond.begin(), beyond.end());
    }
    bitmap.merge(std::move(other));
    values.insert(values.begin() + 5 * 20 + 1, 5 << 16 | 1);
    EXPECT_EQ(valuesOf(bitmap), values);
    const size_t held = bitmap.heldBytes();
    bitmap.optimize();
    EXPECT_LE(bitmap.heldBytes(), held);
    EXPECT_EQ(valuesOf(bitmap), values);
}

TEST(RoaringBitmap, AssignsToItselfAndMergesWithItself)
{
    std::vector<UInt64> values;
    for (UInt64 i = 0; i < 3000; ++i)
        values.push_back(i * 4099);
    RoaringBitmap bitmap = fromValues(values);
    const RoaringBitmap & same = bitmap;
    bitmap = same;
    EXPECT_EQ(valuesOf(bitmap), values);
    bitmap.merge(same);
    bitmap.merge(const_cast<RoaringBitmap &&>(same));
    EXPECT_EQ(valuesOf(bitmap), values);
    RoaringBitmap taken(std::move(bitmap));
    EXPECT_EQ(bitmap.cardinality(), 0u);
    bitmap.add(7);
    EXPECT_EQ(bitmap.cardinality(), 1u);
    EXPECT_EQ(valuesOf(taken), values);
}

TEST(RoaringBitmap, MemoryOfValuesThatWentDoesNotAddUp)
{
    RoaringBitmap bitmap;
    constexpr UInt64 WINDOW = 200;
    size_t largest = 0;
    for (UInt64 key = 0; key < 20000; key += 20)
    {
        std::vector<UInt64> values;
        for (UInt64 i = 0; i < 20 * 30; ++i)
            values.push_back((key + i / 30) << 16 | (i % 30) * 100);
        bitmap.addMany(values);
        if (key >= WINDOW)
            bitmap.removeRange(0, ((key - WINDOW) << 16) - 1);
        largest = std::max(largest, bitmap.heldBytes());
    }
    EXPECT_LT(largest, 20 * WINDOW * (60 + 24));
    bitmap.removeRange(0, ~UInt64{0});
    EXPECT_LT(bitmap.heldBytes(), 20 * WINDOW * 24);
}

TEST(RoaringBatch, GroupsAndOrderAreFoundAsByLookingAtEachValue)
{
    std::mt19937_64 random(3);
    for (int round = 0; round < 300; ++round)
    {
        std::vector<UInt32> values(1 + random() % 400);
        const UInt64 keys = 1 + random() % 20;
        for (UInt32 & value : values)
            value = static_cast<UInt32>(random() % keys << 16 | (random() & 0xffff));
        if (round % 3 != 0)
            std::sort(values.begin(), values.end());
        if (round % 3 == 2)
            std::swap(values[random() % values.size()], values[random() % values.size()]);
        EXPECT_EQ(isSortedBatch(std::span<const UInt32>(values)), std::is_sorted(values.begin(), values.end()));
        std::sort(values.begin(), values.end());
        const auto key_of = [&](size_t i) { return values[i] >> 16; };
        size_t end = 0;
        while (end < values.size() && key_of(end) == key_of(0))
            ++end;
        size_t begin = values.size();
        while (begin != 0 && key_of(begin - 1) == key_of(values.size() - 1))
            --begin;
        EXPECT_EQ(endOfRoaringGroup(std::span<const UInt32>(values)), end);
        EXPECT_EQ(beginOfRoaringGroup(std::span<const UInt32>(values)), begin);
    }
}

TEST(RoaringBitmap, ValuesAboveThirtyTwoBitsDoNotFitTheNarrowFormat)
{
    std::string to;
    WriteBufferFromString out(to);
    EXPECT_THROW(fromValues({UInt64{1} << 32}).write(out, RoaringFormat::Portable32), Exception);
    out.cancel();
}

TEST(RoaringView, OpensWithoutAllocatingAtEveryAlignment)
{
    for (const auto & values : shapes())
        for (const RoaringFormat format : {RoaringFormat::Portable32, RoaringFormat::Portable64})
        {
            const std::string bytes = serialize(fromValues(values), format);
            std::string room(bytes.size() + 64, '\0');
            for (size_t shift = 0; shift < 64; ++shift)
            {
                std::copy(bytes.begin(), bytes.end(), room.begin() + static_cast<std::ptrdiff_t>(shift));
                RoaringView view;
                UInt64 cardinality = 0;
                bool holds = true;
                size_t allocations = 0;
                {
                    const AllocationCounter counter;
                    const std::string_view shifted(room.data() + shift, bytes.size());
                    ASSERT_TRUE(RoaringView::tryParse(shifted, format, Validation::Full, view).ok());
                    ASSERT_TRUE(RoaringView::tryParse(shifted, format, Validation::Structure, view).ok());
                    cardinality = view.cardinality();
                    for (size_t i = 0; i < values.size(); i += 1 + values.size() / 13)
                        holds = holds && view.contains(values[i]);
                    allocations = counter.allocations();
                }
                ASSERT_EQ(allocations, 0u);
                ASSERT_EQ(cardinality, values.size());
                ASSERT_TRUE(holds);
            }
        }
}

TEST(RoaringView, ContainsAgreesWithTheValues)
{
    for (const auto & values : shapes())
        for (const RoaringFormat format : {RoaringFormat::Portable32, RoaringFormat::Portable64})
        {
            const std::string bytes = serialize(fromValues(values), format);
            const RoaringView view = RoaringView::parse(bytes, format);
            for (UInt64 probe = 0; probe < 200000; probe += 17)
                ASSERT_EQ(view.contains(probe), std::binary_search(values.begin(), values.end(), probe));
            for (const UInt64 probe : {UInt64{1} << 31, UInt64{0xffffffff}, UInt64{1} << 32, ~UInt64{0}})
                ASSERT_EQ(view.contains(probe), std::binary_search(values.begin(), values.end(), probe));
        }
}

TEST(RoaringView, EveryTruncationIsRefused)
{
    for (const auto & values : shapes())
        for (const RoaringFormat format : {RoaringFormat::Portable32, RoaringFormat::Portable64})
        {
            const std::string bytes = serialize(fromValues(values), format);
            const size_t step = bytes.size() > 2000 ? 101 : 1;
            for (size_t size = 0; size < bytes.size(); size += step)
            {
                const std::string cut = bytes.substr(0, size);
                RoaringView view;
                const RoaringParseResult result = RoaringView::tryParse(cut, format, Validation::Structure, view);
                ASSERT_FALSE(result.ok());
                ASSERT_LE(result.offset, size);
                ASSERT_FALSE(result.describe().empty());
            }
        }
}

TEST(RoaringView, EveryFlippedBitIsRefusedOrASetAgain)
{
    for (const auto & values : {std::vector<UInt64>{}, std::vector<UInt64>{7}, range(0, 33), range(0, 40, 3), std::vector<UInt64>{1, 2, 3, 65536, 70000, 70001, 70002, 200000}})
        for (const RoaringFormat format : {RoaringFormat::Portable32, RoaringFormat::Portable64})
        {
            const std::string bytes = serialize(fromValues(values), format);
            for (size_t bit = 0; bit < bytes.size() * 8; ++bit)
            {
                std::string flipped = bytes;
                flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
                RoaringView view;
                if (!RoaringView::tryParse(flipped, format, Validation::Full, view).ok())
                    continue;
                const auto read = valuesOf(view);
                ASSERT_TRUE(std::is_sorted(read.begin(), read.end()));
                ASSERT_EQ(std::adjacent_find(read.begin(), read.end()), read.end());
                ASSERT_EQ(read.size(), view.cardinality());
                const std::string again = rewrite(view);
                ASSERT_EQ(valuesOf(RoaringView::parse(again, format)), read);
            }
        }
}

TEST(RoaringVectors, AreAcceptedWithTheirContentsOrRefused)
{
    REQUIRE_VECTORS(folder, "roaring");
    const auto manifest = nlohmann::json::parse(readFile(folder / "manifest.json"));
    size_t accepted = 0;
    size_t refused = 0;
    for (const auto & vector : manifest["vectors"])
    {
        const std::string name = vector["file"];
        SCOPED_TRACE(name);
        const std::string bytes = readVector(folder / name);
        const RoaringFormat format = vector["kind"] == "portable64" ? RoaringFormat::Portable64 : RoaringFormat::Portable32;
        RoaringView view;
        const RoaringParseResult result = RoaringView::tryParse(bytes, format, Validation::Full, view);
        ASSERT_EQ(result.ok(), vector["expect"] == "accept") << result.describe();
        if (!result.ok())
        {
            ++refused;
            continue;
        }
        ++accepted;
        EXPECT_EQ(view.sizeInBytes(), vector["consumed"].get<UInt64>());
        EXPECT_EQ(view.cardinality(), vector["cardinality"].get<UInt64>());
        /// All 2^32 values are one vector; counting them is enough.
        if (view.cardinality() > 100000000)
            continue;
        UInt64 sum = 0;
        UInt64 ranges = 0;
        UInt64 behind = 0;
        const auto values = valuesOf(view);
        for (size_t i = 0; i < values.size(); ++i)
        {
            sum += values[i];
            ranges += i == 0 || values[i] != behind;
            behind = values[i] + 1;
        }
        EXPECT_EQ(values.size(), view.cardinality());
        EXPECT_EQ(sum, vector["sum_mod_2_64"].get<UInt64>());
        EXPECT_EQ(ranges, vector["maximal_ranges"].get<UInt64>());
        if (!values.empty())
        {
            EXPECT_EQ(values.front(), vector["min"].get<UInt64>());
            EXPECT_EQ(values.back(), vector["max"].get<UInt64>());
        }
        UInt64 kinds[3] = {};
        for (RoaringCursor i = view.cursor(); i.valid(); i.next())
            ++kinds[static_cast<size_t>(i.container().kind)];
        EXPECT_EQ(kinds[0], vector["containers"]["array"].get<UInt64>());
        EXPECT_EQ(kinds[1], vector["containers"]["bitset"].get<UInt64>());
        EXPECT_EQ(kinds[2], vector["containers"]["run"].get<UInt64>());
        if (vector.contains("canonical"))
        {
            EXPECT_EQ(view.isCanonical() && view.sizeInBytes() == bytes.size(), vector["canonical"].get<bool>());
        }
        EXPECT_EQ(rewrite(view) == bytes, view.isCanonical() && view.sizeInBytes() == bytes.size());
    }
    EXPECT_GT(accepted, 40u);
    EXPECT_GT(refused, 60u);
}
