#include "UserDefinedRoute.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

/** What the routes cost in the real engine; not a test, run by hand:
  *     statewire_interop_tests --gtest_also_run_disabled_tests --gtest_filter='*RowsPerSecond*'
  */

using namespace statewire_tests;

class InteropUdfCosts : public testing::TestWithParam<const char *>
{
};

TEST_P(InteropUdfCosts, DISABLED_RowsPerSecond)
{
    Engine * engine = UserDefinedRoute::engineOf(GetParam());
    if (!engine)
        GTEST_SKIP() << "SKIPPED: no engine with this route";
    /// Only tables need small blocks, and a call costs more than a row.
    std::string settings = " SETTINGS max_threads = 1, webassembly_udf_max_fuel = 0, webassembly_udf_max_input_block_size = 128";
    /// The best of three, less what the same statement costs without the function.
    const auto seconds = [&](const std::string & sql) {
        double best = 1e9;
        for (int i = 0; i < 3; ++i)
        {
            const auto start = std::chrono::steady_clock::now();
            engine->query(sql + settings);
            best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        }
        return best;
    };
    const auto report = [&](const char * what, double rows, const std::string & with, const std::string & without) {
        const double all = seconds(with);
        const double base = seconds(without);
        std::printf(
            "%-10s %-44s %8.3f s, %8.3f s without: %12.0f a second\n", GetParam(), what, all, base, rows / std::max(all - base, 1e-6));
        std::fflush(stdout);
    };

    engine->query("CREATE TABLE keys (g UInt32, k UInt64) ENGINE = Memory");
    engine->query("INSERT INTO keys SELECT number % 1000, intHash64(number) % 100000 FROM numbers(4000000)");
    report(
        "keys built into 1000 tables of 7 x 1024",
        4e6,
        "SELECT sum(length(countMinSketchBuildUInt64('7, 1024', a))) FROM (SELECT groupArray(k) AS a FROM keys GROUP BY g)",
        "SELECT sum(length(a)) FROM (SELECT groupArray(k) AS a FROM keys GROUP BY g)");
    engine->query("CREATE TABLE tables (s String, n AggregateFunction(sumForEach, Array(UInt64))) ENGINE = Memory");
    engine->query(
        "INSERT INTO tables SELECT s, countMinSketchToSumForEachState('7, 1024', s) FROM (SELECT countMinSketchBuildUInt64('7, 1024', "
        "groupArray(k)) AS s "
        "FROM keys GROUP BY g)"
        + settings);
    report(
        "tables of 57 KiB merged by the function",
        1000,
        "SELECT length(countMinSketchMerge('7, 1024', groupArray(s))) FROM tables",
        "SELECT sum(length(x)) FROM (SELECT groupArray(s) AS x FROM tables)");
    report(
        "tables of 57 KiB merged by sumForEach",
        1000,
        "SELECT length(sumForEachMerge(n)) FROM tables",
        "SELECT count() FROM tables WHERE ignore(n) = 0");
    report(
        "estimates from tables of 57 KiB",
        1000,
        "SELECT sum(countMinSketchEstimateUInt64('7, 1024', s, rowNumberInAllBlocks())) FROM tables",
        "SELECT sum(length(s)) FROM tables");
    report(
        "estimates of 1M keys from one table",
        1e6,
        "SELECT length(countMinSketchEstimatesUInt64('7, 1024', any(s), range(toUInt64(1000000)))) FROM tables",
        "SELECT length(range(toUInt64(1000000))), any(s) FROM tables");
    settings = " SETTINGS max_threads = 1, webassembly_udf_max_fuel = 0";
    engine->query("CREATE TABLE small (s String, b AggregateFunction(groupBitmap, UInt32)) ENGINE = Memory");
    engine->query(
        "INSERT INTO small SELECT countMinSketchBuildUInt64('7, 1024', groupArray(number)), groupBitmapState(toUInt32(number)) FROM "
        "numbers(1000000) GROUP BY intDiv(number, 5)"
        + settings);
    report(
        "estimates from small states of 5 keys",
        2e5,
        "SELECT sum(countMinSketchEstimateUInt64('7, 1024', s, toUInt64(7))) FROM small",
        "SELECT sum(length(s)) FROM small");
    report(
        "bitmapRank of small bitmaps",
        2e5,
        "SELECT sum(bitmapRankUInt32(b, toUInt32(500000))) FROM small",
        "SELECT sum(bitmapCardinality(b)) FROM small");
    for (const char * table : {"keys", "tables", "small"})
        engine->query(std::string("DROP TABLE ") + table);
}

INSTANTIATE_TEST_SUITE_P(Routes, InteropUdfCosts, testing::Values("executable", "wasm"), [](const auto & route) {
    return std::string(route.param);
});
