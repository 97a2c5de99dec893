#include "EngineParts.h"
#include "PartTests.h"
#include "RequireEngine.h"
#include "Vectors.h"
#include "engine/Engine.h"

#include <algorithm>
#include <string>
#include <vector>

/** Parts of MergeTree tables that the engine wrote, wide and compact, with every codec that it takes for states. */

using namespace DB;
using namespace statewire_tests;

namespace
{
const char * const STRUCTURE = "k UInt64, t String, a Array(UInt32), x Array(String), z UInt16, s AggregateFunction(groupBitmap, UInt32), "
                               "w AggregateFunction(groupBitmap, UInt64), f Float64, n Nullable(UInt32), m Nullable(String), "
                               "q Tuple(UInt8, Array(Nullable(String)), AggregateFunction(groupBitmap, UInt32)), y Array(Tuple(p UInt8, r String)), "
                               "o Tuple(UInt64, String)";

/// Two more than are read.
std::string columnsOf(const std::string & codec)
{
    return columnsWithCodec(STRUCTURE, codec) + ", lc LowCardinality(String), tuple Tuple(UInt8, String)";
}

/// 1000 rows; mostly defaults in z (a sparse column); one state that is larger than several frames.
std::string insert(UInt64 first)
{
    return "INSERT INTO parts SELECT " + std::to_string(first)
        + " + number, repeat(char(number), number % 11), range(number % 5), arrayMap(x -> toString(x), range(number % 3)), number % 100 = "
          "7 ? number : 0, "
          "arrayReduce('groupBitmapState', arrayMap(x -> toUInt32(cityHash64(x, number)), range(multiIf(number = 777, 40000, number % 50 "
          "= 0, 5000, number % 40)))), "
          "arrayReduce('groupBitmapState', arrayMap(x -> toUInt64(cityHash64(x, number)), range(number % 70))), number / 3, "
          "number % 10 = 3 ? number : NULL, number % 2 = 0 ? toString(number) : NULL, (number, ['a', NULL], "
          "arrayReduce('groupBitmapState', range(toUInt32(number % 50)))), arrayMap(x -> (x, toString(x)), range(number % 4)), "
          "(number % 50 = 7 ? number : 0, number % 60 = 9 ? 'z' : ''), "
          "toString(number), (1, 'y') FROM numbers(1000)";
}

std::string selectColumns()
{
    std::string columns;
    for (const NameAndType & column : structureOf(STRUCTURE))
        columns += (columns.empty() ? "" : ", ") + column.name;
    return columns;
}

std::string binaryRows(const std::vector<Block> & blocks) { return writeBlocks("RowBinary", structureOf(STRUCTURE), blocks); }

/// Reads the parts in every way and compares with what the engine says is in the table.
void check(Engine & engine, const PartSettings & settings)
{
    /// Through our own reader, because the engine has the values of small states in the order in which they came.
    const std::string expected = binaryRows(
        readBlocks("RowBinary", engine.query("SELECT " + selectColumns() + " FROM parts ORDER BY k", "RowBinary"), structureOf(STRUCTURE)));
    std::string all;
    std::string by_granule;
    for (const std::string & path : partPaths(engine, "parts"))
    {
        ASSERT_TRUE(MergeTreePart::isPart(path)) << path;
        MergeTreePartReader reader(path, structureOf(STRUCTURE), settings);
        Block block;
        while (reader.read(block))
            all += binaryRows({block});
        MergeTreePartReader one_by_one(path, structureOf(STRUCTURE), settings);
        by_granule += binaryRows(readBackwards(one_by_one));
    }
    EXPECT_TRUE(all == expected);
    EXPECT_TRUE(by_granule == expected);
}
}

TEST(EngineParts, OfEveryCodecAndKindAreRead)
{
    REQUIRE_ENGINE(engine);
    size_t cases = 0;
    for (const char * codec : {"NONE", "LZ4", "LZ4HC(9)", "ZSTD(1)", "ZSTD(9)"})
        for (const char * kind : {"min_bytes_for_wide_part = 0, min_rows_for_wide_part = 0", "min_bytes_for_wide_part = 1000000000"})
        {
            SCOPED_TRACE(std::string(codec) + " " + kind);
            engine->query("DROP TABLE IF EXISTS parts");
            engine->query(
                "CREATE TABLE parts (" + columnsOf(codec) + ") ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 100, "
                + "max_compress_block_size = 65536, min_compress_block_size = 4096, ratio_of_defaults_for_sparse_serialization = 0.5, "
                + kind);
            engine->query(insert(0));
            engine->query(insert(1000));
            check(*engine, {});
            engine->query("OPTIMIZE TABLE parts FINAL");
            ASSERT_EQ(partPaths(*engine, "parts").size(), 1U);
            check(*engine, {});
            ++cases;
        }
    engine->query("DROP TABLE parts");
    std::printf("%zu codecs and kinds of parts of the engine were read\n", cases);
}

