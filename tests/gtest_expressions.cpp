#include "FormatTests.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Functions/FunctionFactory.h>
#include <statewire/Interpreters/QueryError.h>
#include <statewire/Interpreters/QueryExecutor.h>

#include <algorithm>

using namespace DB;
using namespace statewire_tests;

namespace
{
const FunctionFactory & functions()
{
    static const FunctionFactory factory = [] {
        FunctionFactory made;
        registerFunctions(made);
        return made;
    }();
    return factory;
}

constexpr std::string_view STRUCTURE = "k UInt8, `odd name` String, b AggregateFunction(groupBitmap, UInt32)";

Block table() { return blockOf(STRUCTURE, "1\tx\t\\0\\x03\\0\\0\\0\\0\\x01\\0\\0\\0\\x02\\0\\0\\0\n2\ty\t\\0\\0\n"); }

std::string evaluate(std::string_view query)
{
    const Block block = table();
    return rowsOf({ExpressionList(parseExpressions(query), block.getNamesAndTypes(), functions()).execute(block)});
}

std::string headerOf(std::string_view query)
{
    const ExpressionList expressions(parseExpressions(query), structureOf(STRUCTURE), functions());
    std::string text;
    for (const NameAndType & column : expressions.getHeader())
        text += (text.empty() ? "" : ", ") + quoteIdentifier(column.name) + ' ' + column.type->getName();
    return text;
}
}

TEST(Expressions, GiveColumnsLiteralsAndCalls)
{
    EXPECT_EQ(evaluate("k, `odd name`, \"odd name\""), "1\tx\tx\n2\ty\ty\n");
    EXPECT_EQ(evaluate("bitmapCardinality(b), bitmapToArray(b)"), "3\t[0,1,2]\n0\t[]\n");
    EXPECT_EQ(evaluate("bitmapToArray(bitmapOr(b, bitmapBuild([2, 70000])))"), "[0,1,2,70000]\n[2,70000]\n");
    EXPECT_EQ(
        evaluate("5, -5, 0xFF, 1.5, -1e3, 'it\\'s\\ttab', [1,2], []"),
        "5\t-5\t255\t1.5\t-1000\tit\\'s\\ttab\t[1,2]\t[]\n5\t-5\t255\t1.5\t-1000\tit\\'s\\ttab\t[1,2]\t[]\n");
    EXPECT_EQ(evaluate(" * "), evaluate("k, `odd name`, b"));
}

TEST(Expressions, FoldWhatDependsOnNoColumn)
{
    EXPECT_EQ(evaluate("bitmapCardinality(bitmapBuild([1, 2, 2]))"), "2\n2\n");
    /// No row is needed to see a constant's error.
    EXPECT_NE(caught([] { headerOf("bitmapCardinality(5)"); }).code, 0);
}

TEST(Expressions, TypeLiteralsByTheSmallestThatHolds)
{
    EXPECT_EQ(
        headerOf("255 AS a, 256 AS b, 65536 AS c, 4294967296 AS d, 18446744073709551615 AS e"),
        "a UInt8, b UInt16, c UInt32, d UInt64, e UInt64");
    EXPECT_EQ(
        headerOf("-1 AS a, -128 AS b, -129 AS c, -32769 AS d, -2147483649 AS e, -9223372036854775808 AS f, -0 AS g"),
        "a Int8, b Int8, c Int16, d Int32, e Int64, f Int64, g UInt8");
    EXPECT_EQ(
        headerOf("[1, 300] AS a, [-1, -128] AS b, [-1, 128] AS c, [1, 1.5] AS d, ['x', ''] AS e, [[1], [-1, 2]] AS f, [[], [1000]] AS g"),
        "a Array(UInt16), b Array(Int8), c Array(Int16), d Array(Float64), e Array(String), f Array(Array(Int16)), g Array(Array(UInt16))");
    EXPECT_EQ(evaluate("[[], [1000]], [-1, 1.5]"), "[[],[1000]]\t[-1,1.5]\n[[],[1000]]\t[-1,1.5]\n");
    for (const std::string_view query : {"[1, 'x']", "[1, [1]]", "[-1, 18446744073709551615]"})
        EXPECT_EQ(caught([&] { headerOf(query); }).code, ErrorCodes::TYPE_MISMATCH) << query;
}

