#include "CaseSample.h"
#include "Serialize.h"

#include <statewire/Common/CpuFeatures.h>
#include <statewire/Roaring/RoaringDirectory.h>
#include <statewire/Roaring/RoaringForeignFormats.h>
#include <statewire/Roaring/RoaringMerge.h>
#include <statewire/Roaring/RoaringOperations.h>
#include <statewire/Roaring/RoaringQueries.h>
#include <statewire/Roaring/RoaringSlices.h>

#include <gtest/gtest.h>

#ifdef STATEWIRE_HAS_CROARING
#    include <roaring/roaring.h>
#endif

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

/** Long random programs over 32-bit sets. Every answer and every set's bytes enter a digest that is the same on every processor: the tests run
  * once for each level of kernels (tests/CMakeLists.txt). Where CRoaring is found, each set stands beside one of its bitmaps.
  */

using namespace DB;

namespace
{
constexpr UInt64 LAST = 0xffffffff;
constexpr SetOperation ALL_OPERATIONS[] = {SetOperation::And, SetOperation::Or, SetOperation::Xor, SetOperation::AndNot};

std::string serialize(const RoaringBitmap & bitmap)
{
    return statewire_tests::serialize(bitmap, RoaringFormat::Portable32);
}

bool isCanonical(const std::string & bytes)
{
    return RoaringView::parse(bytes, RoaringFormat::Portable32).isCanonical();
}

class Digest
{
public:
    void add(UInt64 number) noexcept { state = std::rotl((state ^ number) * 0x9e3779b97f4a7c15, 29); }
    void add(std::string_view bytes) noexcept
    {
        for (; bytes.size() >= 8; bytes.remove_prefix(8))
            add(unalignedLoadLittleEndian<UInt64>(bytes.data()));
        UInt64 rest = bytes.size();
        for (const char byte : bytes)
            rest = rest << 8 | static_cast<UInt8>(byte);
        add(rest);
    }
    [[nodiscard]] UInt64 value() const noexcept { return state; }

private:
    UInt64 state = 0;
};

#ifdef STATEWIRE_HAS_CROARING

/// The same set in CRoaring. Its calls of 2022 are used, which later releases have too.
class Peer
{
public:
    Peer() : bitmap(roaring_bitmap_create()) { }
    ~Peer() { roaring_bitmap_free(bitmap); }
    Peer(const Peer &) = delete;
    Peer & operator=(const Peer &) = delete;

    void add(const std::vector<UInt32> & values) { roaring_bitmap_add_many(bitmap, values.size(), values.data()); }
    bool remove(UInt32 value) { return roaring_bitmap_remove_checked(bitmap, value); }
    void addRange(UInt64 first, UInt64 last) { roaring_bitmap_add_range_closed(bitmap, static_cast<UInt32>(first), static_cast<UInt32>(last)); }
    void removeRange(UInt64 first, UInt64 last)
    {
        roaring_bitmap_remove_range_closed(bitmap, static_cast<UInt32>(first), static_cast<UInt32>(last));
    }
    void flip(UInt64 first, UInt64 last) { roaring_bitmap_flip_inplace(bitmap, first, last + 1); }
    void combine(SetOperation operation, const Peer & other)
    {
        switch (operation)
        {
            case SetOperation::And:
                roaring_bitmap_and_inplace(bitmap, other.bitmap);
                return;
            case SetOperation::Or:
                roaring_bitmap_or_inplace(bitmap, other.bitmap);
                return;
            case SetOperation::Xor:
                roaring_bitmap_xor_inplace(bitmap, other.bitmap);
                return;
            case SetOperation::AndNot:
                roaring_bitmap_andnot_inplace(bitmap, other.bitmap);
                return;
        }
    }
    void keep(UInt64 first, UInt64 last)
    {
        if (first != 0)
            removeRange(0, first - 1);
        if (last != LAST)
            removeRange(last + 1, LAST);
    }

