#include "AllocationCounter.h"
#include "Serialize.h"

#include <statewire/IO/WriteBufferFromVector.h>
#include <statewire/Roaring/RoaringExpand.h>
#include <statewire/Roaring/RoaringMerge.h>
#include <statewire/Roaring/RoaringOperations.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

using namespace DB;
using statewire_tests::serialize;

namespace
{
constexpr UInt64 SEED = 30754;

struct Inputs
{
    std::vector<std::string> images;
    std::vector<RoaringView> views;
    RoaringFormat format;

    void add(const RoaringBitmap & bitmap) { images.push_back(serialize(bitmap, format)); }
    void open(Validation validation)
    {
        views.clear();
        for (const std::string & image : images)
            views.push_back(RoaringView::parse(image, format, validation));
    }
};

/// Made in one of many shapes, so that every way of merging a key is taken.
RoaringBitmap randomBitmap(std::mt19937_64 & random, int shape, bool wide)
{
    RoaringBitmap result;
    const auto value = [&](UInt64 spread) {
        const UInt64 low = random() % spread;
        return wide ? low | (random() % 4) << 40 | (random() % 3 == 0 ? UInt64{1} << 63 : 0) : low;
    };
    switch (shape)
    {
        case 0:
            for (int i = 0; i < 100; ++i)
                result.add(wide ? random() : random() & 0xffffffff);
            break;
        case 1:
            for (int i = 0; i < 1000; ++i)
                result.add(value(1000000));
            break;
        case 2:
            for (int i = 0; i < 20; ++i)
            {
                const UInt64 first = value(5000000);
                result.addRange(first, first + 500);
            }
            result.optimize();
            break;
        case 3:
            for (int i = 0; i < 30000; ++i)
                result.add(value(300000));
            break;
        case 4:
            result.addRange(65536, 65536 * 3 + 10);
            break;
        default:
            for (UInt64 i = random() % 3; i < 100000; i += 3)
                result.add(i);
    }
    result.seal();
    return result;
}

/// The values of all views, each as often as there are views that have it.
std::vector<UInt64> sortedValuesOf(const std::vector<RoaringView> & views)
{
    std::vector<UInt64> all;
    for (const RoaringView & view : views)
    {
        const std::vector<UInt64> values = roaringToArray(view);
        all.insert(all.end(), values.begin(), values.end());
    }
    std::sort(all.begin(), all.end());
    return all;
}

std::vector<UInt64> expectedOf(SetOperation operation, const std::vector<UInt64> & all, size_t views)
{
    std::vector<UInt64> result;
    for (size_t i = 0; i < all.size();)
    {
        size_t end = i + 1;
        while (end < all.size() && all[end] == all[i])
            ++end;
        const size_t count = end - i;
        if (operation == SetOperation::Or || (operation == SetOperation::And && count == views)
            || (operation == SetOperation::Xor && count % 2 != 0))
            result.push_back(all[i]);
        i = end;
    }
    return result;
}
}

TEST(RoaringMerge, AgreesWithCountingForEveryShapeAndNumberOfInputs)
{
    RecordProperty("seed", std::to_string(SEED));
    std::mt19937_64 random(SEED);
    for (const RoaringFormat format : {RoaringFormat::Portable32, RoaringFormat::Portable64})
        for (int shape = 0; shape < 8; ++shape)
            for (const size_t inputs : {0, 1, 2, 3, 17})
            {
                Inputs merged{.images = {}, .views = {}, .format = format};
                for (size_t i = 0; i < inputs; ++i)
                    merged.add(randomBitmap(random, shape < 6 ? shape : static_cast<int>(random() % 6), format == RoaringFormat::Portable64));
                merged.open(Validation::Full);
                const std::vector<UInt64> all = sortedValuesOf(merged.views);
                for (const auto operation : {SetOperation::Or, SetOperation::And, SetOperation::Xor})
                {
                    const std::vector<UInt64> expected = expectedOf(operation, all, inputs);
                    for (const Validation validation : {Validation::Full, Validation::Structure})
                    {
                        merged.open(validation);
                        const RoaringBitmap result = roaringMerge(operation, merged.views);
                        ASSERT_EQ(roaringToArray(result), expected)
                            << "seed " << SEED << " shape " << shape << " inputs " << inputs << " operation " << static_cast<int>(operation);
                        const std::string canonical = serialize(result, format);
                        for (const auto memory : {MergeMemory::OnePass, MergeMemory::TwoPass})
                        {
                            std::string bytes;
                            WriteBufferFromString out(bytes);
                            roaringMerge(operation, merged.views, out, format, memory);
                            out.finalize();
                            ASSERT_EQ(bytes, canonical);
                            ASSERT_TRUE(RoaringView::parse(bytes, format).isCanonical());
                        }
                    }
                }
            }
}

TEST(RoaringMerge, AFullContainerEndsItsKey)
{
    Inputs merged{.images = {}, .views = {}, .format = RoaringFormat::Portable32};
    std::mt19937_64 random(SEED);
    merged.add(RoaringBitmap::range(0, 65535));
    for (int i = 0; i < 5; ++i)
        merged.add(randomBitmap(random, 3, false));
    merged.add(RoaringBitmap::range(0, 300000));
    merged.open(Validation::Full);
    EXPECT_EQ(roaringMerge(SetOperation::Or, merged.views), RoaringBitmap::range(0, 300000));
}

/// Keys that no window width suits: a few close together, most far apart.
TEST(RoaringMerge, SkewedKeysAreMerged)
{
    std::mt19937_64 random(SEED);
    Inputs merged{.images = {}, .views = {}, .format = RoaringFormat::Portable64};
    std::vector<UInt64> all;
    for (int i = 0; i < 40; ++i)
    {
        RoaringBitmap bitmap;
        for (int j = 0; j < 3000; ++j)
        {
            const UInt64 value = j < 20 ? random() : (random() % 20000) << 16;
            bitmap.add(value);
            all.push_back(value);
        }
        merged.add(bitmap);
    }
    merged.open(Validation::Full);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    EXPECT_EQ(roaringToArray(roaringMerge(SetOperation::Or, merged.views)), all);
}

TEST(RoaringMerge, TwoPassesHoldNoPayload)
{
    std::mt19937_64 random(SEED);
    Inputs merged{.images = {}, .views = {}, .format = RoaringFormat::Portable32};
    for (int i = 0; i < 4; ++i)
    {
        RoaringBitmap bitmap;
        for (UInt64 value = 0; value < 20000000; value += 1 + random() % 8)
            bitmap.add(value);
        merged.add(bitmap);
    }
    merged.open(Validation::Full);
    std::string bytes;
    WriteBufferFromString sized(bytes);
    roaringMerge(SetOperation::Or, merged.views, sized, RoaringFormat::Portable32);
    sized.finalize();
    ASSERT_GT(bytes.size(), 1000000u);
    class Discard final : public WriteBuffer
    {
    public:
        Discard() : WriteBuffer(memory, sizeof(memory)) { }

    private:
        void nextImpl() override { }
        char memory[4096];
    };
    Discard out;
    const statewire_tests::AllocationCounter counter;
    roaringMerge(SetOperation::Or, merged.views, out, RoaringFormat::Portable32, MergeMemory::TwoPass);
    out.finalize();
    EXPECT_LT(counter.peakBytes(), bytes.size() / 3);
}