TEST(Expressions, CallEveryFunction)
{
    const std::vector<std::string> names = functions().getNames();
    EXPECT_GT(names.size(), 20U);
    for (const std::string & name : names)
        EXPECT_NE(caught([&] { headerOf(name + "(k)"); }).code, ErrorCodes::UNKNOWN_FUNCTION) << name;
}

TEST(Expressions, NameTheirResults)
{
    EXPECT_EQ(headerOf("k, `odd name`, k AS x, bitmapCardinality( b ) as `y z`"), "k UInt8, `odd name` String, x UInt8, `y z` UInt64");
    EXPECT_EQ(headerOf("bitmapCardinality( b )"), "`bitmapCardinality( b )` UInt64");
}

TEST(Expressions, SayWhereTheyAreWrong)
{
    const auto error = [](std::string_view query) { return caught([&] { headerOf(query); }); };
    for (const std::string_view query : {"",          "k,",
                                         ", k",       "k k",
                                         "f(",        "f(k",
                                         "f(k,",      "f(k))",
                                         "(k",        "k)",
                                         "[1",        "[k]",
                                         "'open",     "`open",
                                         "``",        "k AS",
                                         "k AS 5",    "1 2",
                                         "5x",        "0x",
                                         "1.2.3",     "0x10000000000000000",
                                         "-",         "--5",
                                         "-k",        "'\\",
                                         "k;",        "$",
                                         "f(*)",      "WHERE",
                                         "k, FROM",   "NULL 5",
                                         "k =",       "= k",
                                         "k = 1 = 2", "k < = 1",
                                         "k AND",     "k OR OR k",
                                         "NOT",       "k NOT 5",
                                         "k IN ()",   "k IN (k)",
                                         "k IN (1,)", "k IN 1",
                                         "k IS 5",    "k ! 5"})
        EXPECT_EQ(error(query).code, ErrorCodes::SYNTAX_ERROR) << query;
    EXPECT_NE(error("k, f(k").text.find("Syntax error at position 7 (the end): expected ',' or ')'"), std::string::npos)
        << error("k, f(k").text;
    EXPECT_NE(error("k, ?").text.find("at position 4 ('?')"), std::string::npos) << error("k, ?").text;

    EXPECT_EQ(error("k, nowhere").code, ErrorCodes::UNKNOWN_IDENTIFIER);
    EXPECT_NE(error("k, nowhere").text.find("at position 4"), std::string::npos);
    EXPECT_EQ(error("bitmapCardinalit(b)").code, ErrorCodes::UNKNOWN_FUNCTION);
    EXPECT_EQ(error("bitmapCardinality()").code, ErrorCodes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH);
    EXPECT_EQ(error("bitmapCardinality(k)").code, ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT);
}

TEST(Expressions, AreNestedOnlySoFar)
{
    const auto nested = [](std::string_view open, std::string_view close, size_t depth) {
        std::string text;
        for (size_t i = 0; i < depth; ++i)
            text += open;
        text += "1";
        for (size_t i = 0; i < depth; ++i)
            text += close;
        return text;
    };
    const auto parse = [](const std::string & text) { return caught([&] { EXPECT_EQ(parseExpressions(text).size(), 1U); }).code; };
    EXPECT_EQ(parse(nested("f(", ")", MAX_EXPRESSION_DEPTH - 1)), 0);
    EXPECT_EQ(parse(nested("[", "]", MAX_EXPRESSION_DEPTH)), 0);
    for (const size_t depth : {MAX_EXPRESSION_DEPTH + 1, size_t{1000000}})
    {
        EXPECT_EQ(parse(nested("f(", ")", depth)), ErrorCodes::SYNTAX_ERROR);
        EXPECT_EQ(parse(nested("[", "]", depth)), ErrorCodes::SYNTAX_ERROR);
    }
}

