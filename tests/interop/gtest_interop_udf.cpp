#include "CountMinHelpers.h"
#include "ScratchDirectory.h"
#include "UserDefinedRoute.h"
#include "Vectors.h"

#include <statewire/AggregateFunctions/CountMinSketchState.h>
#include <statewire/CountMin/CountMinSumForEach.h>
#include <statewire/IO/VarInt.h>

#include <algorithm>
#include <cmath>
#include <set>

/** The user-defined functions inside the real engine, as processes and as a WebAssembly module: the same statements in both, the answers those of
  * the library and of the engine itself.
  */

using namespace DB;
using namespace statewire_tests;

namespace
{

class InteropUdf : public testing::TestWithParam<const char *>
{
protected:
    void SetUp() override
    {
        engine = UserDefinedRoute::engineOf(GetParam());
        if (!engine)
            GTEST_SKIP() << "SKIPPED: no engine with this route";
    }

    std::string query(const std::string & sql) { return engine->query(sql); }
    std::string errorOf(const std::string & sql)
    {
        try
        {
            engine->query(sql);
        }
        catch (const std::runtime_error & e)
        {
            return e.what();
        }
        return {};
    }

    Engine * engine = nullptr;
};

using Sketch = CountMinSketchState<UInt64>;

std::string hexOf(const Sketch & state)
{
    std::string hex = toHex(serialize(state));
    std::transform(hex.begin(), hex.end(), hex.begin(), [](char c) { return c >= 'a' ? static_cast<char>(c - 32) : c; });
    return hex;
}

/// The keys of the groups that the statements below make from numbers.
UInt64 keyOfRow(UInt64 i) { return i * i % 1009; }

const std::string P = "'5, 272'";

}

TEST_P(InteropUdf, SketchesAreBuiltByteForByteAsByTheLibrary)
{
    const CountMinParameters parameters(5, 272);
    std::string numbers;
    std::string strings;
    std::string weighted;
    for (UInt64 group = 0; group < 7; ++group)
    {
        Sketch of_numbers(parameters, 8);
        Sketch of_strings(parameters);
        Sketch of_weights(parameters, 8);
        for (UInt64 i = group; i < 3000 * (group + 1); i += 7)
        {
            of_numbers.add(keyOf(keyOfRow(i)));
            of_strings.add(std::to_string(keyOfRow(i)));
            of_weights.add(keyOf(keyOfRow(i)), i % 5);
        }
        numbers += hexOf(of_numbers) + "\n";
        strings += hexOf(of_strings) + "\n";
        weighted += hexOf(of_weights) + "\n";
    }
    const std::string from = " FROM (SELECT number % 7 AS g, number AS i, toUInt64(number * number % 1009) AS k FROM numbers(21000) WHERE "
                             "number < 3000 * (number % 7 + 1)) "
                             "GROUP BY g ORDER BY g";
    EXPECT_EQ(query("SELECT hex(countMinSketchBuildUInt64(" + P + ", groupArray(k)))" + from), numbers);
    EXPECT_EQ(query("SELECT hex(countMinSketchBuildString(" + P + ", groupArray(toString(k))))" + from), strings);
    EXPECT_EQ(
        query("SELECT hex(countMinSketchBuildWeightedUInt64(" + P + ", groupArray(k), groupArray(toUInt64(i % 5))))" + from), weighted);
    EXPECT_EQ(
        query("SELECT hex(countMinSketchBuildUInt64('2, 64, 77, libcxx', [toUInt64(1), 2]))"),
        hexOf([] {
            static const CountMinParameters other(2, 64, 77, RowSeeds::LibCxx);
            Sketch state(other, 8);
            state.add(keyOf(1));
            state.add(keyOf(2));
            return state;
        }()) + "\n");
}