TEST(EngineParts, WithLongNamesAreRead)
{
    REQUIRE_ENGINE(engine);
    /// Longer than 127 bytes as a file's name: as it is, once it is escaped, and with the suffix of its sizes.
    const std::string structure = "k UInt64, " + std::string(140, 'l') + " Array(String), `" + std::string(30, '-') + std::string(40, 'e')
        + "` AggregateFunction(groupBitmap, UInt32), " + std::string(125, 's') + " String";
    for (const char * kind : {"min_bytes_for_wide_part = 0, min_rows_for_wide_part = 0",
                              "min_bytes_for_wide_part = 0, min_rows_for_wide_part = 0, replace_long_file_name_to_hash = 0",
                              "min_bytes_for_wide_part = 0, min_rows_for_wide_part = 0, max_file_name_length = 3",
                              "min_bytes_for_wide_part = 1000000000"})
    {
        SCOPED_TRACE(kind);
        engine->query("DROP TABLE IF EXISTS parts");
        engine->query("CREATE TABLE parts (" + structure + ") ENGINE = MergeTree ORDER BY k SETTINGS " + kind);
        engine->query("INSERT INTO parts SELECT number, [toString(number), ''], arrayReduce('groupBitmapState', range(toUInt32(number))), "
                      "toString(number * number) FROM numbers(10)");
        const std::vector<std::string> paths = partPaths(*engine, "parts");
        ASSERT_EQ(paths.size(), 1U);
        EXPECT_EQ(
            rowsOf(readPart(paths.front())),
            rowsOf(readBlocks("RowBinary", engine->query("SELECT * FROM parts ORDER BY k", "RowBinary"), structureOf(structure))));
    }
    engine->query("DROP TABLE parts");
}

TEST(EngineParts, WithEveryKindOfMarksAreRead)
{
    REQUIRE_ENGINE(engine);
    const char * const kinds[] = {
        "compress_marks = 0, min_bytes_for_wide_part = 0, min_rows_for_wide_part = 0",
        "compress_marks = 0, min_bytes_for_wide_part = 0, min_rows_for_wide_part = 0, index_granularity_bytes = 0",
        "compress_marks = 1, min_bytes_for_wide_part = 0, min_rows_for_wide_part = 0, index_granularity_bytes = 0",
        "compress_marks = 0, min_bytes_for_wide_part = 1000000000",
        "compress_marks = 0, min_bytes_for_wide_part = 1000000000, write_marks_for_substreams_in_compact_parts = 0",
        "compress_marks = 1, min_bytes_for_wide_part = 1000000000, write_marks_for_substreams_in_compact_parts = 0",
        "min_bytes_for_wide_part = 0, min_rows_for_wide_part = 0, string_serialization_version = 'single_stream'",
        "min_bytes_for_wide_part = 1000000000, string_serialization_version = 'single_stream'",
        "min_bytes_for_wide_part = 0, min_rows_for_wide_part = 0, index_granularity_bytes = 3000",
        "min_bytes_for_wide_part = 0, min_rows_for_wide_part = 0, nullable_serialization_version = 'allow_sparse', "
        "ratio_of_defaults_for_sparse_serialization = 0.5",
        "min_bytes_for_wide_part = 1000000000, nullable_serialization_version = 'allow_sparse', "
        "ratio_of_defaults_for_sparse_serialization = 0.5, write_marks_for_substreams_in_compact_parts = 0",
        "min_bytes_for_wide_part = 0, min_rows_for_wide_part = 0, propagate_types_serialization_versions_to_nested_types = 0",
    };
    PartSettings settings;
    settings.index_granularity = 64;
    for (const char * kind : kinds)
    {
        SCOPED_TRACE(kind);
        engine->query("DROP TABLE IF EXISTS parts");
        engine->query(
            "CREATE TABLE parts (" + columnsOf("LZ4") + ") ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 64, " + kind);
        engine->query(insert(0));
        check(*engine, settings);
    }
    engine->query("DROP TABLE parts");
}