    /// Both read what the other wrote, and hold the same.
    void check(const RoaringBitmap & ours, const std::string & bytes) const
    {
        ASSERT_EQ(roaring_bitmap_get_cardinality(bitmap), ours.cardinality());
        const std::unique_ptr<roaring_bitmap_t, void (*)(const roaring_bitmap_t *)> read(
            roaring_bitmap_portable_deserialize_safe(bytes.data(), bytes.size()), roaring_bitmap_free);
        ASSERT_NE(read, nullptr);
        ASSERT_TRUE(roaring_bitmap_equals(read.get(), bitmap));
        std::string theirs = imageOf(bitmap);
        RoaringView view;
        if (!RoaringView::tryParse(theirs, RoaringFormat::Portable32, Validation::Full, view).ok())
        {
            /// CRoaring#538: release 0.2.66 may be left with a bitset of few values, which it writes although the format has none. The same
            /// values in a new bitmap are written right.
            std::vector<UInt32> values(roaring_bitmap_get_cardinality(bitmap));
            roaring_bitmap_to_uint32_array(bitmap, values.data());
            Peer again;
            again.add(values);
            theirs = imageOf(again.bitmap);
            view = RoaringView::parse(theirs, RoaringFormat::Portable32);
        }
        ASSERT_EQ(view.sizeInBytes(), theirs.size());
        ASSERT_TRUE(roaringEquals(view, ours));
        ASSERT_EQ(serialize(RoaringBitmap(view)), bytes);
    }
    void checkAnswers(const RoaringSnapshot & set, UInt64 probe, UInt64 last, UInt64 index) const
    {
        const auto value = static_cast<UInt32>(probe);
        ASSERT_EQ(roaring_bitmap_contains(bitmap, value), roaringIndex(set, probe).has_value());
        ASSERT_EQ(roaring_bitmap_rank(bitmap, value), roaringRank(set, probe));
        ASSERT_EQ(roaring_bitmap_range_cardinality(bitmap, probe, last + 1), roaringRangeCardinality(set, probe, last));
        /// Release 0.2.66 reads behind its arrays where the range ends in a container that the set does not have, behind all that it has.
        if (roaringNext(set, last & ~UInt64{0xffff}).value_or(last + 0x10000) <= (last | 0xffff))
        {
            ASSERT_EQ(roaring_bitmap_contains_range(bitmap, probe, last + 1), roaringContainsRange(set, probe, last));
        }
        UInt32 selected = 0;
        const bool found = roaring_bitmap_select(bitmap, static_cast<UInt32>(index), &selected);
        ASSERT_EQ(roaringSelect(set, index), found ? std::optional<UInt64>(selected) : std::nullopt);
        if (roaring_bitmap_is_empty(bitmap))
            return;
        ASSERT_EQ(roaringMinimum(set), roaring_bitmap_minimum(bitmap));
        ASSERT_EQ(roaringMaximum(set), roaring_bitmap_maximum(bitmap));
    }
    void checkPair(const Peer & other, const RoaringSnapshot & set, const RoaringSnapshot & other_set) const
    {
        const UInt64 cardinalities[]
            = {roaring_bitmap_and_cardinality(bitmap, other.bitmap), roaring_bitmap_or_cardinality(bitmap, other.bitmap),
               roaring_bitmap_xor_cardinality(bitmap, other.bitmap), roaring_bitmap_andnot_cardinality(bitmap, other.bitmap)};
        for (size_t i = 0; i < std::size(ALL_OPERATIONS); ++i)
            ASSERT_EQ(roaringCombinedCardinality(ALL_OPERATIONS[i], set, other_set), cardinalities[i]);
        ASSERT_EQ(roaringIntersects(set, other_set), roaring_bitmap_intersect(bitmap, other.bitmap));
        ASSERT_EQ(roaringIsSubset(set, other_set), roaring_bitmap_is_subset(bitmap, other.bitmap));
        ASSERT_EQ(roaringIsStrictSubset(set, other_set), roaring_bitmap_is_strict_subset(bitmap, other.bitmap));
        ASSERT_EQ(roaringEquals(set, other_set), roaring_bitmap_equals(bitmap, other.bitmap));
        if (cardinalities[1] != 0)
        {
            ASSERT_DOUBLE_EQ(roaringJaccard(set, other_set), roaring_bitmap_jaccard_index(bitmap, other.bitmap));
        }
    }

private:
    [[nodiscard]] static std::string imageOf(const roaring_bitmap_t * bitmap)
    {
        std::string image(roaring_bitmap_portable_size_in_bytes(bitmap), '\0');
        image.resize(roaring_bitmap_portable_serialize(bitmap, image.data()));
        return image;
    }

