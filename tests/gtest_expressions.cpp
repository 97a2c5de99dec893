#include "FormatTests.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Functions/FunctionFactory.h>
#include <statewire/Interpreters/ExpressionList.h>

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
    return rowsOf({ ExpressionList(parseExpressions(query), block.getNamesAndTypes(), functions()).execute(block) });
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
        headerOf("[1, 300] AS a, [-1, 127] AS b, [-1, 128] AS c, [1, 1.5] AS d, ['x', ''] AS e, [[1], [-1, 2]] AS f, [[], [1000]] AS g"),
        "a Array(UInt16), b Array(Int8), c Array(Int16), d Array(Float64), e Array(String), f Array(Array(Int8)), g Array(Array(UInt16))");
    EXPECT_EQ(evaluate("[[], [1000]], [-1, 1.5]"), "[[],[1000]]\t[-1,1.5]\n[[],[1000]]\t[-1,1.5]\n");
    for (const std::string_view query : { "[1, 'x']", "[1, [1]]", "[-1, 18446744073709551615]" })
        EXPECT_EQ(caught([&] { headerOf(query); }).code, ErrorCodes::TYPE_MISMATCH) << query;
}

TEST(Expressions, NameTheirResults)
{
    EXPECT_EQ(headerOf("k, `odd name`, k AS x, bitmapCardinality( b ) as `y z`"), "k UInt8, `odd name` String, x UInt8, `y z` UInt64");
    EXPECT_EQ(headerOf("bitmapCardinality( b )"), "`bitmapCardinality( b )` UInt64");
}

TEST(Expressions, SayWhereTheyAreWrong)
{
    const auto error = [](std::string_view query) { return caught([&] { headerOf(query); }); };
    for (const std::string_view query : { "",
                                          "k,",
                                          ", k",
                                          "k k",
                                          "f(",
                                          "f(k",
                                          "f(k,",
                                          "f(k))",
                                          "(k)",
                                          "[1",
                                          "[k]",
                                          "'open",
                                          "`open",
                                          "``",
                                          "k AS",
                                          "k AS 5",
                                          "1 2",
                                          "5x",
                                          "0x",
                                          "1.2.3",
                                          "18446744073709551616",
                                          "-9223372036854775809",
                                          "-",
                                          "--5",
                                          "-k",
                                          "'\\q'",
                                          "k;",
                                          "$",
                                          "f(*)" })
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
    for (const size_t depth : { MAX_EXPRESSION_DEPTH + 1, size_t { 1000000 } })
    {
        EXPECT_EQ(parse(nested("f(", ")", depth)), ErrorCodes::SYNTAX_ERROR);
        EXPECT_EQ(parse(nested("[", "]", depth)), ErrorCodes::SYNTAX_ERROR);
    }
}

TEST(Structures, AreNamesAndTypes)
{
    const NamesAndTypes structure
        = structureOf(" script String,`a b` AggregateFunction( countMinSketch(5, 272, 9001, 'libcxx') , String ) , x Array(UInt8)");
    ASSERT_EQ(structure.size(), 3U);
    EXPECT_EQ(structure[1].name, "a b");
    EXPECT_EQ(structure[1].type->getName(), "AggregateFunction(countMinSketch(5, 272, 9001, 'libcxx'), String)");
    EXPECT_EQ(structure[2].type->getName(), "Array(UInt8)");
    for (const std::string_view text : { "", "a", "a,", "a UInt8,", "UInt8", "a UInt8, a UInt8", "a UInt8)", "5 UInt8" })
        EXPECT_EQ(caught([&] { structureOf(text); }).code, ErrorCodes::SYNTAX_ERROR) << text;
    EXPECT_EQ(caught([&] { structureOf("a Unit8"); }).code, ErrorCodes::UNKNOWN_TYPE);
}

TEST(Aggregates, AreFunctionsParametersArgumentsAndNames)
{
    const std::vector<AggregateNode> nodes
        = parseAggregates("groupBitmap(v), countMinSketch(5, 2719, 9001, 'libcxx')(`a b`, w) AS s, f(-1, 0.5)() as g");
    ASSERT_EQ(nodes.size(), 3U);
    EXPECT_EQ(nodes[0].function, "groupBitmap");
    EXPECT_EQ(nodes[0].argument_names, std::vector<std::string> { "v" });
    EXPECT_EQ(nodes[0].result_name, "groupBitmap(v)");
    EXPECT_EQ(nodes[1].parameters, (Array { UInt64 { 5 }, UInt64 { 2719 }, UInt64 { 9001 }, std::string("libcxx") }));
    EXPECT_EQ(nodes[1].argument_names, (std::vector<std::string> { "a b", "w" }));
    EXPECT_EQ(nodes[1].result_name, "s");
    EXPECT_EQ(nodes[2].parameters, (Array { Int64 { -1 }, 0.5 }));
    EXPECT_TRUE(nodes[2].argument_names.empty());
    for (const std::string_view text : { "", "f", "f(", "f(v", "f(v)(w)", "f(5)", "f(5)(6)", "f([1])(v)", "f(v) AS", "f(v),", "f(g(v))" })
        EXPECT_EQ(caught([&] { static_cast<void>(parseAggregates(text)); }).code, ErrorCodes::SYNTAX_ERROR) << text;
    EXPECT_TRUE(parseNames("").empty());
    EXPECT_EQ(parseNames(" a , `b c`"), (std::vector<std::string> { "a", "b c" }));
    EXPECT_EQ(caught([] { static_cast<void>(parseNames("a,")); }).code, ErrorCodes::SYNTAX_ERROR);
}
