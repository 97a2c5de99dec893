#include "CaseSample.h"
#include "EngineParts.h"
#include "PartTests.h"
#include "RequireEngine.h"

#include <string>
#include <vector>

/** LowCardinality columns in parts that the engine wrote: dictionaries for all granules, for several and for one, with keys beside them. */

using namespace DB;
using namespace statewire_tests;

namespace
{
const char * const STRUCTURE
    = "k UInt64, a LowCardinality(String), b LowCardinality(Nullable(String)), c Array(LowCardinality(String)), "
      "d Tuple(x LowCardinality(UInt32), y Array(Array(LowCardinality(Nullable(FixedString(3)))))), e LowCardinality(Date), "
      "f LowCardinality(Nullable(DateTime('UTC'))), g LowCardinality(Int64), `n.p` Array(LowCardinality(String)), `n.q` Array(String), "
      "s AggregateFunction(groupBitmap, UInt32), u SimpleAggregateFunction(anyLast, LowCardinality(Nullable(String))), "
      "z Array(LowCardinality(String)), `weird name/é` LowCardinality(String)";

/// Keys that come again and new ones, a run of rows without elements, and a column of empty arrays.
std::string rowsFrom(int first)
{
    return "SELECT " + std::to_string(first)
        + " + number AS i, toString(i % 7), if(i % 5 = 0, NULL, toString(i % 13)), "
          "if(number BETWEEN 100 AND 350, [], arrayMap(x -> toString(x * i % 50), range(i % 4))), "
          "(i % 30, arrayMap(x -> [toString(x), NULL, toString(i % 100)], range(i % 3))), toDate(i % 200), "
          "if(i % 11 = 3, NULL, toDateTime(i % 40 * 1000, 'UTC')), -i, arrayMap(x -> toString(x + i), range(i % 3)), "
          "arrayMap(x -> toString(x), range(i % 3)), arrayReduce('groupBitmapState', range(toUInt32(i % 50))), "
          "if(i % 3 = 0, '', if(i % 3 = 1, NULL, toString(i))), [], toString(i) FROM numbers(500)";
}

/// All at once, and backwards, so that each granule is found by its marks alone; the same reader then forwards, from any dictionary.
void check(Engine & engine)
{
    const std::string expected
        = rowsOf(readBlocks("RowBinary", engine.query("SELECT * FROM low ORDER BY k", "RowBinary"), structureOf(STRUCTURE)));
    /// For marks that do not say it.
    const PartSettings settings = settingsOf(PartVerification::Hashes, 64);
    std::string all;
    std::string by_granule;
    std::string again;
    for (const std::string & path : partPaths(engine, "low"))
    {
        all += rowsOf(readPart(path, {}, settings));
        EXPECT_EQ(openPart(path, std::nullopt, settings)->getStructure().size(), structureOf(STRUCTURE).size());
        MergeTreePartReader reader(path, std::vector<std::string>(), settings);
        by_granule += rowsOf(readBackwards(reader));
        for (size_t granule = 0; granule < reader.granules(); ++granule)
            again += rowsOf({reader.readGranule(granule)});
    }
    EXPECT_TRUE(all == expected);
    EXPECT_TRUE(by_granule == expected);
    EXPECT_TRUE(again == expected);
}
}

TEST(EngineParts, WithLowCardinalityAreRead)
{
    REQUIRE_ENGINE(engine);
    engine->query("SET allow_suspicious_low_cardinality_types = 1");
    CaseSample sample("tables");
    size_t cases = 0;
    for (const char * kind :
         {"min_bytes_for_wide_part = 0, min_rows_for_wide_part = 0",
          "min_bytes_for_wide_part = 0, min_rows_for_wide_part = 0, string_serialization_version = 'single_stream', "
          "max_compress_block_size = 300, min_compress_block_size = 100",
          "min_bytes_for_wide_part = 0, min_rows_for_wide_part = 0, index_granularity_bytes = 2000",
          "min_bytes_for_wide_part = 0, min_rows_for_wide_part = 0, index_granularity_bytes = 0, compress_marks = 0",
          "min_bytes_for_wide_part = 0, min_rows_for_wide_part = 0, ratio_of_defaults_for_sparse_serialization = 0.1",
          "min_bytes_for_wide_part = 1000000000",
          "min_bytes_for_wide_part = 1000000000, write_marks_for_substreams_in_compact_parts = 0"})
        for (const char * dictionaries :
             {"low_cardinality_max_dictionary_size = 8192, low_cardinality_use_single_dictionary_for_part = 0",
              "low_cardinality_max_dictionary_size = 10, low_cardinality_use_single_dictionary_for_part = 0",
              "low_cardinality_max_dictionary_size = 2, low_cardinality_use_single_dictionary_for_part = 0",
              "low_cardinality_max_dictionary_size = 10, low_cardinality_use_single_dictionary_for_part = 1",
              "low_cardinality_max_dictionary_size = 0, low_cardinality_use_single_dictionary_for_part = 0"})
            for (const char * codec : {"LZ4", "NONE", "ZSTD(1)"})
            {
                if (!sample.takes(kind))
                    continue;
                SCOPED_TRACE(std::string(kind) + ", " + dictionaries + ", " + codec);
                engine->query(std::string("SET ") + dictionaries);
                engine->query("DROP TABLE IF EXISTS low");
                engine->query(
                    "CREATE TABLE low (" + columnsWithCodec(STRUCTURE, codec)
                    + ") ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 64, merge_max_block_size = 23, " + kind);
                engine->query("INSERT INTO low " + rowsFrom(0));
                engine->query("INSERT INTO low " + rowsFrom(500));
                check(*engine);
                engine->query("OPTIMIZE TABLE low FINAL");
                EXPECT_EQ(partPaths(*engine, "low").size(), 1U);
                check(*engine);
                ++cases;
            }
    engine->query("SET low_cardinality_max_dictionary_size = 8192, low_cardinality_use_single_dictionary_for_part = 0");
    engine->query("DROP TABLE low");
    std::printf("%zu tables with LowCardinality columns were read\n", cases);
}
