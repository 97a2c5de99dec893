#include <statewire/IO/WriteBufferFromVector.h>
#include <statewire/Roaring/RoaringBitmap.h>
#include <statewire/Roaring/RoaringOperations.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace DB;

/// Images of many arrays with few values each are checked in one sweep over all values.
namespace
{
constexpr UInt32 SEED = 20261130;

using Arrays = std::vector<std::vector<UInt16>>;

void append16(std::string & to, UInt32 value)
{
    to.push_back(static_cast<char>(value & 0xff));
    to.push_back(static_cast<char>(value >> 8 & 0xff));
}

void append32(std::string & to, UInt32 value)
{
    append16(to, value & 0xffff);
    append16(to, value >> 16);
}

/// Arrays under the keys 0, 3, 6, ... as they are, in the layout without runs.
std::string imageOf(const Arrays & arrays)
{
    std::string image;
    append32(image, 12346);
    append32(image, static_cast<UInt32>(arrays.size()));
    for (size_t i = 0; i < arrays.size(); ++i)
    {
        append16(image, static_cast<UInt32>(3 * i));
        append16(image, static_cast<UInt32>(arrays[i].size() - 1));
    }
    size_t offset = 8 + 8 * arrays.size();
    for (const auto & array : arrays)
    {
        append32(image, static_cast<UInt32>(offset));
        offset += 2 * array.size();
    }
    for (const auto & array : arrays)
        for (const UInt16 value : array)
            append16(image, value);
    return image;
}

/// Sets of up to 12 values out of `range`, so that values follow each other where it is small; borders between arrays fall, stay and rise.
Arrays randomArrays(std::mt19937 & random, UInt32 range)
{
    Arrays arrays(1 + random() % 20);
    for (auto & array : arrays)
    {
        std::set<UInt16> values;
        const size_t wanted = 1 + random() % std::min<UInt32>(range, 12);
        const UInt32 base = random() % (65537 - range);
        while (values.size() < wanted)
            values.insert(static_cast<UInt16>(base + random() % range));
        array.assign(values.begin(), values.end());
    }
    return arrays;
}
}

TEST(RoaringSparseImages, ValidOnesAreTakenAndKnowWhetherTheyAreCanonical)
{
    SCOPED_TRACE(SEED);
    std::mt19937 random(SEED);
    size_t canonical = 0;
    constexpr int ROUNDS = 3000;
    for (int round = 0; round < ROUNDS; ++round)
    {
        const Arrays arrays = randomArrays(random, round % 3 == 0 ? 65536 : round % 3 == 1 ? 40 : 14);
        const std::string image = imageOf(arrays);
        const std::string bytes = image + "behind it";
        const RoaringView view = RoaringView::parse(bytes, RoaringFormat::Portable32);
        EXPECT_EQ(view.sizeInBytes(), image.size());
        std::vector<UInt64> expected;
        for (size_t i = 0; i < arrays.size(); ++i)
            for (const UInt16 value : arrays[i])
                expected.push_back(3 * i << 16 | value);
        std::vector<UInt64> found;
        forEachValue(RoaringSnapshot(view), [&](UInt64 value) { found.push_back(value); });
        EXPECT_EQ(found, expected);
        std::string rewritten;
        WriteBufferFromString out(rewritten);
        RoaringBitmap(view).write(out, RoaringFormat::Portable32);
        out.finalize();
        EXPECT_EQ(view.isCanonical(), rewritten == image);
        canonical += view.isCanonical() ? 1 : 0;
    }
    EXPECT_GT(canonical, 0u);
    EXPECT_LT(canonical, static_cast<size_t>(ROUNDS));
}

TEST(RoaringSparseImages, AValueThatDoesNotRiseIsFoundWhereItIs)
{
    SCOPED_TRACE(SEED);
    std::mt19937 random(SEED);
    for (int round = 0; round < 3000; ++round)
    {
        Arrays arrays = randomArrays(random, round % 2 == 0 ? 65536 : 40);
        auto & array = arrays[random() % arrays.size()];
        if (array.size() < 2)
            continue;
        const size_t at = 1 + random() % (array.size() - 1);
        array[at] = round % 4 < 2 ? array[at - 1] : static_cast<UInt16>(array[at - 1] - std::min<UInt32>(array[at - 1], 1 + random() % 9));
        size_t values_before = at;
        for (const auto & other : arrays)
        {
            if (&other == &array)
                break;
            values_before += other.size();
        }
        const std::string image = imageOf(arrays);
        RoaringView view;
        const RoaringParseResult result = RoaringView::tryParse(image, RoaringFormat::Portable32, Validation::Full, view);
        EXPECT_EQ(result.error, RoaringError::ArrayNotIncreasing);
        EXPECT_EQ(result.offset, 8 + 8 * arrays.size() + 2 * values_before);
    }
}

TEST(RoaringSparseImages, TruncatedAndMisplacedOnesAreRefused)
{
    const std::string image = imageOf({{1, 5}, {3}, {2, 9, 70}});
    for (size_t size = 0; size < image.size(); ++size)
    {
        RoaringView view;
        /// In memory of exactly that size, so that a read behind it is seen.
        const std::vector<char> bytes(image.begin(), image.begin() + static_cast<std::ptrdiff_t>(size));
        EXPECT_FALSE(RoaringView::tryParse({bytes.data(), size}, RoaringFormat::Portable32, Validation::Full, view).ok()) << size;
    }
    /// Keys and offsets.
    for (const size_t at : {8u, 12u, 20u, 24u, 28u})
    {
        std::string changed = image;
        changed[at] = static_cast<char>(changed[at] ^ 0x55);
        RoaringView view;
        EXPECT_FALSE(RoaringView::tryParse(changed, RoaringFormat::Portable32, Validation::Full, view).ok()) << at;
    }
}