TEST(Expressions, CompareByValue)
{
    EXPECT_EQ(evaluate("k = 1, k == 2, k != 1, k <> 1, k < 2, k <= 1, k > 1, k >= 2"), "1\t0\t0\t0\t1\t1\t0\t0\n0\t1\t1\t1\t0\t0\t1\t1\n");
    EXPECT_EQ(evaluate("`odd name` = 'x', `odd name` > 'x', 'a' < 'ab', 'b' < 'ab'"), "1\t0\t1\t0\n0\t1\t1\t0\n");
    /// Signs, widths, and integers that no double holds.
    for (const std::string_view truth :
         {"-1 < 18446744073709551615",
          "-1 != 255",
          "18446744073709551615 < 18446744073709551616",
          "18446744073709551615 > 1.8446744073709550e19",
          "9007199254740993 > 9007199254740992.0",
          "9007199254740993 != 9007199254740992.0",
          "-9223372036854775808 = -9223372036854775808.0",
          "-9223372036854775808 > -1e19",
          "3 > 2.5",
          "-3 < -2.5",
          "-2 > -2.5",
          "0 > -0.5",
          "0.0 = -0.0",
          "1.5 = 1.5",
          "[1, 2] < [1, 3]",
          "[1] < [1, 0]",
          "[] < [0]",
          "[300] > [2, 5]",
          "['a'] = ['a']",
          "[[1], [2]] != [[1], [3]]",
          "[-1] < [1.5]",
          "isNotNull(5)",
          "5 IS NOT NULL",
          "NOT 5 IS NULL"})
        EXPECT_EQ(evaluate(truth), "1\n1\n") << truth;
    for (const std::string_view query : {"k = 'x'", "b = b", "k = [1]", "[1] = ['x']", "[[1]] = [1]", "NOT 'x'", "k AND 1.5", "k IN ('x')"})
        EXPECT_EQ(caught([&] { headerOf(query); }).code, ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT) << query;
}

/// Types and values as the engine gives them (26.7).
TEST(Expressions, Calculate)
{
    const auto typeOf = [](const std::string & text, const std::string & structure) {
        return ExpressionList(parseExpressions(text), structureOf(structure), functions()).getHeader().at(0).type->getName();
    };
    EXPECT_EQ(typeOf("a + b", "a UInt8, b UInt8"), "UInt16");
    EXPECT_EQ(typeOf("a + b", "a UInt8, b Int8"), "Int16");
    EXPECT_EQ(typeOf("a * b", "a UInt16, b UInt16"), "UInt32");
    EXPECT_EQ(typeOf("a + b", "a UInt32, b UInt16"), "UInt64");
    EXPECT_EQ(typeOf("a + b", "a UInt64, b Int8"), "Int64");
    EXPECT_EQ(typeOf("a - b", "a UInt8, b UInt8"), "Int16");
    EXPECT_EQ(typeOf("a - b", "a UInt64, b UInt8"), "Int64");
    EXPECT_EQ(typeOf("a * b", "a Float32, b Float32"), "Float64");
    EXPECT_EQ(typeOf("a * b", "a Float32, b UInt64"), "Float64");
    EXPECT_EQ(typeOf("a * b", "a Nullable(UInt16), b Int32"), "Nullable(Int64)");
    EXPECT_EQ(evaluate("255 + 1, 200 * -2, 18446744073709551615 + 2, 18446744073709551615 + -1, 1 - 2"), "256\t-400\t1\t-2\t-1\n256\t-400\t1\t-2\t-1\n");
    EXPECT_EQ(evaluate("-9223372036854775808 - 1, 0.5 * 3, 1+2*3-4, 5 -3"), "9223372036854775807\t1.5\t3\t2\n9223372036854775807\t1.5\t3\t2\n");
    EXPECT_EQ(evaluate("k * k + 1, 10 - k - 1, 10 - (k - 1), k + 1 = 2, 2 * k > 3 AND NOT k - 1 = 0"), "2\t8\t10\t1\t0\n5\t7\t9\t0\t1\n");
    EXPECT_EQ(headerOf("k + 1, k*2 AS d"), "`k + 1` UInt16, d UInt16");
    EXPECT_EQ(evaluate("plus(k, 1), minus(k, 1), multiply(k, 3)"), "2\t0\t3\n3\t1\t6\n");
    for (const std::string_view query : {"k + 'x'", "[1] * 2", "b - 1"})
        EXPECT_EQ(caught([&] { headerOf(query); }).code, ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT) << query;
    for (const std::string_view query : {"k +", "k * * 2", "* 2", "k - -"})
        EXPECT_EQ(caught([&] { headerOf(query); }).code, ErrorCodes::SYNTAX_ERROR) << query;
    /// Chains are as bounded as parentheses are, also where both meet.
    std::string chain = "k";
    for (size_t i = 0; i < MAX_EXPRESSION_DEPTH; ++i)
        chain += "+1";
    EXPECT_EQ(evaluate(chain), "101\n102\n");
    EXPECT_EQ(caught([&] { headerOf(chain + "+1"); }).code, ErrorCodes::SYNTAX_ERROR);
    EXPECT_EQ(caught([&] { headerOf("(0 OR (" + chain + ")) + 1"); }).code, ErrorCodes::SYNTAX_ERROR);
    EXPECT_EQ(caught([&] { headerOf("equals(1, " + chain + ") * 2"); }).code, ErrorCodes::SYNTAX_ERROR);
}

