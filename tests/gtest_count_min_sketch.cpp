#include "AllocationCounter.h"
#include "CountMinHelpers.h"

#include <statewire/IO/WriteBufferFromVector.h>

#include <cmath>
#include <limits>
#include <random>
#include <thread>
#include <vector>

using namespace DB;
using namespace statewire_tests;

namespace
{
const CountMinParameters SHAPE(3, 16);

template <typename W>
CountMinSketch<W> sketchOf(std::initializer_list<std::pair<std::string_view, W>> items, CountMinOverflow policy = CountMinOverflow::Error)
{
    CountMinSketch<W> result(SHAPE, policy);
    for (const auto & [key, weight] : items)
        result.update(key, weight);
    return result;
}

template <typename W>
class CountMinOfEveryWeight : public testing::Test
{
};
using Weights = testing::Types<UInt8, UInt16, UInt32, UInt64, Int8, Int16, Int32, Int64, Float32, Float64>;
}
TYPED_TEST_SUITE(CountMinOfEveryWeight, Weights);

TYPED_TEST(CountMinOfEveryWeight, OwnerAndViewAnswerAlikeAtEveryAlignment)
{
    using W = TypeParam;
    CountMinSketch<W> sketch(SHAPE);
    for (UInt64 i = 0; i < 20; ++i)
        sketch.update(keyOf(i * i), static_cast<W>(i % 5 + 1));
    const std::string image = sketch.toString();
    EXPECT_EQ(image.size(), 16 + sizeof(W) * (1 + 48));
    EXPECT_EQ(image.size(), sketch.imageSize());
    std::string memory(image.size() + 64, '\xff');
    for (size_t alignment = 0; alignment < 64; ++alignment)
    {
        memory.replace(alignment, image.size(), image);
        const std::string_view bytes(memory.data() + alignment, image.size());
        for (const Validation validation : {Validation::Structure, Validation::Full})
        {
            const auto view = CountMinView<W>::parse(bytes, SHAPE, validation);
            EXPECT_EQ(view.validation(), validation);
            EXPECT_EQ(view.bytes(), image);
            EXPECT_EQ(view.total(), sketch.total());
            EXPECT_EQ(view.filledCells(), sketch.filledCells());
            for (UInt64 i = 0; i < view.cells(); ++i)
                EXPECT_EQ(view.cell(i), sketch.cell(i));
            EXPECT_EQ(view.cell(2, 15), sketch.cell(47));
            for (UInt64 key = 0; key < 30; ++key)
            {
                EXPECT_EQ(view.estimate(keyOf(key)), sketch.estimate(keyOf(key)));
                EXPECT_EQ(view.lowerBound(keyOf(key)), sketch.lowerBound(keyOf(key)));
                EXPECT_EQ(view.upperBound(keyOf(key)), sketch.upperBound(keyOf(key)));
                EXPECT_EQ(view.dataSketchesLowerBound(keyOf(key)), sketch.dataSketchesLowerBound(keyOf(key)));
                EXPECT_EQ(view.dataSketchesUpperBound(keyOf(key)), sketch.dataSketchesUpperBound(keyOf(key)));
            }
            CountMinSketch<W> twice(view);
            EXPECT_EQ(twice.toString(), image);
            EXPECT_EQ(codeOf([&] { twice.merge(view); }), 0);
            EXPECT_EQ(twice.total(), static_cast<W>(sketch.total() * 2));
        }
    }
}

TYPED_TEST(CountMinOfEveryWeight, EmptyImageIsTheHeaderAlone)
{
    using W = TypeParam;
    CountMinSketch<W> sketch(SHAPE);
    EXPECT_TRUE(sketch.isEmpty());
    sketch.update("ignored", W{0});
    EXPECT_TRUE(sketch.isEmpty());
    EXPECT_EQ(sketch.heldBytes(), 0);
    const std::string image = sketch.toString();
    EXPECT_EQ(image.size(), 16);
    const auto view = CountMinView<W>::parse(image, SHAPE);
    EXPECT_TRUE(view.isEmpty());
    EXPECT_EQ(view.total(), W{0});
    EXPECT_EQ(view.estimate("x"), W{0});
    EXPECT_EQ(view.dataSketchesUpperBound("x"), W{0});
    EXPECT_EQ(view.cell(47), W{0});
    EXPECT_EQ(view.filledCells(), 0);
    EXPECT_EQ(sketch.estimate("x"), W{0});
    EXPECT_EQ(sketch.cell(47), W{0});
    CountMinSketch<W> other(SHAPE);
    other.merge(view);
    other.merge(sketch);
    EXPECT_TRUE(other.isEmpty());
    EXPECT_EQ(other.heldBytes(), 0);
}