    roaring_bitmap_t * bitmap;
};

#else

/// Nothing to compare with: the programs run for their digest alone.
class Peer
{
public:
    void add(const std::vector<UInt32> &) { }
    bool remove(UInt32) { return false; }
    void addRange(UInt64, UInt64) { }
    void removeRange(UInt64, UInt64) { }
    void flip(UInt64, UInt64) { }
    void combine(SetOperation, const Peer &) { }
    void keep(UInt64, UInt64) { }
    void check(const RoaringBitmap &, const std::string &) const { }
    void checkAnswers(const RoaringSnapshot &, UInt64, UInt64, UInt64) const { }
    void checkPair(const Peer &, const RoaringSnapshot &, const RoaringSnapshot &) const { }
};

#endif

class Program
{
public:
    explicit Program(UInt64 seed) : random(seed) { }

    void run(size_t steps)
    {
        for (size_t i = 0; i < steps; ++i)
        {
            const size_t chosen = random() % std::size(slots);
            step(slots[chosen], slots[(chosen + 1 + random() % (std::size(slots) - 1)) % std::size(slots)]);
            ASSERT_NO_FATAL_FAILURE(check(slots[chosen], slots[(chosen + 1) % std::size(slots)]));
        }
        ASSERT_NO_FATAL_FAILURE(mergeAll());
    }
    [[nodiscard]] UInt64 digest() const noexcept { return result.value(); }

private:
    struct Slot
    {
        RoaringBitmap bitmap;
        Peer peer;
    };

    /// Borders of containers and of signed numbers, or anywhere.
    UInt64 value()
    {
        static constexpr UInt64 BASES[] = {0, 1, 65535, 65536, 131071, 0x7fffffff, 0x80000000, 0xfffeffff, 0xffff0000, LAST};
        const UInt64 base = BASES[random() % std::size(BASES)];
        const UInt64 offset = random() % 3 == 0 ? random() % 300000 : random() % 300;
        switch (random() % 4)
        {
            case 0:
                return base >= offset ? base - offset : base;
            case 1:
                return random() & LAST;
            default:
                return std::min(base + offset, LAST);
        }
    }
    /// Around the borders of container kinds, or anything.
    UInt64 length()
    {
        static constexpr UInt64 LENGTHS[] = {1, 2, 3, 31, 33, 2047, 2048, 4095, 4096, 4097, 32768, 65535, 65536, 65537, 200000};
        return random() % 4 == 0 ? 1 + random() % 5000 : LENGTHS[random() % std::size(LENGTHS)];
    }

    std::vector<UInt32> manyValues()
    {
        const UInt64 first = value();
        /// Steps of 1 make runs, of 32 as many runs as a bitset bears, of 65536 a container a value (few of those: they cost most).
        static constexpr UInt64 STEPS[] = {1, 2, 3, 16, 31, 32, 33, 1000, 65536, 65537};
        const UInt64 step = STEPS[random() % std::size(STEPS)];
        const UInt64 n = std::min<UInt64>(length(), step < 1000 ? 20000 : 300);
        std::vector<UInt32> values;
        for (UInt64 i = 0; i < n; ++i)
            values.push_back(static_cast<UInt32>(first + i * step));
        if (random() % 2)
            for (size_t i = 1; i < values.size(); ++i)
                std::swap(values[i], values[random() % (i + 1)]);
        return values;
    }

