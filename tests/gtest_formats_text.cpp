#include "AllocationCounter.h"
#include "FormatTests.h"
#include "TornReadBuffer.h"
#include "Vectors.h"

#include <statewire/Columns/ColumnString.h>
#include <statewire/Common/ErrorCodes.h>
#include <statewire/DataTypes/parseDataType.h>
#include <statewire/Formats/EncodedStates.h>

#include <random>

using namespace DB;
using namespace statewire_tests;

/** CSV, JSONEachRow, Values, TabSeparatedRaw and the tables for people: what the engine (26.7) was seen to take and to write, and where we are stricter. */
namespace
{
struct Case
{
    std::string_view text;
    /// Rows as TabSeparated; unused when code is not 0.
    std::string_view rows;
    int code = 0;
};

void check(std::string_view format, std::string_view structure, std::initializer_list<Case> cases, const FormatSettings & settings = {})
{
    for (const Case & c : cases)
        for (const size_t piece : {size_t{1}, size_t{3}, size_t{4096}})
        {
            SCOPED_TRACE(std::string(format) + " " + std::string(c.text) + " in pieces of " + std::to_string(piece));
            TornReadBuffer in(c.text, piece);
            std::string rows;
            const Caught error = caught([&] { rows = rowsOf(readBlocks(format, in, structureOf(structure), settings)); });
            EXPECT_EQ(error.code, c.code) << error.text;
            if (c.code == 0)
            {
                EXPECT_EQ(rows, c.rows);
            }
            else
            {
                EXPECT_NE(error.text.find(", at byte "), std::string::npos) << error.text;
            }
        }
}

std::string allBytes()
{
    std::string bytes;
    for (int i = 0; i < 256; ++i)
        bytes += static_cast<char>(i);
    return bytes;
}

Block stringBlock(const std::vector<std::string> & values)
{
    const DataTypePtr type = parseDataType("String");
    MutableColumnPtr column = type->createColumn();
    for (const std::string & value : values)
        static_cast<ColumnString &>(*column).insert(value);
    Block block;
    block.insert({std::move(column), type, "s"});
    return block;
}

std::string writeWith(std::string_view format, const Block & block, const FormatSettings & settings)
{
    std::string bytes;
    WriteBufferFromString out(bytes);
    const auto writer = createOutputFormat(format, out, block.getNamesAndTypes(), settings);
    writer->write(block);
    writer->finalize();
    out.finalize();
    return bytes;
}

std::vector<Block> readWith(std::string_view format, std::string_view bytes, std::string_view structure, const FormatSettings & settings)
{
    ReadBufferFromMemory in(bytes);
    return readBlocks(format, in, structureOf(structure), settings);
}

constexpr int TOO_FEW = ErrorCodes::CANNOT_PARSE_INPUT_ASSERTION_FAILED;
constexpr int NO_NUMBER = ErrorCodes::CANNOT_PARSE_NUMBER;
constexpr int BAD_DATA = ErrorCodes::INCORRECT_DATA;
}

