#include "FormatTests.h"
#include "TornReadBuffer.h"
#include "Vectors.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Compression/CompressedReadBuffer.h>
#include <statewire/Interpreters/ExpressionList.h>

using namespace DB;
using namespace statewire_tests;

namespace
{
constexpr std::string_view ELEMENTS[] = { "Int8", "UInt32", "UInt64" };

NamesAndTypes structureFor(std::string_view element)
{
    return structureOf("k UInt32, s AggregateFunction(groupBitmap, " + std::string(element) + ")");
}

/// Keys and cardinalities, as the engine printed them beside its files.
std::string cardinalities(const std::vector<Block> & blocks)
{
    FunctionFactory functions;
    registerFunctions(functions);
    std::vector<Block> results;
    for (const Block & block : blocks)
        results.push_back(ExpressionList(parseExpressions("k, bitmapCardinality(s)"), block.getNamesAndTypes(), functions).execute(block));
    return rowsOf(results);
}
}

TEST(ClickHouseFiles, AreReadAndWrittenBack)
{
    REQUIRE_VECTORS(folder, "clickhouse/formats");
    struct Case
    {
        std::string_view extension;
        std::string_view format;
        bool needs_structure;
    };
    size_t files = 0;
    for (const std::string_view element : ELEMENTS)
        for (const Case & c : {
                 Case { ".native", "Native", false },
                 Case { ".rbwnat", "RowBinaryWithNamesAndTypes", false },
                 Case { ".rowbinary", "RowBinary", true },
             })
        {
            const std::string bytes = readFile(folder / (std::string(element) + std::string(c.extension)));
            const std::string expected = readFile(folder / (std::string(element) + ".cards.tsv"));
            const auto structure = c.needs_structure ? std::optional(structureFor(element)) : std::nullopt;
            const std::vector<Block> blocks = readBlocks(c.format, bytes, structure);
            EXPECT_EQ(cardinalities(blocks), expected) << element << c.extension;
            EXPECT_EQ(writeBlocks(c.format, structureFor(element), blocks), bytes) << element << c.extension;
            for (const size_t piece : TORN_SIZES)
            {
                TornReadBuffer in(bytes, piece);
                EXPECT_EQ(cardinalities(readBlocks(c.format, in, structure)), expected) << element << c.extension << piece;
            }
            ++files;
        }
    EXPECT_EQ(files, 9U);
}

TEST(ClickHouseFiles, OfStripeLogTablesAreNativeInFrames)
{
    REQUIRE_VECTORS(folder, "clickhouse/formats");
    const std::string bytes = readFile(folder / "StripeLog_data.bin");
    ReadBufferFromMemory in(bytes);
    CompressedReadBuffer frames(in);
    EXPECT_EQ(rowsOf({ blockOf("k UInt32, n UInt64", cardinalities(readBlocks("Native", frames))) }).substr(0, 8), "1\t3\n2\t40");
}

TEST(ClickHouseFiles, AreRefusedWhereverTheyAreCut)
{
    REQUIRE_VECTORS(folder, "clickhouse/formats");
    for (const std::string_view element : ELEMENTS)
    {
        const std::string bytes = readFile(folder / (std::string(element) + ".native"));
        /// Every length near both ends, where headers and small states are, and steps between.
        for (size_t size = 1; size < bytes.size(); size += size < 600 || size + 100 > bytes.size() ? 1 : 37)
            EXPECT_NE(caught([&] { readBlocks("Native", std::string_view(bytes).substr(0, size)); }).code, 0) << element << ' ' << size;
    }
}

TEST(ClickHouseFiles, OfStatesInArraysAndTuplesAreReadAndWrittenBack)
{
    REQUIRE_VECTORS(folder, "clickhouse/formats");
    const std::string bytes = readFile(folder / "nested_array_tuple.native");
    const std::vector<Block> blocks = readBlocks("Native", bytes);
    ASSERT_EQ(blocks.size(), 1U);
    EXPECT_EQ(blocks[0].getByPosition(0).type->getName(), "Array(AggregateFunction(groupBitmap, UInt32))");
    EXPECT_EQ(blocks[0].getByPosition(1).type->getName(), "Tuple(AggregateFunction(groupBitmap, UInt64), UInt8)");
    EXPECT_EQ(writeBlocks("Native", blocks[0].getNamesAndTypes(), blocks), bytes);
    for (size_t size = 1; size < bytes.size(); ++size)
        EXPECT_NE(caught([&] { readBlocks("Native", std::string_view(bytes).substr(0, size)); }).code, 0) << size;
}

TEST(ClickHouseFiles, OfNullableArgumentsAreReadAndWrittenBack)
{
    REQUIRE_VECTORS(folder, "clickhouse/formats");
    const std::string bytes = readFile(folder / "Nullable_UInt32.native");
    const std::vector<Block> blocks = readBlocks("Native", bytes);
    ASSERT_EQ(blocks.size(), 1U);
    EXPECT_EQ(blocks[0].getByPosition(0).type->getName(), "AggregateFunction(groupBitmap, Nullable(UInt32))");
    EXPECT_EQ(writeBlocks("Native", blocks[0].getNamesAndTypes(), blocks), bytes);
}
