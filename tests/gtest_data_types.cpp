#include "AllocationCounter.h"
#include "ColumnBuilders.h"
#include "TornReadBuffer.h"
#include "Vectors.h"

#include <statewire/Common/throwError.h>
#include <statewire/DataTypes/DataTypeAggregateFunction.h>
#include <statewire/DataTypes/DataTypeNumber.h>
#include <statewire/DataTypes/errorText.h>
#include <statewire/IO/ReadEscaped.h>
#include <statewire/IO/WriteEscaped.h>

#include <nlohmann/json.hpp>

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <random>

using namespace DB;
using namespace statewire_tests;

namespace
{

std::string escaped(std::string_view value)
{
    return written([&](WriteBuffer & out) { writeEscapedString(value, out); });
}

std::string unescaped(std::string_view text)
{
    std::string value;
    readEscapedString(value, text);
    return value;
}

template <typename T>
std::string printed(T value)
{
    return written([&](WriteBuffer & out) { DataTypeNumber<T>::print(value, out); });
}

/// Some values of each type in text form, as TabSeparated has them.
struct TypeCase
{
    std::string name;
    std::vector<std::string> texts;
};

const std::vector<TypeCase> & typeCases()
{
    static const std::vector<TypeCase> cases = {
        {"UInt8", {"0", "255"}},
        {"UInt16", {"0", "65535"}},
        {"UInt32", {"0", "4294967295"}},
        {"UInt64", {"0", "18446744073709551615"}},
        {"Int8", {"-128", "127", "0"}},
        {"Int16", {"-32768", "32767"}},
        {"Int32", {"-2147483648", "2147483647"}},
        {"Int64", {"-9223372036854775808", "9223372036854775807"}},
        {"Float32", {"0", "-0", "1.5", "0.1", "nan", "inf", "-inf", "3.4028235e38", "1e-45"}},
        {"Float64", {"0", "-0", "1.5", "0.1", "nan", "inf", "-inf", "1.7976931348623157e308", "5e-324"}},
        {"String", {"", "abc", "\\0\\b\\f\\n\\r\\t\\'\\\\", "\xff\xfe"}},
        {"Array(UInt8)", {"[]", "[1]", "[1,2,255]"}},
        {"Array(String)", {"[]", "['']", "['a','b\\'\\\\','\\n']"}},
        {"Array(Array(Int64))", {"[]", "[[]]", "[[1,-2],[],[3]]"}},
        {"Nullable(Nothing)", {"\\N"}},
        {"Array(Nullable(Nothing))", {"[]", "[NULL,NULL]"}},
        {"Array(Float64)", {"[nan,-inf,0.5]"}},
        {"Tuple(UInt8)", {"(0)", "(255)"}},
        {"Tuple(key String, count UInt64)", {"('',0)", "('a\\n\\'b',18446744073709551615)"}},
        {"Tuple(Nullable(UInt8), Array(Nullable(String)))", {"(NULL,[])", "(7,[NULL,'a'])"}},
        {"Array(Tuple(UInt8, Array(String)))", {"[]", "[(1,['a']),(2,[])]"}},
        {"Tuple(Tuple(Float64, Int8), AggregateFunction(groupBitmap, UInt8))", {"((-inf,-1),'\\0\\0')", "((0.5,7),'\\0\x01\x07')"}},
        {"AggregateFunction(groupBitmap, UInt8)", {"\\0\\0", "\\0\x03\x01\x02\x03"}},
        {"Array(AggregateFunction(groupBitmap, UInt8))", {"[]", "['\\0\\0','\\0\x01\x07']"}},
        {"AggregateFunction(countMinSketch(5, 272), String)", {"\\0\\0"}},
    };
    return cases;
}

}

TEST(DataTypes, PrintExactlyWhatWasParsed)
{
    for (const char * name : {
             "UInt8",
             "UInt16",
             "UInt32",
             "UInt64",
             "Int8",
             "Int16",
             "Int32",
             "Int64",
             "Float32",
             "Float64",
             "String",
             "Array(UInt8)",
             "Array(Array(Array(String)))",
             "Tuple(UInt8, String)",
             "Array(Tuple(key String, UInt8 UInt8))",
             "AggregateFunction(groupBitmap, UInt64)",
             "AggregateFunction(groupBitmapIf, UInt32, UInt8)",
             "AggregateFunction(groupBitmapMerge, AggregateFunction(groupBitmap, UInt32))",
             "AggregateFunction(countMinSketch(5, 272), String)",
             "AggregateFunction(countMinSketch(5, 272, 77), String)",
             "AggregateFunction(countMinSketch(5, 272, 9001, 'libcxx'), String, Int64)",
             "AggregateFunction(countMinSketch(5, 272, 9001, 'libstdcxx', 'conservative'), String, UInt8)",
             "AggregateFunction(countMinSketch(5, 272, 9001, 'libcxx', 'decayed'), String, Int64)",
             "AggregateFunction(countMinSketch(5, 272, 1, 'libstdcxx', 'conservative_decayed'), String)",
             "AggregateFunction(countMinSketchIf(5, 272), Float32, Float64, UInt8)",
             "Array(AggregateFunction(groupBitmap, Int8))",
         })
    {
        const DataTypePtr type = parseDataType(name);
        EXPECT_EQ(type->getName(), name);
        EXPECT_TRUE(type->equals(*parseDataType(type->getName())));
        EXPECT_EQ(type->createColumn()->size(), 0U);
    }
}