TEST(CSV, TakesWhatClickHouseTakes)
{
    check(
        "CSV",
        "s String",
        {
            {"abc\n", "abc\n"},
            {"\"abc\"\n", "abc\n"},
            {"'abc'\n", "\\'abc\\'\n"},
            {"\"a\"\"b\"\n", "a\"b\n"},
            {"a\"b\n", "a\"b\n"},
            {" abc \n", "abc\n"},
            {"\t\"abc\" \n", "abc\n"},
            {"\"a\nb\"\n", "a\\nb\n"},
            {"\n", "\n"},
            {"\"\"\n", "\n"},
            {"a\r\n", "a\n"},
            {"\"a\"\r\n", "a\n"},
            {"\\N\n", "\n"},
            {"\"\\N\"\n", "\\\\N\n"},
            {"a", "a\n"},
            {"a\rb\n", "a\\rb\n"},
            {"a\r", "a\n"},
            {"\"a\r\nb\"\n", "a\\r\\nb\n"},
            {"a,\n", "a\n"},
            {"\"a\",\n", "a\n"},
            {"a\\tb\n", "a\\\\tb\n"},
            {"NULL\n", "NULL\n"},
            {"\"\"\"\"\n", "\"\n"},
            {"\"\"\"a\"\"\"\n", "\"a\"\n"},
            {"", ""},
        });
    check(
        "CSV",
        "a UInt8, s String, c UInt8",
        {
            {"1,abc,2\n", "1\tabc\t2\n"},
            {"1,abc,2,\n", "1\tabc\t2\n"},
            {",,\n", "0\t\t0\n"},
            {"1,\"a,b\",2\n", "1\ta,b\t2\n"},
            {" 1 , x , 2 \n", "1\tx\t2\n"},
            {"\"1\",\"x\",'2'\n", "1\tx\t2\n"},
            {"1,x,2\r\n3,y,4\r\n", "1\tx\t2\n3\ty\t4\n"},
            {"1,x,+2\n", "1\tx\t2\n"},
            {"1,x,\\N\n", "1\tx\t0\n"},
            {"1,abc\n", "", TOO_FEW},
            {"1\n", "", TOO_FEW},
            {"1,abc,2,3\n", "", BAD_DATA},
            {"1;x;2\n", "", NO_NUMBER},
            {"\n1,x,2\n", "", TOO_FEW},
            {"1,x,2\n\n", "", TOO_FEW},
            {"1,\"x\"y,2\n", "", TOO_FEW},
            {"1,\"x,2\n", "", TOO_FEW},
            {"1,x,256\n", "", NO_NUMBER},
            {"1,x,2.0\n", "", NO_NUMBER},
            {"1,\"x\"\r2\n", "", BAD_DATA},
        });
    check(
        "CSV",
        "n Array(UInt8), t Array(String)",
        {
            {"\"[1,2]\",\"['a','b''c']\"\n", "[1,2]\t['a','b\\'c']\n"},
            {"[1],[]\n", "[1]\t[]\n"},
            {"\"[]\",\"['x\"\"y']\"\n", "[]\t['x\"y']\n"},
            {"\"[1, 2]\",\"['a\\nb']\"\n", "[1,2]\t['a\\nb']\n"},
            {",\n", "[]\t[]\n"},
            {"'[1]',[]\n", "", TOO_FEW},
        });
    check("CSV", "f Float64, g Float32", {{"1.5,\"nan\"\n", "1.5\tnan\n"}, {"inf, -inf\n", "inf\t-inf\n"}, {",\n", "0\t0\n"}});
    check(
        "CSV",
        "b AggregateFunction(groupBitmap, UInt8)",
        {
            {"\\N\n", "\\0\\0\n"},
            {"\n", "\\0\\0\n"},
            {std::string_view("\"\0\0\"\n", 5), "\\0\\0\n"},
            {std::string_view("\0\0\n", 3), "\\0\\0\n"},
            {std::string_view("\"\0\0x\"\n", 6), "", ErrorCodes::BAD_ARGUMENTS},
        });
    FormatSettings strict;
    strict.null_as_default = false;
    strict.csv_delimiter = '\t';
    check("CSV", "a UInt8, s String", {{"1\tx\n", "1\tx\n"}, {"\tx\n", "0\tx\n"}, {"\\N\tx\n", "", BAD_DATA}}, strict);
    check(
        "CSVWithNames",
        "a UInt8, s String",
        {
            {"\"a\",\"s\"\n1,x\n", "1\tx\n"},
            {"s,a\r\nx,1\r\n", "1\tx\n"},
            {"a,s,z\n1,x,3\n", "1\tx\n"},
            {"\"a\" , \"s\"\n1,x\n", "1\tx\n"},
            {"a,a\n1,2\n", "", BAD_DATA},
            {"", "", ErrorCodes::CANNOT_READ_ALL_DATA},
            {"a\n1\n", "", ErrorCodes::UNKNOWN_IDENTIFIER},
            {"\"a\"x,s\n", "", TOO_FEW},
        });
}

