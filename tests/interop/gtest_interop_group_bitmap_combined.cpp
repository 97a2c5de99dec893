#include "FormatTests.h"
#include "RequireEngine.h"
#include "ScratchDirectory.h"
#include "Vectors.h"
#include "engine/Engine.h"

#include <statewire/AggregateFunctions/RoaringBitmapCombinedState.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

/** groupBitmapAnd, groupBitmapOr and groupBitmapXor states between this library and the real ClickHouse engine, both directions. */

using namespace DB;
using namespace statewire_tests;

namespace
{
/// Numbers of the element's width, the bits of signed ones read as unsigned.
using Values = std::set<UInt64>;

struct Case
{
    const char * function;
    SetOperation operation;
};
constexpr Case CASES[]
    = {{"groupBitmapAnd", SetOperation::And}, {"groupBitmapOr", SetOperation::Or}, {"groupBitmapXor", SetOperation::Xor}};

constexpr const char * ELEMENTS[] = {"UInt8", "UInt16", "UInt32", "UInt64", "Int8", "Int16", "Int32", "Int64"};

std::string stateType(const std::string & function, const std::string & element, const char * version = "1, ")
{
    return "AggregateFunction(" + std::string(version) + function + ", AggregateFunction(groupBitmap, " + element + "))";
}

/// A partial state: nothing fed, or one to three sets, small and large, that have something in common.
std::vector<Values> somePart(std::mt19937_64 & random, UInt64 last)
{
    std::vector<Values> sets;
    for (UInt64 n = random() % 4; n != 0; --n)
    {
        Values set{1, 2, last - 1, last};
        for (UInt64 m = random() % 2 ? random() % 20 : random() % 500; m != 0; --m)
            set.insert(random() % 2 ? random() % 600 & last : random() & last);
        if (random() % 12 == 0)
            set.clear();
        sets.push_back(std::move(set));
    }
    return sets;
}

/// The combination of all sets of some parts, taken value by value.
Values combined(SetOperation operation, const std::vector<std::vector<Values>> & parts)
{
    Values result;
    bool begun = false;
    for (const auto & part : parts)
        for (const Values & set : part)
        {
            Values next;
            const auto out = std::inserter(next, next.end());
            if (!begun)
                next = set;
            else if (operation == SetOperation::And)
                std::set_intersection(result.begin(), result.end(), set.begin(), set.end(), out);
            else if (operation == SetOperation::Or)
                std::set_union(result.begin(), result.end(), set.begin(), set.end(), out);
            else
                std::set_symmetric_difference(result.begin(), result.end(), set.begin(), set.end(), out);
            begun = true;
            result = std::move(next);
        }
    return result;
}

template <typename T, SetOperation operation>
std::string stateBytes(const std::vector<Values> & part, size_t version)
{
    RoaringBitmapCombinedState<T, operation> state;
    for (const Values & values : part)
    {
        RoaringBitmapState<T> set;
        for (const UInt64 value : values)
            set.add(static_cast<T>(value));
        state.add(set);
    }
    std::string bytes;
    WriteBufferFromString out(bytes);
    state.write(out, version);
    out.finalize();
    return bytes;
}

template <typename F>
void forElement(const std::string & element, F && f)
{
    const bool is_signed = element[0] == 'I';
    const std::string width = element.substr(is_signed ? 3 : 4);
    const auto call = [&]<typename Unsigned, typename Signed>() {
        if (is_signed)
            f.template operator()<Signed>();
        else
            f.template operator()<Unsigned>();
    };
    if (width == "8")
        call.template operator()<UInt8, Int8>();
    else if (width == "16")
        call.template operator()<UInt16, Int16>();
    else if (width == "32")
        call.template operator()<UInt32, Int32>();
    else
        call.template operator()<UInt64, Int64>();
}

std::string partBytes(const Case & one, const std::string & element, const std::vector<Values> & part, size_t version)
{
    std::string bytes;
    forElement(element, [&]<typename T>() {
        if (one.operation == SetOperation::And)
            bytes = stateBytes<T, SetOperation::And>(part, version);
        else if (one.operation == SetOperation::Or)
            bytes = stateBytes<T, SetOperation::Or>(part, version);
        else
            bytes = stateBytes<T, SetOperation::Xor>(part, version);
    });
    return bytes;
}

UInt64 lastOf(const std::string & element)
{
    UInt64 last = 0;
    forElement(element, [&]<typename T>() { last = static_cast<std::make_unsigned_t<T>>(-1); });
    return last;
}

/// The array as the engine prints it sorted: by the numbers that the element's type makes of the bits.
std::string arrayText(const std::string & element, const Values & values)
{
    std::string result = "[";
    forElement(element, [&]<typename T>() {
        std::set<T> sorted;
        for (const UInt64 value : values)
            sorted.insert(static_cast<T>(value));
        for (const T value : sorted)
            result += (result.size() == 1 ? "" : ",") + std::to_string(value);
    });
    return result + "]";
}
}

