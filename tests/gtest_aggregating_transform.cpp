#include "AggregationTests.h"
#include "CaseSample.h"

#include <statewire/Columns/ColumnVector.h>
#include <statewire/Common/ErrorCodes.h>
#include <statewire/DataTypes/DataTypeNumber.h>
#include <statewire/Interpreters/AggregatingTransform.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>
#include <random>
#include <sys/resource.h>

using namespace DB;
using namespace statewire_tests;

namespace
{
/// A directory that is gone with the object, and that has to be empty then.
class TemporaryDirectory
{
public:
    TemporaryDirectory()
    {
        std::string name = testing::TempDir() + "statewire_aggregation_XXXXXX";
        if (!::mkdtemp(name.data()))
            throw std::runtime_error("cannot make a directory");
        path = name;
    }
    ~TemporaryDirectory()
    {
        EXPECT_TRUE(std::filesystem::is_empty(path));
        std::filesystem::remove_all(path);
    }
    TemporaryDirectory(const TemporaryDirectory &) = delete;
    TemporaryDirectory & operator=(const TemporaryDirectory &) = delete;

    std::string path;
};

constexpr std::string_view STRUCTURE = "n UInt32, s String, b UInt8, v UInt32, flag UInt8";
constexpr std::string_view AGGREGATES = "groupBitmap(v) AS m, groupBitmapIf(v, flag) AS f, countMinSketch(3, 50)(s) AS w";

struct Rows
{
    std::vector<Block> blocks;
    /// By the text of key n and of key s.
    std::map<std::pair<UInt32, std::string>, std::set<UInt32>> groups;
    std::map<std::pair<UInt32, std::string>, size_t> counts;
};

Rows makeRows(UInt64 seed, size_t rows, size_t block_rows, size_t keys)
{
    std::mt19937_64 random(seed);
    Rows result;
    std::string text;
    for (size_t row = 0; row < rows; ++row)
    {
        const auto n = static_cast<UInt32>(random() % keys);
        const std::string s = "key" + std::to_string(random() % 3);
        const auto v = static_cast<UInt32>(random() % 1000 * (row % 2 == 0 ? 1 : 70001));
        text += std::to_string(n) + '\t' + s + '\t' + std::to_string(n % 7) + '\t' + std::to_string(v) + '\t' + std::to_string(v % 2) + '\n';
        result.groups[{n, s}].insert(v);
        ++result.counts[{n, s}];
        if ((row + 1) % block_rows == 0 || row + 1 == rows)
        {
            result.blocks.push_back(blockOf(STRUCTURE, text));
            text.clear();
        }
    }
    return result;
}

std::string plain(const Aggregator & aggregator, const std::vector<Block> & blocks)
{
    const std::unique_ptr<AggregatedData> data = aggregator.createData();
    for (const Block & block : blocks)
        aggregator.executeOnBlock(block, *data);
    return writeBlocks("RowBinary", aggregator.getHeader(), resultOf(aggregator, *data));
}

std::string transformed(const Aggregator & aggregator, const std::vector<Block> & blocks, AggregatingSettings settings, UInt64 * stored = nullptr)
{
    AggregatingTransform transform(aggregator, std::move(settings));
    for (const Block & block : blocks)
        transform.consume(block);
    std::vector<Block> result;
    transform.generate([&](const Block & block) { result.push_back(block); });
    if (stored)
        *stored = transform.storedBytes();
    return writeBlocks("RowBinary", aggregator.getHeader(), result);
}
}

TEST(ParallelAggregation, GroupsAsAPlainMapDoes)
{
    const Rows rows = makeRows(1, 20000, 777, 200);
    const Aggregator aggregator = aggregatorFor(STRUCTURE, "n, s", AGGREGATES);
    std::string expected;
    for (const auto & [key, values] : rows.groups)
        expected += std::to_string(key.first) + '\t' + key.second + '\t' + arrayText(values) + '\t' + std::to_string(rows.counts.at(key)) + '\n';
    for (const size_t threads : {1, 2, 3, 8})
    {
        AggregatingTransform transform(aggregator, {.threads = threads});
        for (const Block & block : rows.blocks)
            transform.consume(block);
        std::vector<Block> result;
        transform.generate([&](const Block & block) { result.push_back(block); });
        EXPECT_EQ(ask("n, s, bitmapToArray(m), countMinSketchTotal(w)", result), expected) << threads;
    }
}