TEST(TextFormats, PassOverAByteOrderMarkWhereItIsNoText)
{
    for (const char * format : {"CSV", "CSVWithNames", "CSVWithNamesAndTypes", "TSV", "TSVWithNames", "TSVWithNamesAndTypes", "TSVRaw"})
        for (const char * structure :
             {"k UInt8, s String",
              "n Nullable(UInt8), s String",
              "a Array(UInt8), s String",
              "s String, k UInt8",
              "s Nullable(String), k UInt8"})
        {
            const std::string_view name = format;
            const char delimiter = name.starts_with("CSV") ? ',' : '\t';
            const NamesAndTypes columns = structureOf(structure);
            std::string text = "\xef\xbb\xbf";
            if (name.find("Names") != name.npos)
                text += columns[0].name + delimiter + columns[1].name + "\n";
            if (name.find("Types") != name.npos)
                text += columns[0].type->getName() + delimiter + columns[1].type->getName() + "\n";
            const std::string first = structure[0] == 'a' ? "[1]" : structure[0] == 's' ? "x" : "1";
            text += first + delimiter + "2\n";
            const bool stays = structure[0] == 's' && name.find("Names") == name.npos;
            const std::string expected = (stays ? "\xef\xbb\xbf" : "") + first + "\t2\n";
            check(format, structure, {{text, expected}});
        }
    check("CSVWithNames", "k UInt8", {{"\xef\xbb\xbf\"k\"\n1\n", "1\n"}});
    /// What only begins like a mark is part of a name, and of no number.
    check("TSVWithNames", "\"\xef\xbd\x8b\" UInt8", {{"\xef\xbd\x8b\n1\n", "1\n"}});
    check(
        "TSV",
        "k UInt8",
        {{"\xef\xbb"
          "1\n",
          "",
          TOO_FEW},
         {"\xef\xbb\xbf\xef\xbb\xbf"
          "1\n",
          "",
          NO_NUMBER},
         {"\xef\xbb\xbf", ""}});
    check("Values", "s String", {{"\xef\xbb\xbf('a')", "a\n"}, {"\xef\xbb('a')", "", TOO_FEW}});
}

TEST(Values, TakesWhatStandsForANumber)
{
    check(
        "Values",
        "a UInt8, b Nullable(UInt8), c Nullable(Float64)",
        {
            {"('1','2','nan')", "1\t2\tnan\n"},
            {"(true, FALSE, True)", "1\t0\t1\n"},
            {"(DEFAULT, default, Default)", "0\t\\N\t\\N\n"},
            {"('true',1,1)", "", NO_NUMBER},
            {"(1,'x',1)", "", NO_NUMBER},
        });
    check("Values", "s String", {{"(DEFAULT)", "\n"}, {"('DEFAULT')", "DEFAULT\n"}, {"(true)", "", TOO_FEW}});
}

/// Of a header that says what the states are, and of one that calls them strings, as we write it.
TEST(EncodedStates, StandBehindHeadersOfEitherKind)
{
    FormatSettings hex;
    hex.state_encoding = StateEncoding::Hex;
    const std::string state = "AggregateFunction(groupBitmap, UInt8)";
    for (const std::string & type : {state, std::string("String")})
    {
        const std::string text = "k\tb\nUInt8\t" + type + "\n1\t000107\n";
        check("TSVWithNamesAndTypes", "k UInt8, b " + state, {{text, "1\t\\0\x01\x07\n"}}, hex);
        check("TSVWithNamesAndTypes", "b " + state, {{text, "\\0\x01\x07\n"}}, hex);
        ReadBufferFromMemory in(text);
        const auto reader = createInputFormat("TSVWithNamesAndTypes", in, std::nullopt, hex);
        EXPECT_TRUE(equalStructures(reader->getStructure(), structureOf("k UInt8, b " + type)));
        Block block;
        ASSERT_TRUE(reader->read(block));
        EXPECT_EQ(rowsOf({block}), type == "String" ? "1\t000107\n" : "1\t\\0\x01\x07\n");
    }
}

TEST(TextFormats, SayWhichColumnsAHeaderHas)
{
    const Caught error = caught([&] { readBlocks("TSVWithNames", "K\ts x\n", structureOf("k UInt8")); });
    EXPECT_NE(error.text.find("There is no column 'k' in the header, which has 'K', 's x': (while reading the header"), std::string::npos)
        << error.text;
    const Caught many = caught([&] { readBlocks("TSVWithNames", "a\tb\tc\td\te\tf\tg\th\ti\tj\n", structureOf("k UInt8")); });
    EXPECT_NE(many.text.find("'g', 'h' and 2 more"), std::string::npos) << many.text;
}