    void step(Slot & slot, Slot & other)
    {
        /// Sets that grew large start anew.
        if (slot.bitmap.cardinality() > 400000)
        {
            slot.bitmap.clear();
            slot.peer.removeRange(0, LAST);
        }
        const UInt64 first = value();
        const UInt64 last = std::min(LAST, first + length() - 1);
        switch (random() % 13)
        {
            case 0:
                slot.bitmap.add(first);
                slot.peer.add({static_cast<UInt32>(first)});
                return;
            case 1:
            {
                const std::vector<UInt32> values = manyValues();
                for (const UInt32 one : values)
                    slot.bitmap.add(one);
                slot.peer.add(values);
                return;
            }
            case 2:
            {
                const std::vector<UInt32> values = manyValues();
                slot.bitmap.addMany(values);
                slot.peer.add(values);
                return;
            }
            case 3:
            {
                const bool was_there = roaringIndex(slot.bitmap, first).has_value();
                ASSERT_EQ(slot.bitmap.remove(first), was_there);
                static_cast<void>(slot.peer.remove(static_cast<UInt32>(first)));
                return;
            }
            case 4:
                slot.bitmap.addRange(first, last);
                slot.peer.addRange(first, last);
                return;
            case 5:
                slot.bitmap.removeRange(first, last);
                slot.peer.removeRange(first, last);
                return;
            case 6:
                slot.bitmap.flip(first, last);
                slot.peer.flip(first, last);
                return;
            case 7:
                slot.bitmap.optimize();
                return;
            case 8:
            {
                const std::string bytes = serialize(slot.bitmap);
                slot.bitmap = RoaringBitmap(RoaringView::parse(bytes, RoaringFormat::Portable32));
                return;
            }
            case 9:
                slot.bitmap = roaringSubset(slot.bitmap, first / 2, last);
                slot.peer.keep(first / 2, last);
                return;
            case 10:
            {
                const SetOperation operation = ALL_OPERATIONS[random() % std::size(ALL_OPERATIONS)];
                slot.bitmap = roaringCombine(operation, slot.bitmap, other.bitmap);
                slot.peer.combine(operation, other.peer);
                return;
            }
            case 11:
            {
                const SetOperation operation = ALL_OPERATIONS[random() % std::size(ALL_OPERATIONS)];
                const std::string bytes = serialize(other.bitmap);
                slot.bitmap.combineWith(operation, RoaringView::parse(bytes, RoaringFormat::Portable32));
                slot.peer.combine(operation, other.peer);
                return;
            }
            default:
            {
                const SetOperation operation = ALL_OPERATIONS[random() % std::size(ALL_OPERATIONS)];
                slot.bitmap.combineWith(operation, other.bitmap);
                slot.peer.combine(operation, other.peer);
                return;
            }
        }
    }