TEST(DataTypes, PrintTheShortestForm)
{
    const std::pair<const char *, const char *> cases[] = {
        {" Array ( UInt8 ) ", "Array(UInt8)"},
        {"Tuple(\n a\tUInt8,b String )", "Tuple(a UInt8, b String)"},
        {"Tuple(`q``q` UInt8, NULL Int8, `Select` Int8, selected Int8)", "Tuple(`q\\`q` UInt8, `NULL` Int8, `Select` Int8, selected Int8)"},
        {"Tuple(`a` UInt8,`b c`String, `1` Int8, `\\`\\\\\\n` Int8)", "Tuple(a UInt8, `b c` String, `1` Int8, `\\`\\\\\\n` Int8)"},
        {"AggregateFunction(groupBitmap,UInt64)", "AggregateFunction(groupBitmap, UInt64)"},
        {"AggregateFunction(0, groupBitmap, UInt64)", "AggregateFunction(groupBitmap, UInt64)"},
        {"AggregateFunction(groupBitmap(), UInt64)", "AggregateFunction(groupBitmap, UInt64)"},
        {"AggregateFunction(countMinSketch(5,272,9001),String)", "AggregateFunction(countMinSketch(5, 272), String)"},
        {"AggregateFunction(countMinSketch(5, 272, 9001, 'libstdcxx'), String)", "AggregateFunction(countMinSketch(5, 272), String)"},
        {"AggregateFunction(countMinSketch(5, 272, 9001, 'libstdcxx', 'plain'), String)",
         "AggregateFunction(countMinSketch(5, 272), String)"},
        {"AggregateFunction(countMinSketch(5, 272, 1, 'libstdcxx'), String)", "AggregateFunction(countMinSketch(5, 272, 1), String)"},
        {"AggregateFunction\n(\tcountMinSketch ( +5 , 272 ) , String )", "AggregateFunction(countMinSketch(5, 272), String)"},
    };
    for (const auto & [text, name] : cases)
        EXPECT_EQ(parseDataType(text)->getName(), name);
}

TEST(DataTypes, AreEqualWhereStatesMerge)
{
    const auto equal = [](const char * left, const char * right) {
        const bool result = parseDataType(left)->equals(*parseDataType(right));
        EXPECT_EQ(result, parseDataType(right)->equals(*parseDataType(left)));
        return result;
    };
    EXPECT_TRUE(equal("AggregateFunction(groupBitmap, UInt32)", "AggregateFunction(groupBitmapIf, UInt32, UInt8)"));
    EXPECT_TRUE(equal(
        "AggregateFunction(groupBitmapMerge, AggregateFunction(groupBitmap, UInt32))", "AggregateFunction(groupBitmapState, UInt32)"));
    EXPECT_TRUE(equal("Array(AggregateFunction(groupBitmap, UInt8))", "Array(AggregateFunction(groupBitmapIf, UInt8, UInt8))"));
    EXPECT_TRUE(equal(
        "AggregateFunction(countMinSketch(5, 272), String)",
        "AggregateFunction(countMinSketch(5, 272, 9001, 'libstdcxx'), String, UInt8)"));
    EXPECT_TRUE(equal(
        "AggregateFunction(countMinSketch(5, 272), String, Int8)", "AggregateFunction(countMinSketchIf(5, 272), String, Int64, UInt8)"));
    EXPECT_FALSE(equal("UInt8", "Int8"));
    EXPECT_FALSE(equal("Array(UInt8)", "UInt8"));
    EXPECT_FALSE(equal("Array(UInt8)", "Array(UInt16)"));
    EXPECT_FALSE(equal("AggregateFunction(groupBitmap, UInt32)", "AggregateFunction(groupBitmap, Int32)"));
    EXPECT_FALSE(equal("AggregateFunction(countMinSketch(5, 272), String)", "AggregateFunction(countMinSketch(5, 273), String)"));
    EXPECT_FALSE(equal("AggregateFunction(countMinSketch(5, 272), String)", "AggregateFunction(countMinSketch(5, 272, 1), String)"));
    EXPECT_FALSE(
        equal("AggregateFunction(countMinSketch(5, 272), String)", "AggregateFunction(countMinSketch(5, 272, 9001, 'libcxx'), String)"));
    EXPECT_FALSE(equal("AggregateFunction(countMinSketch(5, 272), String)", "AggregateFunction(countMinSketch(5, 272), String, Int8)"));
    for (const char * option : {"conservative", "decayed", "conservative_decayed"})
        EXPECT_FALSE(
            equal("AggregateFunction(countMinSketch(5, 272), String)",
                  concat("AggregateFunction(countMinSketch(5, 272, 9001, 'libstdcxx', '", option, "'), String)").c_str()));
    EXPECT_FALSE(equal("AggregateFunction(countMinSketch(5, 272), UInt8)", "AggregateFunction(countMinSketch(5, 272), Int8)"));
    EXPECT_FALSE(equal("AggregateFunction(countMinSketch(5, 272), String)", "AggregateFunction(groupBitmap, UInt8)"));
}