/// Sketches of which merging is not exact: without keys one thread does the work.
TEST(ParallelAggregation, HasTheSameBytesWhereMergingIsNotExact)
{
    const Rows rows = makeRows(5, 20000, 777, 200);
    for (const char * aggregates : {"countMinSketch(2, 20, 9001, 'libstdcxx', 'conservative')(s, v) AS w", "countMinSketch(2, 20)(n, f) AS w"})
    {
        SCOPED_TRACE(aggregates);
        std::vector<Block> blocks;
        for (const Block & block : rows.blocks)
        {
            Block & with_floats = blocks.emplace_back(block);
            auto weights = std::make_shared<ColumnVector<Float64>>();
            for (const UInt32 value : static_cast<const ColumnVector<UInt32> &>(*block.findByName("v")->column).getData())
                weights->getData().push_back(value * 0.1);
            with_floats.insert({weights, std::make_shared<DataTypeFloat64>(), "f"});
        }
        const Aggregator aggregator = aggregatorFor(std::string(STRUCTURE) + ", f Float64", "", aggregates);
        const std::string expected = plain(aggregator, blocks);
        for (const size_t threads : {1, 2, 5})
            EXPECT_EQ(transformed(aggregator, blocks, {.threads = threads}), expected) << threads;
    }
}

TEST(ParallelAggregation, HasTheSameBytesForAnyThreadsBlocksAndLimits)
{
    struct Case
    {
        std::string_view keys;
        size_t rows;
        size_t block_rows;
        /// Whether the groups are too many for the smallest limit.
        bool is_large;
    };
    const Case cases[] = {
        {"", 20000, 1000, false},    {"b", 20000, 1000, false},   {"n", 20000, 1000, true},       {"s", 20000, 1000, false},
        {"n, s", 20000, 1000, true}, {"n, b, v", 8000, 500, true}, {"n, s", 150000, 50000, true}, {"", 150000, 50000, false},
    };
    const TemporaryDirectory directory;
    CaseSample sample("threads and limits");
    for (const Case & c : cases)
    {
        const Aggregator aggregator = aggregatorFor(STRUCTURE, c.keys, c.keys == "n, b, v" ? "groupBitmap(b) AS m" : AGGREGATES);
        const Rows rows = makeRows(c.block_rows, c.rows, c.block_rows, 3000);
        const std::string expected = plain(aggregator, rows.blocks);
        for (const size_t threads : {1, 2, 3, 8})
            for (const UInt64 limit : {UInt64{0}, UInt64{1} << 18, UInt64{10} << 20})
            {
                if (!sample.takes())
                    continue;
                UInt64 stored = 0;
                const std::string found = transformed(
                    aggregator, rows.blocks,
                    {.threads = threads, .memory_limit = limit, .temporary_directory = limit == 0 ? "" : directory.path}, &stored);
                EXPECT_TRUE(found == expected) << c.keys << ", " << c.rows << " rows, " << threads << " threads, limit " << limit;
                EXPECT_TRUE(stored != 0 || limit != UInt64{1} << 18 || threads != 1 || !c.is_large) << c.keys;
            }
    }
}

TEST(ParallelAggregation, MergesStatesAsItAddsRows)
{
    const TemporaryDirectory directory;
    const Rows rows = makeRows(5, 20000, 500, 500);
    for (const std::string_view keys : {"", "b", "n, s"})
    {
        const Aggregator aggregator = aggregatorFor(STRUCTURE, keys, AGGREGATES);
        std::vector<Block> states;
        for (const Block & block : rows.blocks)
        {
            const std::unique_ptr<AggregatedData> data = aggregator.createData();
            aggregator.executeOnBlock(block, *data);
            for (const Block & result : throughBytes(resultOf(aggregator, *data)))
                states.push_back(result);
        }
        const std::string expected = plain(aggregator, rows.blocks);
        for (const size_t threads : {1, 2, 3})
            for (const UInt64 limit : {UInt64{0}, UInt64{1} << 19})
                EXPECT_TRUE(
                    transformed(
                        aggregator, states, {.threads = threads, .memory_limit = limit, .temporary_directory = directory.path, .has_states = true})
                    == expected)
                    << keys << ", " << threads << ", " << limit;
    }
}

TEST(ParallelAggregation, AddsFloatsInTheOrderOfTheRows)
{
    /// Sums of floats depend on the order of additions; so no thread may change it.
    const std::string structure = "k UInt8, s String, w Float64";
    std::mt19937_64 random(3);
    std::vector<Block> blocks;
    for (size_t b = 0; b < 20; ++b)
    {
        std::string text;
        for (size_t row = 0; row < 10000; ++row)
            text += std::to_string(random() % 5) + "\tx\t" + std::to_string(static_cast<double>(random() % 1000000) / 7) + "\n";
        blocks.push_back(blockOf(structure, text));
    }
    for (const std::string_view keys : {"", "k"})
    {
        const Aggregator aggregator = aggregatorFor(structure, keys, "countMinSketch(2, 5)(s, w) AS c");
        const std::string expected = plain(aggregator, blocks);
        for (const size_t threads : {2, 3, 8})
            EXPECT_TRUE(transformed(aggregator, blocks, {.threads = threads}) == expected) << keys << threads;
    }
}