TEST(EngineParts, OfWhatTablesAreSortedByAreRead)
{
    REQUIRE_ENGINE(engine);
    const std::string structure = "k UInt16, a Date, b Date32, c DateTime('UTC'), d DateTime64(3, 'Europe/Berlin'), e Bool, f Enum8('x' = "
                                  "-5, 'b' = 3), g UUID, h IPv4, "
                                  "i IPv6, j Decimal(9, 2), l FixedString(5), m Nullable(DateTime('UTC')), n Array(UUID), o Tuple(p "
                                  "FixedString(2), q Nullable(Date)), z Date, u SimpleAggregateFunction(sum, UInt64), "
                                  "v SimpleAggregateFunction(any, Nullable(String)), w SimpleAggregateFunction(groupArrayArray, Array(UInt8))";
    for (const char * kind :
         {"min_bytes_for_wide_part = 0, min_rows_for_wide_part = 0",
          "min_bytes_for_wide_part = 0, min_rows_for_wide_part = 0, ratio_of_defaults_for_sparse_serialization = 0.5",
          "min_bytes_for_wide_part = 1000000000"})
    {
        SCOPED_TRACE(kind);
        engine->query("DROP TABLE IF EXISTS parts");
        engine->query("CREATE TABLE parts (" + structure + ") ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 64, " + kind);
        engine->query("INSERT INTO parts SELECT number, number * 37, toDate32('1950-01-01') + number, number * 100000, "
                      "fromUnixTimestamp64Milli(toInt64(number) * 1234567), number % 2, if(number % 3 = 0, -5, 3), "
                      "reinterpretAsUUID(reinterpretAsFixedString(toUInt128(cityHash64(number)) * 18446744073709551557)), "
                      "toIPv4(toUInt32(number * 1000003)), "
                      "toIPv6(concat('::', hex(number))), toDecimal32(number, 2) / 7, toString(number), if(number % 3 = 0, NULL, number), "
                      "arrayMap(x -> reinterpretAsUUID(reinterpretAsFixedString(toUInt128(x + number))), range(number % 3)), "
                      "(toString(number % 10), if(number % 4 = 0, NULL, toDate(number))), if(number % 50 = 0, toDate('2024-01-01'), "
                      "toDate(0)), number * number, if(number % 3 = 0, NULL, toString(number)), range(number % 3) FROM numbers(500)");
        const std::vector<std::string> paths = partPaths(*engine, "parts");
        ASSERT_EQ(paths.size(), 1U);
        EXPECT_EQ(rowsOf(readPart(paths.front())), engine->query("SELECT * FROM parts ORDER BY k", "TSV"));
    }
    engine->query("DROP TABLE parts");
}

/// Tables in use have projections, deleted rows, and columns with codecs that are not read here.
TEST(EngineParts, OfTablesInUseAreRead)
{
    REQUIRE_ENGINE(engine);
    const std::string structure = "k UInt32, s AggregateFunction(groupBitmap, UInt32), t String";
    size_t cases = 0;
    for (const char * kind : {"min_bytes_for_wide_part = 0, min_rows_for_wide_part = 0", "min_bytes_for_wide_part = 1000000000"})
        for (const char * extra :
             {"",
              ", PROJECTION p (SELECT t, k ORDER BY t)",
              ", d UInt64 DEFAULT k + 1 CODEC(Delta, ZSTD), g Float64 DEFAULT k + 1 CODEC(Gorilla), INDEX i k TYPE minmax"})
        {
            SCOPED_TRACE(std::string(kind) + extra);
            engine->query("DROP TABLE IF EXISTS parts");
            engine->query(
                "CREATE TABLE parts (" + structure + extra
                + ") ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 64, "
                  "lightweight_mutation_projection_mode = 'rebuild', "
                + kind);
            engine->query("INSERT INTO parts (k, s, t) SELECT number, arrayReduce('groupBitmapState', range(toUInt32(number % 50))), "
                          "toString(number) FROM numbers(1000)");
            for (const char * change :
                 {"",
                  "DELETE FROM parts WHERE k % 3 = 1",
                  "DELETE FROM parts WHERE k BETWEEN 100 AND 400",
                  "DELETE FROM parts WHERE k > 900"})
            {
                if (*change)
                    engine->query(change);
                const std::string expected = rowsOf(
                    readBlocks("RowBinary", engine->query("SELECT k, s, t FROM parts ORDER BY k", "RowBinary"), structureOf(structure)));
                for (const std::string & path : partPaths(*engine, "parts"))
                    for (const PartVerification verification : {PartVerification::Hashes, PartVerification::AllHashes})
                    {
                        const std::string rows = rowsOf(readPart(path, {"k", "s", "t"}, settingsOf(verification)));
                        EXPECT_TRUE(rows == expected) << change;
                        EXPECT_TRUE(equalStructures(openPart(path)->getStructure(), structureOf(structure)));
                    }
                ++cases;
            }
        }
    engine->query("DROP TABLE parts");
    std::printf("%zu parts of tables in use were read\n", cases);
}