TEST(JSONEachRow, TakesWhatClickHouseTakes)
{
    const std::initializer_list<Case> strings = {
        {R"({"s":"abc"})", "abc\n"},
        {R"({"s":1})", "1\n"},
        {R"({"s":1.50})", "1.50\n"},
        {R"({"s":true})", "true\n"},
        {R"({"s":null})", "\n"},
        {R"({"s":[1, 2]})", "[1,2]\n"},
        {R"({"s":{"a" : "\u00e9\n"}})", "{\"a\":\"\xc3\xa9\\\\n\"}\n"},
        {R"({"s":"\u0041"})", "A\n"},
        {R"({"s":"\u00C8"})", "\xc3\x88\n"},
        {R"({"s":"\ud83d\ude00"})", "\xf0\x9f\x98\x80\n"},
        {R"({"s":"\ude00"})", "\xed\xb8\x80\n"},
        {R"({"s":"\u0000\/\x"})", "\\0/x\n"},
        {"{\"s\":\"a\nb\"}", "a\\nb\n"},
        {"{\"s\":\"\xc8\xff\"}", "\xc8\xff\n"},
        {R"({"s":18446744073709551616})", "18446744073709551616\n"},
        {R"({"s":"\ud83d"})", "", ErrorCodes::CANNOT_PARSE_ESCAPE_SEQUENCE},
        {R"({"s":"\ud83d\u0041"})", "", ErrorCodes::CANNOT_PARSE_ESCAPE_SEQUENCE},
        {R"({"s":"\u12"})", "", ErrorCodes::CANNOT_PARSE_ESCAPE_SEQUENCE},
        {R"({"s":"})", "", ErrorCodes::CANNOT_READ_ALL_DATA},
        {R"({"s":'abc'})", "", TOO_FEW},
        {R"({"s":abc})", "", TOO_FEW},
        {R"({"s":NaN})", "", TOO_FEW},
        {R"({"s":)", "", ErrorCodes::CANNOT_READ_ALL_DATA},
    };
    check("JSONEachRow", "s String", strings);
    check(
        "JSONEachRow",
        "n UInt64",
        {
            {R"({"n":1})", "1\n"},
            {R"({"n":"1"})", "1\n"},
            {R"({"n":18446744073709551615})", "18446744073709551615\n"},
            {R"({"n":"18446744073709551615"})", "18446744073709551615\n"},
            {R"({"n":true})", "1\n"},
            {R"({"n":false})", "0\n"},
            {R"({"n":null})", "0\n"},
            {R"({"n":1.0})", "", NO_NUMBER},
            {R"({"n":-1})", "", NO_NUMBER},
            {R"({"n":18446744073709551616})", "", NO_NUMBER},
            {R"({"n":""})", "", NO_NUMBER},
            {R"({"n":[1]})", "", TOO_FEW},
            {R"({"n":{}})", "", TOO_FEW},
            {R"({"n":nul})", "", TOO_FEW},
        });
    check(
        "JSONEachRow",
        "n Float64",
        {
            {R"({"n":1})", "1\n"},
            {R"({"n":"nan"})", "nan\n"},
            {R"({"n":null})", "0\n"},
            {R"({"n":-inf})", "-inf\n"},
            {R"({"n":-0})", "-0\n"},
            {R"({"n":true})", "1\n"},
        });
    check(
        "JSONEachRow",
        "a Array(UInt8), b Array(Array(String))",
        {
            {R"({"a":[1,2],"b":[]})", "[1,2]\t[]\n"},
            {R"({"a":[ 1 , "2" ],"b":[["x"],[]]})", "[1,2]\t[['x'],[]]\n"},
            {R"({"a":null,"b":[null]})", "[]\t[[]]\n"},
            {R"({"a":"[1]"})", "", TOO_FEW},
            {R"({"a":[1,]})", "", TOO_FEW},
            {R"({"a":[1 2]})", "", TOO_FEW},
            {R"({"a":[1})", "", TOO_FEW},
        });
}

