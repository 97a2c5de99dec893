#include "Vectors.h"

#include <statewire/Common/Exception.h>
#include <statewire/Roaring/RoaringExpand.h>
#include <statewire/Roaring/RoaringOperations.h>
#include <statewire/Roaring/RoaringStatistics.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <random>
#include <span>
#include <string>
#include <vector>

/** Sets as dense bits and as plain arrays, what they are made of, what building them costs, and every vector where it may lie. */

using namespace DB;
using namespace statewire_tests;

namespace
{
template <typename F>
int codeOf(F && f)
{
    try
    {
        f();
    }
    catch (const Exception & e)
    {
        return e.code();
    }
    return 0;
}

RoaringBitmap fromValues(const std::vector<UInt64> & values)
{
    RoaringBitmap result;
    result.addMany(values);
    return result;
}
}

TEST(RoaringExpand, DenseBitsGoBothWays)
{
    constexpr UInt64 SEED = 64;
    std::mt19937_64 random(SEED);
    for (int round = 0; round < 60; ++round)
    {
        SCOPED_TRACE("seed " + std::to_string(SEED) + " round " + std::to_string(round));
        /// Empty words, full words, alternating bits and noise, in stretches; the last word may be empty.
        std::vector<UInt64> words(random() % 3 == 0 ? random() % 5 : random() % 5000);
        for (size_t i = 0; i < words.size();)
        {
            const size_t end = std::min<size_t>(words.size(), i + 1 + random() % 1500);
            const UInt64 shape = random() % 5;
            for (; i < end; ++i)
                words[i] = shape == 0 ? 0 : shape == 1 ? ~UInt64{0} : shape == 2 ? 0x5555555555555555 : shape == 3 ? random() : random() & random() & random() & random();
        }
        std::vector<UInt64> values;
        for (size_t i = 0; i < words.size(); ++i)
            for (UInt64 bit = 0; bit < 64; ++bit)
                if (words[i] >> bit & 1)
                    values.push_back(64 * i + bit);
        const RoaringBitmap bitmap = roaringFromBits(words);
        ASSERT_EQ(bitmap.cardinality(), values.size());
        ASSERT_EQ(bitmap, fromValues(values));
        ASSERT_EQ(roaringToArray(bitmap), values);
        ASSERT_EQ(roaringToArray32(bitmap), std::vector<UInt32>(values.begin(), values.end()));
        /// As many words as the largest value needs, no more: CRoaring#660 was off by one where it is a multiple of 64.
        while (!words.empty() && words.back() == 0)
            words.pop_back();
        ASSERT_EQ(roaringToBits(bitmap), words);
    }
}

TEST(RoaringExpand, LimitsComeBeforeAllocations)
{
    const RoaringBitmap far = fromValues({UInt64{1} << 60});
    EXPECT_EQ(codeOf([&] { static_cast<void>(roaringToBits(far)); }), 241);
    const RoaringBitmap some = fromValues({1, 2, 640});
    EXPECT_EQ(codeOf([&] { static_cast<void>(roaringToBits(some, 87)); }), 241);
    EXPECT_EQ(roaringToBits(some, 88).size(), 11u);
    EXPECT_EQ(codeOf([&] { static_cast<void>(roaringToArray(some, 23)); }), 241);
    EXPECT_EQ(roaringToArray(some, 24).size(), 3u);
    EXPECT_EQ(codeOf([&] { static_cast<void>(roaringToArray32(some, 11)); }), 241);
    EXPECT_EQ(codeOf([&] { static_cast<void>(roaringToArray32(far)); }), 69);
}

TEST(RoaringStatistics, SayWhatASetIsMadeOf)
{
    RoaringBitmap bitmap = fromValues({1, 5, 70000});
    bitmap.addRange(3 * 65536, 3 * 65536 + 99);
    for (UInt64 value = 5 * 65536; value < 6 * 65536; value += 2)
        bitmap.add(value);
    bitmap.seal();
    const RoaringStatistics statistics = roaringStatistics(bitmap);
    EXPECT_EQ(statistics.containers(), 4u);
    EXPECT_EQ(statistics.arrays.containers, 2u);
    EXPECT_EQ(statistics.arrays.values, 3u);
    EXPECT_EQ(statistics.arrays.bytes, 6u);
    EXPECT_EQ(statistics.runs.containers, 1u);
    EXPECT_EQ(statistics.runs.values, 100u);
    EXPECT_EQ(statistics.bitsets.containers, 1u);
    EXPECT_EQ(statistics.bitsets.values, 32768u);
    EXPECT_EQ(statistics.bitsets.bytes, 8192u);
    EXPECT_EQ(statistics.cardinality, 32871u);
    EXPECT_EQ(statistics.minimum, 1u);
    EXPECT_EQ(statistics.maximum, 6u * 65536 - 2);
    const std::string text = statistics.describe();
    for (const char * part : {"32871 values", "[1, 393214]", "4 containers", "2 arrays (3 values, 6 bytes)", "1 run (100 values, 6 bytes)"})
        EXPECT_NE(text.find(part), std::string::npos) << text;
    EXPECT_EQ(roaringStatistics(RoaringBitmap()).containers(), 0u);
    EXPECT_FALSE(roaringStatistics(RoaringBitmap()).describe().empty());
}