/// Groups of partial states that we wrote, some never fed, merged by the engine: RowBinary and Native, and its own bytes of ours.
TEST(InteropGroupBitmapCombined, TheEngineMergesOurStates)
{
    REQUIRE_ENGINE(engine);
    for (const Case & one : CASES)
        for (const std::string element : ELEMENTS)
        {
            SCOPED_TRACE(std::string(one.function) + " " + element);
            std::mt19937_64 random(5);
            /// Of its own, because the engine remembers the types that a file had.
            const ScratchDirectory directory;
            constexpr size_t GROUPS = 60;
            std::string expected;
            std::string rows;
            std::string keys;
            std::string states;
            std::string hexes;
            size_t n = 0;
            for (size_t group = 0; group < GROUPS; ++group)
            {
                std::vector<std::vector<Values>> parts;
                for (UInt64 left = 1 + random() % 4; left != 0; --left)
                    parts.push_back(somePart(random, lastOf(element)));
                const Values all = combined(one.operation, parts);
                for (const auto & part : parts)
                {
                    const std::string bytes = partBytes(one, element, part, 1);
                    rows += static_cast<char>(group) + bytes;
                    keys += static_cast<char>(group);
                    states += bytes;
                    hexes += toHex(bytes) + "\n";
                    ++n;
                }
                expected += std::to_string(group) + "\t" + std::to_string(all.size()) + "\t" + arrayText(element, all) + "\n";
            }
            const std::string type = stateType(one.function, element);
            const std::string questions = std::string("SELECT k, bitmapCardinality(") + one.function + "MergeState(s)), arraySort(bitmapToArray("
                + one.function + "MergeState(s))) FROM ";
            writeWholeFile(directory.file("rows"), rows);
            const std::string source = "file('" + directory.file("rows") + "', RowBinary, 'k UInt8, s " + type + "')";
            EXPECT_EQ(engine->query(questions + source + " GROUP BY k ORDER BY k"), expected);
            /// What the engine writes of our bytes is our bytes.
            EXPECT_EQ(engine->query("SELECT lower(hex(s)) FROM " + source), hexes);

            const auto text = [](const std::string & value) { return static_cast<char>(value.size()) + value; };
            std::string native = std::string("\2") + static_cast<char>(0x80 | (n & 0x7f)) + static_cast<char>(n >> 7) + text("k") + text("UInt8") + keys
                + text("s") + text(type) + states;
            ASSERT_GE(n, 128u) << "the row count above is written in two bytes";
            writeWholeFile(directory.file("native"), native);
            EXPECT_EQ(
                engine->query(questions + "file('" + directory.file("native") + "', Native) GROUP BY k ORDER BY k"), expected);
            /// The same file by our own writer.
            EXPECT_EQ(writeBlocks("Native", structureOf("k UInt8, s " + type), readBlocks("RowBinary", rows, structureOf("k UInt8, s " + type))), native);
        }
}

/// Version 0, which Native files of ClickHouse have, from our writer. The engine (26.7) keeps the set and writes it again, but answers all
/// questions about such a state, and merges it, as if it had never been fed: its bytes are what can be compared.
TEST(InteropGroupBitmapCombined, TheEngineReadsOurStatesOfVersion0)
{
    REQUIRE_ENGINE(engine);
    for (const Case & one : CASES)
        for (const std::string element : ELEMENTS)
        {
            SCOPED_TRACE(std::string(one.function) + " " + element);
            std::mt19937_64 random(7);
            /// Of its own, because the engine remembers the types that a file had.
            const ScratchDirectory directory;
            std::string rows;
            std::string hexes;
            for (size_t k = 0; k < 100; ++k)
            {
                std::vector<Values> part = somePart(random, lastOf(element));
                if (part.empty())
                    part.push_back({1, 3});
                const std::string bytes = partBytes(one, element, part, 0);
                rows += static_cast<char>(k) + bytes;
                hexes += toHex(bytes) + "\n";
            }
            const NamesAndTypes structure = structureOf("k UInt8, s " + stateType(one.function, element, "0, "));
            writeWholeFile(directory.file("native"), writeBlocks("Native", structure, readBlocks("RowBinary", rows, structure)));
            EXPECT_EQ(engine->query("SELECT lower(hex(s)) FROM file('" + directory.file("native") + "', Native) ORDER BY k"), hexes);
        }
}