TYPED_TEST(CountMinOfEveryWeight, TruncationAtEveryLengthIsSeen)
{
    using W = TypeParam;
    CountMinSketch<W> sketch(SHAPE);
    sketch.update("key", W{3});
    const std::string image = sketch.toString();
    for (size_t size = 0; size < image.size(); ++size)
    {
        /// Memory of exactly this size, so that a byte read past it shows.
        const std::vector<char> cut(image.begin(), image.begin() + static_cast<std::ptrdiff_t>(size));
        CountMinView<W> view;
        const auto result = CountMinView<W>::tryParse({cut.data(), cut.size()}, SHAPE, Validation::Structure, view);
        EXPECT_EQ(result.error, CountMinError::Truncated) << size;
        EXPECT_EQ(result.offset, size);
        EXPECT_EQ(result.code(), 33);
        EXPECT_EQ(codeOf([&] { static_cast<void>(CountMinView<W>::parse(std::string_view(cut.data(), cut.size()), SHAPE)); }), 33);
    }
}

TYPED_TEST(CountMinOfEveryWeight, FlippedBitsNeverPassWhereTheyChangeTheHeader)
{
    using W = TypeParam;
    CountMinSketch<W> sketch(SHAPE);
    for (UInt64 i = 0; i < 10; ++i)
        sketch.update(keyOf(i), static_cast<W>(i + 1));
    const std::string image = sketch.toString();
    for (size_t bit = 0; bit < image.size() * 8; ++bit)
    {
        std::string damaged = image;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
        CountMinView<W> view;
        const auto full = CountMinView<W>::tryParse(damaged, SHAPE, Validation::Full, view);
        if (bit < 128)
        {
            EXPECT_FALSE(full.ok()) << bit;
            EXPECT_FALSE(CountMinView<W>::tryParse(damaged, SHAPE, Validation::Structure, view).ok()) << bit;
            continue;
        }
        /// Any single change of a row or of the total breaks their equality.
        if (std::is_unsigned_v<W>)
        {
            EXPECT_FALSE(full.ok()) << bit;
        }
        if (full.ok())
        {
            EXPECT_EQ(CountMinSketch<W>(view).toString(), damaged);
        }
        /// After Structure every answer may be wrong, but none is undefined.
        if (CountMinView<W>::tryParse(damaged, SHAPE, Validation::Structure, view).ok())
        {
            static_cast<void>(view.estimate("a"));
            static_cast<void>(view.dataSketchesUpperBound("a"));
            static_cast<void>(view.lowerBound("a"));
            CountMinSketch<W> wrapping(view, CountMinOverflow::Wrap);
            wrapping.merge(view);
            CountMinSketch<W> checking(SHAPE);
            EXPECT_EQ(codeOf([&] { checking.merge(view); }) == 0, full.ok()) << bit;
            EXPECT_EQ(checking.isEmpty(), !full.ok());
        }
    }
}