TEST(DataTypes, RefuseBadNamesAndSayWhere)
{
    struct Case
    {
        std::string name;
        int code;
        const char * part;
    };
    const std::vector<Case> cases = {
        {"", 62, "position 0"},
        {" ", 62, "position 1"},
        {"1", 62, "a type name at position 0"},
        {"UInt8 ", 0, ""},
        {"UInt8 x", 62, "the end of the type name at position 6"},
        {"UInt8,", 62, "position 5"},
        {"uint8", 50, "Maybe you meant: 'UInt8'"},
        {"Uint64", 50, "Maybe you meant: 'UInt64'"},
        {"Array", 62, "'(' at position 5"},
        {"Array(", 62, "a type name at position 6"},
        {"Array()", 62, "position 6"},
        {"Array(UInt8", 62, "')' at position 11 of a type name, found its end"},
        {"Array(UInt8, UInt8)", 62, "')' at position 11"},
        {"Array(UInt8))", 62, "position 12"},
        {"Nullable(Array(UInt8))", 43, "cannot be inside Nullable"},
        {"Nullable(Nullable(UInt8))", 43, "cannot be inside Nullable"},
        {"Nullable(AggregateFunction(groupBitmap, UInt8))", 43, "cannot be inside Nullable"},
        {"Nullable(Tuple(UInt8))", 43, "cannot be inside Nullable"},
        {"Array(Unheard(UInt8))", 50, "'Unheard' at position 6"},
        {"Array(Map(String, UInt8))", 48, "Type Map at position 6"},
        {"Tuple()", 62, "a type or the name of an element at position 6"},
        {"Tuple(UInt8", 62, "')' at position 11"},
        {"Tuple(UInt8,)", 62, "position 12"},
        {"Tuple(`a UInt8)", 62, "'`' at position 15"},
        {"Tuple(`a`)", 62, "a type name at position 9"},
        {"Tuple(a UInt8, UInt8)", 36, "a name for every element of a tuple or for none, at position 15"},
        {"Tuple(UInt8, a UInt8)", 36, "for none, at position 13"},
        {"Tuple(a b UInt8)", 50, "'b' at position 8"},
        {"AggregateFunction", 62, "position 17"},
        {"AggregateFunction()", 62, "the name of an aggregate function"},
        {"AggregateFunction(groupBitmap)", 42, "position 18"},
        {"AggregateFunction(groupBitmap,)", 62, "a type name at position 30"},
        {"AggregateFunction(groupBitmap, UInt8, UInt8)", 42, "takes one argument, not 2"},
        {"AggregateFunction(groupBitmap, String)", 43, "not String"},
        {"AggregateFunction(groupBitmap, Float32)", 43, "not Float32"},
        {"AggregateFunction(groupBitmap(1), UInt8)", 133, "takes no parameters"},
        {"AggregateFunction(1, groupBitmap, UInt8)", 36, "has no versions"},
        {"AggregateFunction(1 groupBitmap, UInt8)", 62, "','"},
        {"AggregateFunction(1.5, groupBitmap, UInt8)", 62, "version"},
        {"AggregateFunction(99999999999999999999, groupBitmap, UInt8)", 62, "out of range"},
        {"AggregateFunction(-1, groupBitmap, UInt8)", 62, "aggregate function"},
        {"AggregateFunction(groupBitmop, UInt8)", 63, "Maybe you meant: 'groupBitmap'"},
        {"AggregateFunction(groupBitmopIf, UInt8, UInt8)", 63, "Maybe you meant: 'groupBitmapIf'"},
        {"AggregateFunction(groupBitmapIf, UInt8)", 42, "takes one argument, not 0"},
        {"AggregateFunction(groupBitmapIf, UInt8, UInt16)", 43, "must be UInt8"},
        {"AggregateFunction(groupBitmapIfIf, UInt8, UInt8, UInt8)", 184, "twice in a row"},
        {"AggregateFunction(groupBitmapMerge, UInt8)", 43, "takes a state"},
        {"AggregateFunction(countMinSketch, String)", 42, "not 0"},
        {"AggregateFunction(countMinSketch(5), String)", 42, "not 1"},
        {"AggregateFunction(countMinSketch(5, 272, 1, 'libcxx', 'plain', 2), String)", 42, "not 6"},
        {"AggregateFunction(countMinSketch(5, 272, 1, 'libcxx', 2), String)", 36, "option"},
        {"AggregateFunction(countMinSketch(5, 272, 1, 'libcxx', 'halved'), String)", 36, "not 'halved'"},
        {"AggregateFunction(countMinSketch(5, 272, 1, 'libcxx', 'conservative'), String, Int8)", 43, "unsigned"},
        {"AggregateFunction(countMinSketch(5, 272, 1, 'libcxx', 'conservative'), String, Float32)", 43, "unsigned"},
        {"AggregateFunction(countMinSketch(0, 272), String)", 36, "0"},
        {"AggregateFunction(countMinSketch(256, 272), String)", 36, "at most 255"},
        {"AggregateFunction(countMinSketch(5, 2), String)", 36, "3"},
        {"AggregateFunction(countMinSketch(5, 4294967296), String)", 36, "num_buckets"},
        {"AggregateFunction(countMinSketch(255, 4294967295), String)", 36, ""},
        {"AggregateFunction(countMinSketch(5, -272), String)", 36, "num_buckets"},
        {"AggregateFunction(countMinSketch(5.0, 272), String)", 36, "num_hashes"},
        {"AggregateFunction(countMinSketch('5', 272), String)", 36, "num_hashes"},
        {"AggregateFunction(countMinSketch(5, 272, 'libcxx'), String)", 36, "seed"},
        {"AggregateFunction(countMinSketch(5, 272, 1, 'msvc'), String)", 36, "not 'msvc'"},
        {"AggregateFunction(countMinSketch(5, 272, 1, 2), String)", 36, "'libstdcxx' or 'libcxx'"},
        {"AggregateFunction(countMinSketch(5, 272))", 42, "not 0"},
        {"AggregateFunction(countMinSketch(5, 272), Array(UInt8))", 43, "key"},
        {"AggregateFunction(countMinSketch(5, 272), String, String)", 43, "weight"},
        {"AggregateFunction(countMinSketch(5, 272), String, UInt8, UInt8)", 42, "not 3"},
        {"AggregateFunction(countMinSketch(5, 272, 1, 'libcxx), String)", 62, "position 44"},
        {"AggregateFunction(countMinSketch(5, 272, 1, 'lib\\xqcxx'), String)", 62, "hexadecimal"},
        {"AggregateFunction(countMinSketch(5, 272, x), String)", 62, "a number or a string"},
        {"AggregateFunction(countMinSketch(5, 1e99999), String)", 62, "out of range"},
        {"AggregateFunction(countMinSketch(5, 2-7), String)", 62, "Bad number"},
        {"AggregateFunction(countMinSketch(5, ), String)", 62, "a number or a string"},
        {std::string("UInt8\0", 6), 62, "position 5"},
        {std::string("\0", 1), 62, "\\x00"},
        {std::string("Array(\0UInt8)", 13), 62, "position 6"},
        {"UInt8\xff", 62, "\\xFF"},
    };
    for (const Case & c : cases)
    {
        SCOPED_TRACE(c.name);
        if (c.code == 0)
        {
            EXPECT_NO_THROW(static_cast<void>(parseDataType(c.name)));
            continue;
        }
        EXPECT_ERROR(c.code, c.part, parseDataType(c.name));
    }
}

