#include "CountMinHelpers.h"
#include "ScratchDirectory.h"
#include "UserDefinedRoute.h"

#include <statewire/AggregateFunctions/CountMinSketchState.h>
#include <statewire/CountMin/CountMinSumForEach.h>
#include <statewire/IO/VarInt.h>

#include <cstdio>
#include <random>
#include <vector>

/** Sketches that the real engine merges by itself, as states of sumForEach. */

using namespace DB;
using namespace statewire_tests;

namespace
{

using Sketch = CountMinSketchState<UInt64>;

constexpr const char * STATE_TYPE = "AggregateFunction(sumForEach, Array(UInt64))";

/// The bytes of a state of sumForEach.
std::string stateOf(const Sketch & sketch)
{
    const std::string image = sketch.toImage();
    const UInt64 length = countMinSumForEachLength(sketch.parameters());
    std::string state = keyOf(length) + std::string(length * sizeof(UInt64), '\0');
    MemorySink sink(state.data() + sizeof(UInt64));
    writeCountMinSumForEach(CountMinView<UInt64>::parse(image, sketch.parameters()), sink);
    return state;
}

std::string varUInt(UInt64 number)
{
    char bytes[VAR_UINT_MAX_SIZE];
    return {bytes, writeVarUInt(number, bytes)};
}

std::string text(std::string_view bytes) { return varUInt(bytes.size()) + std::string(bytes); }

std::string imageFromArray(std::string_view row_binary, const CountMinParameters & parameters)
{
    ReadBufferFromMemory in(row_binary);
    UInt64 length = 0;
    readVarUInt(length, in);
    EXPECT_EQ(in.available(), length * sizeof(UInt64));
    return countMinImageFromSumForEach({in.position(), in.available()}, parameters);
}

}

/// States of ours go in as RowBinary and as Native, are merged by OPTIMIZE and by sumForEachMerge, and come back as the sketch that merging gives.
TEST(InteropSumForEach, TheEngineMergesSketchesInAggregatingMergeTree)
{
    Engine * engine = Engine::shared();
    if (!engine)
        GTEST_SKIP() << "SKIPPED: no engine";
    const UInt64 seed = std::random_device{}();
    std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
    std::mt19937_64 random(seed);
    const ScratchDirectory scratch;
    for (const auto & [hashes, buckets] : {std::pair{2u, 16u}, {5u, 2719u}})
    {
        const CountMinParameters parameters(hashes, buckets);
        const std::string table = "sums_" + std::to_string(hashes);
        engine->query("CREATE TABLE " + table + " (k UInt64, s " + STATE_TYPE + ") ENGINE = AggregatingMergeTree ORDER BY k");
        constexpr UInt64 KEYS = 4;
        std::vector<Sketch> merged;
        for (UInt64 key = 0; key < KEYS; ++key)
            merged.emplace_back(parameters, 8);
        for (int part = 0; part < 6; ++part)
        {
            std::string rows;
            std::string keys_column;
            std::string states_column;
            for (UInt64 key = 0; key < KEYS; ++key)
            {
                Sketch sketch(parameters, 8);
                /// Never fed, small and large ones.
                for (UInt64 n = (part == 3 ? 0 : random() % (key == 0 ? 3 : 2000)); n != 0; --n)
                    sketch.add(keyOf(random() % 300), random() % 1000);
                merged[key].merge(sketch);
                rows += keyOf(key) + stateOf(sketch);
                keys_column += keyOf(key);
                states_column += stateOf(sketch);
            }
            /// From files: the engine looks for the end of a statement in inline bytes.
            const std::string file = scratch.file("part" + std::to_string(part));
            if (part % 2 == 0)
            {
                writeWholeFile(file, rows);
                engine->query("INSERT INTO " + table + " SELECT * FROM file('" + file + "', RowBinary, 'k UInt64, s " + STATE_TYPE + "')");
                continue;
            }
            writeWholeFile(
                file, varUInt(2) + varUInt(KEYS) + text("k") + text("UInt64") + keys_column + text("s") + text(STATE_TYPE) + states_column);
            engine->query("INSERT INTO " + table + " SELECT * FROM file('" + file + "', Native)");
        }
        const auto check = [&] {
            for (UInt64 key = 0; key < KEYS; ++key)
            {
                const std::string where = " FROM " + table + " WHERE k = " + std::to_string(key);
                Sketch read(parameters, 8);
                read.mergeImage(imageFromArray(engine->query("SELECT sumForEachMerge(s)" + where, "RowBinary"), parameters));
                EXPECT_EQ(read.toImage(), merged[key].toImage());
                Sketch from_state(parameters, 8);
                from_state.mergeImage(
                    countMinImageFromSumForEachState(engine->query("SELECT sumForEachMergeState(s)" + where, "RowBinary"), parameters));
                EXPECT_EQ(from_state.toImage(), merged[key].toImage());
                const CountMinSketch<UInt64> direct = merged[key].toSketch();
                for (UInt64 i = 0; i < 300; ++i)
                    ASSERT_EQ(read.estimate(keyOf(i)), direct.estimate(keyOf(i)));
            }
        };
        check();
        engine->query("OPTIMIZE TABLE " + table + " FINAL");
        EXPECT_EQ(engine->query("SELECT count() FROM " + table), std::to_string(KEYS) + "\n");
        check();
        EXPECT_EQ(engine->query("SELECT DISTINCT arrayElement(sumForEachMerge(s), -2) FROM " + table + " GROUP BY k"), "6\n")
            << "six sketches for each key";
        engine->query("DROP TABLE " + table);
    }
}

