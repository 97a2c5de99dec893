#include <statewire/Roaring/RoaringKernelTable.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

using namespace DB;

namespace
{
constexpr UInt64 SEED = 20261130;

/// Bytes of exactly the size that was asked for, at an odd address, so that a sanitizer sees one byte too many.
struct Payload
{
    std::vector<char> bytes;
    size_t count = 0;
    [[nodiscard]] const char * data() const { return bytes.data() + 1; }
};

Payload payloadOf(const std::vector<UInt16> & values)
{
    Payload result{std::vector<char>(1 + 2 * values.size()), values.size()};
    for (size_t i = 0; i < values.size(); ++i)
        unalignedStoreLittleEndian<UInt16>(result.bytes.data() + 1 + 2 * i, values[i]);
    return result;
}

std::vector<UInt16> valuesIn(const std::vector<char> & bytes, size_t n)
{
    std::vector<UInt16> result(n);
    for (size_t i = 0; i < n; ++i)
        result[i] = arrayValue(bytes.data(), i);
    return result;
}

std::vector<UInt16> randomArray(std::mt19937_64 & random, size_t n, UInt32 spread)
{
    std::set<UInt16> values;
    const auto base = static_cast<UInt32>(random() % (CONTAINER_VALUES - std::min(spread, CONTAINER_VALUES) + 1));
    while (values.size() < std::min<size_t>(n, spread))
        values.insert(static_cast<UInt16>(base + random() % spread));
    return {values.begin(), values.end()};
}

std::vector<char> randomBits(std::mt19937_64 & random, unsigned density)
{
    std::vector<char> result(1 + BITSET_BYTES);
    for (size_t i = 0; i < BITSET_WORDS; ++i)
    {
        UInt64 word = random();
        for (unsigned k = 0; k < density; ++k)
            word &= random();
        if (density == 0)
            word = ~UInt64{0} << (random() % 64);
        unalignedStoreLittleEndian<UInt64>(result.data() + 1 + 8 * i, word);
    }
    return result;
}

class RoaringKernels : public testing::TestWithParam<CpuLevel>
{
protected:
    void SetUp() override
    {
        table = roaringKernelsOf(GetParam());
        if (!table)
            GTEST_SKIP() << "SKIPPED: this processor has no " << cpuLevelName(GetParam());
        RecordProperty("seed", std::to_string(SEED));
    }
    const RoaringKernelTable * table = nullptr;
    const RoaringKernelTable & plain = *roaringKernelsOf(CpuLevel::Plain);
};
}

TEST_P(RoaringKernels, ArraysCombineAsTheStandardLibrarySays)
{
    std::mt19937_64 random(SEED);
    const size_t sizes[] = {0, 1, 3, 7, 8, 9, 15, 16, 17, 26, 31, 32, 33, 40, 48, 100, 1000, 4095, 4096};
    for (const size_t na : sizes)
        for (const size_t nb : sizes)
            for (const UInt32 spread : {40u, 50u, 70u, 5000u, 65536u})
            {
                const auto a = randomArray(random, na, spread);
                const auto b = randomArray(random, nb, spread);
                const Payload bytes_a = payloadOf(a);
                const Payload bytes_b = payloadOf(b);
                std::vector<char> to(2 * (a.size() + b.size()) + KERNEL_SLACK);
                std::vector<UInt16> expected;
                const auto check = [&](RoaringKernelTable::CombineArrays kernel, const char * name) {
                    const size_t n = kernel(bytes_a.data(), a.size(), bytes_b.data(), b.size(), to.data());
                    ASSERT_EQ(valuesIn(to, n), expected) << name << ' ' << na << ' ' << nb << ' ' << spread << " seed " << SEED;
                    expected.clear();
                };
                std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
                EXPECT_EQ(table->arrays_and_count(bytes_a.data(), a.size(), bytes_b.data(), b.size()), expected.size());
                check(table->arrays_and, "and");
                std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
                check(table->arrays_or, "or");
                std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
                check(table->arrays_xor, "xor");
                std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
                check(table->arrays_and_not, "andnot");
            }
}