    void check(const Slot & slot, const Slot & other)
    {
        const std::string bytes = serialize(slot.bitmap);
        result.add(bytes);
        const RoaringView view = RoaringView::parse(bytes, RoaringFormat::Portable32);
        ASSERT_TRUE(view.isCanonical());
        ASSERT_TRUE(roaringEquals(view, slot.bitmap));
        ASSERT_NO_FATAL_FAILURE(slot.peer.check(slot.bitmap, bytes));
        const RoaringSnapshot owner(slot.bitmap);
        const RoaringSnapshot borrowed(view);
        const RoaringDirectory directory(view);
        for (int i = 0; i < 4; ++i)
        {
            const UInt64 probe = value();
            const UInt64 last = std::min(LAST, probe + length());
            const UInt64 index = view.cardinality() == 0 ? 0 : random() % (view.cardinality() + 1);
            ASSERT_NO_FATAL_FAILURE(slot.peer.checkAnswers(owner, probe, last, index));
            ASSERT_NO_FATAL_FAILURE(slot.peer.checkAnswers(borrowed, probe, last, index));
            ASSERT_EQ(directory.rank(probe), roaringRank(owner, probe));
            ASSERT_EQ(directory.select(index), roaringSelect(owner, index));
            ASSERT_EQ(directory.contains(probe), slot.bitmap.contains(probe));
            result.add(roaringRank(borrowed, probe));
            result.add(roaringRangeCardinality(borrowed, probe, last));
            result.add(roaringNext(borrowed, probe).value_or(LAST + 1));
            result.add(roaringPrevious(borrowed, probe).value_or(LAST + 1));
            result.add(roaringNextAbsent(borrowed, probe).value_or(LAST + 1));
        }
        ASSERT_NO_FATAL_FAILURE(slot.peer.checkPair(other.peer, borrowed, other.bitmap));
        for (const SetOperation operation : ALL_OPERATIONS)
            result.add(roaringCombinedCardinality(operation, borrowed, other.bitmap));
    }

    /// All sets at once by each operation, owners and views mixed, against one after another.
    void mergeAll()
    {
        std::vector<std::string> images;
        for (const Slot & slot : slots)
            images.push_back(serialize(slot.bitmap));
        std::vector<std::unique_ptr<RoaringSnapshot>> snapshots;
        std::vector<RoaringCursor> cursors;
        for (size_t i = 0; i < std::size(slots); ++i)
        {
            snapshots.push_back(
                i % 2 ? std::make_unique<RoaringSnapshot>(RoaringView::parse(images[i], RoaringFormat::Portable32))
                      : std::make_unique<RoaringSnapshot>(slots[i].bitmap));
            cursors.push_back(snapshots.back()->cursor());
        }
        for (const SetOperation operation : {SetOperation::And, SetOperation::Or, SetOperation::Xor})
        {
            RoaringBitmap expected = slots[0].bitmap;
            for (size_t i = 1; i < std::size(slots); ++i)
                expected.combineWith(operation, slots[i].bitmap);
            const std::string bytes = serialize(roaringMerge(operation, cursors));
            ASSERT_EQ(bytes, serialize(expected));
            result.add(bytes);
        }
    }

    std::mt19937_64 random;
    Slot slots[4];
    Digest result;
};
}

TEST(RoaringPrograms, AgreeWithCRoaringAndBetweenLevels)
{
#ifndef STATEWIRE_HAS_CROARING
    std::printf("SKIPPED: comparing with CRoaring, which was not found; the programs run for their digest\n");
#endif
    RecordProperty("level", std::string(cpuLevelName(cpuLevel())));
    statewire_tests::CaseSample sample("programs");
    /// The sets and answers themselves, not how they came about: the same for every level, compiler and build.
    constexpr UInt64 DIGESTS[] = {
        3828700902636589187u, 11996228401006275671u, 3264577977669055592u, 14297621296350409480u, 6828865752340677377u};
    for (UInt64 seed = 1; seed <= std::size(DIGESTS); ++seed)
    {
        if (!sample.takes())
            continue;
        SCOPED_TRACE("seed " + std::to_string(seed));
        Program program(seed);
        ASSERT_NO_FATAL_FAILURE(program.run(2000));
        EXPECT_EQ(program.digest(), DIGESTS[seed - 1]);
    }
}