TEST(DataTypes, RefuseBombs)
{
    const auto nested = [](const std::string & open, const std::string & inner, const std::string & close, size_t depth) {
        std::string name;
        for (size_t i = 0; i < depth; ++i)
            name += open;
        name += inner;
        for (size_t i = 0; i < depth; ++i)
            name += close;
        return name;
    };
    const std::string deepest = nested("Array(", "UInt8", ")", MAX_TYPE_DEPTH - 1);
    EXPECT_EQ(parseDataType(deepest)->getName(), deepest);
    EXPECT_ERROR(62, "levels deep", parseDataType(nested("Array(", "UInt8", ")", MAX_TYPE_DEPTH)));
    EXPECT_ERROR(62, "levels deep", parseDataType(nested("Array(", "", "", 10000)));
    EXPECT_ERROR(62, "levels deep", parseDataType(nested("Tuple(", "", "", 10000)));
    EXPECT_ERROR(62, "levels deep", parseDataType(nested("Tuple(a ", "", "", 5000)));
    EXPECT_ERROR(62, "longer than", parseDataType(nested("Array(", "", "", 100000)));
    EXPECT_ERROR(62, "levels deep", parseDataType(nested("AggregateFunction(groupBitmapMerge, ", "", "", 1000)));
    EXPECT_ERROR(62, "longer than", parseDataType(std::string(MAX_TYPE_NAME_SIZE + 1, ' ')));
    EXPECT_ERROR(50, "...", parseDataType(std::string(MAX_TYPE_NAME_SIZE, 'A')));
    EXPECT_ERROR(63, "...", parseDataType("AggregateFunction(" + std::string(60000, 'a') + ", UInt8)"));
    for (const size_t pairs : {5, 5000})
    {
        const std::string name = "groupBitmap" + nested("StateIf", "", "", pairs);
        EXPECT_ERROR(63, "more than 8 combinators", parseDataType("AggregateFunction(" + name + ", UInt8)"));
    }
    EXPECT_ERROR(62, "", parseDataType("AggregateFunction(countMinSketch(" + std::string(60000, '1') + ", 3), UInt8)"));
    EXPECT_ERROR(62, "Expected", parseDataType("AggregateFunction(groupBitmap" + nested(", UInt8", "", "", 8000)));
    EXPECT_ERROR(42, "not 8000", parseDataType("AggregateFunction(groupBitmap" + nested(", UInt8", "", "", 8000) + ")"));
}

TEST(DataTypes, TextOfErrorsIsPrintableAndShort)
{
    EXPECT_EQ(quoteForError("a\n\xff"), "'a\\x0A\\xFF'");
    EXPECT_EQ(quoteForError(std::string(1000, 'x')), "'" + std::string(64, 'x') + "'...");
    EXPECT_EQ(nearNamesHint("bitmapcardinality", {"bitmapCardinality", "other"}), ". Maybe you meant: 'bitmapCardinality'");
    EXPECT_EQ(nearNamesHint("something else", {"bitmapCardinality"}), "");
}

TEST(DataTypes, ReadBackWhatTheyWriteAsText)
{
    for (const TypeCase & c : typeCases())
    {
        const DataTypePtr type = parseDataType(c.name);
        const MutableColumnPtr column = columnFromText(*type, c.texts);
        ASSERT_EQ(column->size(), c.texts.size());
        for (size_t row = 0; row < c.texts.size(); ++row)
            EXPECT_EQ(textOf(*type, *column, row), c.texts[row]) << c.name;
    }
}

TEST(DataTypes, ReadBackWhatTheyWriteAsBinaryThroughAnyBuffer)
{
    for (const TypeCase & c : typeCases())
    {
        const DataTypePtr type = parseDataType(c.name);
        const MutableColumnPtr column = columnFromText(*type, c.texts);
        const std::string rows = written([&](WriteBuffer & out) {
            for (size_t row = 0; row < column->size(); ++row)
                type->serializeBinary(*column, row, out);
        });
        const std::string bulk = written([&](WriteBuffer & out) { type->serializeBinaryBulk(*column, out, 0, column->size()); });
        for (const size_t piece : TORN_SIZES)
        {
            TornReadBuffer torn_rows(rows, piece);
            const MutableColumnPtr from_rows = type->createColumn();
            for (size_t row = 0; row < column->size(); ++row)
                type->deserializeBinary(*from_rows, torn_rows);
            EXPECT_TRUE(torn_rows.eof()) << c.name;

            TornReadBuffer torn_bulk(bulk, piece);
            const MutableColumnPtr from_bulk = type->createColumn();
            type->deserializeBinaryBulk(*from_bulk, torn_bulk, column->size());
            EXPECT_TRUE(torn_bulk.eof()) << c.name;

            for (size_t row = 0; row < column->size(); ++row)
            {
                EXPECT_EQ(textOf(*type, *from_rows, row), c.texts[row]) << c.name << " torn at " << piece;
                EXPECT_EQ(textOf(*type, *from_bulk, row), c.texts[row]) << c.name << " torn at " << piece;
            }
        }
    }
}