TYPED_TEST(CountMinOfEveryWeight, OverflowFollowsThePolicy)
{
    using W = TypeParam;
    constexpr W LARGEST = std::numeric_limits<W>::max();
    for (const CountMinOverflow policy : {CountMinOverflow::Error, CountMinOverflow::Saturate, CountMinOverflow::Wrap})
    {
        CountMinSketch<W> sketch(SHAPE, policy);
        sketch.update("a", LARGEST);
        const std::string before = sketch.toString();
        CountMinSketch<W> other(SHAPE, policy);
        other.update("a", std::is_floating_point_v<W> ? LARGEST : W{1});
        switch (policy)
        {
            case CountMinOverflow::Error:
                EXPECT_EQ(codeOf([&] { sketch.update("a", std::is_floating_point_v<W> ? LARGEST : W{1}); }), 407);
                EXPECT_EQ(codeOf([&] { sketch.update("b", std::is_floating_point_v<W> ? LARGEST : W{1}); }), 407);
                EXPECT_EQ(codeOf([&] { sketch.merge(other); }), 407);
                EXPECT_EQ(codeOf([&] { other.merge(sketch); }), 407);
                EXPECT_EQ(codeOf([&] { sketch.merge(CountMinView<W>::parse(before, SHAPE)); }), 407);
                EXPECT_EQ(sketch.toString(), before) << "a call that throws changes nothing";
                break;
            case CountMinOverflow::Saturate:
                sketch.update("a", std::is_floating_point_v<W> ? LARGEST : W{1});
                sketch.merge(other);
                sketch.merge(sketch);
                EXPECT_EQ(sketch.estimate("a"), LARGEST);
                EXPECT_EQ(sketch.total(), LARGEST);
                break;
            case CountMinOverflow::Wrap:
                sketch.merge(other);
                if constexpr (std::is_floating_point_v<W>)
                {
                    EXPECT_TRUE(std::isinf(sketch.estimate("a")));
                }
                else if constexpr (std::is_signed_v<W>)
                {
                    EXPECT_EQ(sketch.estimate("a"), std::numeric_limits<W>::min());
                }
                else
                {
                    EXPECT_EQ(sketch.total(), W{0});
                    EXPECT_FALSE(sketch.isEmpty());
                    EXPECT_EQ(codeOf([&] { static_cast<void>(sketch.toString()); }), 407) << "such an image would read as empty";
                    EXPECT_EQ(codeOf([&] { static_cast<void>(sketch.imageSize()); }), 407);
                }
        }
    }
}

TYPED_TEST(CountMinOfEveryWeight, NegativeWeightsKeepMagnitudesWithinTheTotal)
{
    using W = TypeParam;
    if constexpr (std::is_signed_v<W>)
    {
        CountMinSketch<W> sketch(SHAPE);
        sketch.update("a", W{5});
        sketch.update("a", W{-5});
        EXPECT_EQ(sketch.total(), W{10});
        EXPECT_EQ(sketch.estimate("a"), W{0});
        EXPECT_EQ(sketch.filledCells(), 0);
        EXPECT_FALSE(sketch.isEmpty());
        EXPECT_EQ(sketch.imageSize(), 16 + sizeof(W) * 49) << "a cancelled table is written in full";
        sketch.update("b", W{-7});
        EXPECT_EQ(sketch.estimate("b"), W{-7});
        EXPECT_EQ(sketch.lowerBound("b"), W{0});
        const std::string image = sketch.toString();
        EXPECT_EQ(CountMinView<W>::parse(image, SHAPE).total(), W{17});

        CountMinSketch<W> saturated(SHAPE, CountMinOverflow::Saturate);
        for (int i = 0; i < 3; ++i)
            saturated.update("a", static_cast<W>(-std::numeric_limits<W>::max()));
        EXPECT_EQ(saturated.estimate("a"), static_cast<W>(-std::numeric_limits<W>::max()));
        EXPECT_EQ(saturated.total(), std::numeric_limits<W>::max());
        if constexpr (std::is_integral_v<W>)
        {
            /// The one weight whose magnitude W does not have.
            EXPECT_EQ(codeOf([&] { sketch.update("a", std::numeric_limits<W>::min()); }), 407);
            EXPECT_EQ(sketch.toString(), image);
            CountMinSketch<W> wrapped(SHAPE, CountMinOverflow::Wrap);
            wrapped.update("a", std::numeric_limits<W>::min());
            EXPECT_EQ(wrapped.total(), std::numeric_limits<W>::min());
            const std::string negative_total = wrapped.toString();
            CountMinView<W> view;
            EXPECT_EQ(CountMinView<W>::tryParse(negative_total, SHAPE, Validation::Full, view).error, CountMinError::TotalNotPositive);
            EXPECT_TRUE(CountMinView<W>::tryParse(negative_total, SHAPE, Validation::Structure, view).ok());
        }
    }
}

