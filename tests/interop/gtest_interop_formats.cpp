#include "FormatTests.h"
#include "IOTestHelpers.h"
#include "RequireEngine.h"
#include "Vectors.h"
#include "engine/Engine.h"

#include <statewire/IO/WriteBufferFromFile.h>

#include <random>
#include <string>
#include <vector>

/** Every format that both sides have, in both directions: what the engine writes is read here to the same values and written back to the same
 * bytes, and what is written here is read by the engine to the same values.
 */

using namespace DB;
using namespace statewire_tests;

namespace
{
const char * const FORMATS[] = {
    "TabSeparated",
    "TSVWithNames",
    "TSVWithNamesAndTypes",
    "CSV",
    "CSVWithNames",
    "CSVWithNamesAndTypes",
    "JSONEachRow",
    "JSONLines",
    "NDJSON",
    "Values",
    "RowBinary",
    "RowBinaryWithNames",
    "RowBinaryWithNamesAndTypes",
    "Native",
};

struct Table
{
    const char * name;
    const char * structure;
    /// What the engine fills it with.
    const char * select;
};

/// Finite numbers, since JSON has no others; every byte in strings; states of both kinds, with arrays, bitsets and runs in them.
const Table TABLES[] = {
    {"numbers_of_every_width",
     "k UInt16, a UInt8, b UInt16, c UInt32, d UInt64, e Int8, f Int16, g Int32, h Int64, i Float32, j Float64",
     "SELECT number, number * 37, number * 9999, cityHash64(number), if(number % 50 = 0, 18446744073709551615, cityHash64(number, 1)), "
     "number * 11 - 128, number * 501 - 32768, toInt32(bitAnd(cityHash64(number, 2), 4294967295)), "
     "if(number % 50 = 1, -9223372036854775808, toInt64(cityHash64(number, 3))), "
     "if(number % 7 = 0, toFloat32(number) / 3, number - 100), "
     "multiIf(number % 9 = 0, number * 1.5e300, number % 9 = 1, -number / 1e9, number % 9 = 2, 1e21 * number, number % 9 = 3, -0.0, "
     "cityHash64(number, 4) / 97) FROM numbers(300)"},
    {"strings_of_every_byte",
     "k UInt16, s String, a Array(String), n Array(Array(UInt32))",
     "SELECT number, multiIf(number < 256, char(number), number < 512, concat('a', char(number - 256), 'z'), number = 512, "
     "arrayStringConcat(arrayMap(x -> char(x), range(256))), number = 513, '', number < 520, repeat(char(34, 39, 92, 10, 13, 44), number - "
     "510), "
     "substring(hex(cityHash64(number)), 1, number % 16)), arrayMap(x -> concat(char(x * 7 + number), '\\'', char(10, 9, 92, 34)), "
     "range(number % 4)), "
     "arrayMap(x -> range(x), range(number % 4)) FROM numbers(600)"},
    {"states_of_every_kind",
     "k UInt16, s8 AggregateFunction(groupBitmap, UInt8), s32 AggregateFunction(groupBitmap, UInt32), i64 AggregateFunction(groupBitmap, "
     "Int64), "
     "a Array(AggregateFunction(groupBitmap, UInt16))",
     "SELECT number, arrayReduce('groupBitmapState', arrayMap(x -> toUInt8(x), range(number % 300))), "
     "arrayReduce('groupBitmapState', arrayMap(x -> toUInt32(x * multiIf(number % 3 = 0, 1, number % 3 = 1, 3, 1000003)), "
     "range(multiIf(number < 40, number, number = 77, 70000, number * 50)))), "
     "arrayReduce('groupBitmapState', arrayMap(x -> toInt64(x * 4294967296 + number), range(number))), "
     "arrayMap(y -> arrayReduce('groupBitmapState', arrayMap(x -> toUInt16(x * 7), range(y * 20))), range(number % 4)) FROM numbers(120)"},
    {"what_a_table_is_sorted_by",
     "k UInt16, a Date, b Date32, c DateTime, d DateTime64(3, 'Europe/Berlin'), e Bool, f Enum8('it\\'s' = -5, 'b' = 3), g Enum16('x' = "
     "1000, "
     "'tab\\t' = 2), h UUID, i IPv4, j IPv6, l Decimal(9, 2), m Decimal(18, 6), n FixedString(5), o LowCardinality(String), p "
     "LowCardinality(Nullable(String)), q Array(LowCardinality(String)), r Nullable(DateTime), s Nullable(Bool), t Array(Date), "
     "u Array(Tuple(LowCardinality(FixedString(2)), Nullable(Decimal(9, 3)), UUID)), v Nullable(FixedString(3)), w LowCardinality(Date), "
     "x SimpleAggregateFunction(sum, UInt64), y SimpleAggregateFunction(anyLast, LowCardinality(Nullable(String))), "
     "z SimpleAggregateFunction(groupArrayArray(10), Array(UInt16))",
     "SELECT number, toDate(cityHash64(number) % 65536), toDate32('1900-01-01') + cityHash64(number, 1) % 146000, "
     "toDateTime(cityHash64(number, 2) % 4294967296), fromUnixTimestamp64Milli(toInt64(cityHash64(number, 3) % 12622780800000) - "
     "2208988800000), number % 2, if(number % 3 = 0, -5, 3), if(number % 2 = 0, 1000, 2), "
     "reinterpretAsUUID(reinterpretAsFixedString(toUInt128("
     "cityHash64(number, 4)) * 18446744073709551557 + number)), toIPv4(toUInt32(cityHash64(number, 5) % 4294967296)), "
     "toIPv6(if(number % 3 = 0, concat('::ffff:1.2.3.', toString(number % 256)), "
     "IPv6NumToString(toFixedString(substring(reinterpretAsString("
     "toUInt128(cityHash64(number, 6)) * 18446744073709551557), 1 + number % 2, 1 + number % 11), 16)))), "
     "toDecimal32(toInt32(cityHash64(number, 7) % 1999999999) - 999999999, 0) / 1000, toDecimal64(toInt64(cityHash64(number, 8) % "
     "1000000), 0) / "
     "pow(10, number % 7), toFixedString(substring(reinterpretAsString(cityHash64(number, 9)), 1, number % 6), 5), toString(number % 7 * "
     "1000), "
     "if(number % 5 = 0, NULL, toString(number % 11)), arrayMap(x -> toString(x), range(number % 4)), if(number % 3 = 0, NULL, number), "
     "if(number % 4 = 0, NULL, number % 2), arrayMap(x -> toDate(x * number), range(number % 4)), [(toString(number % 50), if(number % 3 = "
     "0, NULL, "
     "toDecimal32(number, 0) / 8), generateUUIDv7())], if(number % 3 = 0, NULL, toString(number % 1000)), toDate(number % 9), "
     "number * number, if(number % 3 = 0, NULL, toString(number % 5)), range(number % 4) FROM numbers(400)"},
};

std::string engineType(std::string_view structure) { return std::string(structure); }

void fill(Engine & engine, const Table & table)
{
    engine.query(std::string("DROP TABLE IF EXISTS ") + table.name);
    engine.query("SET allow_suspicious_low_cardinality_types = 1");
    engine.query(std::string("CREATE TABLE ") + table.name + " (" + engineType(table.structure) + ") ENGINE = Memory");
    engine.query(std::string("INSERT INTO ") + table.name + " " + table.select);
}

std::string content(Engine & engine, const std::string & table, std::string_view format)
{
    return engine.query("SELECT * FROM " + table + " ORDER BY k", format);
}
}