TEST(Expressions, JoinTruthValues)
{
    EXPECT_EQ(evaluate("k = 1 OR k = 2 AND 0, (k = 1 OR k = 2) AND 0, NOT k = 1, NOT NOT k = 1"), "1\t0\t0\t1\n0\t0\t1\t0\n");
    EXPECT_EQ(evaluate("k IN (5, 1), k NOT IN (1, 300, -2), `odd name` in ('y', 'z'), 1.0 IN (1)"), "1\t0\t0\t1\n0\t1\t1\t1\n");
    EXPECT_EQ(evaluate("and(k, 0), or(0, 2), not(k), equals(k, 2), in(k, 1, 7)"), "0\t1\t0\t0\t1\n0\t1\t0\t1\t0\n");
    EXPECT_EQ(headerOf("k = 1 OR k > 5 as t"), "t UInt8");
    EXPECT_EQ(headerOf("( k = 1 )"), "`( k = 1 )` UInt8");
}

TEST(Expressions, KeepLargeIntegersAsFloats)
{
    EXPECT_EQ(headerOf("18446744073709551616 AS a, -9223372036854775809 AS b"), "a Float64, b Float64");
    EXPECT_EQ(
        evaluate("18446744073709551616, -9223372036854775809"),
        "18446744073709552000\t-9223372036854776000\n18446744073709552000\t-9223372036854776000\n");
}

namespace
{
/// The rows of a query over five rows in blocks of two, sorted ones behind the others.
std::string select(std::string_view text)
{
    constexpr std::string_view NUMBERS = "k UInt8, s String, x Int32";
    QueryExecutor executor(parseQuery(text), structureOf(NUMBERS), functions());
    std::vector<Block> results;
    const auto keep = [&](const Block & block) { results.push_back(block); };
    for (const std::string_view rows : {"3\tc\t-1\n1\ta\t5\n", "2\tb\t5\n5\te\t0\n", "4\td\t5\n"})
        if (!executor.isDone())
            executor.execute(blockOf(NUMBERS, rows), keep);
    executor.finish(keep);
    return results.empty() ? "" : rowsOf(results);
}
}

TEST(Queries, FilterSortAndCut)
{
    EXPECT_EQ(select("SELECT k FROM table WHERE x = 5"), "1\n2\n4\n");
    EXPECT_EQ(select("k WHERE x > 100"), "");
    EXPECT_EQ(select("k WHERE x"), "3\n1\n2\n4\n");
    EXPECT_EQ(select("select k order by k"), "1\n2\n3\n4\n5\n");
    EXPECT_EQ(select("s ORDER BY x DESC, k DESC"), "d\nb\na\ne\nc\n");
    EXPECT_EQ(select("s ORDER BY x DESC"), "a\nb\nd\ne\nc\n");
    EXPECT_EQ(select("s, k ORDER BY 2 ASC LIMIT 2"), "a\t1\nb\t2\n");
    EXPECT_EQ(select("s ORDER BY -1 < x, k DESC LIMIT 3 OFFSET 1"), "e\nd\nb\n");
    EXPECT_EQ(select("*, k ORDER BY 2 DESC LIMIT 1"), "5\te\t0\t5\n");
    EXPECT_EQ(select("k WHERE x + k > 6 ORDER BY k * -1"), "4\n2\n");
    EXPECT_EQ(select("k LIMIT 3"), "3\n1\n2\n");
    EXPECT_EQ(select("k LIMIT 2 OFFSET 1"), "1\n2\n");
    EXPECT_EQ(select("k LIMIT 10 OFFSET 4"), "4\n");
    EXPECT_EQ(select("k LIMIT 0"), "");
    EXPECT_EQ(select("k LIMIT 5 OFFSET 18446744073709551615"), "");
    EXPECT_EQ(select("k ORDER BY k LIMIT 18446744073709551615 OFFSET 4"), "5\n");
    EXPECT_EQ(select("* WHERE k IN (5, 3) ORDER BY s DESC"), "5\te\t0\n3\tc\t-1\n");
}