/// 65536 containers, and all 2^32 values.
TEST(RoaringPrograms, SetsOfAllContainers)
{
    std::vector<UInt32> one_a_container;
    std::vector<UInt32> another;
    for (UInt64 key = 0; key < 65536; ++key)
    {
        one_a_container.push_back(static_cast<UInt32>(key << 16 | key));
        another.push_back(static_cast<UInt32>(key << 16 | (key & 0xfff0)));
    }
    RoaringBitmap sparse;
    sparse.addMany(one_a_container);
    Peer sparse_peer;
    sparse_peer.add(one_a_container);
    RoaringBitmap other;
    other.addMany(another);
    Peer other_peer;
    other_peer.add(another);
    ASSERT_EQ(sparse.cardinality(), 65536u);
    ASSERT_NO_FATAL_FAILURE(sparse_peer.check(sparse, serialize(sparse)));
    ASSERT_NO_FATAL_FAILURE(sparse_peer.checkPair(other_peer, sparse, other));
    for (const SetOperation operation : ALL_OPERATIONS)
    {
        RoaringBitmap result = sparse;
        result.combineWith(operation, other);
        Peer peer;
        peer.add(one_a_container);
        peer.combine(operation, other_peer);
        ASSERT_NO_FATAL_FAILURE(peer.check(result, serialize(result)));
    }

    const RoaringBitmap full = RoaringBitmap::range(0, LAST);
    Peer full_peer;
    full_peer.addRange(0, LAST);
    ASSERT_EQ(full.cardinality(), UInt64{1} << 32);
    ASSERT_NO_FATAL_FAILURE(full_peer.check(full, serialize(full)));
    ASSERT_NO_FATAL_FAILURE(sparse_peer.checkPair(full_peer, sparse, full));
    RoaringBitmap flipped = full;
    flipped.combineWith(SetOperation::AndNot, sparse);
    ASSERT_EQ(flipped.cardinality(), full.cardinality() - sparse.cardinality());
    ASSERT_TRUE(isCanonical(serialize(flipped)));
    ASSERT_EQ(roaringCombine(SetOperation::Xor, full, sparse), flipped);
    flipped.flip(0, LAST);
    ASSERT_EQ(flipped, sparse);
    const RoaringCursor cursors[] = {RoaringSnapshot(sparse).cursor(), RoaringSnapshot(full).cursor(), RoaringSnapshot(sparse).cursor()};
    EXPECT_EQ(roaringMerge(SetOperation::And, cursors), sparse);
    EXPECT_EQ(roaringMerge(SetOperation::Or, cursors), full);
    EXPECT_EQ(roaringMerge(SetOperation::Xor, cursors), full);
}

#ifdef STATEWIRE_HAS_CROARING

/// The frozen layout as CRoaring itself writes it, at any alignment.
TEST(RoaringPrograms, FrozenImagesOfCRoaringAreRead)
{
    std::mt19937_64 random(32);
    for (int round = 0; round < 40; ++round)
    {
        std::unique_ptr<roaring_bitmap_t, void (*)(const roaring_bitmap_t *)> peer(roaring_bitmap_create(), roaring_bitmap_free);
        RoaringBitmap ours;
        for (UInt64 n = random() % 5; n != 0; --n)
        {
            const UInt64 first = random() & 0xfffff;
            const UInt64 last = first + random() % 100000;
            roaring_bitmap_add_range_closed(peer.get(), static_cast<UInt32>(first), static_cast<UInt32>(last));
            ours.addRange(first, last);
            for (UInt64 i = 0, m = random() % 9000; i < m; ++i)
            {
                const auto value = static_cast<UInt32>(random() & 0xffffffu);
                roaring_bitmap_add(peer.get(), value);
                ours.add(value);
            }
        }
        if (round % 2)
            roaring_bitmap_run_optimize(peer.get());
        const size_t size = roaring_bitmap_frozen_size_in_bytes(peer.get());
        const std::unique_ptr<char, void (*)(void *)> room(static_cast<char *>(std::aligned_alloc(32, (size + 63) / 32 * 32)), std::free);
        roaring_bitmap_frozen_serialize(peer.get(), room.get());
        ASSERT_EQ(readRoaringFrozen32({room.get(), size}), ours);
        const std::string moved = "x" + std::string(room.get(), size);
        ASSERT_EQ(readRoaringFrozen32(std::string_view(moved).substr(1)), ours);
    }
}

#endif
