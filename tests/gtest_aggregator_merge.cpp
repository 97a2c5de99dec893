#include "AggregationTests.h"
#include "AllocationCounter.h"

#include <statewire/Columns/ColumnVector.h>
#include <statewire/Common/ErrorCodes.h>
#include <statewire/Interpreters/BlockGroups.h>
#include <statewire/Interpreters/SortedGroupsMerge.h>

#include <map>
#include <memory>
#include <random>
#include <set>

using namespace DB;
using namespace statewire_tests;

namespace
{
constexpr std::string_view STRUCTURE = "k Int32, s String, v UInt32";
constexpr std::string_view AGGREGATES = "groupBitmap(v) AS b, countMinSketch(3, 50)(v) AS w";

std::function<bool(Block &)> readerOf(std::vector<Block> blocks)
{
    return [blocks = std::move(blocks), next = size_t{0}](Block & block) mutable {
        if (next == blocks.size())
            return false;
        block = blocks[next++];
        return true;
    };
}

std::vector<Block>
merged(const Aggregator & aggregator, const std::vector<std::vector<Block>> & inputs, const Aggregator::OutputLimits & limits = {})
{
    std::vector<SortedGroupsPtr> groups;
    for (size_t i = 0; i < inputs.size(); ++i)
        groups.push_back(std::make_unique<BlockGroups>(aggregator, readerOf(inputs[i]), "input " + std::to_string(i)));
    std::vector<Block> result;
    mergeSortedGroups(aggregator, groups, limits, [&](const Block & block) { result.push_back(block); });
    return result;
}

std::string bytesOf(const Aggregator & aggregator, const std::vector<Block> & blocks)
{
    return writeBlocks("RowBinary", aggregator.getHeader(), blocks);
}
}

TEST(SortedMerge, EqualsAggregatingEverything)
{
    std::mt19937_64 random(4);
    for (const std::string_view keys : {"", "k", "s", "k, s"})
        for (const size_t inputs : {1, 2, 5, 33})
        {
            const Aggregator aggregator = aggregatorFor(STRUCTURE, keys, AGGREGATES);
            const std::unique_ptr<AggregatedData> whole = aggregator.createData();
            std::vector<std::vector<Block>> parts;
            for (size_t i = 0; i < inputs; ++i)
            {
                std::string text;
                for (size_t n = random() % 3000; n != 0; --n)
                    text += std::to_string(static_cast<Int64>(random() % 400) - 200) + "\tkey" + std::to_string(random() % 20) + '\t'
                        + std::to_string(random() % 100000) + '\n';
                const std::unique_ptr<AggregatedData> data = aggregator.createData();
                const Block block = blockOf(STRUCTURE, text);
                if (block.rows() != 0)
                {
                    aggregator.executeOnBlock(block, *data);
                    aggregator.executeOnBlock(block, *whole);
                }
                /// Blocks of other sizes than those of the output.
                std::vector<Block> states = resultOf(aggregator, *data, {.max_block_rows = 1 + random() % 100});
                parts.push_back(states.empty() ? states : throughBytes(states));
            }
            EXPECT_TRUE(bytesOf(aggregator, merged(aggregator, parts, {.max_block_rows = 17})) == bytesOf(aggregator, resultOf(aggregator, *whole)))
                << keys << ", " << inputs;
        }
}

TEST(SortedMerge, TakesKeysThatComeTwice)
{
    const Aggregator aggregator = aggregatorFor("k UInt8, v UInt32", "k", "groupBitmap(v) AS b");
    const auto states = [&](const std::string & row) {
        const std::unique_ptr<AggregatedData> data = aggregator.createData();
        aggregator.executeOnBlock(blockOf("k UInt8, v UInt32", row), *data);
        return throughBytes(resultOf(aggregator, *data)).at(0);
    };
    /// In one input, over blocks, and in two inputs.
    const std::vector<std::vector<Block>> inputs
        = {{states("1\t1\n"), states("1\t2\n"), states("1\t3\n2\t4\n"), states("2\t5\n")}, {}, {states("2\t6\n"), states("2\t7\n"), states("9\t8\n")}};
    EXPECT_EQ(ask("k, bitmapToArray(b)", merged(aggregator, inputs)), "1\t[1,2,3]\n2\t[4,5,6,7]\n9\t[8]\n");
    EXPECT_TRUE(merged(aggregator, {}).empty());
}

TEST(SortedMerge, RefusesRowsThatAreNotSorted)
{
    const std::string structure = "k Int32, s String, b AggregateFunction(groupBitmap, UInt32)";
    const Aggregator states = aggregatorFor("k Int32, s String, v UInt32", "k, s", "groupBitmap(v) AS b");
    const auto rows = [&](const std::string & text) { return blockOf(structure, text); };
    const std::string empty = "\t\\0\\0\n";
    const Caught within
        = caught([&] { merged(states, {{rows("-5\ta" + empty + "7\tb" + empty)}, {rows("1\tx" + empty + "2\tb" + empty + "2\ta" + empty)}}); });
    EXPECT_EQ(within.code, ErrorCodes::INCORRECT_DATA);
    EXPECT_NE(within.text.find("The rows of input 1 are not sorted by their keys: row 3 has the key (2, 'a'), the row before it has (2, 'b')"), std::string::npos)
        << within.text;
    const Caught over_blocks = caught([&] { merged(states, {{rows("-5\ta" + empty + "7\tb" + empty), rows("-6\tc" + empty)}}); });
    EXPECT_EQ(over_blocks.code, ErrorCodes::INCORRECT_DATA);
    EXPECT_NE(over_blocks.text.find("row 3 has the key (-6, 'c'), the row before it has (7, 'b')"), std::string::npos) << over_blocks.text;
}

TEST(SortedMerge, TakesNoMoreMemoryForMoreKeys)
{
    if (!AllocationCounter::isCounting())
        GTEST_SKIP() << "allocations are not counted here";
    const Aggregator aggregator = aggregatorFor("k UInt32, v UInt32", "k", "groupBitmap(v) AS b");
    /// Three inputs that make their blocks as they are asked for.
    const auto peak = [&](UInt32 keys) {
        const auto reader = [&](UInt32 first) {
            return [&aggregator, next = first, keys](Block & block) mutable {
                if (next >= keys)
                    return false;
                const std::unique_ptr<AggregatedData> data = aggregator.createData();
                std::vector<UInt32> numbers;
                for (size_t i = 0; i < 100 && next < keys; ++i, next += 2)
                    numbers.push_back(next);
                Block rows;
                const DataTypePtr type = structureOf("v UInt32").at(0).type;
                rows.insert({std::make_shared<ColumnVector<UInt32>>(numbers), type, "k"});
                rows.insert({std::make_shared<ColumnVector<UInt32>>(numbers), type, "v"});
                aggregator.executeOnBlock(rows, *data);
                aggregator.convertToBlocks(*data, [&](const Block & result) { block = result; });
                return true;
            };
        };
        std::vector<SortedGroupsPtr> groups;
        for (const UInt32 first : {0, 1, 1})
            groups.push_back(std::make_unique<BlockGroups>(aggregator, reader(first), "input"));
        UInt64 rows = 0;
        const AllocationCounter counter;
        mergeSortedGroups(aggregator, groups, {.max_block_rows = 100}, [&](const Block & block) { rows += block.rows(); });
        EXPECT_EQ(rows, keys);
        return counter.peakBytes();
    };
    const size_t few = peak(1000);
    EXPECT_LE(peak(50000), few + few / 4);
}