/// The types of ClickHouse (26.7): the least one above those of the elements.
TEST(Expressions, GiveArraysOfIntegersTheEnginesTypes)
{
    const auto typeOf = [](std::string_view text) { return headerOf(std::string(text) + " AS t"); };
    for (const auto & [literal, type] :
         {std::pair{"[1, -1]", "Int16"},
          {"[1, -1, 200]", "Int16"},
          {"[-1, 0]", "Int16"},
          {"[-1, 300]", "Int32"},
          {"[-1000, 5]", "Int16"},
          {"[-1000, 300]", "Int32"},
          {"[-1, 40000]", "Int32"},
          {"[-1, 70000]", "Int64"},
          {"[-1, 5000000000]", "Int64"},
          {"[1, 9223372036854775807, -1]", "Int64"},
          {"[-128, -1]", "Int8"},
          {"[-129]", "Int16"},
          {"[255]", "UInt8"},
          {"[256, 1]", "UInt16"},
          {"[18446744073709551615, 0]", "UInt64"},
          {"[-1, 1.5]", "Float64"}})
        EXPECT_EQ(typeOf(literal), std::string("t Array(") + type + ")") << literal;
    EXPECT_EQ(typeOf("[1, NULL, -1]"), "t Array(Nullable(Int16))");
    EXPECT_EQ(typeOf("[[1], [-1]]"), "t Array(Array(Int16))");
    EXPECT_EQ(typeOf("bitmapBuild([1, -1])"), "t AggregateFunction(groupBitmap, Int16)");
    EXPECT_EQ(typeOf("-1"), "t Int8");
    EXPECT_EQ(caught([&] { typeOf("[-1, 9223372036854775808]"); }).code, ErrorCodes::TYPE_MISMATCH);
}

/// All as ClickHouse gives it (26.7).
TEST(Expressions, KnowTheLiteralNull)
{
    const auto twice = [](const std::string & row) { return row + row; };
    EXPECT_EQ(evaluate("NULL, null = 1, 'a' < NULL, NULL + 1, NULL IN (1, 2), [1] = NULL"), twice("\\N\t\\N\t\\N\t\\N\t\\N\t\\N\n"));
    EXPECT_EQ(evaluate("0 AND NULL, 1 OR NULL, 1 AND NULL, NOT NULL, NULL IS NULL, NULL IS NOT NULL"), twice("0\t1\t\\N\t\\N\t1\t0\n"));
    EXPECT_EQ(
        evaluate("2 IN (1, NULL), 1 IN (1, NULL), 2 NOT IN (1, NULL), 2 IN (NULL), 2 NOT IN (NULL), NULL IN (NULL)"),
        twice("0\t1\t1\t0\t1\t\\N\n"));
    EXPECT_EQ(evaluate("[1, NULL], [NULL, 'a'], [[1], [NULL], []], [NULL]"), twice("[1,NULL]\t[NULL,'a']\t[[1],[NULL],[]]\t[NULL]\n"));
    EXPECT_EQ(
        headerOf("NULL AS a, 1 = NULL AS b, NULL * 2 AS c, 0 AND NULL AS d, NOT NULL AS e, NULL IN (1) AS f, 2 IN (1, NULL) AS g, 2 IN (NULL) AS h"),
        "a Nullable(Nothing), b Nullable(Nothing), c Nullable(Nothing), d Nullable(UInt8), e Nullable(Nothing), f Nullable(Nothing), g UInt8, h UInt8");
    EXPECT_EQ(
        headerOf("[1, NULL] AS a, ['a', NULL] AS b, [[1], [NULL]] AS c, [NULL] AS d"),
        "a Array(Nullable(UInt8)), b Array(Nullable(String)), c Array(Array(Nullable(UInt8))), d Array(Nullable(Nothing))");
    EXPECT_EQ(caught([] { evaluate("[[1], NULL]"); }).code, ErrorCodes::TYPE_MISMATCH);
    EXPECT_EQ(caught([] { evaluate("bitmapBuild([1, NULL])"); }).code, ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT);
    EXPECT_EQ(caught([] { evaluate("nowhere = NULL"); }).code, ErrorCodes::UNKNOWN_IDENTIFIER);
}