TEST(CountMinSketch, StricterPoliciesRefuseWhatOverflowedBefore)
{
    CountMinSketch<UInt8> wrapped(SHAPE, CountMinOverflow::Wrap);
    wrapped.update("a", 200);
    wrapped.update("b", 100);
    EXPECT_EQ(wrapped.total(), 44);
    CountMinSketch<UInt8> strict(SHAPE);
    CountMinSketch<UInt8> saturating(SHAPE, CountMinOverflow::Saturate);
    EXPECT_EQ(codeOf([&] { strict.merge(wrapped); }), 407);
    EXPECT_EQ(codeOf([&] { saturating.merge(wrapped); }), 407);
    EXPECT_TRUE(strict.isEmpty());

    CountMinSketch<UInt8> saturated(SHAPE, CountMinOverflow::Saturate);
    saturated.update("a", 200);
    saturated.update("b", 100);
    EXPECT_EQ(codeOf([&] { saturating.merge(saturated); }), 0);
    EXPECT_EQ(codeOf([&] { strict.merge(saturated); }), 407) << "its rows no longer sum to the total";
    EXPECT_EQ(codeOf([&] { wrapped.merge(saturated); }), 0);

    const std::string image = saturated.toString();
    CountMinView<UInt8> view;
    EXPECT_EQ(CountMinView<UInt8>::tryParse(image, SHAPE, Validation::Full, view).error, CountMinError::RowSumMismatch);
    view = CountMinView<UInt8>::parse(image, SHAPE, Validation::Structure);
    EXPECT_EQ(codeOf([&] { strict.merge(view); }), 117);
    EXPECT_EQ(codeOf([&] { saturating.merge(view); }), 0);
}

TEST(CountMinSketch, WeightsThatAreNotFiniteAreRefused)
{
    for (const double weight : {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), std::nan("")})
        for (const CountMinOverflow policy : {CountMinOverflow::Error, CountMinOverflow::Saturate, CountMinOverflow::Wrap})
        {
            CountMinSketch<Float64> sketch(SHAPE, policy);
            EXPECT_EQ(codeOf([&] { sketch.update("a", weight); }), 36);
            EXPECT_TRUE(sketch.isEmpty());
        }
}

TEST(CountMinSketch, NegativeZeroIsNothing)
{
    CountMinSketch<Float64> sketch(SHAPE);
    sketch.update("a", -0.0);
    EXPECT_TRUE(sketch.isEmpty());
    sketch.update("a", 1);
    sketch.update("a", -1);
    EXPECT_FALSE(std::signbit(sketch.estimate("a")));
    std::string image = sketch.toString();
    EXPECT_EQ(CountMinView<Float64>::parse(image, SHAPE).filledCells(), 0);
    unalignedStoreLittleEndian<Float64>(image.data() + 24 + 5 * 8, -0.0);
    CountMinView<Float64> view;
    const auto result = CountMinView<Float64>::tryParse(image, SHAPE, Validation::Full, view);
    EXPECT_EQ(result.error, CountMinError::NegativeZeroCell);
    EXPECT_EQ(result.offset, 24 + 5 * 8);
    for (const double cell : {std::nan(""), std::numeric_limits<double>::infinity(), 2.5})
    {
        unalignedStoreLittleEndian<Float64>(image.data() + 24 + 5 * 8, cell);
        EXPECT_EQ(CountMinView<Float64>::tryParse(image, SHAPE, Validation::Full, view).error, CountMinError::CellAboveTotal) << cell;
    }
    for (const double total : {std::nan(""), std::numeric_limits<double>::infinity(), -1.0})
    {
        unalignedStoreLittleEndian<Float64>(image.data() + 16, total);
        EXPECT_EQ(CountMinView<Float64>::tryParse(image, SHAPE, Validation::Full, view).error, CountMinError::TotalNotPositive) << total;
    }
}