TEST(JSONEachRow, TakesRowsAsClickHouseDoes)
{
    check(
        "JSONEachRow",
        "a UInt8, b String",
        {
            {R"({"b":"x","a":1})", "1\tx\n"},
            {R"({"a":1})", "1\t\n"},
            {R"({})", "0\t\n"},
            {R"({"a":1,"b":"x","c":[1,{"d":"}"},null,-1e9,true]})", "1\tx\n"},
            {R"([{"a":1,"b":"x"},{"a":2,"b":"y"}])", "1\tx\n2\ty\n"},
            {"[]", ""},
            {" [ {\"a\":1} ] \n", "1\t\n"},
            {R"({"a":1},{"a":2})", "1\t\n2\t\n"},
            {R"({"a":1}{"a":2})", "1\t\n2\t\n"},
            {"\n\n{\"a\":1}\n\n,{\"a\":2}\n\n", "1\t\n2\t\n"},
            {" { \"a\" : 1 , \"b\" : \"x\" } ", "1\tx\n"},
            {"\xef\xbb\xbf{\"a\":1}\n", "1\t\n"},
            {"", ""},
            {"  ", ""},
            {R"({"\u0061":1})", "1\t\n"},
            {R"({"a":1,"a":2})", "", BAD_DATA},
            {R"({"a":1,})", "", TOO_FEW},
            {R"({"a":1 "b":"x"})", "", TOO_FEW},
            {R"({"a":1)", "", ErrorCodes::CANNOT_READ_ALL_DATA},
            {R"({"a":1}])", "", TOO_FEW},
            {R"([{"a":1},])", "", TOO_FEW},
            {R"([{"a":1})", "", ErrorCodes::CANNOT_READ_ALL_DATA},
            {"null", "", TOO_FEW},
            {R"({a:1})", "", TOO_FEW},
            {R"({"a":1,"c":nan})", "", TOO_FEW},
            {R"({"a":1,"c":[})", "", TOO_FEW},
            {"[] x", "", TOO_FEW},
            {"\xef{}", "", TOO_FEW},
        });
    FormatSettings strict;
    strict.skip_unknown_fields = false;
    strict.null_as_default = false;
    check("JSONEachRow", "a UInt8", {{R"({"a":1,"b":2})", "", ErrorCodes::UNKNOWN_IDENTIFIER}, {R"({"a":null})", "", BAD_DATA}}, strict);
    /// Deep nesting ends in an error, not at the end of the stack.
    const std::string deep = "{\"x\":" + std::string(200000, '[');
    EXPECT_EQ(caught([&] { readBlocks("JSONEachRow", deep, structureOf("a UInt8")); }).code, TOO_FEW);
}

TEST(JSONEachRow, WritesWhatClickHouseWrites)
{
    std::string bytes;
    const Block block = blockOf(
        "i Int64, u UInt64, f Float64, g Float32, a Array(Float64), s Array(String)",
        "-9223372036854775808\t18446744073709551615\tnan\t0.1\t[1.5,-inf,1e300]\t['a\\'b','/\"']\n");
    EXPECT_EQ(
        writeBlocks("JSONEachRow", block.getNamesAndTypes(), {block}),
        "{\"i\":-9223372036854775808,\"u\":18446744073709551615,\"f\":null,\"g\":0.1,\"a\":[1.5,null,1e300],\"s\":[\"a'b\",\"\\/"
        "\\\"\"]}\n");
    FormatSettings quoted;
    quoted.json_quote_64bit_integers = true;
    EXPECT_TRUE(
        writeWith("JSONEachRow", block, quoted).starts_with("{\"i\":\"-9223372036854775808\",\"u\":\"18446744073709551615\",\"f\":null"));
    const Block strings = stringBlock({std::string("\0\x1f\b\t\n\v\f\r\x7f\xc8\\/\"", 13), "\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa\xe2"});
    EXPECT_EQ(
        writeBlocks("JSONEachRow", strings.getNamesAndTypes(), {strings}),
        "{\"s\":\"\\u0000\\u001F\\b\\t\\n\\u000B\\f\\r\x7f\xc8\\\\\\/\\\"\"}\n{\"s\":\"\\u2028\\u2029\xe2\x80\xaa\xe2\"}\n");
}