TEST(Queries, KnowNull)
{
    constexpr std::string_view NULLS = "k UInt8, x Nullable(Int32), s Nullable(String)";
    const auto selectNulls = [&](std::string_view text) {
        QueryExecutor executor(parseQuery(text), structureOf(NULLS), functions());
        std::vector<Block> results;
        const auto keep = [&](const Block & block) { results.push_back(block); };
        executor.execute(blockOf(NULLS, "1\t5\ta\n2\t\\N\tb\n3\t-1\t\\N\n4\t0\t\\N\n"), keep);
        executor.finish(keep);
        return results.empty() ? "" : rowsOf(results);
    };
    EXPECT_EQ(selectNulls("x = 5, x != 5, x < k, s = 'a', x IN (5, 0), x NOT IN (5)"), "1\t0\t0\t1\t1\t0\n\\N\t\\N\t\\N\t0\t\\N\t\\N\n0\t1\t1\t\\N\t0\t1\n0\t1\t1\t\\N\t1\t1\n");
    EXPECT_EQ(selectNulls("x AND 1, x AND 0, x OR 1, x OR 0, NOT x"), "1\t0\t1\t1\t0\n\\N\t0\t1\t\\N\t\\N\n1\t0\t1\t1\t0\n0\t0\t1\t0\t1\n");
    EXPECT_EQ(selectNulls("x IS NULL, x IS NOT NULL, k IS NULL"), "0\t1\t0\n1\t0\t0\n0\t1\t0\n0\t1\t0\n");
    EXPECT_EQ(selectNulls("x + k, x * 2 - 1"), "6\t9\n\\N\t\\N\n2\t-3\n4\t-1\n");
    EXPECT_EQ(selectNulls("k WHERE x"), "1\n3\n");
    EXPECT_EQ(selectNulls("k WHERE NULL"), "");
    EXPECT_EQ(selectNulls("k WHERE s = NULL OR k = 2;"), "2\n");
    EXPECT_EQ(selectNulls("k ORDER BY NULL, k DESC LIMIT 1"), "4\n");
    EXPECT_EQ(selectNulls("k WHERE x <= 0 OR s = 'b'"), "2\n3\n4\n");
    EXPECT_EQ(selectNulls("k WHERE NOT x = 5"), "3\n4\n");
    EXPECT_EQ(selectNulls("k ORDER BY x"), "3\n4\n1\n2\n");
    EXPECT_EQ(selectNulls("k ORDER BY s, k DESC"), "1\n2\n4\n3\n");
}

/// As ClickHouse has it (26.7): NULL for NULL where the result can be Nullable; elsewhere the default takes its place. Functions are not called for
/// NULL: the bytes of none are no state.
TEST(Queries, FunctionsTakeNull)
{
    constexpr std::string_view NULLS = "a Array(UInt32), x Nullable(UInt32), s Nullable(String), b AggregateFunction(groupBitmap, UInt32)";
    const auto selectNulls = [&](std::string_view text) {
        QueryExecutor executor(parseQuery(text), structureOf(NULLS), functions());
        std::vector<Block> results;
        const auto keep = [&](const Block & block) { results.push_back(block); };
        executor.execute(
            blockOf(
                NULLS,
                "[1,2]\t1\t\\0\\0\t\\0\\0\n"
                "[0,7]\t\\N\t\\N\t\\0\\0\n"
                "[9]\t0\t\\0\\0\t\\0\\0\n"),
            keep);
        executor.finish(keep);
        return rowsOf(results);
    };
    const auto typeOf = [&](std::string_view text) {
        return QueryExecutor(parseQuery(text), structureOf(NULLS), functions()).getHeader().at(0).type->getName();
    };
    EXPECT_EQ(selectNulls("bitmapContains(bitmapBuild(a), x), bitmapRank(bitmapBuild(a), x)"), "1\t1\n\\N\t\\N\n0\t0\n");
    EXPECT_EQ(typeOf("bitmapContains(bitmapBuild(a), x)"), "Nullable(UInt8)");
    EXPECT_EQ(selectNulls("bitmapSelect(bitmapBuild(a), x) LIMIT 2"), "2\n\\N\n");
    EXPECT_EQ(selectNulls("bitmapIsValid(s, 'UInt32')"), "1\n\\N\n1\n");
    EXPECT_EQ(selectNulls("bitmapToArray(bitmapSubsetInRange(bitmapBuild(a), x, 5))"), "[1,2]\n[0]\n[]\n");
    EXPECT_EQ(typeOf("bitmapSubsetInRange(b, x, 5)"), "AggregateFunction(groupBitmap, UInt32)");
    EXPECT_EQ(selectNulls("bitmapContains(bitmapBuild(a), NULL), bitmapAnd(NULL, b), bitmapContains([1], NULL) LIMIT 1"), "\\N\t\\N\t\\N\n");
    EXPECT_EQ(typeOf("bitmapAnd(b, NULL)"), "Nullable(Nothing)");
    EXPECT_EQ(caught([&] { selectNulls("bitmapAnd(b, x)"); }).code, ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT);
}