TEST(CountMinSketch, ErrorsNameTheByteAndBothNumbers)
{
    std::string image = sketchOf<Int64>({{"a", 5}, {"b", -2}}).toString();
    CountMinView<Int64> view;
    unalignedStoreLittleEndian<Int64>(image.data() + 24 + 8, -9);
    auto result = CountMinView<Int64>::tryParse(image, SHAPE, Validation::Full, view);
    EXPECT_EQ(
        result.describe(100),
        "Incorrect count-min image: a cell is larger than the total at byte 132: expected a magnitude of at most 7, found -9");
    EXPECT_EQ(result.code(), 117);
    image = sketchOf<Float64>({{"a", 0.5}}).toString();
    unalignedStoreLittleEndian<Float64>(image.data() + 24, 1.25);
    EXPECT_EQ(
        messageOf([&] { static_cast<void>(CountMinView<Float64>::parse(image, SHAPE)); }),
        "Incorrect count-min image: a cell is larger than the total at byte 24: expected a magnitude of at most 0.5, found 1.25");
    image = sketchOf<UInt64>({{"a", 5}}).toString();
    const CountMinParameters wider(3, 17);
    EXPECT_EQ(
        messageOf([&] { static_cast<void>(CountMinView<UInt64>::parse(image, wider)); }),
        "Incorrect count-min image: another number of buckets at byte 8: expected 17, found 16");
    const CountMinParameters other_seed(3, 16, 5);
    EXPECT_EQ(
        messageOf([&] { static_cast<void>(CountMinView<UInt64>::parse(image, other_seed)); }),
        "Incorrect count-min image: another seed (by its hash) at byte 13: expected " + std::to_string(other_seed.seedHash())
            + ", found 37836");
    EXPECT_EQ(
        messageOf([&] { static_cast<void>(CountMinView<UInt64>::readShape(std::string_view(image).substr(0, 9))); }),
        "Incorrect count-min image: the bytes end early at byte 9: expected a size of at least 16, found 9");
}

TEST(CountMinSketch, SketchesOfOtherParametersAreRefused)
{
    CountMinSketch<UInt64> sketch = sketchOf<UInt64>({{"a", 5}});
    const std::string before = sketch.toString();
    const CountMinParameters others[] = {
        CountMinParameters(4, 16),
        CountMinParameters(3, 17),
        CountMinParameters(3, 16, 37408),
        CountMinParameters(3, 16, 9001, RowSeeds::LibCxx)};
    for (const CountMinParameters & other : others)
    {
        CountMinSketch<UInt64> foreign(other);
        EXPECT_EQ(codeOf([&] { sketch.merge(foreign); }), 36) << "empty or not";
        foreign.update("a");
        EXPECT_EQ(codeOf([&] { sketch.merge(foreign); }), 36);
        const std::string image = foreign.toString();
        EXPECT_EQ(codeOf([&] { sketch.merge(CountMinView<UInt64>::parse(image, other)); }), 36);
    }
    const CountMinParameters equal(3, 16);
    CountMinSketch<UInt64> same(equal);
    same.update("b");
    EXPECT_EQ(sketch.toString(), before);
    EXPECT_EQ(codeOf([&] { sketch.merge(same); }), 0) << "equal parameters in another object";
}

TEST(CountMinSketch, TheTableLeavesInOnePiece)
{
    const CountMinSketch<UInt64> sketch = sketchOf<UInt64>({{"a", 5}, {"b", 7}});
    const std::string image = sketch.toString();
    std::vector<std::string> pieces;
    EXPECT_EQ(sketch.writeTo([&](const void * from, size_t n) { pieces.emplace_back(static_cast<const char *>(from), n); }), image.size());
    ASSERT_EQ(pieces.size(), 2);
    EXPECT_EQ(pieces[0].size(), 24);
    EXPECT_EQ(pieces[0] + pieces[1], image);
    const auto bytes = sketch.toVector();
    EXPECT_EQ(std::string(bytes.begin(), bytes.end()), image);
    {
        AllocationCounter counter;
        const auto again = sketch.toVector();
        EXPECT_EQ(counter.allocations(), AllocationCounter::isCounting() ? 1 : 0);
    }
    /// A buffer smaller than the prefix, and one that the table goes past.
    std::string out_bytes;
    WriteBufferFromString out(out_bytes);
    WriteBufferSink sink(out);
    sketch.writeImage(sink);
    out.finalize();
    EXPECT_EQ(out_bytes, image);
}