TEST(EngineFormats, AreReadAndWrittenBackByteForByte)
{
    REQUIRE_ENGINE(engine);
    size_t cases = 0;
    for (const Table & table : TABLES)
    {
        fill(*engine, table);
        const std::string expected = content(*engine, table.name, "RowBinary");
        const NamesAndTypes structure = structureOf(table.structure);
        for (const char * format : FORMATS)
        {
            SCOPED_TRACE(std::string(format) + " of " + table.name);
            const std::string bytes = content(*engine, table.name, format);
            std::vector<Block> blocks;
            ASSERT_NO_THROW(blocks = readBlocks(format, bytes, structure));
            EXPECT_TRUE(writeBlocks("RowBinary", structure, blocks) == expected);
            const std::string back = writeBlocks(format, structure, blocks);
            const size_t same
                = static_cast<size_t>(std::mismatch(back.begin(), back.end(), bytes.begin(), bytes.end()).first - back.begin());
            EXPECT_TRUE(back == bytes) << "at byte " << same << ": " << back.substr(same, 60) << "\n!=\n" << bytes.substr(same, 60);
            ++cases;
        }
    }
    std::printf("%zu tables and formats of the engine were read and written back\n", cases);
}

TEST(EngineFormats, TakesWhatWeWrite)
{
    REQUIRE_ENGINE(engine);
    const TemporaryFolder folder;
    size_t cases = 0;
    for (const Table & table : TABLES)
    {
        fill(*engine, table);
        const std::string expected = content(*engine, table.name, "RowBinary");
        const NamesAndTypes structure = structureOf(table.structure);
        const std::vector<Block> blocks = readBlocks("RowBinary", expected, structure);
        for (const char * format : FORMATS)
        {
            SCOPED_TRACE(std::string(format) + " of " + table.name);
            const std::string path = folder.path("table");
            {
                const std::string bytes = writeBlocks(format, structure, blocks);
                WriteBufferFromFile out(path);
                out.write(bytes.data(), bytes.size());
                out.finalize();
            }
            engine->query("DROP TABLE IF EXISTS taken");
            engine->query(std::string("CREATE TABLE taken (") + engineType(table.structure) + ") ENGINE = Memory");
            ASSERT_NO_THROW(engine->query("INSERT INTO taken FROM INFILE '" + path + "' FORMAT " + format));
            EXPECT_TRUE(content(*engine, "taken", "RowBinary") == expected);
            ++cases;
        }
    }
    engine->query("DROP TABLE taken");
    std::printf("%zu tables in our formats were read by the engine\n", cases);
}

