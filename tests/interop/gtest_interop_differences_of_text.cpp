#include "DifferenceChecks.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

/** The rows about text formats; gtest_interop_differences.cpp asks for them. */

using namespace DB;

namespace statewire_tests
{

std::map<std::string, Check> checksOfText()
{
    std::map<std::string, Check> checks;
    checks["numbers in text beyond their type's range, an empty one in TabSeparated, JSON or a tuple"] = [](Engine & engine) {
              struct Case
              {
                  const char * format;
                  const char * type;
                  const char * text;
                  const char * answer;
              };
              for (const Case & one :
                   {Case{"TSV", "UInt8", "300\n", "44"},
                    {"TSV", "UInt64", "18446744073709551616\n", "0"},
                    {"CSV", "UInt8", "300\n", "44"},
                    {"JSONEachRow", "UInt8", "{\"x\":300}", "44"},
                    {"JSONEachRow", "UInt8", "{\"x\":\"\"}", "0"}})
              {
                  EXPECT_EQ(theirsOfText(engine, one.format, std::string("x ") + one.type, one.text), one.answer) << one.text;
                  EXPECT_EQ(ofText(one.format, std::string("x ") + one.type, one.text), "error 72") << one.text;
              }
              EXPECT_EQ(theirsOfText(engine, "TSV", "x UInt8, s String", "\ta\n"), "0\ta");
              EXPECT_EQ(ofText("TSV", "x UInt8, s String", "\ta\n"), "error 72");
          };
    checks["`\\N` inside a text, `\\x` without two hexadecimal digits"] = [](Engine & engine) {
        EXPECT_EQ(theirsOfText(engine, "TSV", "x String", "a\\Nb\n"), "ab");
        EXPECT_NE(theirsOfText(engine, "TSV", "x String", "a\\xZZb\n").substr(0, 5), "error");
        EXPECT_EQ(ofText("TSV", "x String", "a\\Nb\n"), "error 25");
        EXPECT_EQ(ofText("TSV", "x String", "a\\xZZb\n"), "error 25");
    };
    checks["a field in CSV whose quote is not closed"] = [](Engine & engine) {
        EXPECT_EQ(theirsOfText(engine, "CSV", "x String", "\"abc"), "abc");
        EXPECT_EQ(ofText("CSV", "x String", "\"abc"), "error 27");
    };
    checks["NULL in an array or tuple of a type without it"]
        = checks["a comma behind the last element of an array or tuple, or before the first one"] = [](Engine & engine) {
              EXPECT_EQ(theirsOfText(engine, "TSV", "x Array(UInt8)", "[1,2,]\n"), "[1,2]");
              EXPECT_EQ(theirsOfText(engine, "TSV", "x Array(UInt8)", "[1,NULL]\n"), "[1,0]");
              EXPECT_EQ(theirsOfText(engine, "JSONEachRow", "x Array(UInt8)", "{\"x\":[1,null]}"), "[1,0]");
              EXPECT_EQ(ofText("TSV", "x Array(UInt8)", "[1,2,]\n").substr(0, 5), "error");
              EXPECT_EQ(ofText("TSV", "x Array(UInt8)", "[1,NULL]\n").substr(0, 5), "error");
              EXPECT_EQ(ofText("JSONEachRow", "x Array(UInt8)", "{\"x\":[1,null]}"), "[1,0]");
          };
    checks["a wanted column that a header does not have"] = [](Engine & engine) {
        EXPECT_EQ(theirsOfText(engine, "TSVWithNames", "x UInt8, y UInt8", "x\n1\n"), "1\t0");
        EXPECT_EQ(theirsOfText(engine, "JSONEachRow", "x UInt8, y UInt8", "{\"x\":1}"), "1\t0");
        EXPECT_EQ(ofText("TSVWithNames", "x UInt8, y UInt8", "x\n1\n"), "error 47");
        EXPECT_EQ(ofText("JSONEachRow", "x UInt8, y UInt8", "{\"x\":1}"), "1\t0");
    };
    checks["CSV and TabSeparated files whose first row is a header"] = [](Engine & engine) {
        EXPECT_EQ(theirsOfText(engine, "CSV", "x UInt8, y String", "x,y\n1,a\n"), "1\ta");
        EXPECT_EQ(theirsOfText(engine, "TSV", "x UInt8, y String", "x\ty\n1\ta\n"), "1\ta");
        EXPECT_EQ(ofText("CSV", "x UInt8, y String", "x,y\n1,a\n").substr(0, 5), "error");
        EXPECT_EQ(ofText("TSV", "x UInt8, y String", "x\ty\n1\ta\n").substr(0, 5), "error");
        EXPECT_EQ(ofText("CSVWithNames", "x UInt8, y String", "x,y\n1,a\n"), "1\ta");
    };
    checks["days that no calendar has, times and days beyond their type's range in text"] = [](Engine & engine) {
        EXPECT_EQ(theirsOfText(engine, "TSV", "x Date", "2020-02-31\n"), "2020-03-02");
        EXPECT_EQ(theirsOfText(engine, "TSV", "x Date", "2200-01-01\n"), "2149-06-06");
        EXPECT_EQ(theirsOfText(engine, "TSV", "x DateTime", "2200-01-01 00:00:00\n").substr(0, 4), "2106");
        EXPECT_EQ(ofText("TSV", "x Date", "2020-02-31\n"), "error 38");
        EXPECT_EQ(ofText("TSV", "x Date", "2200-01-01\n"), "error 38");
        EXPECT_EQ(ofText("TSV", "x DateTime", "2200-01-01 00:00:00\n"), "error 41");
    };
    checks["`DateTime` without a time zone in text"] = [](Engine & engine) {
        const std::string from = " FROM format(TSV, 'x DateTime', '2020-01-01 00:00:00') SETTINGS session_timezone = 'Asia/Tokyo'";
        EXPECT_EQ(theirs(engine, "toUnixTimestamp(x)" + from), "1577804400");
        /// 1577836800, which is the same day in UTC.
        EXPECT_EQ(
            answerOf([] {
                const NamesAndTypes structure = structureOf("x DateTime");
                return toHex(writeBlocks("RowBinary", structure, readBlocks("TSV", "2020-01-01 00:00:00\n", structure)));
            }),
            "00e10b5e");
    };
    checks["`DateTime('Zone')` in Native"] = [](Engine & engine) {
        EXPECT_EQ(
            engine.query("SELECT toDateTime(0, 'Asia/Tokyo') AS x", "Native"),
            std::string(
                "\1\1\1x\x08"
                "DateTime\0\0\0\0",
                17));
        const std::string ours = answerOf([] {
            const NamesAndTypes structure = structureOf("x DateTime('Asia/Tokyo')");
            return writeBlocks("Native", structure, readBlocks("RowBinary", std::string(4, '\0'), structure));
        });
        EXPECT_NE(ours.find("DateTime('Asia/Tokyo')"), std::string::npos);
    };
    checks["two signs before a number"] = [](Engine & engine) {
        EXPECT_EQ(theirsOfText(engine, "TSV", "x Float64", "+-5\n"), "-5");
        EXPECT_EQ(ofText("TSV", "x Float64", "+-5\n"), "error 72");
    };
    checks["leading zeros and a plus sign of integers in TabSeparated"] = [](Engine & engine) {
        for (const char * text : {"007\n", "+7\n"})
        {
            EXPECT_EQ(theirsOfText(engine, "TSV", "x Int32", text), "error 27");
            EXPECT_EQ(theirsOfText(engine, "CSV", "x Int32", text), "7");
            EXPECT_EQ(ofText("TSV", "x Int32", text), "7");
            EXPECT_EQ(ofText("CSV", "x Int32", text), "7");
        }
    };
    checks["expressions in Values, 1.5 or 1e2 for an integer there, a quoted array, numbers for strings of an array, a quoted text that is no number "
           "for Nullable"]
        = [](Engine & engine) {
              for (const auto & [text, answer] : {std::pair{"(1+1)", "2"}, {"(1.5)", "1"}, {"(1e2)", "100"}})
              {
                  EXPECT_EQ(theirsOfText(engine, "Values", "x UInt8", text), answer);
                  EXPECT_EQ(ofText("Values", "x UInt8", text), "error 72") << text;
              }
              EXPECT_EQ(theirsOfText(engine, "Values", "x Array(UInt8)", "('[1,2]')"), "[1,2]");
              EXPECT_EQ(theirsOfText(engine, "Values", "x Array(String)", "([1,2])"), "['1','2']");
              EXPECT_EQ(theirsOfText(engine, "Values", "x Nullable(UInt8)", "('abc')"), "\\N");
              EXPECT_EQ(ofText("Values", "x Nullable(UInt8)", "('abc')"), "error 72");
              EXPECT_EQ(ofText("Values", "x Array(UInt8)", "('[1,2]')"), "error 27");
              EXPECT_EQ(ofText("Values", "x Array(String)", "([1,2])"), "error 27");
          };
    checks["bytes behind the bracket of an array in CSV"] = [](Engine & engine) {
        EXPECT_EQ(theirsOfText(engine, "CSV", "x Array(UInt8)", "\"[1,2]xyz\"\n"), "[1,2]");
        EXPECT_EQ(ofText("CSV", "x Array(UInt8)", "\"[1,2]xyz\"\n"), "error 27");
    };
    checks["tuples in CSV"] = [](Engine & engine) {
        const std::string structure = "x Tuple(UInt8, String), y UInt8";
        EXPECT_EQ(engine.query("SELECT (1, 'a') AS x, 2 AS y", "CSV"), "1,\"a\",2\n");
        EXPECT_EQ(theirsOfText(engine, "CSV", structure, "1,a,2\n"), "(1,'a')\t2");
        EXPECT_EQ(ofText("CSV", structure, "\"(1,'a')\",2\n"), "(1,'a')\t2");
    };
    return checks;
}

}
