#include "CaseSample.h"

#include <statewire/Roaring/RoaringContainerSearch.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <memory>
#include <random>
#include <string>

using namespace DB;

namespace
{
constexpr UInt64 SEED = 4711;
using Bits = std::bitset<CONTAINER_VALUES>;

std::unique_ptr<Bits> bitsOf(ContainerView container)
{
    auto result = std::make_unique<Bits>();
    forEachValue(container, [&](UInt16 value) { result->set(value); });
    return result;
}

std::string runsOf(const Bits & bits, size_t & n)
{
    std::string result;
    n = 0;
    for (UInt32 value = 0; value < CONTAINER_VALUES; ++value)
        if (bits[value] && (value == 0 || !bits[value - 1]))
        {
            UInt32 last = value;
            while (last + 1 < CONTAINER_VALUES && bits[last + 1])
                ++last;
            result.resize(result.size() + 4);
            storeRun(result.data(), n++, value, last);
        }
    return result;
}

/// The same set as an array or a bitset, and as runs.
std::vector<RoaringContainer> kindsOf(const Bits & bits)
{
    std::vector<UInt16> values;
    for (UInt32 value = 0; value < CONTAINER_VALUES; ++value)
        if (bits[value])
            values.push_back(static_cast<UInt16>(value));
    std::vector<RoaringContainer> result;
    result.push_back(containerFromSorted(values.data(), values.size()));
    size_t n = 0;
    const std::string runs = runsOf(bits, n);
    if (n != 0)
        result.push_back({{ContainerKind::Run, static_cast<UInt32>(n), runs.data()}, static_cast<UInt32>(values.size())});
    return result;
}

std::vector<std::unique_ptr<Bits>> shapes(std::mt19937_64 & random)
{
    std::vector<std::unique_ptr<Bits>> result;
    const auto add = [&](size_t count, UInt32 spread) {
        auto bits = std::make_unique<Bits>();
        const auto base = static_cast<UInt32>(random() % (CONTAINER_VALUES - spread + 1));
        for (size_t i = 0; i < count; ++i)
            bits->set(base + random() % spread);
        result.push_back(std::move(bits));
    };
    for (const size_t count : {1, 2, 5, 30, 200, 3000})
        for (const UInt32 spread : {64u, 2000u, 65536u})
            add(count, spread);
    add(20000, 65536);
    add(60000, 65536);
    const auto add_runs = [&](UInt32 runs, UInt32 length, UInt32 step) {
        auto bits = std::make_unique<Bits>();
        for (UInt32 i = 0; i < runs; ++i)
            for (UInt32 j = 0; j < length && i * step + j < CONTAINER_VALUES; ++j)
                bits->set(i * step + j);
        result.push_back(std::move(bits));
    };
    add_runs(1, 65536, 1);
    add_runs(3, 26, 1000);
    add_runs(2047, 20, 32);
    add_runs(2048, 20, 32);
    add_runs(4095, 1, 16);
    add_runs(4096, 1, 16);
    add_runs(4097, 1, 15);
    add_runs(100, 500, 600);
    add_runs(32768, 1, 2);
    return result;
}
}