TEST(InteropSumForEach, StatesAreTheEnginesBytes)
{
    Engine * engine = Engine::shared();
    if (!engine)
        GTEST_SKIP() << "SKIPPED: no engine";
    const CountMinParameters parameters(2, 5);
    Sketch sketch(parameters);
    sketch.add("a", 3);
    sketch.add("b", UInt64{1} << 40);
    std::string array = "[";
    const std::string state = stateOf(sketch);
    for (size_t i = sizeof(UInt64); i < state.size(); i += sizeof(UInt64))
        array += (array.size() == 1 ? "toUInt64(" : ", toUInt64(") + std::to_string(unalignedLoadLittleEndian<UInt64>(state.data() + i))
            + ")";
    EXPECT_EQ(engine->query("SELECT initializeAggregation('sumForEachState', " + array + "])", "RowBinary"), state);
}

/// What other shapes leave in a sum is found when it is read.
TEST(InteropSumForEach, SketchesOfAnotherShapeInTheSumAreFound)
{
    Engine * engine = Engine::shared();
    if (!engine)
        GTEST_SKIP() << "SKIPPED: no engine";
    const CountMinParameters parameters(2, 8);
    const CountMinParameters other(4, 4);
    const CountMinParameters larger(2, 9);
    const auto fed = [](const CountMinParameters & of) {
        Sketch sketch(of);
        sketch.add("a", 3);
        return sketch;
    };
    for (const CountMinParameters * stranger : {&other, &larger})
    {
        engine->query(std::string("CREATE TABLE mixed (s ") + STATE_TYPE + ") ENGINE = Memory");
        const ScratchDirectory scratch;
        writeWholeFile(scratch.file("states"), stateOf(fed(parameters)) + stateOf(fed(*stranger)));
        engine->query("INSERT INTO mixed SELECT * FROM file('" + scratch.file("states") + "', RowBinary, 's " + STATE_TYPE + "')");
        const std::string sum = engine->query("SELECT sumForEachMergeState(s) FROM mixed", "RowBinary");
        EXPECT_EQ(codeOf([&] { static_cast<void>(countMinImageFromSumForEachState(sum, parameters)); }), 117);
        EXPECT_EQ(codeOf([&] { static_cast<void>(countMinImageFromSumForEachState(sum, *stranger)); }), 117);
        engine->query("DROP TABLE mixed");
    }
}