TEST(DataTypes, LeaveTheColumnAsItWasWhenBytesAreMissing)
{
    for (const TypeCase & c : typeCases())
    {
        const DataTypePtr type = parseDataType(c.name);
        const MutableColumnPtr column = columnFromText(*type, c.texts);
        const std::string bulk = written([&](WriteBuffer & out) { type->serializeBinaryBulk(*column, out, 0, column->size()); });
        const MutableColumnPtr target = columnFromText(*type, {c.texts[0]});
        for (size_t size = 0; size < bulk.size(); ++size)
        {
            ReadBufferFromMemory in(std::string_view(bulk).substr(0, size));
            try
            {
                type->deserializeBinaryBulk(*target, in, column->size());
                ADD_FAILURE() << c.name << " read " << column->size() << " rows from " << size << " of " << bulk.size() << " bytes";
            }
            catch (const Exception & exception)
            {
                EXPECT_TRUE(exception.code() == 32 || exception.code() == 33) << exception.displayText();
            }
            ASSERT_EQ(target->size(), 1U);
        }
        for (size_t row = 0; row < column->size(); ++row)
            target->insertFrom(*column, row);
        EXPECT_EQ(textOf(*type, *target, 0), c.texts[0]);
        EXPECT_EQ(textOf(*type, *target, column->size()), c.texts.back());
    }
}

TEST(DataTypes, NeverBelieveAClaimedCount)
{
    for (const TypeCase & c : typeCases())
    {
        const DataTypePtr type = parseDataType(c.name);
        const MutableColumnPtr column = type->createColumn();
        ReadBufferFromMemory in("\0\0\0", 3);
        const AllocationCounter counter;
        EXPECT_THROW(type->deserializeBinaryBulk(*column, in, std::numeric_limits<size_t>::max()), Exception) << c.name;
        EXPECT_EQ(column->size(), 0U);
        EXPECT_LE(counter.peakBytes(), size_t{64} << 10) << c.name;
    }
    const auto read = [&](std::string_view bytes, const char * type) {
        ReadBufferFromMemory in(bytes);
        const MutableColumnPtr column = parseDataType(type)->createColumn();
        parseDataType(type)->deserializeBinary(*column, in);
    };
    EXPECT_ERROR(131, "1073741825", read("\x81\x80\x80\x80\x04", "String"));
    EXPECT_ERROR(33, "Bytes read: 1. Bytes expected: 1073741824", read("\x80\x80\x80\x80\x04x", "String"));
    EXPECT_ERROR(128, "1073741825", read("\x81\x80\x80\x80\x04", "Array(UInt8)"));
    EXPECT_ERROR(33, "", read("\x80\x80\x80\x80\x04x", "Array(UInt8)"));
}

TEST(DataTypeArray, RefusesOffsetsThatDescend)
{
    const DataTypePtr type = parseDataType("Array(UInt8)");
    const auto read = [&](std::initializer_list<UInt64> ends) {
        std::string bytes(reinterpret_cast<const char *>(ends.begin()), ends.size() * sizeof(UInt64));
        bytes += "elements";
        ReadBufferFromMemory in(bytes);
        const MutableColumnPtr column = type->createColumn();
        type->deserializeBinaryBulk(*column, in, ends.size());
        return column->size();
    };
    EXPECT_EQ(read({0, 1, 1, 8}), 4U);
    EXPECT_ERROR(117, "not ascending", read({2, 1}));
    EXPECT_ERROR(128, "limit", read({std::numeric_limits<UInt64>::max()}));
    EXPECT_ERROR(33, "", read({9}));
}

TEST(DataTypeArray, WritesAnyRangeInBulk)
{
    const DataTypePtr type = parseDataType("Array(String)");
    const MutableColumnPtr column = columnFromText(*type, {"['a']", "[]", "['b','c']", "['d']"});
    const std::string bulk = written([&](WriteBuffer & out) { type->serializeBinaryBulk(*column, out, 1, 2); });
    ReadBufferFromMemory in(bulk);
    const MutableColumnPtr read = columnFromText(*type, {"['x']"});
    type->deserializeBinaryBulk(*read, in, 2);
    EXPECT_EQ(textOf(*type, *read, 0), "['x']");
    EXPECT_EQ(textOf(*type, *read, 1), "[]");
    EXPECT_EQ(textOf(*type, *read, 2), "['b','c']");
    EXPECT_EQ(written([&](WriteBuffer & out) { type->serializeBinaryBulk(*column, out, 4, 0); }), "");
}

