#include "ScratchDirectory.h"
#include "Vectors.h"
#include "engine/Engine.h"

#include <statewire/AggregateFunctions/RoaringBitmapState.h>
#include <statewire/IO/ReadBufferFromMemory.h>
#include <statewire/IO/WriteBufferFromVector.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

/** groupBitmap states between this library, its program and the real ClickHouse engine, both directions. */

using namespace DB;
using namespace statewire_tests;

namespace
{
template <typename T>
constexpr const char * nameOf()
{
    if constexpr (std::is_same_v<T, UInt8>)
        return "UInt8";
    else if constexpr (std::is_same_v<T, UInt16>)
        return "UInt16";
    else if constexpr (std::is_same_v<T, UInt32>)
        return "UInt32";
    else if constexpr (std::is_same_v<T, UInt64>)
        return "UInt64";
    else if constexpr (std::is_same_v<T, Int8>)
        return "Int8";
    else if constexpr (std::is_same_v<T, Int16>)
        return "Int16";
    else if constexpr (std::is_same_v<T, Int32>)
        return "Int32";
    else
        return "Int64";
}

template <typename T>
std::string stateType()
{
    return std::string("AggregateFunction(groupBitmap, ") + nameOf<T>() + ")";
}

/// The sets of the interop suite within T's domain: the border of the two kinds, dense, sparse, and run-shaped ones.
template <typename T>
std::vector<std::set<T>> setsOf()
{
    const UInt64 domain = sizeof(T) == 8 ? ~UInt64{0} : (UInt64{1} << (8 * sizeof(T))) - 1;
    std::vector<std::set<T>> result;
    const auto progression = [&](UInt64 first, UInt64 step, UInt64 n) {
        std::set<T> set;
        for (UInt64 i = 0; i < n; ++i)
            if (i * step <= domain)
                set.insert(static_cast<T>(first + i * step));
        return set;
    };
    for (const UInt64 n : {0, 1, 31, 32, 33, 1000})
        result.push_back(progression(0, 1, std::min<UInt64>(n, 200)));
    result.push_back(progression(static_cast<UInt64>(std::numeric_limits<T>::max()) - 20, 1, 41));
    result.push_back(progression(5, 7, 36));
    if constexpr (sizeof(T) >= 2)
    {
        result.push_back(progression(0, 1, 1000));
        result.push_back(progression(0, 3, 20000));
        result.push_back(progression(100, 13, 4096));
        result.push_back(progression(100, 13, 4097));
    }
    if constexpr (sizeof(T) >= 4)
    {
        result.push_back(progression(0, 1, 300000));
        result.push_back(progression(7, 1000003, 2000));
        std::set<T> runs;
        for (UInt64 i = 0; i < 3000; ++i)
            for (UInt64 j = 0; j < 11; ++j)
                runs.insert(static_cast<T>(i * 40 + j));
        result.push_back(runs);
    }
    if constexpr (sizeof(T) == 8)
        result.push_back(progression(1, 0x9e3779b97f4a7c15, 500));
    return result;
}

template <typename T>
std::string listOf(const std::set<T> & set)
{
    std::string result = "[";
    for (const T value : set)
        result += (result.size() == 1 ? "" : ",") + std::to_string(value);
    return result + "]";
}

template <typename T>
std::string stateBytes(const std::set<T> & set)
{
    RoaringBitmapState<T> state;
    const std::vector<T> values(set.begin(), set.end());
    state.addBatch(values.data(), values.size());
    std::string result;
    WriteBufferFromString out(result);
    state.write(out);
    out.finalize();
    return result;
}

/// What the engine must answer about the sets, one line a key: key, count modulo the type's width, cardinality, sorted values.
template <typename T>
std::string expectedAnswers(const std::vector<std::set<T>> & sets)
{
    std::string result;
    for (size_t key = 0; key < sets.size(); ++key)
        result += std::to_string(key) + "\t" + std::to_string(static_cast<T>(sets[key].size())) + "\t" + std::to_string(sets[key].size()) + "\t"
            + listOf(sets[key]) + "\n";
    return result;
}

const char * const QUESTIONS
    = "SELECT k, groupBitmapMerge(s), bitmapCardinality(groupBitmapMergeState(s)), arraySort(bitmapToArray(groupBitmapMergeState(s))) FROM ";

int run(const std::string & command)
{
    return std::system(command.c_str()); // NOLINT(concurrency-mt-unsafe): tests run their program one at a time
}
}

template <typename T>
class InteropGroupBitmap : public testing::Test
{
};
using ElementTypes = testing::Types<UInt8, UInt16, UInt32, UInt64, Int8, Int16, Int32, Int64>;
TYPED_TEST_SUITE(InteropGroupBitmap, ElementTypes);