TEST(Queries, UseAliases)
{
    EXPECT_EQ(select("k > 2 AS big, NOT big AS small WHERE big ORDER BY s DESC LIMIT 1"), "1\t0\n");
    /// A column comes before an alias, except as a whole sort key.
    EXPECT_EQ(select("x AS k, k AS x WHERE k > 3"), "0\t5\n5\t4\n");
    EXPECT_EQ(select("x AS k, s ORDER BY k, s"), "-1\tc\n0\te\n5\ta\n5\tb\n5\td\n");
}

TEST(Queries, KeepOnlyWhatMayBeGiven)
{
    /// More rows than are kept at once: those of the smallest keys come out, equal ones in the order of the input.
    constexpr std::string_view NUMBERS = "k UInt32, x UInt32";
    QueryExecutor executor(parseQuery("x ORDER BY k LIMIT 3 OFFSET 2"), structureOf(NUMBERS), functions());
    std::vector<Block> results;
    const auto keep = [&](const Block & block) { results.push_back(block); };
    for (UInt32 b = 0; b < 5; ++b)
    {
        std::string rows;
        for (UInt32 i = 0; i < 20000; ++i)
            rows += std::to_string((i * 7919 + 5 - b) % 20000 / 2) + '\t' + std::to_string(b * 20000 + i) + '\n';
        executor.execute(blockOf(NUMBERS, rows), keep);
    }
    EXPECT_TRUE(results.empty());
    executor.finish(keep);
    /// Two rows of each block have key 0; the first two are passed over.
    std::string expected;
    for (UInt32 b = 1; b < 3; ++b)
        for (UInt32 i = 0; i < 20000; ++i)
            if ((i * 7919 + 5 - b) % 20000 / 2 == 0 && std::count(expected.begin(), expected.end(), '\n') < 3)
                expected += std::to_string(b * 20000 + i) + '\n';
    EXPECT_EQ(rowsOf(results), expected);
}

TEST(Queries, SayWhereTheyAreWrong)
{
    const auto error = [](std::string_view query) { return caught([&] { select(query); }); };
    for (const std::string_view query :
         {"k WHERE",
          "k WHERE k =",
          "k ORDER k",
          "k ORDER BY",
          "k ORDER BY k UP",
          "k LIMIT",
          "k LIMIT -1",
          "k LIMIT 1.5",
          "k LIMIT 'a'",
          "k LIMIT 1, 2",
          "k LIMIT 1 OFFSET",
          "k LIMIT 1 LIMIT 2",
          "k ORDER BY k WHERE k",
          "k FROM elsewhere",
          "SELECT",
          "SELECT SELECT k"})
        EXPECT_EQ(error(query).code, ErrorCodes::SYNTAX_ERROR) << query;
    for (const std::string_view query : {"k WHERE s", "k WHERE 1.5", "k ORDER BY bitmapBuild([1])", "k ORDER BY 2", "k ORDER BY 0"})
        EXPECT_EQ(error(query).code, ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT) << query;
    EXPECT_EQ(error("k WHERE nowhere = 1").code, ErrorCodes::UNKNOWN_IDENTIFIER);
    EXPECT_EQ(
        caught([] { QueryExecutor(parseQuery("k ORDER BY b"), structureOf(STRUCTURE), functions()); }).code,
        ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT);
}