TEST(RoaringContainers, EveryPairOfKindsCombinesAsBitsDo)
{
    RecordProperty("seed", std::to_string(SEED));
    std::mt19937_64 random(SEED);
    const auto all = shapes(random);
    statewire_tests::CaseSample sample("pairs of shapes");
    for (const auto & bits_a : all)
        for (const auto & bits_b : all)
        {
            if (!sample.takes())
                continue;
            for (const RoaringContainer & a : kindsOf(*bits_a))
                for (const RoaringContainer & b : kindsOf(*bits_b))
                {
                    const auto check = [&](SetOperation operation, const Bits & expected) {
                        const RoaringContainer result = combine(operation, a.view(), b.view());
                        ASSERT_EQ(result.cardinality(), expected.count()) << "seed " << SEED;
                        ASSERT_TRUE(operation != SetOperation::And || intersectionCardinality(a.view(), b.view()) == expected.count());
                        ASSERT_EQ(countContainer(result.view()).cardinality, expected.count());
                        for (size_t i = 1; result.view().kind == ContainerKind::Run && i < result.view().size; ++i)
                            ASSERT_GT(runStart(result.view().data, i), runLast(result.view().data, i - 1) + 1);
                        ASSERT_TRUE(result.view().kind != ContainerKind::Bitset || result.cardinality() > MAX_ARRAY_CARDINALITY);
                        ASSERT_TRUE(*bitsOf(result.view()) == expected)
                            << "operation " << static_cast<int>(operation) << " kinds " << static_cast<int>(a.view().kind)
                            << static_cast<int>(b.view().kind) << " seed " << SEED;
                        if (operation == SetOperation::Or)
                        {
                            RoaringContainer united(a);
                            uniteWith(united, b.view());
                            ASSERT_EQ(united.cardinality(), expected.count());
                            ASSERT_TRUE(*bitsOf(united.view()) == expected);
                        }
                    };
                    check(SetOperation::And, *bits_a & *bits_b);
                    check(SetOperation::Or, *bits_a | *bits_b);
                    check(SetOperation::Xor, *bits_a ^ *bits_b);
                    check(SetOperation::AndNot, *bits_a & ~*bits_b);
                }
        }
}

TEST(RoaringContainers, SearchesAgreeWithBits)
{
    RecordProperty("seed", std::to_string(SEED));
    std::mt19937_64 random(SEED);
    for (const auto & bits : shapes(random))
        for (const RoaringContainer & container : kindsOf(*bits))
        {
            const ContainerView view = container.view();
            std::vector<UInt32> probes{0, 1, 63, 64, 65534, 65535};
            for (int i = 0; i < 40; ++i)
                probes.push_back(static_cast<UInt32>(random() % CONTAINER_VALUES));
            UInt32 smallest = 0;
            while (!(*bits)[smallest])
                ++smallest;
            EXPECT_EQ(containerMinimum(view), smallest);
            for (const UInt32 probe : probes)
            {
                UInt32 rank = 0;
                for (UInt32 value = 0; value <= probe; ++value)
                    rank += (*bits)[value];
                EXPECT_EQ(containerRank(view, static_cast<UInt16>(probe)), rank);
                if ((*bits)[probe])
                {
                    EXPECT_EQ(containerSelect(view, rank - 1), probe);
                }
                const auto forward = [&](bool wanted) {
                    UInt32 at = probe;
                    while (at < CONTAINER_VALUES && (*bits)[at] != wanted)
                        ++at;
                    return at;
                };
                const auto backward = [&](bool wanted) {
                    for (UInt32 at = probe + 1; at-- > 0;)
                        if ((*bits)[at] == wanted)
                            return at;
                    return CONTAINER_VALUES;
                };
                EXPECT_EQ(containerNext(view, probe), forward(true));
                EXPECT_EQ(containerNextAbsent(view, probe), forward(false));
                EXPECT_EQ(containerPrevious(view, static_cast<UInt16>(probe)), backward(true));
                EXPECT_EQ(containerPreviousAbsent(view, static_cast<UInt16>(probe)), backward(false));
                const auto last = static_cast<UInt16>(std::min<UInt32>(CONTAINER_VALUES - 1, probe + random() % 3000));
                UInt32 inside = 0;
                for (UInt32 value = probe; value <= last; ++value)
                    inside += (*bits)[value];
                EXPECT_EQ(containerRangeCardinality(view, static_cast<UInt16>(probe), last), inside);
                const RoaringContainer part = containerRange(view, static_cast<UInt16>(probe), last);
                EXPECT_EQ(part.cardinality(), inside);
                if (inside != 0)
                {
                    EXPECT_EQ(containerMinimum(part.view()), forward(true));
                }
            }
            EXPECT_EQ(containerSelect(view, container.cardinality()), CONTAINER_VALUES);
        }
}