TEST(DataTypeArray, RefusesBadText)
{
    const std::pair<const char *, const char *> cases[] = {
        {"", "expected '['"},
        {"1", "expected '[' at offset 0"},
        {"[", "an element"},
        {"[1", "',' or ']' at offset 2, found the end"},
        {"[1,", "an element"},
        {"[1]2", "nothing behind the array at offset 3"},
        {"[1] ", "nothing behind"},
        {"[1 2]", "',' or ']'"},
    };
    const DataTypePtr type = parseDataType("Array(UInt8)");
    const MutableColumnPtr column = columnFromText(*type, {"[7]"});
    for (const auto & [text, part] : cases)
    {
        SCOPED_TRACE(text);
        EXPECT_ERROR(27, part, type->deserializeTextEscaped(*column, text));
        EXPECT_EQ(column->size(), 1U);
    }
    EXPECT_ERROR(72, "256", type->deserializeTextEscaped(*column, "[1,256]"));
    EXPECT_ERROR(72, "empty", type->deserializeTextEscaped(*column, "[,]"));
    EXPECT_ERROR(72, "empty", type->deserializeTextEscaped(*column, "[1,]"));
    EXPECT_ERROR(27, "quote", columnFromText(*parseDataType("Array(String)"), {"['a"}));
    EXPECT_ERROR(27, "quote", columnFromText(*parseDataType("Array(String)"), {"[a]"}));
    EXPECT_EQ(static_cast<const ColumnArray &>(*column).getData().size(), 1U);
    type->deserializeTextEscaped(*column, "[ 1 , 2 ]");
    EXPECT_EQ(textOf(*type, *column, 1), "[1,2]");
}

TEST(DataTypeTuple, LiesAsClickHouseWritesIt)
{
    const DataTypePtr type = parseDataType("Tuple(UInt16, String)");
    const MutableColumnPtr column = columnFromText(*type, {"(1,'a')", "(2,'bc')", "(3,'')"});
    EXPECT_EQ(binaryOf(*type, *column, 1), std::string("\x02\0\x02" "bc", 5));
    const std::string bulk = written([&](WriteBuffer & out) { type->serializeBinaryBulk(*column, out, 0, 2); });
    EXPECT_EQ(bulk, std::string("\x01\0\x02\0\x01" "a\x02" "bc", 9));
    EXPECT_LT(column->compareAt(0, *column, 1), 0);
    EXPECT_EQ(column->compareAt(2, *column, 2), 0);
    EXPECT_ERROR(48, "key", column->getDataAt(0));
    EXPECT_FALSE(type->equals(*parseDataType("Tuple(UInt16, Array(UInt8))")));
    EXPECT_FALSE(type->equals(*parseDataType("Tuple(UInt16)")));
    EXPECT_FALSE(type->equals(*parseDataType("Tuple(a UInt16, b String)")));
    EXPECT_FALSE(type->equals(*parseDataType("String")));
}

TEST(DataTypeTuple, RefusesBadText)
{
    const std::pair<const char *, const char *> cases[] = {
        {"", "expected '('"},
        {"(", "an element"},
        {"(1", "expected ','"},
        {"(1,", "an element"},
        {"(1)", "expected ','"},
        {"(1,2", "expected ')'"},
        {"(1,2,3)", "expected ')'"},
        {"(1,2,)", "expected ')'"},
        {"(1,2)x", "nothing behind the tuple at offset 5"},
    };
    const DataTypePtr type = parseDataType("Tuple(UInt8, UInt8)");
    const MutableColumnPtr column = columnFromText(*type, {"(7,8)"});
    for (const auto & [text, part] : cases)
    {
        SCOPED_TRACE(text);
        EXPECT_ERROR(27, part, type->deserializeTextEscaped(*column, text));
        EXPECT_EQ(column->size(), 1U);
    }
    EXPECT_ERROR(72, "256", type->deserializeTextEscaped(*column, "(1,256)"));
    type->deserializeTextEscaped(*column, "( 1 , 2 )");
    EXPECT_EQ(textOf(*type, *column, 1), "(1,2)");
    EXPECT_EQ(textOf(*type, *column, 0), "(7,8)");
    const DataTypePtr single = parseDataType("Tuple(UInt8)");
    EXPECT_EQ(textOf(*single, *columnFromText(*single, {"(5,)"}), 0), "(5)");
}

TEST(DataTypeNumber, ReadsWholeNumbersStrictly)
{
    struct Case
    {
        const char * type;
        std::string text;
        const char * part;
    };
    const std::vector<Case> cases = {
        {"UInt8", "", "empty"},
        {"UInt8", "256", "0 .. 255"},
        {"UInt8", "-1", "not a number"},
        {"UInt8", "-0", "not a number"},
        {"UInt8", " 1", "not a number"},
        {"UInt8", "1 ", "offset 1"},
        {"UInt8", "1.0", "offset 1"},
        {"UInt8", "1e1", "offset 1"},
        {"UInt8", "0x10", "offset 1"},
        {"UInt8", "+", "not a number"},
        {"UInt8", "++1", "not a number"},
        {"Int8", "+-1", "not a number"},
        {"UInt8", "true", "not a number"},
        {"UInt8", std::string("1\0", 2), "offset 1"},
        {"UInt8", "\\N", "not a number"},
        {"Int8", "128", "-128 .. 127"},
        {"Int8", "-129", "-128 .. 127"},
        {"Int64", "9223372036854775808", "out of range"},
        {"UInt64", "18446744073709551616", "out of range"},
        {"UInt64", std::string(1000, '9'), "out of range"},
        {"UInt64", "18446744073709551616x", "offset 20"},
        {"Float32", "1e39", "out of range"},
        {"Float64", "1e999", "out of range"},
        {"Float64", "", "empty"},
        {"Float64", "nan(1)", "not a number"},
        {"Float64", "1,5", "offset 1"},
        {"Float64", "0x1p3", "offset 1"},
        {"Float64", "1e", "offset 1"},
    };
    for (const Case & c : cases)
    {
        SCOPED_TRACE(c.type + std::string(" ") + c.text);
        const DataTypePtr type = parseDataType(c.type);
        const MutableColumnPtr column = type->createColumn();
        EXPECT_ERROR(72, c.part, type->deserializeTextEscaped(*column, c.text));
        EXPECT_EQ(column->size(), 0U);
    }
    EXPECT_EQ(DataTypeUInt8::parse("+7"), 7);
    EXPECT_EQ(DataTypeUInt8::parse("007"), 7);
    EXPECT_EQ(DataTypeInt8::parse("-0"), 0);
    EXPECT_EQ(DataTypeFloat64::parse(".5"), 0.5);
    EXPECT_EQ(DataTypeFloat64::parse("1E3"), 1000);
    EXPECT_TRUE(std::isnan(DataTypeFloat32::parse("NaN")));
    EXPECT_EQ(DataTypeFloat32::parse("-Infinity"), -std::numeric_limits<float>::infinity());
}