TEST_P(InteropUdf, SketchesAreMergedAndAskedAsByTheLibrary)
{
    const CountMinParameters parameters(5, 272);
    Sketch all(parameters, 8);
    for (UInt64 i = 0; i < 21000; ++i)
        all.add(keyOf(keyOfRow(i)));
    engine->query("CREATE TABLE parts (g UInt8, s String) ENGINE = MergeTree ORDER BY g");
    engine->query(
        "INSERT INTO parts SELECT number % 7 AS g, countMinSketchBuildUInt64(" + P
        + ", groupArray(toUInt64(number * number % 1009))) FROM numbers(21000) GROUP BY g");
    engine->query("CREATE TABLE whole (s String) ENGINE = Memory");
    engine->query("INSERT INTO whole SELECT countMinSketchMerge(" + P + ", groupArray(s)) FROM parts");
    EXPECT_EQ(query("SELECT hex(s) FROM whole"), hexOf(all) + "\n");
    EXPECT_EQ(query("SELECT countMinSketchTotal(" + P + ", s) FROM whole"), "21000\n");

    std::string estimates;
    std::string bounds;
    std::string array = "[";
    for (UInt64 key = 0; key < 40; ++key)
    {
        const std::string bytes = keyOf(key * 31);
        estimates += std::to_string(all.estimate(bytes)) + "\n";
        bounds += std::to_string(all.lowerBound(bytes)) + "\t" + std::to_string(all.upperBound(bytes)) + "\n";
        array += (key ? "," : "") + std::to_string(all.estimate(bytes));
    }
    EXPECT_EQ(
        query("SELECT countMinSketchEstimateUInt64(" + P + ", s, number * 31) FROM whole, numbers(40) AS n ORDER BY number"), estimates);
    EXPECT_EQ(
        query(
            "SELECT b.lower, b.upper FROM (SELECT countMinSketchBoundsUInt64(" + P
            + ", s, number * 31) AS b FROM whole, numbers(40) AS n ORDER BY number)"),
        bounds);
    EXPECT_EQ(
        query("SELECT countMinSketchEstimatesUInt64(" + P + ", s, arrayMap(x -> x * 31, range(toUInt64(40)))) FROM whole"), array + "]\n");

    std::vector<std::pair<UInt64, UInt64>> ranked;
    for (UInt64 key = 0; key < 1009; ++key)
        ranked.emplace_back(all.estimate(keyOf(key)), key);
    std::sort(ranked.begin(), ranked.end(), [](auto a, auto b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
    std::string top;
    for (size_t i = 0; i < 3; ++i)
        top += (i ? ",(" : "[(") + std::to_string(ranked[i].second) + "," + std::to_string(ranked[i].first) + ")";
    EXPECT_EQ(query("SELECT countMinSketchTopKUInt64(" + P + ", s, range(toUInt64(1009)), toUInt64(3)) FROM whole"), top + "]\n");

    EXPECT_EQ(std::stod(query("SELECT countMinSketchInnerProduct(" + P + ", s, s) FROM whole")), Sketch::innerProduct(all, all));
    EXPECT_EQ(query("SELECT hex(countMinSketchFromImage(" + P + ", countMinSketchToImage(" + P + ", s))) = hex(s) FROM whole"), "1\n");
    EXPECT_EQ(
        query(
            "SELECT countMinSketchEstimateString('3, 64', countMinSketchBuildString('3, 64', ['a', '', 'a']), arrayJoin(['a', '', 'b']))"),
        "2\n1\n0\n");
    EXPECT_EQ(
        query("SELECT countMinSketchTopKString('3, 64', countMinSketchBuildString('3, 64', ['a', '', 'a']), ['', 'a', 'x'], toUInt64(2))"),
        "[('a',2),('',1)]\n");
    engine->query("DROP TABLE parts");
    engine->query("DROP TABLE whole");
}

TEST_P(InteropUdf, BitmapFunctionsAgreeWithTheEnginesOwn)
{
    for (const std::string type : {"UInt32", "UInt64"})
    {
        const std::string table = "bitmaps_" + type;
        engine->query(
            "CREATE TABLE " + table + " (g UInt32, a AggregateFunction(groupBitmap, " + type + "), b AggregateFunction(groupBitmap, " + type
            + ")) ENGINE = MergeTree ORDER BY g");
        /// Small states, arrays, bitsets, runs; some groups without b.
        engine->query(
            "INSERT INTO " + table + " SELECT intDiv(number, 1000) AS g, groupBitmapState(to" + type + "(x)), groupBitmapStateIf(to" + type
            + "(x + 1), number % 3 = 0 AND intDiv(number, 1000) != 5) FROM (SELECT number, multiIf(number < 1000, number % 20, number < "
              "20000, "
              "number * 7919 % 4000000007, number < 40000, number, number * number % 200000) AS x FROM numbers(100000)) GROUP BY g");
        const auto zero = [&](const std::string & disagreement) {
            EXPECT_EQ(query("SELECT countIf(" + disagreement + "), count() FROM " + table), "0\t100\n") << disagreement;
        };
        zero("bitmapJaccard" + type + "(a, b) != bitmapAndCardinality(a, b) / bitmapOrCardinality(a, b)");
        for (const std::string value : {"0", "17", "19500", "70000", "4000000000"})
        {
            zero(
                "bitmapRank" + type + "(a, to" + type + "(" + value + ")) != bitmapCardinality(bitmapSubsetInRange(a, to" + type + "(0), to"
                + type + "(" + value + " + 1)))");
            zero(
                "bitmapRangeCardinality" + type + "(a, toUInt64(15), toUInt64(" + value
                + ")) != bitmapCardinality(bitmapSubsetInRange(a, to" + type + "(15), to" + type + "(" + value + ")))");
        }
        for (const std::string index : {"0", "1", "15", "500", "100000"})
            zero(
                "NOT (bitmapSelect" + type + "(a, toUInt64(" + index + ")) <=> if(bitmapCardinality(a) > " + index
                + ", arraySort(bitmapToArray(a))[" + index + " + 1], NULL))");
        zero("bitmapToArray(bitmapFromPortable" + type + "(bitmapToPortable" + type + "(a))) != arraySort(bitmapToArray(a))");
        zero("bitmapValidate" + type + "(unhex(hex(a))) != ''");
        EXPECT_EQ(
            query(
                "SELECT bitmapJaccard" + type + "(e, e), bitmapSelect" + type + "(e, toUInt64(0)), bitmapRank" + type + "(e, to" + type
                + "(5)), hex(bitmapToPortable" + type + "(e)) FROM (SELECT groupBitmapState(to" + type + "(number)) AS e FROM numbers(0))"),
            std::string("1\t\\N\t0\t") + (type == "UInt32" ? "3A30000000000000" : "0000000000000000") + "\n");
        engine->query("DROP TABLE " + table);
    }
}

TEST_P(InteropUdf, HostileBytesAreErrorsAndTheEngineGoesOn)
{
    const std::string good = "SELECT countMinSketchTotal(" + P + ", countMinSketchBuildString(" + P + ", ['a', 'b']))";
    const std::string image = "countMinSketchToImage(" + P + ", countMinSketchBuildString(" + P + ", ['a']))";
    const auto refused = [&](const std::string & expression, const std::string & part) {
        const std::string error = errorOf("SELECT " + expression);
        EXPECT_NE(error.find(part), std::string::npos) << expression << ": " << error;
        EXPECT_EQ(query(good), "2\n") << "after " << expression;
    };
    refused("countMinSketchTotal(" + P + ", '')", "in function countMinSketchTotal, row 0");
    refused("countMinSketchTotal(" + P + ", 'xyz')", "expected kind 0 or 1 (row seeds libstdcxx), found 120");
    refused("countMinSketchTotal(" + P + ", unhex('0000FF'))", "1 bytes behind its end at byte 2");
    refused("countMinSketchTotal(" + P + ", unhex('00FFFFFFFFFFFFFFFFFF01'))", "INCORRECT_DATA");
    refused("countMinSketchTotal(" + P + ", unhex('01FFFFFFFFFFFFFFFFFF01'))", "INCORRECT_DATA");
    refused("countMinSketchTotal(" + P + ", if(number = 3, 'x', unhex('0000'))) FROM numbers(5)", "row 3");
    refused("countMinSketchMerge(" + P + ", [unhex('0000'), 'x'])", "INCORRECT_DATA");
    refused("countMinSketchFromImage(" + P + ", substring(" + image + ", 1, 100))", "CANNOT_READ_ALL_DATA");
    refused("countMinSketchFromImage('4, 272', " + image + ")", "expected 4, found 5");
    refused("countMinSketchFromSumForEach(" + P + ", [toUInt64(1)])", "expected 1363 elements");
    refused("countMinSketchTotal('5, 272, x', unhex('0000'))", "seed is no whole number");
    refused("countMinSketchTotal('5, 100000000', unhex('0000'))", "500000000 cells, at most 4194304 are taken");
    refused("bitmapFromPortableUInt32(unhex('3A30000001000000'))", "INCORRECT_DATA");
    refused("bitmapFromPortableUInt64(unhex('FFFFFFFFFFFFFFFF'))", "INCORRECT_DATA");

    /// Damaged images of every length and with every byte changed, in two statements: none is taken for good by accident of the route.
    const CountMinParameters parameters(2, 16);
    Sketch state(parameters);
    for (int i = 0; i < 20; ++i)
        state.add(std::to_string(i % 5));
    size_t refusals = 0;
    const std::string bytes = state.toImage();
    for (size_t i = 0; i < bytes.size(); i += 23)
    {
        std::string damaged = bytes;
        damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
        for (const std::string & hostile : {damaged, bytes.substr(0, i)})
        {
            const int code = codeOf([&] {
                Sketch read(parameters);
                read.mergeImage(hostile);
            });
            const std::string error = errorOf("SELECT length(countMinSketchFromImage('2, 16', unhex('" + toHex(hostile) + "')))");
            EXPECT_EQ(error.empty(), code == 0) << error;
            refusals += code != 0;
        }
    }
    EXPECT_GT(refusals, 10u);
    EXPECT_EQ(query(good), "2\n");
}

TEST_P(InteropUdf, ValidationAnswersRowByRow)
{
    const auto folder = dataDirectory() / "clickhouse" / "hostile";
    std::vector<std::string> files;
    for (const auto & entry : std::filesystem::directory_iterator(folder))
        if (entry.path().extension() == ".hex")
            files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    ASSERT_GT(files.size(), 30u);
    engine->query("CREATE TABLE hostile (i UInt32, s String) ENGINE = Memory");
    std::string rows;
    std::set<std::string> expected;
    for (size_t i = 0; i < files.size(); ++i)
    {
        const std::string bytes = fromHex(readFile(files[i]));
        rows += (i ? ",(" : "(") + std::to_string(i) + ",unhex('" + toHex(bytes) + "'))";
        for (const bool wide : {false, true})
        {
            const auto accepts = [&]<typename T>() {
                return codeOf([&] {
                           ReadBufferFromMemory in(bytes);
                           RoaringBitmapState<T> bitmap;
                           bitmap.read(in);
                           if (!in.eof())
                               throw Exception(117, "bytes behind the state");
                       })
                    == 0;
            };
            if (wide ? accepts.operator()<UInt64>() : accepts.operator()<UInt32>())
                expected.insert(std::to_string(i) + (wide ? "w" : "n"));
        }
    }
    engine->query("INSERT INTO hostile VALUES " + rows);
    std::set<std::string> valid;
    for (const bool wide : {false, true})
    {
        const std::string answer
            = query(std::string("SELECT i FROM hostile WHERE bitmapValidateUInt") + (wide ? "64" : "32") + "(s) = '' ORDER BY i");
        for (size_t begin = 0; begin < answer.size();)
        {
            const size_t end = answer.find('\n', begin);
            valid.insert(answer.substr(begin, end - begin) + (wide ? "w" : "n"));
            begin = end + 1;
        }
    }
    EXPECT_EQ(valid, expected);
    engine->query("DROP TABLE hostile");
}

/// No rows, one, many in a block, and many small blocks for one process; strings larger than any buffer; constants and columns of all kinds.
TEST_P(InteropUdf, BlocksOfAnySizeAreAnswered)
{
    const auto totals = [&](const std::string & rows, const std::string & settings = "") {
        return query(
            "SELECT count(), sum(t) FROM (SELECT countMinSketchTotal(" + P + ", countMinSketchBuildUInt64(" + P
            + ", [number, number + 1])) AS t FROM " + rows + ") SETTINGS webassembly_udf_max_fuel = 0" + settings);
    };
    EXPECT_EQ(totals("numbers(0)"), "0\t0\n");
    EXPECT_EQ(totals("numbers(10) WHERE number > 20"), "0\t0\n");
    EXPECT_EQ(totals("numbers(1)"), "1\t2\n");
    EXPECT_EQ(totals("numbers(200000)"), "200000\t400000\n");
    EXPECT_EQ(totals("numbers(1000)", ", max_block_size = 7"), "1000\t2000\n");
    EXPECT_EQ(totals("numbers(1000) WHERE number % 100 = 3", ", max_block_size = 7"), "10\t20\n");
    EXPECT_EQ(totals("numbers_mt(300000)", ", max_threads = 4, max_block_size = 5000"), "300000\t600000\n");

    /// A bad state in a late block: the query ends, the next one is answered.
    for (const char * block_size : {"7", "65505"})
    {
        const std::string error = errorOf(
            "SELECT sum(countMinSketchTotal(" + P + ", if(number = 900, 'x', unhex('0000')))) FROM numbers(1000) SETTINGS max_block_size = "
            + std::string(block_size));
        EXPECT_NE(error.find("in function countMinSketchTotal, row " + std::string(*block_size == '7' ? "4" : "900")), std::string::npos) << error;
        EXPECT_EQ(totals("numbers(3)"), "3\t6\n");
    }

    const std::string large = "repeat('x', 900000 + number)";
    EXPECT_EQ(
        query(
            "SELECT countMinSketchEstimateString(" + P + ", countMinSketchBuildString(" + P + ", [" + large + ", 'y', " + large + "]), " + large
            + ") FROM numbers(3)"),
        "2\n2\n2\n");

    EXPECT_EQ(
        query(
            "SELECT countMinSketchTotal(" + P + ", toNullable(unhex('0000'))), countMinSketchTotal(" + P + ", toLowCardinality(unhex('0000'))), "
            "countMinSketchTotal(materialize(" + P + "), unhex('0000')), countMinSketchTotal(" + P + ", materialize(unhex('0000')))"),
        "0\t0\t0\t0\n");
    /// docs/clickhouse.md: NULL.
    const std::string null = "SELECT countMinSketchTotal(" + P + ", if(number = 1, NULL, unhex('0000'))) FROM numbers(3)";
    if (std::string_view(GetParam()) == "wasm")
    {
        EXPECT_EQ(query(null), "0\n\\N\n0\n");
    }
    else
    {
        EXPECT_NE(errorOf(null).find("Code: 349"), std::string::npos);
    }
    EXPECT_EQ(totals("numbers(3)"), "3\t6\n");
}

/// The whole way inside the engine: built, converted and asked by these functions, merged by ClickHouse.
TEST_P(InteropUdf, SumsThatTheEngineMergedAreSketches)
{
    engine->query("CREATE TABLE ours (k UInt8, s AggregateFunction(sumForEach, Array(UInt64))) ENGINE = AggregatingMergeTree ORDER BY k");
    const std::string build = "countMinSketchBuildUInt64(" + P + ", groupArray(toUInt64(number % 97 * number % 89)))";
    for (const char * numbers : {"numbers(0, 1000)", "numbers(1000, 1000)", "numbers(2000, 1000)"})
        engine->query(
            "INSERT INTO ours SELECT number % 3 AS k, countMinSketchToSumForEachState(" + P + ", " + build + ") FROM " + numbers
            + " GROUP BY k");
    engine->query("OPTIMIZE TABLE ours FINAL");
    const std::string from_sum = "countMinSketchFromSumForEach(" + P + ", sumForEachMerge(s))";
    EXPECT_EQ(
        query(
            "SELECT k, countMinSketchToImage(" + P + ", " + from_sum + ") = countMinSketchToImage(" + P + ", any(d)), " + from_sum
            + " = countMinSketchFromSumForEachState(" + P + ", sumForEachMergeState(s)) FROM ours INNER JOIN (SELECT number % 3 AS k, "
            + build + " AS d FROM numbers(3000) GROUP BY k) AS direct USING k GROUP BY k ORDER BY k"),
        "0\t1\t1\n1\t1\t1\n2\t1\t1\n");
    EXPECT_NE(
        errorOf("SELECT countMinSketchFromSumForEach('5, 271', sumForEachMerge(s)) FROM ours").find("expected 1358 elements"),
        std::string::npos);
    EXPECT_NE(
        errorOf("SELECT countMinSketchFromSumForEach('10, 136', sumForEachMerge(s)) FROM ours").find("element 1362"), std::string::npos);
    engine->query("DROP TABLE ours");
}

class InteropUdfLimits : public InteropUdf
{
};

/// What docs/clickhouse.md says of the module's limits.
TEST_P(InteropUdfLimits, FuelAndMemoryEndTheQueryAndNotTheEngine)
{
    const std::string good = "SELECT countMinSketchTotal(" + P + ", countMinSketchBuildString(" + P + ", ['a', 'b']))";
    /// 2500 tables of 57 KiB do not fit 128 MiB, 256 at a time do.
    const std::string tables
        = "SELECT sum(countMinSketchTotal('7, 1024', s)) FROM (SELECT materialize(countMinSketchBuildUInt64('7, 1024', "
          "range(toUInt64(1000)))) AS s FROM numbers(2500))";
    EXPECT_NE(errorOf(tables + " SETTINGS webassembly_udf_max_fuel = 0").find("WASM_ERROR"), std::string::npos);
    EXPECT_EQ(query(good), "2\n");
    EXPECT_EQ(query(tables + " SETTINGS webassembly_udf_max_fuel = 0, webassembly_udf_max_input_block_size = 256"), "2500000\n");
    /// The results do not fit either: here the module is the one that says so.
    const std::string results = errorOf("SELECT sum(length(countMinSketchBuildUInt64('7, 1024', range(toUInt64(1000 + number % 2))))) FROM "
                                        "numbers(2500) SETTINGS webassembly_udf_max_fuel = 0");
    EXPECT_NE(results.find("webassembly_udf_max_input_block_size"), std::string::npos) << results;
    EXPECT_EQ(query(good), "2\n");
    const std::string little = errorOf("SELECT countMinSketchTotal('7, 1024', countMinSketchBuildUInt64('7, 1024', "
                                       "range(toUInt64(100000)))) SETTINGS webassembly_udf_max_fuel = 100");
    EXPECT_NE(little.find("fuel"), std::string::npos) << little;
    EXPECT_EQ(query(good), "2\n");
    /// A block of many small states is beyond the default, unless the function was made without that limit.
    const std::string overlaps
        = "SELECT sum(bitmapJaccardUInt64(b, b)) FROM (SELECT bitmapBuild(range(number, number + 20)) AS b FROM numbers(50000))";
    EXPECT_NE(errorOf(overlaps).find("fuel"), std::string::npos);
    EXPECT_EQ(query(overlaps + " SETTINGS webassembly_udf_max_input_block_size = 1000"), "50000\n");
    for (const bool has_fuel : {false, true})
    {
        const std::string statements = statewire_udf::webAssemblyStatements("statewire", has_fuel);
        const size_t begin = statements.find("CREATE OR REPLACE FUNCTION bitmapJaccardUInt64 ");
        query(statements.substr(begin, statements.find(";\n", begin) - begin));
        EXPECT_EQ(errorOf(overlaps).find("fuel") != std::string::npos, has_fuel);
    }
    EXPECT_EQ(query(good), "2\n");
    /// A failed call leaves nothing behind that would add up.
    for (int i = 0; i < 60; ++i)
        EXPECT_NE(
            errorOf("SELECT countMinSketchMerge('7, 1024', arrayMap(i -> repeat('x', 1000000), range(3)))").find("INCORRECT_DATA"),
            std::string::npos);
    EXPECT_EQ(query(good), "2\n");
}

INSTANTIATE_TEST_SUITE_P(Routes, InteropUdf, testing::Values("executable", "wasm"), [](const auto & route) {
    return std::string(route.param);
});
INSTANTIATE_TEST_SUITE_P(Routes, InteropUdfLimits, testing::Values("wasm"), [](const auto & route) { return std::string(route.param); });