TEST(Values, TakesLiteralsAsClickHouseDoes)
{
    check(
        "Values",
        "a UInt8, b String, d Array(String)",
        {
            {"(1,'x',['a','b'])", "1\tx\t['a','b']\n"},
            {"(1,'x',['a']),(2,'y',[])", "1\tx\t['a']\n2\ty\t[]\n"},
            {"(1,'x',[])(2,'y',[])", "1\tx\t[]\n2\ty\t[]\n"},
            {"(1,'x',[])\n,\n(2,'y',[]);\n", "1\tx\t[]\n2\ty\t[]\n"},
            {" ( 1 , 'x' , [ 'a' , 'b' ] ) ", "1\tx\t['a','b']\n"},
            {"(NULL,null,NULL)", "0\t\t[]\n"},
            {"('1','a''b\\n)',[','])", "1\ta\\'b\\n)\t[',']\n"},
            {"", ""},
            {";", ""},
            {"(1,'x',[]),", "1\tx\t[]\n"},
            {"(1,'x')", "", TOO_FEW},
            {"(1,'x',[],2)", "", TOO_FEW},
            {"(1,x,[])", "", TOO_FEW},
            {"(1,'x',[]", "", TOO_FEW},
            {"(1,'x", "", TOO_FEW},
            {"1", "", TOO_FEW},
            {"(1+1,'x',[])", "", NO_NUMBER},
            {"(256,'x',[])", "", NO_NUMBER},
            {"(1,'x',[]);(2,'y',[])", "", TOO_FEW},
            {"()", "", NO_NUMBER},
            {"(1,'x'y,[])", "", TOO_FEW},
        });
}

TEST(TabSeparated, TakesNullAndEscapesAsClickHouseDoes)
{
    check(
        "TSV",
        "s String",
        {
            {"\\N\n", "\n"},
            {"a\\\nb\n", "a\\nb\n"},
            {"a\\qb\n", "a\\\\qb\n"},
            {"\\u0041\n", "\\\\u0041\n"},
            {"a\rb\n", "a\\rb\n"},
            {"x\na\r\n", "x\na\\r\n"},
            {"a\r\n", "", BAD_DATA},
            {"a\\Nb\n", "", ErrorCodes::CANNOT_PARSE_ESCAPE_SEQUENCE},
            {"a\\", "", ErrorCodes::CANNOT_PARSE_ESCAPE_SEQUENCE},
        });
    check("TSVWithNames", "s String", {{"s\r\na\n", "", BAD_DATA}});
    check("TSV", "n UInt8, a Array(UInt8), b AggregateFunction(groupBitmap, UInt8)", {{"\\N\t\\N\t\\N\n", "0\t[]\t\\0\\0\n"}});
    FormatSettings strict;
    strict.null_as_default = false;
    check("TSV", "s String", {{"\\N\n", "", BAD_DATA}}, strict);
    check("Raw", "s String, n UInt8", {{"a\\tb\\\t5\n", "a\\\\tb\\\\\t5\n"}, {"\\N\t\\N\n", "\t0\n"}});
}

TEST(TextFormats, GiveBackEveryByte)
{
    std::mt19937_64 random(2026);
    RecordProperty("seed", 2026);
    std::vector<std::string> values = {
        "", allBytes(), "\\N", "\"", "'", " padded ", "\r", "a\r", "\n", ",", "NULL", "\xef\xbb\xbf", "\xe2\x80", std::string(100000, '"')};
    for (int i = 0; i < 300; ++i)
    {
        std::string value(random() % 40, '\0');
        for (char & byte : value)
            byte = static_cast<char>(random() % 3 ? random() : "\\\"'\n\r\t,[]{}"[random() % 12]);
        values.push_back(std::move(value));
    }
    const Block block = stringBlock(values);
    for (const std::string_view format : {"TSV", "CSV", "CSVWithNames", "JSONEachRow", "Values"})
    {
        const std::string bytes = writeBlocks(format, block.getNamesAndTypes(), {block});
        for (const size_t piece : TORN_SIZES)
        {
            TornReadBuffer in(bytes, piece);
            EXPECT_EQ(rowsOf(readBlocks(format, in, block.getNamesAndTypes())), rowsOf({block})) << format << ' ' << piece;
        }
    }
}