TEST(EngineFormats, AgreeOnNumbersThatAreNone)
{
    REQUIRE_ENGINE(engine);
    const NamesAndTypes structure = structureOf("k UInt8, f Float64, g Float32");
    const std::string sql
        = "SELECT toUInt8(number) k, [nan, inf, -inf][number + 1] f, toFloat32([inf, -inf, nan][number + 1]) g FROM numbers(3)";
    for (const char * format : {"TSV", "CSV", "Values", "RowBinary"})
    {
        const std::vector<Block> blocks = readBlocks(format, engine->query(sql, format), structure);
        EXPECT_EQ(rowsOf(blocks), "0\tnan\tinf\n1\tinf\t-inf\n2\t-inf\tnan\n") << format;
        EXPECT_EQ(writeBlocks(format, structure, blocks), engine->query(sql, format));
    }
    /// JSON has none of them: both sides write null.
    const std::string json = engine->query(sql, "JSONEachRow");
    EXPECT_EQ(writeBlocks("JSONEachRow", structure, readBlocks("TSV", engine->query(sql, "TSV"), structure)), json);
}

TEST(EngineFormats, AgreeOnNullInAnyCase)
{
    REQUIRE_ENGINE(engine);
    const std::string structure = "n Array(Nullable(Int32)), f Array(Nullable(Float64)), t Tuple(Nullable(String), UInt8)";
    for (const char * null : {"NULL", "null", "Null", "nULL"})
        for (const char * format : {"TSV", "CSV", "Values"})
        {
            const std::string n = std::string("[1,") + null + "]";
            const std::string f = std::string("[") + null + ",nan,2]";
            const std::string t = std::string("(") + null + ",3)";
            const std::string text = std::string(format) == "TSV" ? n + "\t" + f + "\t" + t + "\n"
                : std::string(format) == "CSV"                    ? "\"" + n + "\",\"" + f + "\"\n"
                                                                  : "(" + n + "," + f + "," + t + ")";
            /// Tuples in CSV are a listed difference.
            const std::string columns = std::string(format) == "CSV" ? structure.substr(0, structure.find(", t ")) : structure;
            const std::string theirs = engine->query("SELECT * FROM format(" + std::string(format) + ", '" + columns + "', '" + text + "')", "TSV");
            EXPECT_EQ(rowsOf(readBlocks(format, text, structureOf(columns))), theirs) << text;
        }
}

TEST(EngineFormats, AgreeOnHexAndBase64)
{
    REQUIRE_ENGINE(engine);
    fill(*engine, TABLES[2]);
    const NamesAndTypes structure = structureOf("k UInt16, s32 AggregateFunction(groupBitmap, UInt32)");
    const std::string expected = engine->query("SELECT k, s32 FROM states_of_every_kind ORDER BY k", "RowBinary");
    for (const auto & [encoding, function] : {std::pair{StateEncoding::Hex, "hex"}, std::pair{StateEncoding::Base64, "base64Encode"}})
        for (const char * format : {"TSVWithNames", "CSV", "JSONEachRow"})
        {
            FormatSettings settings;
            settings.state_encoding = encoding;
            /// base64Encode takes strings only.
            const std::string bytes = engine->query(
                std::string("SELECT k, ") + function + "(unhex(hex(s32))) AS s32 FROM (SELECT * FROM states_of_every_kind) ORDER BY k",
                format);
            ReadBufferFromMemory in(bytes);
            const std::vector<Block> blocks = readBlocks(format, in, structure, settings);
            EXPECT_TRUE(writeBlocks("RowBinary", structure, blocks) == expected) << format;
        }
}

TEST(EngineFormats, DrawTheSameTables)
{
    REQUIRE_ENGINE(engine);
    const std::string sql
        = "SELECT number * 7 AS k, repeat('x', number % 5) AS s, range(number % 3) AS a, -number / 4 AS f FROM numbers(12) ";
    const NamesAndTypes structure = structureOf("k UInt64, s String, a Array(UInt8), f Float64");
    const std::vector<Block> blocks = readBlocks("TSV", engine->query(sql, "TSV"), structure);
    for (const char * format : {"Pretty", "PrettyCompact", "Vertical"})
        EXPECT_EQ(
            writeBlocks(format, structure, blocks),
            engine->query(sql + "SETTINGS output_format_pretty_color = 0, output_format_pretty_fallback_to_vertical = 0", format))
            << format;
}