TEST_P(RoaringKernels, LowerBoundsAreThoseOfTheStandardLibrary)
{
    std::mt19937_64 random(SEED);
    for (const size_t n : {0, 1, 2, 3, 4, 5, 15, 16, 17, 31, 33, 63, 64, 65, 127, 128, 129, 256, 300, 1000, 1500, 4096})
        for (const UInt32 spread : {5000u, 65536u})
        {
            const auto values = randomArray(random, n, spread);
            const Payload bytes = payloadOf(values);
            std::vector<UInt32> wanted{0, 1, 65535, 65536, 131071};
            for (int i = 0; i < 200; ++i)
                wanted.push_back(static_cast<UInt32>(random() % CONTAINER_VALUES));
            for (const UInt16 value : values)
                wanted.push_back(value);
            for (const UInt32 value : wanted)
                ASSERT_EQ(
                    table->lower_bound(bytes.data(), values.size(), value),
                    static_cast<size_t>(std::lower_bound(values.begin(), values.end(), value) - values.begin()))
                    << n << ' ' << spread << ' ' << value << " seed " << SEED;
        }
}

TEST_P(RoaringKernels, UnsortedArraysStayInBounds)
{
    std::mt19937_64 random(SEED);
    for (int round = 0; round < 2000; ++round)
    {
        std::vector<UInt16> a(random() % 200);
        std::vector<UInt16> b(random() % 200);
        const UInt64 spread = 1 + random() % 65536;
        for (auto * values : {&a, &b})
            for (UInt16 & value : *values)
                value = static_cast<UInt16>(random() % spread);
        const Payload bytes_a = payloadOf(a);
        const Payload bytes_b = payloadOf(b);
        std::vector<char> to(2 * (a.size() + b.size()) + KERNEL_SLACK);
        for (const auto kernel : {table->arrays_and, table->arrays_or, table->arrays_xor, table->arrays_and_not})
            EXPECT_LE(kernel(bytes_a.data(), a.size(), bytes_b.data(), b.size(), to.data()), a.size() + b.size());
        EXPECT_LE(table->arrays_and_count(bytes_a.data(), a.size(), bytes_b.data(), b.size()), a.size() + b.size());
        EXPECT_LE(table->lower_bound(bytes_a.data(), a.size(), static_cast<UInt32>(random() % spread)), a.size());
    }
}

namespace
{
/// Sorted runs that do not touch, about n of them.
std::vector<std::pair<UInt32, UInt32>> randomRuns(std::mt19937_64 & random, size_t n, UInt32 spread)
{
    std::vector<std::pair<UInt32, UInt32>> result;
    UInt32 from = static_cast<UInt32>(random() % spread);
    for (; result.size() < n && from < CONTAINER_VALUES; from += 2 + static_cast<UInt32>(random() % spread))
    {
        const UInt32 last = std::min<UInt32>(from + static_cast<UInt32>(random() % spread), CONTAINER_VALUES - 1);
        result.emplace_back(from, last);
        from = last;
    }
    return result;
}

Payload payloadOf(const std::vector<std::pair<UInt32, UInt32>> & runs)
{
    Payload result{std::vector<char>(1 + 4 * runs.size()), runs.size()};
    for (size_t i = 0; i < runs.size(); ++i)
        storeRun(result.bytes.data() + 1, i, runs[i].first, runs[i].second);
    return result;
}
}