TEST(TextFormats, SurviveMutatedBytes)
{
    std::mt19937_64 random(77);
    RecordProperty("seed", 77);
    const std::string_view structure = "k UInt8, s String, f Float64, a Array(UInt16), b AggregateFunction(groupBitmap, UInt32)";
    const Block block = blockOf(structure, "1\tpl\"a'in\t1.5\t[1,2]\t\\0\\x01\\0\\0\\0\\0\n2\t\t-0\t[]\t\\0\\0\n");
    for (const std::string_view format : {"TSV", "Raw", "CSV", "CSVWithNamesAndTypes", "JSONEachRow", "Values", "RowBinaryWithNames"})
    {
        const std::string bytes = writeBlocks(format, block.getNamesAndTypes(), {block});
        for (int i = 0; i < 2000; ++i)
        {
            std::string changed = bytes;
            for (UInt64 changes = 1 + random() % 3; changes != 0; --changes)
                changed[random() % changed.size()] = static_cast<char>(random() % 2 ? random() : "\\\"'\n\r\t,[]{}"[random() % 12]);
            const AllocationCounter counter;
            static_cast<void>(caught([&] { readBlocks(format, changed, structureOf(structure)); }));
            EXPECT_LT(counter.peakBytes(), size_t{4} << 20);
        }
    }
}

TEST(EncodedStates, AreHexAndBase64)
{
    EXPECT_EQ(encodeHex(std::string("\0\x0f\xff", 3)), "000FFF");
    EXPECT_EQ(decodeHex("000FfF"), std::string("\0\x0f\xff", 3));
    for (const auto & [bytes, text] :
         {std::pair<std::string, std::string>{"", ""},
          {"f", "Zg=="},
          {"fo", "Zm8="},
          {"foo", "Zm9v"},
          {"foob", "Zm9vYg=="},
          {"\xff\xfe\xfd", "//79"}})
    {
        EXPECT_EQ(encodeBase64(bytes), text);
        EXPECT_EQ(decodeBase64(text), bytes);
    }
    EXPECT_EQ(decodeBase64(encodeBase64(allBytes())), allBytes());
    for (const char * text : {"0", "0g", "zz"})
        EXPECT_EQ(caught([&] { static_cast<void>(decodeHex(text)); }).code, BAD_DATA) << text;
    for (const char * text : {"Zg=", "Z===", "Zg=v", "====", "Z g=", "Zm9v\n", "Zh==", "Zm9="})
        EXPECT_EQ(caught([&] { static_cast<void>(decodeBase64(text)); }).code, BAD_DATA) << text;
}

