#include "DifferenceChecks.h"
#include "RequireEngine.h"
#include "Vectors.h"

#include <cstdio>
#include <map>
#include <set>
#include <string>

/** Every row of the table of differences in docs/clickhouse.md: what the engine answers and what we answer. A row without a check fails, and so
  * does an engine that has changed its mind.
  */

using namespace DB;
using namespace statewire_tests;

namespace
{

std::string resultType(const std::string & function, const std::string & argument)
{
    return defaultAggregateFunctionFactory().get(function, {parseDataType(argument)})->getResultType()->getName();
}

/// A bitmap of kind 1 around a portable image.
std::string bitmapState(const std::string & image)
{
    constexpr const char * DIGITS = "0123456789ABCDEF";
    const size_t size = image.size() / 2;
    return std::string("01") + DIGITS[size / 16] + DIGITS[size % 16] + image;
}

const std::string ARRAY_1_300 = bitmapState("3A30000001000000"
                                            "0000"
                                            "0100"
                                            "10000000"
                                            "01002C01");
const std::string UNSORTED = bitmapState("3A30000001000000"
                                         "0000"
                                         "0100"
                                         "10000000"
                                         "03000100");
const std::string RUNS_THAT_OVERLAP = bitmapState("3B300000"
                                                  "01"
                                                  "0000"
                                                  "0800"
                                                  "0200"
                                                  "00000500"
                                                  "03000500");

std::map<std::string, Check> checksOfStates()
{
    std::map<std::string, Check> checks;
    checks["`groupBitmap(x)` result type"] = [](Engine & engine) {
        EXPECT_EQ(theirs(engine, "groupBitmap(toUInt8(number)) FROM numbers(256)"), "0");
        std::string rows;
        for (int i = 0; i < 256; ++i)
            rows += std::to_string(i) + "\n";
        EXPECT_EQ(aggregated("x UInt8", rows, "groupBitmap"), "256");
    };
    checks["result of `groupBitmap` with combinators"] = [](Engine & engine) {
        EXPECT_EQ(
            theirs(engine, "toTypeName(groupBitmapOrNull(toUInt8(1))), toTypeName(groupBitmapForEach([toUInt16(1)]))"),
            "Nullable(UInt8)\tArray(UInt16)");
        EXPECT_EQ(resultType("groupBitmapOrNull", "UInt8"), "Nullable(UInt64)");
        EXPECT_EQ(resultType("groupBitmapForEach", "Array(UInt16)"), "Array(UInt64)");
    };
    checks["`groupBitmapIfOrNull` where no row passes the condition"] = [](Engine & engine) {
        EXPECT_EQ(
            theirs(
                engine,
                "groupBitmapIfOrNull(x, 0), finalizeAggregation(groupBitmapIfOrNullState(x, 0)) FROM (SELECT arrayJoin([1, 2]) AS x)"),
            "\\N\t0");
        EXPECT_EQ(aggregated("x UInt32, c UInt8", "1\t0\n2\t0\n", "groupBitmapIfOrNull"), "0");
        EXPECT_EQ(aggregated("x UInt32, c UInt8", "1\t0\n2\t0\n", "groupBitmapIfOrNullState"), "\\0\\0\x01");
        EXPECT_EQ(aggregated("s AggregateFunction(groupBitmapIfOrNull, UInt32, UInt8)", "\\0\\0\x01\n", "groupBitmapIfOrNullMerge"), "0");
    };
    checks["a flag byte of NULL handling, `-OrNull`, `-OrDefault` or a NULL map other than 0 and 1"] = [](Engine & engine) {
        struct Case
        {
            const char * type;
            const char * hex;
            const char * answer;
        };
        for (const Case & one :
             {Case{"AggregateFunction(groupBitmapOrNull, UInt32)", "000007", "0"},
              {"AggregateFunction(groupBitmapOrDefault, UInt32)", "00010100000007", "1"},
              {"AggregateFunction(groupBitmap, Nullable(UInt32))", "07000101000000", "1"}})
        {
            EXPECT_EQ(theirs(engine, "finalizeAggregation(" + stateOf(one.hex, one.type) + ")"), one.answer) << one.type;
            EXPECT_EQ(ofBytes(one.hex, "s", one.type), "error 117") << one.type;
        }
        EXPECT_EQ(theirs(engine, "x FROM format(Native, unhex('010101780F4E756C6C61626C652855496E7438290705'))"), "\\N");
        EXPECT_EQ(
            answerOf([] { return rowsOf(readBlocks("Native", fromHex("010101780f4e756c6c61626c652855496e7438290705"))); }), "error 117");
    };
    checks["`groupBitmapMerge` over `AggregateFunction(groupBitmapIf, ...)`, and the other way round"] = [](Engine & engine) {
        EXPECT_EQ(theirs(engine, "groupBitmapMerge(s) FROM (SELECT groupBitmapIfState(toUInt32(1), 1) AS s)"), "error 42");
        EXPECT_EQ(theirs(engine, "groupBitmapIfMerge(s) FROM (SELECT groupBitmapState(toUInt32(1)) AS s)"), "error 43");
        EXPECT_EQ(aggregated("s AggregateFunction(groupBitmapIf, UInt32, UInt8)", "\\0\x01\x05\\0\\0\\0\n", "groupBitmapMerge"), "1");
        EXPECT_EQ(aggregated("s " + BITMAP32, "\\0\x01\x05\\0\\0\\0\n", "groupBitmapIfMerge"), "1");
    };
    checks["bitmap functions over `AggregateFunction(groupBitmapIf, ...)` and `-Array`"] = [](Engine & engine) {
        EXPECT_EQ(theirs(engine, "bitmapCardinality(groupBitmapIfState(toUInt32(1), 1))"), "error 43");
        EXPECT_EQ(theirs(engine, "bitmapCardinality(groupBitmapArrayState([toUInt32(1)]))"), "error 43");
        EXPECT_EQ(theirs(engine, "bitmapCardinality(CAST(groupBitmapArrayState([toUInt32(1)]) AS " + BITMAP32 + "))"), "1");
        EXPECT_EQ(ofBytes("000105000000", "bitmapToArray(s)", "AggregateFunction(groupBitmapIf, UInt32, UInt8)"), "[5]");
        EXPECT_EQ(ofBytes("000105000000", "bitmapToArray(s)", "AggregateFunction(groupBitmapArray, Array(UInt32))"), "[5]");
    };
    checks["`AggregateFunction(1, groupBitmap, T)`"] = [](Engine & engine) {
        EXPECT_EQ(theirs(engine, "bitmapCardinality(" + stateOf("000101000000", "AggregateFunction(1, groupBitmap, UInt32)") + ")"), "1");
        EXPECT_EQ(ofBytes("000101000000", "s", "AggregateFunction(1, groupBitmap, UInt32)"), "error 36");
    };
    checks["order inside a small state"] = [](Engine & engine) {
        EXPECT_EQ(theirs(engine, "hex(bitmapBuild([toUInt8(3), 1]))"), "00020301");
        EXPECT_EQ(theirs(engine, "bitmapToArray(bitmapBuild([toUInt8(3), 1]))"), "[3,1]");
        EXPECT_EQ(ours("bitmapBuild([3, 1])"), "\\0\x02\x01\x03");
        EXPECT_EQ(ours("bitmapToArray(bitmapBuild([3, 1]))"), "[1,3]");
    };
    checks["few values after AND, XOR or reading a bitmap"] = [](Engine & engine) {
        const std::string bits = "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33]";
        const std::string rest = "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34]";
        for (const auto & [function, answer] : {std::pair{"bitmapAnd", "33"}, {"bitmapAndnot", "1"}, {"bitmapXor", "2"}})
        {
            const std::string call = std::string(function) + "(bitmapBuild(" + bits + "), bitmapBuild(" + rest + "))";
            EXPECT_EQ(theirs(engine, "substring(hex(" + call + "), 1, 2), bitmapCardinality(" + call + ")"), std::string("01\t") + answer);
            EXPECT_EQ(ours("bitmapCardinality(" + call + ")"), answer);
            const bool few = std::string_view(answer).size() == 1;
            EXPECT_EQ(ours(call).starts_with(few ? "\\0" : "\x01"), true) << call;
        }
        EXPECT_EQ(theirs(engine, "hex(" + stateOf(ARRAY_1_300) + ")"), ARRAY_1_300);
        EXPECT_EQ(ofBytes(ARRAY_1_300, "s"), "\\0\x02\x01\\0\\0\\0,\x01\\0\\0");
    };
    checks["duplicates in a small state"] = [](Engine & engine) {
        EXPECT_EQ(theirs(engine, "bitmapCardinality(" + stateOf("00020101", BITMAP8) + ")"), "2");
        EXPECT_EQ(ofBytes("00020101", "s", BITMAP8), "error 117");
    };
    checks["unsorted arrays, lying bitsets, overlapping runs"] = [](Engine & engine) {
        EXPECT_EQ(theirs(engine, "bitmapToArray(" + stateOf(UNSORTED) + ")"), "[3,1]");
        EXPECT_EQ(ofBytes(UNSORTED, "s"), "error 117");
        EXPECT_EQ(theirs(engine, "bitmapCardinality(" + stateOf(RUNS_THAT_OVERLAP) + ")"), "12");
        EXPECT_EQ(ofBytes(RUNS_THAT_OVERLAP, "s"), "error 117");
        /// A bitset that declares 5000 values and has none.
        const std::string lying = "0190403A30000001000000000087131000000"
                                  "0"
            + std::string(2 * 8192, '0');
        EXPECT_EQ(
            theirs(
                engine,
                "bitmapCardinality(" + stateOf(lying) + "), length(bitmapToArray(bitmapAnd(" + stateOf(lying) + ", "
                    + stateOf("000105000000") + ")))"),
            "5000\t0");
        EXPECT_EQ(ofBytes(lying, "s"), "error 117");
    };
    checks["bytes behind the bitmap inside its declared size"] = [](Engine & engine) {
        const std::string longer = bitmapState(ARRAY_1_300.substr(4) + "FFFF");
        EXPECT_EQ(theirs(engine, "bitmapToArray(" + stateOf(longer) + ")"), "[1,300]");
        EXPECT_EQ(ofBytes(longer, "s"), "error 117");
    };
    checks["values outside the element type"] = [](Engine & engine) {
        EXPECT_EQ(
            theirs(engine, "bitmapMax(" + stateOf(ARRAY_1_300, BITMAP8) + "), bitmapToArray(" + stateOf(ARRAY_1_300, BITMAP8) + ")"),
            "300\t[1,44]");
        EXPECT_EQ(ofBytes(ARRAY_1_300, "s", BITMAP8), "error 117");
    };
    checks["overlong VarUInt"] = [](Engine & engine) {
        EXPECT_EQ(theirs(engine, "bitmapToArray(" + stateOf("0082000102", BITMAP8) + ")"), "[1,2]");
        EXPECT_EQ(ofBytes("0082000102", "s", BITMAP8), "error 117");
    };
    checks["`groupBitmapMergeOrNull` over `AggregateFunction(groupBitmap, T)`"] = [](Engine & engine) {
        EXPECT_EQ(theirs(engine, "groupBitmapMergeOrNull(s) FROM (SELECT groupBitmapState(toUInt8(5)) AS s)"), "error 43");
        EXPECT_EQ(aggregated("s " + BITMAP8, "\\0\x01\x05\n", "groupBitmapMergeOrNull"), "1");
    };
    checks["`-If` around `-OrNull` or `-OrDefault` around `-If`"] = [](Engine & engine) {
        for (const std::string function : {"groupBitmapIfOrDefaultIf", "groupBitmapIfOrNullIf"})
        {
            EXPECT_EQ(
                theirs(engine, function + "(x, c, d) FROM values('x UInt32, c UInt8, d UInt8', (1, 1, 1), (2, 1, 0), (3, 0, 1))"), "2");
            EXPECT_EQ(aggregated("x UInt32, c UInt8, d UInt8", "1\t1\t1\n2\t1\t0\n3\t0\t1\n", function), "1");
        }
    };
    checks["`AggregateFunction(groupBitmap, LowCardinality(T))`"] = [](Engine & engine) {
        const std::string type = "AggregateFunction(groupBitmap, LowCardinality(UInt32))";
        EXPECT_EQ(theirs(engine, "toTypeName(" + stateOf("0000", type) + ")"), type);
        EXPECT_EQ(answerOf([&] { return parseDataType(type)->getName(); }), BITMAP32);
    };
    return checks;
}

std::map<std::string, Check> checksOfFunctions()
{
    std::map<std::string, Check> checks;
    checks["version 0 states of groupBitmapAnd, Or, Xor"] = [](Engine & engine) {
        /// A Native block of one column `s` of one state {5}, whose type names no version.
        const std::string type = "AggregateFunction(groupBitmapAnd, " + BITMAP8 + ")";
        const std::string native = std::string("\1\1\1s", 4) + static_cast<char>(type.size()) + type + std::string("\0\1\5", 3);
        EXPECT_EQ(
            theirs(
                engine,
                "hex(s), bitmapCardinality(groupBitmapAndMergeState(s)) FROM format(Native, unhex('" + toHex(native) + "')) GROUP BY 1"),
            "000105\t0");
        EXPECT_EQ(answerOf([&] { return ask("bitmapToArray(s)", readBlocks("Native", native)); }), "[5]");
        EXPECT_EQ(aggregated("s AggregateFunction(0, groupBitmapAnd, " + BITMAP8 + ")", "\\0\x01\x05\n", "groupBitmapAndMerge"), "1");
    };
    checks["values in a state that says it was never fed, as the engine makes of version 0 bytes"] = [](Engine & engine) {
        const std::string type = "AggregateFunction(1, groupBitmapAnd, " + BITMAP8 + ")";
        EXPECT_EQ(theirs(engine, "groupBitmapAndMerge(s) FROM (SELECT " + stateOf("30000105", type) + " AS s)"), "0");
        EXPECT_EQ(ofBytes("30000105", "bitmapToArray(s)", type), "[5]");
    };
    checks["`groupBitmapAndState(s)`, Or, Xor"] = [](Engine & engine) {
        for (const std::string function : {"groupBitmapAnd", "groupBitmapOr", "groupBitmapXor"})
        {
            EXPECT_EQ(theirs(engine, "toTypeName(" + function + "State(bitmapBuild([1])))"), BITMAP8);
            EXPECT_EQ(resultType(function + "State", BITMAP8), "AggregateFunction(1, " + function + ", " + BITMAP8 + ")");
            EXPECT_EQ(
                theirs(engine, "bitmapCardinality(" + stateOf("31000105", "AggregateFunction(1, " + function + ", " + BITMAP8 + ")") + ")"),
                "error 43");
            EXPECT_EQ(aggregated("s " + BITMAP8, "\\0\x01\x05\n", function + "State", "bitmapToArray(r)"), "[5]");
        }
    };
    checks["`bitmapContains(b, x)` with a negative x"] = [](Engine & engine) {
        for (const std::string element : {"Int8", "Int16", "Int32"})
            EXPECT_EQ(theirs(engine, "bitmapContains(bitmapBuild([to" + element + "(-1)]), -1)"), "0") << element;
        EXPECT_EQ(theirs(engine, "bitmapContains(bitmapBuild([toInt64(-1)]), -1)"), "1");
        EXPECT_EQ(theirs(engine, "bitmapContains(bitmapBuild([toUInt64(18446744073709551615)]), -1)"), "1");
        for (const std::string element : {"Int8", "Int16", "Int32", "Int64"})
            EXPECT_EQ(
                ours("bitmapContains(bitmapBuild(a), -1), bitmapContains(bitmapBuild(a), -2)", "a Array(" + element + ")", "[-1]\n"),
                "1\t0");
        EXPECT_EQ(ours("bitmapContains(bitmapBuild([18446744073709551615]), -1)"), "0");
    };
    checks["`bitmapTransform` to a number that the element type cannot hold"] = [](Engine & engine) {
        EXPECT_EQ(theirs(engine, "bitmapToArray(bitmapTransform(bitmapBuild([1]), [1], [300]))"), "[44]");
        EXPECT_EQ(ours("bitmapTransform(bitmapBuild([1]), [1], [300])"), "error 36");
    };
    checks["`bitmapTransform` of a number that the element type cannot hold"] = [](Engine & engine) {
        EXPECT_EQ(theirs(engine, "bitmapToArray(bitmapTransform(bitmapBuild([toUInt32(1)]), [4294967297], [7]))"), "[7]");
        EXPECT_EQ(ours("bitmapToArray(bitmapTransform(bitmapBuild(a), [4294967297], [7]))", "a Array(UInt32)", "[1]\n"), "[1]");
    };
    checks["numbers of Int8 and Int16 bitmaps of more than 32 values (min, max, contains, limits)"] = [](Engine & engine) {
        std::string array = "[";
        for (int i = -50; i < 50; ++i)
            array += (i == -50 ? "" : ",") + std::to_string(i);
        array += "]";
        const std::string questions = "bitmapMin(b), bitmapMax(b), bitmapContains(b, 255), bitmapContains(b, 4294967295), "
                                      "bitmapCardinality(bitmapSubsetInRange(b, 200, 300))";
        const std::string b = "bitmapBuild(a)";
        std::string spelled = questions;
        for (size_t at = 0; (at = spelled.find("(b", at)) != std::string::npos; at += b.size())
            if (spelled[at + 2] == ')' || spelled[at + 2] == ',')
                spelled.replace(at + 1, 1, b);
        EXPECT_EQ(theirs(engine, spelled + " FROM (SELECT " + array + "::Array(Int8) AS a)"), "0\t4294967295\t0\t1\t0");
        EXPECT_EQ(ours(spelled, "a Array(Int8)", array + "\n"), "0\t255\t1\t0\t50");
        EXPECT_EQ(theirs(engine, spelled + " FROM (SELECT " + array + "::Array(Int16) AS a)"), "0\t4294967295\t0\t1\t0");
        EXPECT_EQ(ours(spelled, "a Array(Int16)", array + "\n"), "0\t65535\t0\t0\t0");
    };
    checks["limits for small 64-bit bitmaps"] = [](Engine & engine) {
        const std::string b = "bitmapBuild([1, 5000000000, 5000000001])";
        const std::string questions = "bitmapToArray(bitmapSubsetInRange(" + b
            + ", 5000000000, 5000000001)), bitmapToArray(bitmapSubsetLimit(" + b + ", 5000000000, 1))";
        EXPECT_EQ(theirs(engine, questions), "[]\t[]");
        EXPECT_EQ(ours(questions), "[5000000000]\t[5000000000]");
    };
    checks["`subBitmap` of a small bitmap"] = [](Engine & engine) {
        EXPECT_EQ(theirs(engine, "bitmapToArray(subBitmap(bitmapBuild([30, 0, 5, 10, 20]), 1, 2))"), "[0,5]");
        EXPECT_EQ(ours("bitmapToArray(subBitmap(bitmapBuild([30, 0, 5, 10, 20]), 1, 2))"), "[5,10]");
    };
    checks["arrays for `bitmapTransform`"] = [](Engine & engine) {
        EXPECT_EQ(theirs(engine, "bitmapToArray(bitmapTransform(bitmapBuild([1]), [toInt8(1)], [toInt8(2)]))"), "error 43");
        EXPECT_EQ(ours("bitmapToArray(bitmapTransform(bitmapBuild([1]), a, a))", "a Array(Int8)", "[1]\n"), "[1]");
    };
    checks["AND, OR and NOT of a Float"] = [](Engine & engine) {
        EXPECT_EQ(theirs(engine, "0.25 AND 1, 0.0 OR 0, NOT 0.5"), "1\t0\t0");
        for (const char * expression : {"0.25 AND 1", "0.0 OR 0", "NOT 0.5"})
            EXPECT_EQ(ours(expression), "error 43") << expression;
    };
    checks["the literal `[]`"] = [](Engine & engine) {
        EXPECT_EQ(theirs(engine, "toTypeName([])"), "Array(Nothing)");
        EXPECT_EQ(theirs(engine, "bitmapBuild([])"), "error 43");
        EXPECT_EQ(ours("bitmapCardinality(bitmapBuild([]))"), "0");
    };
    return checks;
}

/// The first cells of the table under the document's heading.
std::set<std::string> rowsOfTheDocument()
{
    const std::string document = readFile(sourceDirectory() / "docs" / "clickhouse.md");
    size_t at = document.find("\n## Where answers differ from ClickHouse's\n");
    const size_t section_end = document.find("\n## ", at + 1);
    at = document.find("\n|---|", at);
    std::set<std::string> rows;
    for (at = document.find('\n', at + 1); at < section_end && document[at + 1] == '|'; at = document.find('\n', at + 1))
        rows.insert(document.substr(at + 3, document.find(" | ", at) - at - 3));
    return rows;
}

}

TEST(InteropDifferences, EveryRowOfTheDocumentIsAsItSaysOnBothSides)
{
    REQUIRE_ENGINE(engine);
    std::map<std::string, Check> checks = checksOfStates();
    checks.merge(checksOfFunctions());
    checks.merge(checksOfText());
    const std::set<std::string> rows = rowsOfTheDocument();
    for (const std::string & row : rows)
    {
        SCOPED_TRACE(row);
        const auto check = checks.find(row);
        if (check == checks.end())
            ADD_FAILURE() << "no check for this row of docs/clickhouse.md";
        else
            check->second(*engine);
    }
    std::printf("%zu differences\n", rows.size());
}