TEST(Queries, PointAtTheirErrors)
{
    const auto excerpt = [](std::string_view query) {
        try
        {
            showingErrorsIn(query, [&] { QueryExecutor(parseQuery(query), structureOf(STRUCTURE), functions()); });
        }
        catch (const QueryError & e)
        {
            return e.excerpt();
        }
        return std::string("no error");
    };
    EXPECT_EQ(excerpt("k, f(k"), "k, f(k\n      ^");
    EXPECT_EQ(excerpt("k, nowhere"), "k, nowhere\n   ^");
    EXPECT_EQ(excerpt("k, bitmapCardinality(k) WHERE 1"), "k, bitmapCardinality(k) WHERE 1\n   ^");
    EXPECT_EQ(excerpt("k = 'x'"), "k = 'x'\n  ^");
    EXPECT_EQ(excerpt("k\nWHERE\tk ?\nLIMIT 1"), "WHERE k ?\n        ^");
    EXPECT_EQ(excerpt("'\xC3\xA4', ?"), "'\xC3\xA4', ?\n     ^");
    EXPECT_EQ(excerpt(""), "\n^");
    /// Of a long line only what is around the place.
    const std::string text = "k = 'x" + std::string(200, 'y') + "' OR ? OR " + std::string(200, 'z');
    EXPECT_EQ(excerpt(text), std::string(55, 'y') + "' OR ? OR " + std::string(35, 'z') + '\n' + std::string(60, ' ') + '^');
}

TEST(Structures, AreNamesAndTypes)
{
    const NamesAndTypes structure
        = structureOf(" script String,`a b` AggregateFunction( countMinSketch(5, 272, 9001, 'libcxx') , String ) , x Array(UInt8)");
    ASSERT_EQ(structure.size(), 3U);
    EXPECT_EQ(structure[1].name, "a b");
    EXPECT_EQ(structure[1].type->getName(), "AggregateFunction(countMinSketch(5, 272, 9001, 'libcxx'), String)");
    EXPECT_EQ(structure[2].type->getName(), "Array(UInt8)");
    for (const std::string_view text : {"", "a", "a,", "a UInt8,", "UInt8", "a UInt8, a UInt8", "a UInt8)", "5 UInt8"})
        EXPECT_EQ(caught([&] { structureOf(text); }).code, ErrorCodes::SYNTAX_ERROR) << text;
    EXPECT_EQ(caught([&] { structureOf("a Unit8"); }).code, ErrorCodes::UNKNOWN_TYPE);
}

TEST(Aggregates, AreFunctionsParametersArgumentsAndNames)
{
    const std::vector<AggregateNode> nodes
        = parseAggregates("groupBitmap(v), countMinSketch(5, 2719, 9001, 'libcxx')(`a b`, w) AS s, f(-1, 0.5)() as g");
    ASSERT_EQ(nodes.size(), 3U);
    EXPECT_EQ(nodes[0].function, "groupBitmap");
    EXPECT_EQ(nodes[0].argument_names, std::vector<std::string>{"v"});
    EXPECT_EQ(nodes[0].result_name, "groupBitmap(v)");
    EXPECT_EQ(nodes[1].parameters, (Array{UInt64{5}, UInt64{2719}, UInt64{9001}, std::string("libcxx")}));
    EXPECT_EQ(nodes[1].argument_names, (std::vector<std::string>{"a b", "w"}));
    EXPECT_EQ(nodes[1].result_name, "s");
    EXPECT_EQ(nodes[2].parameters, (Array{Int64{-1}, 0.5}));
    EXPECT_TRUE(nodes[2].argument_names.empty());
    for (const std::string_view text : {"", "f", "f(", "f(v", "f(v)(w)", "f(5)", "f(5)(6)", "f([1])(v)", "f(v) AS", "f(v),", "f(g(v))"})
        EXPECT_EQ(caught([&] { static_cast<void>(parseAggregates(text)); }).code, ErrorCodes::SYNTAX_ERROR) << text;
    EXPECT_TRUE(parseNames("").empty());
    EXPECT_EQ(parseNames(" a , `b c`"), (std::vector<std::string>{"a", "b c"}));
    EXPECT_EQ(caught([] { static_cast<void>(parseNames("a,")); }).code, ErrorCodes::SYNTAX_ERROR);
}