/// States that the engine made of the same sets, never fed ones among them, in all its binary formats.
TEST(InteropGroupBitmapCombined, WeReadStatesOfTheEngine)
{
    REQUIRE_ENGINE(engine);
    for (const Case & one : CASES)
        for (const std::string element : ELEMENTS)
        {
            SCOPED_TRACE(std::string(one.function) + " " + element);
            std::mt19937_64 random(6);
            const std::string type = stateType(one.function, element);
            engine->query("CREATE TABLE combined (k UInt32, s " + type + ") ENGINE = Memory");
            std::vector<std::vector<Values>> parts;
            for (size_t k = 0; k < 25; ++k)
            {
                parts.push_back(somePart(random, lastOf(element)));
                std::string arrays;
                for (const Values & set : parts.back())
                    arrays += (arrays.empty() ? "" : ",") + arrayText(element, set);
                engine->query(
                    "INSERT INTO combined SELECT " + std::to_string(k) + ", " + one.function + "State(bitmapBuild(a)) FROM (SELECT arrayJoin(["
                    + arrays + "]::Array(Array(" + element + "))) AS a)");
            }
            /// More than 32 values: the engine's bytes are ours, byte for byte.
            const std::string hexes = engine->query("SELECT lower(hex(s)) FROM combined ORDER BY k");
            size_t hex_row = 0;
            size_t large = 0;
            for (size_t at = 0; at < hexes.size(); ++hex_row)
            {
                const size_t end = hexes.find('\n', at);
                if (combined(one.operation, {parts[hex_row]}).size() > 32)
                {
                    ++large;
                    EXPECT_EQ(hexes.substr(at, end - at), toHex(partBytes(one, element, parts[hex_row], 1)));
                }
                at = end + 1;
            }
            EXPECT_GT(large, 0u);
            const std::string all_rows = "SELECT k, s FROM combined ORDER BY k";
            const NamesAndTypes structure = structureOf("k UInt32, s " + type);
            /// Native comes last: once it has written version 0 of a table's type, the engine (26.7) does so in every format.
            for (const char * format : {"RowBinary", "RowBinaryWithNamesAndTypes", "TabSeparated", "Native"})
            {
                SCOPED_TRACE(format);
                const std::string bytes = engine->query(all_rows, format);
                const bool has_types = std::string_view(format) == "Native" || std::string_view(format) == "RowBinaryWithNamesAndTypes";
                /// In Native files the engine writes version 0, which cannot say that nothing was fed.
                const bool is_v0 = std::string_view(format) == "Native";
                const std::vector<Block> blocks = readBlocks(format, bytes, has_types ? std::nullopt : std::optional(structure));
                EXPECT_EQ(blocks.at(0).getNamesAndTypes()[1].type->getName(), is_v0 ? stateType(one.function, element, "") : type);
                size_t row = 0;
                for (const Block & block : blocks)
                    for (size_t i = 0; i < block.rows(); ++i, ++row)
                    {
                        const auto & states = static_cast<const ColumnAggregateFunction &>(*block.findByName("s")->column);
                        std::string ours;
                        WriteBufferFromString out(ours);
                        states.getFunction()->serialize(states[i], out, 1);
                        out.finalize();
                        std::string expected = partBytes(one, element, parts[row], 1);
                        if (is_v0)
                            expected[0] = '1';
                        EXPECT_EQ(toHex(ours), toHex(expected)) << "row " << row;
                    }
                EXPECT_EQ(row, parts.size());
            }
            const Values all = combined(one.operation, parts);
            EXPECT_EQ(engine->query(std::string("SELECT bitmapCardinality(") + one.function + "MergeState(s)) FROM combined"), std::to_string(all.size()) + "\n");
            engine->query("DROP TABLE combined");
        }
}