/// Every time pending values are folded in, a set may move all it holds. Summed over n additions in any order that is some n log n, where
/// folding each value in would be n * n / 2.
TEST(RoaringBitmap, NoOrderOfAdditionsIsQuadratic)
{
    constexpr UInt64 N = 40000;
    std::vector<UInt64> ascending;
    for (UInt64 i = 0; i < N; ++i)
        ascending.push_back(i << 20 | i);
    std::vector<UInt64> descending(ascending.rbegin(), ascending.rend());
    std::vector<UInt64> shuffled = ascending;
    std::mt19937_64 random(9);
    for (size_t i = 1; i < N; ++i)
        std::swap(shuffled[i], shuffled[random() % (i + 1)]);
    std::vector<UInt64> from_both_ends;
    for (UInt64 i = 0; i < N / 2; ++i)
    {
        from_both_ends.push_back(ascending[i]);
        from_both_ends.push_back(ascending[N - 1 - i]);
    }
    const RoaringBitmap expected = fromValues(ascending);
    for (const auto * order : {&descending, &shuffled, &from_both_ends})
        for (const size_t batch : {1, 3, 15, 16, 100, 1000})
        {
            RoaringBitmap bitmap;
            UInt64 moved = 0;
            for (size_t i = 0; i < N; i += batch)
            {
                const bool was_sealed = bitmap.isSealed();
                if (batch == 1)
                    bitmap.add((*order)[i]);
                else
                    bitmap.addMany(std::span<const UInt64>(*order).subspan(i, std::min<size_t>(batch, N - i)));
                if (bitmap.isSealed() && !(was_sealed && batch == 1))
                    moved += bitmap.heldBytes();
            }
            ASSERT_EQ(bitmap.cardinality(), N);
            bitmap.seal();
            ASSERT_EQ(bitmap, expected);
            /// 24 bytes a container are held; folds double the set.
            EXPECT_LE(moved, 24 * 4 * 20 * N) << "batches of " << batch;
        }
}

/// The vectors at every alignment, and cut everywhere.
TEST(RoaringVectors, AreTheSameAtEveryAlignmentAndRefusedWhenCut)
{
    REQUIRE_VECTORS(folder, "roaring");
    const auto manifest = nlohmann::json::parse(readFile(folder / "manifest.json"));
    size_t checked = 0;
    for (const auto & vector : manifest["vectors"])
    {
        const std::string name = vector["file"];
        SCOPED_TRACE(name);
        const std::string bytes = readVector(folder / name);
        if (bytes.size() > 70000)
            continue;
        ++checked;
        const RoaringFormat format = vector["kind"] == "portable64" ? RoaringFormat::Portable64 : RoaringFormat::Portable32;
        RoaringView expected;
        const RoaringParseResult expected_result = RoaringView::tryParse(bytes, format, Validation::Full, expected);
        std::string room(bytes.size() + 64, '\xdb');
        for (size_t shift = 0; shift < 64; shift += bytes.size() > 2000 ? 7 : 1)
        {
            std::copy(bytes.begin(), bytes.end(), room.begin() + static_cast<std::ptrdiff_t>(shift));
            RoaringView view;
            const RoaringParseResult result = RoaringView::tryParse({room.data() + shift, bytes.size()}, format, Validation::Full, view);
            ASSERT_EQ(result.error, expected_result.error);
            ASSERT_EQ(result.offset, expected_result.offset);
            ASSERT_TRUE(!result.ok() || roaringEquals(view, expected));
        }
        if (!expected_result.ok())
            continue;
        const auto size = static_cast<size_t>(expected.sizeInBytes());
        for (size_t cut = 0; cut < size; cut += size > 2000 ? 1 + size / 300 : 1)
        {
            /// In memory of exactly this size, so that a sanitizer sees one byte too many.
            const std::vector<char> exact(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(cut));
            for (const Validation validation : {Validation::Structure, Validation::Full})
            {
                RoaringView view;
                ASSERT_FALSE(RoaringView::tryParse({exact.data(), exact.size()}, format, validation, view).ok()) << cut;
            }
        }
    }
    EXPECT_GT(checked, 90u);
}