TEST(DataTypeNumber, PrintsFloatsAsClickHouse)
{
    const std::pair<double, const char *> cases[] = {
        {0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {-1.5, "-1.5"},
        {0.1, "0.1"},
        {123456.789, "123456.789"},
        {1e15, "1000000000000000"},
        {1e20, "100000000000000000000"},
        {123e19, "1.23e21"},
        {1e21, "1e21"},
        {1e22, "1e22"},
        {-1.25e300, "-1.25e300"},
        {0.000001, "0.000001"},
        {0.0000012345, "0.0000012345"},
        {1e-7, "1e-7"},
        {1.5e-7, "1.5e-7"},
        {9007199254740993.0, "9007199254740992"},
        {5e-324, "5e-324"},
        {1.7976931348623157e308, "1.7976931348623157e308"},
    };
    for (const auto & [value, text] : cases)
        EXPECT_EQ(printed(value), text);
    EXPECT_EQ(printed(0.1F), "0.1");
    EXPECT_EQ(printed(16777216.0F), "16777216");
    EXPECT_EQ(printed(std::nanf("")), "nan");
    EXPECT_EQ(printed(-std::nan("")), "nan");
    EXPECT_EQ(printed(std::numeric_limits<double>::infinity()), "inf");
    EXPECT_EQ(printed(-std::numeric_limits<float>::infinity()), "-inf");
}

TEST(DataTypeNumber, FloatsReadBackBitForBit)
{
    std::mt19937_64 random(20240607);
    for (int i = 0; i < 200000; ++i)
    {
        const UInt64 bits = random();
        const auto wide = std::bit_cast<Float64>(bits);
        if (std::isfinite(wide))
        {
            const std::string text = printed(wide);
            EXPECT_EQ(std::bit_cast<UInt64>(DataTypeFloat64::parse(text)), bits) << text;
            char shortest[32];
            /// No longer than the standard's own shortest form, exponent signs and zeros aside.
            const auto digits = [](std::string_view t) {
                size_t n = 0;
                for (const char c : t.substr(0, t.find('e')))
                    n += c >= '0' && c <= '9';
                return n;
            };
            const char * end = std::to_chars(shortest, shortest + sizeof(shortest), wide, std::chars_format::scientific).ptr;
            if (text.find('e') != std::string::npos)
            {
                EXPECT_EQ(digits(text), digits({shortest, static_cast<size_t>(end - shortest)})) << text;
            }
        }
        const auto narrow = std::bit_cast<Float32>(static_cast<UInt32>(bits));
        if (std::isfinite(narrow))
        {
            EXPECT_EQ(std::bit_cast<UInt32>(DataTypeFloat32::parse(printed(narrow))), static_cast<UInt32>(bits)) << printed(narrow);
        }
    }
}

TEST(DataTypeNumber, IsLittleEndianInBinary)
{
    EXPECT_EQ(binaryOf(*parseDataType("UInt32"), *numbers<UInt32>({0x01020304}), 0), "\x04\x03\x02\x01");
    EXPECT_EQ(binaryOf(*parseDataType("Int16"), *numbers<Int16>({-2}), 0), "\xfe\xff");
    EXPECT_EQ(binaryOf(*parseDataType("Float64"), *numbers<Float64>({1}), 0), std::string("\0\0\0\0\0\0\xf0\x3f", 8));
}

TEST(Escaping, GivesEveryByteBack)
{
    std::string all;
    for (int i = 0; i < 256; ++i)
        all += static_cast<char>(i);
    for (const std::string & value : {all, all + all, std::string(), std::string("\\"), std::string(1000, '\n')})
    {
        EXPECT_EQ(unescaped(escaped(value)), value);
        const std::string quoted = written([&](WriteBuffer & out) { writeQuotedString(value, out); }) + ",rest";
        std::string back;
        const char * pos = quoted.data();
        readQuotedString(back, pos, quoted.data() + quoted.size());
        EXPECT_EQ(back, value);
        EXPECT_EQ(std::string_view(pos), ",rest");
    }
    EXPECT_EQ(escaped(std::string_view("\b\f\n\r\t\0'\\", 8)), "\\b\\f\\n\\r\\t\\0\\'\\\\");
    EXPECT_EQ(escaped("\a\v\x1b\"\x7f\xff"), "\a\v\x1b\"\x7f\xff");
    for (const char c : escaped(all))
        EXPECT_TRUE(c != '\t' && c != '\n' && c != '\0');
}

TEST(Escaping, ReadsWhatClickHouseReads)
{
    EXPECT_EQ(unescaped("\\a\\v\\e\\\"\\`\\/\\="), "\a\v\x1b\"`/=");
    EXPECT_EQ(unescaped("\\x00\\xfF\\x41"), std::string("\0\xff"
                                                         "A",
                                                         3));
    EXPECT_EQ(unescaped("plain"), "plain");
    /// Measured with the engine: what stands behind a backslash and is neither an escape nor a control character keeps its backslash.
    const std::string_view known = "0abefnrtv\\'\"`/=xN";
    for (int byte = 0; byte < 256; ++byte)
    {
        const std::string text = std::string("a\\") + static_cast<char>(byte) + "z";
        if (known.find(static_cast<char>(byte)) != std::string_view::npos)
            continue;
        EXPECT_EQ(unescaped(text), byte < 32 ? std::string("a") + static_cast<char>(byte) + "z" : text) << byte;
    }
    std::string quoted;
    const std::string_view text = "'a''b\\qc\\\nd''',";
    const char * pos = text.data();
    readQuotedString(quoted, pos, text.data() + text.size());
    EXPECT_EQ(quoted, "a'b\\qc\nd'");
    EXPECT_EQ(*pos, ',');
}

TEST(Escaping, RefusesWhatIsNoEscape)
{
    EXPECT_ERROR(25, "ends with a backslash at offset 2", unescaped("ab\\"));
    EXPECT_ERROR(25, "NULL", unescaped("\\N"));
    EXPECT_ERROR(25, "hexadecimal", unescaped("\\x"));
    EXPECT_ERROR(25, "hexadecimal", unescaped("\\x4"));
    EXPECT_ERROR(25, "hexadecimal", unescaped("\\xg0"));
    const DataTypePtr type = parseDataType("String");
    const MutableColumnPtr column = columnFromText(*type, {"kept"});
    EXPECT_ERROR(25, "offset 9", type->deserializeTextEscaped(*column, "long text\\xq"));
    EXPECT_EQ(column->size(), 1U);
    type->deserializeTextEscaped(*column, "next");
    EXPECT_EQ(textOf(*type, *column, 1), "next");
}

TEST(DataTypeAggregateFunction, ReadsExactlyOneStateFromText)
{
    const DataTypePtr type = parseDataType("AggregateFunction(groupBitmap, UInt8)");
    const MutableColumnPtr column = columnFromText(*type, {"\\0\\0"});
    EXPECT_ERROR(36, "ends at byte 2, but 1 more bytes follow", type->deserializeTextEscaped(*column, "\\0\\0\\0"));
    EXPECT_ERROR(36, "ends at byte 3", type->deserializeTextEscaped(*column, "\\0\x01\x07x"));
    EXPECT_THROW(type->deserializeTextEscaped(*column, ""), Exception);
    EXPECT_THROW(type->deserializeTextEscaped(*column, "\\0"), Exception);
    EXPECT_ERROR(117, "", type->deserializeTextEscaped(*column, "\x05\\0"));
    EXPECT_ERROR(25, "", type->deserializeTextEscaped(*column, "\\0\\"));
    EXPECT_EQ(column->size(), 1U);
}

TEST(DataTypeAggregateFunction, AnswersHostileStatesAsAStrictReader)
{
    REQUIRE_VECTORS(folder, "clickhouse");
    size_t cases = 0;
    for (const auto & vector : nlohmann::json::parse(readFile(folder / "hostile" / "manifest.json")))
    {
        SCOPED_TRACE(vector.dump());
        const DataTypePtr type = parseDataType("AggregateFunction(groupBitmap, " + vector["type"].get<std::string>() + ")");
        const std::string bytes = fromHex(readVector(folder / vector["file"].get<std::string>()));
        const MutableColumnPtr column = type->createColumn();
        static_cast<ColumnAggregateFunction &>(*column).insertState();
        const std::string text = written([&](WriteBuffer & out) { writeEscapedString(bytes, out); });
        try
        {
            type->deserializeTextEscaped(*column, text);
            EXPECT_EQ(column->size(), 2U);
            const std::string canonical = binaryOf(*type, *column, 1);
            EXPECT_EQ(binaryOf(*type, *columnFromBinary(*type, {canonical}), 0), canonical);
        }
        catch (const Exception &)
        {
            EXPECT_EQ(column->size(), 1U);
            EXPECT_EQ(vector["expect"], "reject");
        }
        ++cases;
    }
    EXPECT_GT(cases, 50U);
}

TEST(DataTypeAggregateFunction, ReadsEveryTornStateOfAColumn)
{
    const DataTypePtr type = parseDataType("AggregateFunction(groupBitmap, UInt32)");
    const AggregateFunctionPtr function = static_cast<const DataTypeAggregateFunction &>(*type).getFunction();
    std::vector<std::string> states;
    for (const size_t n : {0, 1, 31, 32, 33, 1000, 100000})
    {
        std::vector<UInt32> values(n);
        for (size_t i = 0; i < n; ++i)
            values[i] = static_cast<UInt32>(i * 2654435761U);
        const auto argument = numbers<UInt32>(values);
        states.push_back(stateBytes(*function, {argument.get()}));
    }
    std::string all;
    for (const std::string & state : states)
        all += state;
    for (const size_t piece : TORN_SIZES)
    {
        TornReadBuffer in(all, piece);
        const MutableColumnPtr column = type->createColumn();
        type->deserializeBinaryBulk(*column, in, states.size());
        EXPECT_TRUE(in.eof());
        for (size_t row = 0; row < states.size(); ++row)
            EXPECT_EQ(binaryOf(*type, *column, row), states[row]) << "row " << row << " torn at " << piece;
    }
}