TEST_P(RoaringKernels, RunsCombineAsTheirValuesDo)
{
    std::mt19937_64 random(SEED);
    for (const size_t na : {0, 1, 2, 15, 16, 17, 40, 200})
        for (const size_t nb : {0, 1, 2, 15, 16, 17, 40, 200})
            for (const UInt32 spread : {2u, 30u, 500u, 30000u})
            {
                const auto a = randomRuns(random, na, spread);
                const auto b = randomRuns(random, nb, spread);
                const Payload bytes_a = payloadOf(a);
                const Payload bytes_b = payloadOf(b);
                std::vector<char> to(4 * (a.size() + b.size()) + KERNEL_SLACK);
                std::vector<std::pair<UInt32, UInt32>> expected;
                UInt64 values = 0;
                for (const auto & in_a : a)
                    for (const auto & in_b : b)
                        if (const UInt32 start = std::max(in_a.first, in_b.first), last = std::min(in_a.second, in_b.second); start <= last)
                        {
                            expected.emplace_back(start, last);
                            values += last - start + 1;
                        }
                const size_t n = table->runs_and(bytes_a.data(), a.size(), bytes_b.data(), b.size(), to.data());
                std::vector<std::pair<UInt32, UInt32>> found;
                for (size_t i = 0; i < n; ++i)
                    found.emplace_back(runStart(to.data(), i), runLast(to.data(), i));
                ASSERT_EQ(found, expected) << na << ' ' << nb << ' ' << spread << " seed " << SEED;
                ASSERT_EQ(table->runs_and_count(bytes_a.data(), a.size(), bytes_b.data(), b.size()), values);

                /// Up to many values for each run.
                const auto array = randomArray(random, std::min<size_t>(random() % 2 ? 5 * na : 60 * na, 4096), 65536);
                const Payload bytes = payloadOf(array);
                for (const bool inside : {false, true})
                {
                    std::vector<UInt16> expected_values;
                    for (const UInt16 value : array)
                        if (std::any_of(b.begin(), b.end(), [&](const auto & run) { return run.first <= value && value <= run.second; }) == inside)
                            expected_values.push_back(value);
                    std::vector<char> filtered(2 * array.size() + KERNEL_SLACK);
                    const size_t kept
                        = table->filter_by_runs(bytes.data(), array.size(), bytes_b.data(), b.size(), inside, filtered.data());
                    ASSERT_EQ(valuesIn(filtered, kept), expected_values) << na << ' ' << nb << ' ' << spread << " seed " << SEED;
                }
            }
}

TEST_P(RoaringKernels, LyingRunsStayInBounds)
{
    std::mt19937_64 random(SEED);
    for (int round = 0; round < 2000; ++round)
    {
        const UInt64 spread = 1 + random() % 65536;
        const auto any = [&](size_t n) {
            Payload result{std::vector<char>(1 + 2 * n), n};
            for (size_t i = 0; i < n; ++i)
                unalignedStoreLittleEndian<UInt16>(result.bytes.data() + 1 + 2 * i, static_cast<UInt16>(random() % spread));
            return result;
        };
        const size_t na = random() % 50;
        const size_t nb = random() % 50;
        const Payload a = any(2 * na);
        const Payload b = any(2 * nb);
        std::vector<char> to(4 * (na + nb) + KERNEL_SLACK);
        EXPECT_LE(table->runs_and(a.data(), na, b.data(), nb, to.data()), na + nb);
        static_cast<void>(table->runs_and_count(a.data(), na, b.data(), nb));
        EXPECT_LE(table->filter_by_runs(a.data(), 2 * na, b.data(), nb, round % 2 == 0, to.data()), 2 * na);
    }
}

TEST_P(RoaringKernels, ArrayChecksAgreeWithThePlainOne)
{
    std::mt19937_64 random(SEED);
    for (int round = 0; round < 5000; ++round)
    {
        auto values = randomArray(random, 1 + random() % 150, 1 + static_cast<UInt32>(random() % (round % 2 ? 200 : 65536)));
        if (round % 3 == 0)
            values[random() % values.size()] = static_cast<UInt16>(random());
        const Payload bytes = payloadOf(values);
        const ArrayCheck expected = plain.check_array(bytes.data(), bytes.count);
        const ArrayCheck found = table->check_array(bytes.data(), bytes.count);
        EXPECT_EQ(expected.descents, found.descents);
        EXPECT_EQ(expected.runs, found.runs);
        EXPECT_EQ(std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) == values.end(), found.isIncreasing());
    }
}