TEST(ParallelAggregation, EndsAtTheLimitWithItsStatesWhole)
{
    const Aggregator aggregator = aggregatorFor(STRUCTURE, "n, s", AGGREGATES);
    Rows rows = makeRows(9, 100000, 5000, 20000);
    /// Threads look at the limit now and then.
    for (size_t i = 0, n = 4 * rows.blocks.size(); i < n; ++i)
        rows.blocks.push_back(Block(rows.blocks[i]));
    for (const size_t threads : {1, 2})
    {
        AggregatingTransform transform(aggregator, {.threads = threads, .memory_limit = 10 << 20});
        std::vector<Block> consumed;
        const Caught error = caught([&] {
            for (const Block & block : rows.blocks)
            {
                consumed.push_back(block);
                transform.consume(block);
            }
        });
        EXPECT_EQ(error.code, ErrorCodes::MEMORY_LIMIT_EXCEEDED);
        EXPECT_LT(consumed.size(), rows.blocks.size());
        std::vector<Block> result;
        transform.generate([&](const Block & block) { result.push_back(block); });
        EXPECT_TRUE(writeBlocks("RowBinary", aggregator.getHeader(), result) == plain(aggregator, consumed));
    }
}

TEST(ParallelAggregation, SaysWhatItCannotWrite)
{
    const Aggregator aggregator = aggregatorFor(STRUCTURE, "n, s", AGGREGATES);
    const Rows rows = makeRows(9, 20000, 1000, 20000);
    const auto run = [&](size_t threads, const std::string & path) {
        return caught([&] { transformed(aggregator, rows.blocks, {.threads = threads, .memory_limit = 1 << 19, .temporary_directory = path}); });
    };
    for (const size_t threads : {1, 2})
    {
        const Caught missing = run(threads, testing::TempDir() + "there/is/no/such/directory");
        EXPECT_EQ(missing.code, ErrorCodes::CANNOT_OPEN_FILE);
        EXPECT_NE(missing.text.find("there/is/no/such/directory"), std::string::npos) << missing.text;

        /// As a full disk.
        const TemporaryDirectory directory;
        rlimit before{};
        ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
        rlimit small = before;
        small.rlim_cur = 4096;
        const auto handler = std::signal(SIGXFSZ, SIG_IGN);
        ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
        const Caught full = run(threads, directory.path);
        ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
        std::signal(SIGXFSZ, handler);
        EXPECT_EQ(full.code, ErrorCodes::CANNOT_WRITE_TO_FILE_DESCRIPTOR) << full.text;
    }
}

TEST(ParallelAggregation, ReportsProgressAndStopsWhenAsked)
{
    const TemporaryDirectory directory;
    const Aggregator aggregator = aggregatorFor(STRUCTURE, "n", AGGREGATES);
    const Rows rows = makeRows(2, 20000, 1000, 100);
    AggregatingProgress last;
    transformed(
        aggregator, rows.blocks,
        {.memory_limit = 1 << 18, .temporary_directory = directory.path, .on_progress = [&](const AggregatingProgress & progress) {
             EXPECT_GE(progress.rows, last.rows);
             last = progress;
         }});
    EXPECT_EQ(last.rows, 20000U);
    EXPECT_NE(last.stored_bytes, 0U);
    for (const size_t threads : {1, 2})
        EXPECT_EQ(
            caught([&] {
                transformed(aggregator, rows.blocks, {.threads = threads, .on_progress = [](const AggregatingProgress &) {
                                throw Exception(ErrorCodes::QUERY_WAS_CANCELLED, "enough");
                            }});
            }).code,
            ErrorCodes::QUERY_WAS_CANCELLED);
}

TEST(ParallelAggregation, PassesErrorsOfThreadsOn)
{
    /// A weight that no sketch takes, somewhere in the middle.
    const std::string structure = "k UInt32, w Float64";
    std::string text;
    for (size_t row = 0; row < 20000; ++row)
        text += std::to_string(row % 1000) + (row == 15000 ? "\tnan\n" : "\t1.5\n");
    const Block block = blockOf(structure, text);
    const Aggregator aggregator = aggregatorFor(structure, "k", "countMinSketch(2, 5)(k, w) AS c");
    for (const size_t threads : {1, 2, 3})
        EXPECT_EQ(caught([&] { transformed(aggregator, {block, block, block}, {.threads = threads}); }).code, ErrorCodes::BAD_ARGUMENTS);
    for (const size_t threads : {size_t{0}, size_t{1000}, ~size_t{2}})
        EXPECT_EQ(caught([&] { AggregatingTransform(aggregator, {.threads = threads}); }).code, ErrorCodes::BAD_ARGUMENTS);
    const Aggregator other = aggregatorFor("z UInt8", "z", "groupBitmap(z) AS c");
    EXPECT_EQ(caught([&] { transformed(other, {block}, {.threads = 2}); }).code, ErrorCodes::UNKNOWN_IDENTIFIER);
}