TYPED_TEST(InteropGroupBitmap, EngineReadsStatesOfTheProgram)
{
    using T = TypeParam;
    Engine * engine = Engine::shared();
    if (!engine)
        GTEST_SKIP();
    const auto sets = setsOf<T>();
    const ScratchDirectory scratch;
    /// One row a value, shuffled; `wanted` is 0 in a row of its own a key, so that the empty set has a key as well.
    std::vector<std::string> rows;
    for (size_t key = 0; key < sets.size(); ++key)
    {
        rows.push_back(std::to_string(key) + "\t0\t0\n");
        for (const T value : sets[key])
            rows.push_back(std::to_string(key) + "\t" + std::to_string(value) + "\t1\n");
    }
    std::mt19937_64 random(8);
    std::shuffle(rows.begin(), rows.end(), random);
    std::string table;
    for (const std::string & row : rows)
        table += row;
    writeWholeFile(scratch.file("rows.tsv"), table);
    for (const std::string format : {"RowBinary", "Native", "RowBinaryWithNamesAndTypes", "TabSeparated"})
    {
        const std::string states = scratch.file("states." + format);
        ASSERT_EQ(
            run(std::string(STATEWIRE_PROGRAM) + " aggregate --structure 'k UInt32, v " + nameOf<T>()
                + ", wanted UInt8' --keys k --aggregates 'groupBitmapStateIf(v, wanted) AS s' --format " + format + " --output " + states + " "
                + scratch.file("rows.tsv")),
            0);
        const std::string source = "file('" + states + "', " + format + ", 'k UInt32, s " + stateType<T>() + "')";
        EXPECT_EQ(engine->query(QUESTIONS + source + " GROUP BY k ORDER BY k"), expectedAnswers(sets)) << format;
    }
}

TYPED_TEST(InteropGroupBitmap, EngineMergesStatesOfTheLibrary)
{
    using T = TypeParam;
    Engine * engine = Engine::shared();
    if (!engine)
        GTEST_SKIP();
    const auto sets = setsOf<T>();
    const std::string table = std::string("merged_") + nameOf<T>();
    engine->query("CREATE TABLE " + table + " (k UInt32, s " + stateType<T>() + ") ENGINE = AggregatingMergeTree ORDER BY k");
    std::string rows;
    for (size_t key = 0; key < sets.size(); ++key)
    {
        /// Two halves a key, so that the engine merges ours with ours.
        std::set<T> halves[2];
        for (const T value : sets[key])
            halves[static_cast<UInt64>(value) % 2].insert(value);
        for (const auto & half : halves)
        {
            char key_bytes[4];
            unalignedStoreLittleEndian<UInt32>(key_bytes, static_cast<UInt32>(key));
            rows.append(key_bytes, 4).append(stateBytes(half));
        }
    }
    const ScratchDirectory scratch;
    writeWholeFile(scratch.file("rows"), rows);
    engine->query("INSERT INTO " + table + " SELECT * FROM file('" + scratch.file("rows") + "', RowBinary, 'k UInt32, s " + stateType<T>() + "')");
    EXPECT_EQ(engine->query(QUESTIONS + table + " GROUP BY k ORDER BY k"), expectedAnswers(sets));
    engine->query("OPTIMIZE TABLE " + table + " FINAL");
    EXPECT_EQ(engine->query("SELECT count() FROM " + table), std::to_string(sets.size()) + "\n");
    EXPECT_EQ(engine->query(QUESTIONS + table + " GROUP BY k ORDER BY k"), expectedAnswers(sets));
    engine->query("DROP TABLE " + table);
}

TYPED_TEST(InteropGroupBitmap, LibraryReadsStatesOfTheEngine)
{
    using T = TypeParam;
    Engine * engine = Engine::shared();
    if (!engine)
        GTEST_SKIP();
    for (const auto & set : setsOf<T>())
    {
        const std::string values = listOf(set);
        const std::string bytes = engine->query(
            std::string("SELECT arrayReduce('groupBitmapState', CAST(") + values + " AS Array(" + nameOf<T>() + ")))", "RowBinary");
        ReadBufferFromMemory in(bytes);
        RoaringBitmapState<T> state;
        state.read(in);
        EXPECT_TRUE(in.eof());
        std::vector<T> read;
        state.appendTo(read);
        std::sort(read.begin(), read.end());
        EXPECT_EQ(read == std::vector<T>(set.begin(), set.end()), true) << values.substr(0, 100);
        const std::string ours = stateBytes(set);
        if (set.size() > 32)
        {
            EXPECT_EQ(ours == bytes, true) << "byte for byte: " << values.substr(0, 100);
        }
        else
        {
            EXPECT_EQ(ours.size(), bytes.size()) << "the same up to order: " << values.substr(0, 100);
        }
    }
}