TEST(EncodedStates, StandInEveryTextFormat)
{
    const std::string_view structure = "k UInt8, b AggregateFunction(groupBitmap, UInt8), a Array(AggregateFunction(groupBitmap, UInt8))";
    const Block block = blockOf(structure, "1\t\\0\x01\r\t['\\0\\0','\\0\x01\x02']\n2\t\\0\\0\t[]\n");
    FormatSettings hex;
    hex.state_encoding = StateEncoding::Hex;
    FormatSettings base64;
    base64.state_encoding = StateEncoding::Base64;
    EXPECT_EQ(writeWith("TSV", block, hex), "1\t00010D\t['0000','000102']\n2\t0000\t[]\n");
    EXPECT_EQ(writeWith("CSV", block, hex), "1,\"00010D\",\"['0000','000102']\"\n2,\"0000\",\"[]\"\n");
    EXPECT_EQ(
        writeWith("JSONEachRow", block, base64), "{\"k\":1,\"b\":\"AAEN\",\"a\":[\"AAA=\",\"AAEC\"]}\n{\"k\":2,\"b\":\"AAA=\",\"a\":[]}\n");
    /// A header says what the file holds: strings.
    EXPECT_EQ(writeWith("TSVWithNamesAndTypes", block, hex).substr(0, 36), "k\tb\ta\nUInt8\tString\tArray(String)\n1\t0");
    for (const std::string_view format :
         {"TSV", "TSVWithNames", "TSVWithNamesAndTypes", "Raw", "CSV", "CSVWithNamesAndTypes", "JSONEachRow", "Values"})
        for (const FormatSettings & settings : {hex, base64})
            EXPECT_EQ(rowsOf(readWith(format, writeWith(format, block, settings), structure, settings)), rowsOf({block})) << format;
    EXPECT_EQ(rowsOf(readWith("TSV", "1\t\t['']\n", structure, hex)), "1\t\\0\\0\t['\\0\\0']\n");
    for (const std::string_view format : {"RowBinary", "Native"})
    {
        EXPECT_EQ(caught([&] { writeWith(format, block, hex); }).code, ErrorCodes::BAD_ARGUMENTS);
        EXPECT_EQ(caught([&] { readWith(format, "", structure, hex); }).code, ErrorCodes::BAD_ARGUMENTS);
    }
    const Caught error = caught([&] { readWith("TSV", "1\t0000\t[]\n2\t00\t[]\n", structure, hex); });
    EXPECT_NE(error.text.find("while reading row 2, column 'b', at byte 12)"), std::string::npos) << error.text;
    const Caught digits = caught([&] { readWith("CSV", "1,0000,[]\n2,0g,[]\n", structure, hex); });
    EXPECT_EQ(digits.code, BAD_DATA);
    EXPECT_NE(digits.text.find("row 2, column 'b', at byte 12)"), std::string::npos) << digits.text;
}

TEST(Pretty, DrawsClickHousesTables)
{
    const Block block = blockOf("k UInt64, b String, c Array(UInt8)", "0\tx\t[0]\n10\tyy\t[1]\n");
    EXPECT_EQ(
        writeBlocks("PrettyCompact", block.getNamesAndTypes(), {block}),
        "   ┌──k─┬─b──┬─c───┐\n"
        "1. │  0 │ x  │ [0] │\n"
        "2. │ 10 │ yy │ [1] │\n"
        "   └────┴────┴─────┘\n");
    EXPECT_EQ(
        writeBlocks("Pretty", block.getNamesAndTypes(), {block}),
        "   ┏━━━━┳━━━━┳━━━━━┓\n"
        "   ┃  k ┃ b  ┃ c   ┃\n"
        "   ┡━━━━╇━━━━╇━━━━━┩\n"
        "1. │  0 │ x  │ [0] │\n"
        "   ├────┼────┼─────┤\n"
        "2. │ 10 │ yy │ [1] │\n"
        "   └────┴────┴─────┘\n");
    EXPECT_EQ(
        writeBlocks("Vertical", block.getNamesAndTypes(), {block}),
        "Row 1:\n──────\nk: 0\nb: x\nc: [0]\n\nRow 2:\n──────\nk: 10\nb: yy\nc: [1]\n");
    EXPECT_EQ(writeBlocks("Pretty", block.getNamesAndTypes(), {}), "");
}

TEST(Pretty, KeepsTheTerminalSafeAndTheTableNarrow)
{
    const Block block = stringBlock(
        {"\x1b[31m\xff",
         "日本",
         "e\xcc\x81",
         "\xe2\x80\xae"
         "abc",
         std::string(70, 'x')});
    FormatSettings settings;
    settings.pretty_max_value_width = 16;
    settings.pretty_max_rows = 4;
    EXPECT_EQ(
        writeWith("PrettyCompact", block, settings),
        "   ┌─s───────────────┐\n"
        "1. │ \\x1B[31m\\xFF    │\n"
        "2. │ 日本            │\n"
        "3. │ e\xcc\x81               │\n"
        "4. │ \\xE2\\x80\\xAEabc │\n"
        "   └─────────────────┘\n"
        "Showed 4 out of 5 rows.\n");
    const Block wide = stringBlock({std::string(20, 'x')});
    settings.pretty_max_value_width = 5;
    EXPECT_NE(writeWith("PrettyCompact", wide, settings).find("│ xxxxx⋯ │"), std::string::npos);
    EXPECT_NE(writeWith("Vertical", wide, settings).find("s: " + std::string(20, 'x')), std::string::npos);
}