TEST_P(RoaringKernels, BitsetsAgreeWithThePlainOnes)
{
    std::mt19937_64 random(SEED);
    for (unsigned density_a = 0; density_a < 7; ++density_a)
        for (unsigned density_b = 0; density_b < 7; ++density_b)
        {
            const auto a = randomBits(random, density_a);
            const auto b = randomBits(random, density_b);
            for (size_t operation = 0; operation < 4; ++operation)
            {
                std::vector<char> expected(BITSET_BYTES);
                std::vector<char> found(BITSET_BYTES);
                const UInt32 count = plain.bitsets[operation](a.data() + 1, b.data() + 1, expected.data());
                EXPECT_EQ(table->bitsets[operation](a.data() + 1, b.data() + 1, found.data()), count);
                EXPECT_EQ(table->bitsets_count[operation](a.data() + 1, b.data() + 1), count);
                EXPECT_EQ(found, expected);
            }
            const ContainerCount expected = plain.count_bitset(a.data() + 1);
            const ContainerCount found = table->count_bitset(a.data() + 1);
            EXPECT_EQ(found.cardinality, expected.cardinality);
            EXPECT_EQ(found.runs, expected.runs);
            EXPECT_EQ(table->bitset_cardinality(a.data() + 1), expected.cardinality);
            for (const size_t words : {size_t{0}, size_t{1}, size_t{17}, size_t{BITSET_WORDS}})
            {
                std::vector<char> values(2 * CONTAINER_VALUES + KERNEL_SLACK);
                std::vector<char> expected_values(2 * CONTAINER_VALUES + KERNEL_SLACK);
                const size_t n = plain.bits_to_array(a.data() + 1, words, 64, expected_values.data());
                ASSERT_EQ(table->bits_to_array(a.data() + 1, words, 64, values.data()), n);
                EXPECT_EQ(valuesIn(values, n), valuesIn(expected_values, n));
            }
        }
}

TEST_P(RoaringKernels, ValuesWidenAndFillBits)
{
    std::mt19937_64 random(SEED);
    for (const size_t n : {size_t{0}, size_t{1}, size_t{7}, size_t{8}, size_t{15}, size_t{16}, size_t{17}, size_t{100}, size_t{4096}})
    {
        const auto values = randomArray(random, n, 65536);
        const Payload bytes = payloadOf(values);
        std::vector<UInt32> to32(values.size());
        std::vector<UInt64> to64(values.size());
        table->widen32(bytes.data(), values.size(), 0xabcd0000, to32.data());
        table->widen64(bytes.data(), values.size(), 0xffffffffabcd0000, to64.data());
        std::vector<UInt32> filled32(n);
        std::vector<UInt64> filled64(n);
        table->fill32(0xfffffff0, n, filled32.data());
        table->fill64(0xfffffff0, n, filled64.data());
        for (size_t i = 0; i < n; ++i)
        {
            EXPECT_EQ(filled32[i], static_cast<UInt32>(0xfffffff0 + i));
            EXPECT_EQ(filled64[i], 0xfffffff0 + i);
        }
        std::vector<char> bits(BITSET_BYTES);
        table->array_to_bits(bytes.data(), values.size(), bits.data());
        EXPECT_EQ(table->bitset_cardinality(bits.data()), values.size());
        for (size_t i = 0; i < values.size(); ++i)
        {
            EXPECT_EQ(to32[i], 0xabcd0000 + values[i]);
            EXPECT_EQ(to64[i], 0xffffffffabcd0000 + values[i]);
            EXPECT_TRUE(containerContains({ContainerKind::Bitset, 0, bits.data()}, values[i]));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Levels, RoaringKernels, testing::ValuesIn(ALL_CPU_LEVELS), [](const auto & info) {
    return std::string(cpuLevelName(info.param));
});