TEST(CountMinSketch, OpeningWithStructureAllocatesNothing)
{
    const CountMinParameters parameters(7, 1024);
    CountMinSketch<UInt64> sketch(parameters);
    sketch.update("a", 5);
    const std::string image = sketch.toString();
    AllocationCounter counter;
    const auto view = CountMinView<UInt64>::parse(image, parameters, Validation::Structure);
    const UInt64 estimate = view.estimate("a");
    const auto full = CountMinView<UInt64>::parse(image, parameters);
    const size_t allocations = counter.allocations();
    EXPECT_EQ(estimate, 5);
    EXPECT_EQ(full.estimate("b"), 0);
    EXPECT_EQ(allocations, 0);
}

TEST(CountMinSketch, CopiesAreValuesAndMovesLeaveNothing)
{
    CountMinSketch<UInt64> a = sketchOf<UInt64>({{"a", 5}});
    CountMinSketch<UInt64> b = a;
    b.update("a", 1);
    EXPECT_EQ(a.estimate("a"), 5);
    EXPECT_EQ(b.estimate("a"), 6);
    a = b;
    EXPECT_EQ(a.estimate("a"), 6);
    const CountMinSketch<UInt64> c = std::move(a);
    EXPECT_EQ(c.estimate("a"), 6);
    EXPECT_TRUE(a.isEmpty()); // NOLINT(bugprone-use-after-move): the promise is tested
    EXPECT_EQ(a.total(), 0);
    a.update("z", 2);
    EXPECT_EQ(a.total(), 2);
    b.merge(b);
    EXPECT_EQ(b.estimate("a"), 12);
    static_assert(std::is_trivially_copyable_v<CountMinView<UInt64>>);
    static_assert(sizeof(CountMinView<UInt64>) <= 24);
}

namespace
{
template <typename Bytes, typename Parameters>
concept Parseable = requires(Bytes && bytes, Parameters && parameters)
{
    CountMinView<UInt64>::parse(std::forward<Bytes>(bytes), std::forward<Parameters>(parameters));
};
}

TEST(CountMinSketch, ViewsOfTemporariesDoNotCompile)
{
    static_assert(Parseable<std::string &, const CountMinParameters &>);
    static_assert(Parseable<std::string_view, const CountMinParameters &>);
    static_assert(!Parseable<std::string, const CountMinParameters &>);
    static_assert(!Parseable<std::string &, CountMinParameters>);
    static_assert(!std::is_constructible_v<CountMinSketch<UInt64>, CountMinParameters>);
    static_assert(!std::is_constructible_v<CountMinSketchState<UInt64>, CountMinParameters>);
}

TEST(CountMinSketch, TheShapeOfAnEmptyImageIsBounded)
{
    CountMinShape shape;
    char header[16];
    writeCountMinHeader(header, {1, 1U << 27, 37836, true});
    const std::string_view bytes(header, 16);
    EXPECT_TRUE(tryReadCountMinShape(bytes, shape).ok());
    EXPECT_EQ(tryReadCountMinShape(bytes, shape, 1000).error, CountMinError::EmptyTooLarge);
    writeCountMinHeader(header, {1, (1U << 27) + 1, 37836, true});
    EXPECT_EQ(tryReadCountMinShape(bytes, shape).error, CountMinError::EmptyTooLarge);
    /// Whoever names the shape may have it.
    const CountMinParameters parameters(1, (1U << 27) + 1);
    EXPECT_TRUE(CountMinView<UInt64>::parse(bytes, parameters).isEmpty());
    writeCountMinHeader(header, {1, (1U << 27) + 1, 37836, false});
    EXPECT_TRUE(tryReadCountMinShape(bytes, shape).ok()) << "a table of its own speaks for itself";
}

TEST(CountMinSketch, ConstCallsMayBeShared)
{
    const CountMinSketch<UInt64> sketch = sketchOf<UInt64>({{"a", 5}, {"b", 7}});
    const std::string image = sketch.toString();
    const auto view = CountMinView<UInt64>::parse(image, SHAPE);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int round = 0; round < 100; ++round)
            {
                EXPECT_EQ(sketch.estimate("a") + view.estimate("b"), 12);
                EXPECT_EQ(sketch.toString(), image);
                EXPECT_EQ(CountMinSketch<UInt64>(view).filledCells(), sketch.filledCells());
            }
        });
    for (std::thread & thread : threads)
        thread.join();
}
