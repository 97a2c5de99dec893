#include "ColumnBuilders.h"
#include "CombinatorCases.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/DataTypes/StoredDataType.h>
#include <statewire/Interpreters/GroupKeys.h>

#include <string>
#include <vector>

/** Types that are kept as others: names, texts and bytes as the real engine has them (tests/interop asks it), order, hostile bytes. */

using namespace DB;
using namespace statewire_tests;

namespace
{
struct StoredValue
{
    const char * type;
    const char * text;
    const char * binary_hex;
};

const StoredValue VALUES[] = {
    {"Bool", "true", "01"},
    {"Bool", "false", "00"},
    {"Date", "1970-01-01", "0000"},
    {"Date", "2024-02-29", "464D"},
    {"Date", "2149-06-06", "FFFF"},
    {"Date32", "1900-01-01", "219CFFFF"},
    {"Date32", "2299-12-31", "D1D60100"},
    {"DateTime", "2023-11-14 22:13:20", "00F15365"},
    {"DateTime('UTC')", "2106-02-07 06:28:15", "FFFFFFFF"},
    {"DateTime('Europe/Berlin')", "1970-01-01 01:00:00", "00000000"},
    {"DateTime64(3)", "2024-01-02 03:04:05.678", "2EDB20C88C010000"},
    {"DateTime64(3, 'UTC')", "1960-01-02 03:04:05.500", "7C1A7089B6FFFFFF"},
    {"DateTime64(0, 'Europe/Berlin')", "2024-07-01 02:00:00", "80F1816600000000"},
    {"DateTime64(9)", "1970-01-01 00:00:00.000000001", "0100000000000000"},
    {"Enum8('b' = -2, 'a' = 1)", "b", "FE"},
    {"Enum16('it\\'s' = 2, 'x y' = 1000)", "x y", "E803"},
    {"Decimal(9, 2)", "-0.05", "FBFFFFFF"},
    {"Decimal(9, 2)", "1000", "A0860100"},
    {"Decimal(18, 4)", "12345678901234.5678", "4EF330A64B9BB601"},
    {"Decimal(18, 0)", "-999999999999999999", "01009C584C491FF2"},
    {"FixedString(3)", "a\\0\\0", "610000"},
    {"FixedString(3)", "\\0\\0\\0", "000000"},
    {"UUID", "61f0c404-5cb3-11e7-907b-a6006ad3dba0", "E711B35C04C4F061A0DBD36A00A67B90"},
    {"UUID", "00000000-0000-0000-0000-000000000000", "00000000000000000000000000000000"},
    {"IPv4", "1.2.3.200", "C8030201"},
    {"IPv6", "2001:db8::1", "20010DB8000000000000000000000001"},
    {"IPv6", "::ffff:1.2.3.4", "00000000000000000000FFFF01020304"},
    {"LowCardinality(String)", "x", "0178"},
    {"LowCardinality(Nullable(String))", "\\N", "01"},
    {"LowCardinality(Date)", "2024-02-29", "464D"},
    {"LowCardinality(FixedString(2))", "a\\0", "6100"},
    {"Nullable(UUID)", "\\N", "01"},
    {"SimpleAggregateFunction(sum, UInt64)", "7", "0700000000000000"},
    {"SimpleAggregateFunction(max, Date)", "2024-02-29", "464D"},
    {"SimpleAggregateFunction(anyLast, LowCardinality(Nullable(String)))", "\\N", "01"},
    {"SimpleAggregateFunction(groupArrayArray(10), Array(UInt8))", "[1,2]", "020102"},
};

struct Refused
{
    const char * type;
    const char * text;
    int code;
};

const Refused REFUSED[] = {
    {"Bool", "2", ErrorCodes::CANNOT_PARSE_BOOL},
    {"Date", "2024-02-30", ErrorCodes::CANNOT_PARSE_DATE},
    {"Date", "2024-13-01", ErrorCodes::CANNOT_PARSE_DATE},
    {"Date", "1969-12-31", ErrorCodes::CANNOT_PARSE_DATE},
    {"Date", "2149-06-07", ErrorCodes::CANNOT_PARSE_DATE},
    {"Date", "2024-01-02 ", ErrorCodes::CANNOT_PARSE_DATE},
    {"Date", "", ErrorCodes::CANNOT_PARSE_DATE},
    {"Date32", "1899-12-31", ErrorCodes::CANNOT_PARSE_DATE},
    {"DateTime", "2024-01-02 25:00:00", ErrorCodes::CANNOT_PARSE_DATETIME},
    {"DateTime", "1960-01-01 00:00:00", ErrorCodes::CANNOT_PARSE_DATETIME},
    {"DateTime", "9999999999", ErrorCodes::CANNOT_PARSE_DATETIME},
    {"DateTime", "12345", ErrorCodes::CANNOT_PARSE_DATETIME},
    {"DateTime", "x", ErrorCodes::CANNOT_PARSE_DATETIME},
    {"DateTime64(9)", "9999-01-01 00:00:00", ErrorCodes::CANNOT_PARSE_DATETIME},
    {"Enum8('a' = 1)", "c", ErrorCodes::UNKNOWN_ELEMENT_OF_ENUM},
    {"Enum8('a' = 1)", "2", ErrorCodes::UNKNOWN_ELEMENT_OF_ENUM},
    {"Decimal(9, 2)", "12345678.1", ErrorCodes::ARGUMENT_OUT_OF_BOUND},
    {"Decimal(9, 2)", "1e400", ErrorCodes::ARGUMENT_OUT_OF_BOUND},
    {"Decimal(9, 2)", "x", ErrorCodes::CANNOT_PARSE_NUMBER},
    {"Decimal(9, 2)", "1.2.3", ErrorCodes::CANNOT_PARSE_NUMBER},
    {"FixedString(3)", "abcd", ErrorCodes::TOO_LARGE_STRING_SIZE},
    {"UUID", "61f0c404-5cb3-11e7-907b-a6006ad3dba", ErrorCodes::CANNOT_PARSE_UUID},
    {"UUID", "61f0c404x5cb3-11e7-907b-a6006ad3dba0", ErrorCodes::CANNOT_PARSE_UUID},
    {"UUID", "61f0c404-5cb3-11e7-907b-a6006ad3dbag", ErrorCodes::CANNOT_PARSE_UUID},
    {"IPv4", "1.2.3", ErrorCodes::CANNOT_PARSE_IPV4},
    {"IPv4", "1.2.3.256", ErrorCodes::CANNOT_PARSE_IPV4},
    {"IPv4", "1.2.3.4.", ErrorCodes::CANNOT_PARSE_IPV4},
    {"IPv6", "zz", ErrorCodes::CANNOT_PARSE_IPV6},
};

std::string withoutSpaces(std::string_view text)
{
    std::string result;
    for (const char c : text)
        if (c != ' ')
            result += c;
    return result;
}

std::string readAs(const char * type_name, const std::string & text)
{
    const DataTypePtr type = parseDataType(type_name);
    return textOf(*type, *columnFromText(*type, {text}), 0);
}

/// A Native column, with what stands in front of it.
std::string nativeOf(const IDataType & type, const IColumn & column)
{
    return written([&](WriteBuffer & out) {
        type.serializeBinaryBulkStatePrefix(out);
        type.serializeBinaryBulk(column, out, 0, column.size());
    });
}

MutableColumnPtr readNative(const IDataType & type, const std::string & bytes, size_t rows)
{
    MutableColumnPtr column = type.createColumn();
    ReadBufferFromMemory in(bytes);
    type.deserializeBinaryBulkStatePrefix(in);
    type.deserializeBinaryBulk(*column, in, rows);
    EXPECT_TRUE(in.eof());
    return column;
}
}

TEST(StoredTypes, HaveTheEnginesTextsAndBytes)
{
    for (const StoredValue & value : VALUES)
    {
        SCOPED_TRACE(std::string(value.type) + " " + value.text);
        const DataTypePtr type = parseDataType(value.type);
        EXPECT_EQ(type->getName(), value.type);
        const MutableColumnPtr column = columnFromText(*type, {value.text});
        EXPECT_EQ(textOf(*type, *column, 0), value.text);
        const std::string bytes = binaryOf(*type, *column, 0);
        EXPECT_EQ(toUpperHex(bytes), withoutSpaces(value.binary_hex));
        EXPECT_EQ(textOf(*type, *columnFromBinary(*type, {bytes}), 0), value.text);
        EXPECT_EQ(textOf(*type, *readNative(*type, nativeOf(*type, *column), 1), 0), value.text);

        /// Torn everywhere: an error, and the column is as it was.
        for (size_t size = 0; size < bytes.size(); ++size)
        {
            const std::string torn = bytes.substr(0, size);
            const MutableColumnPtr nothing = type->createColumn();
            ReadBufferFromMemory in(torn);
            EXPECT_THROW(type->deserializeBinary(*nothing, in), Exception);
            EXPECT_EQ(nothing->size(), 0U);
        }
        const DataTypePtr arrays = parseDataType(std::string("Array(") + value.type + ")");
        const std::string quoted = textOf(*arrays, *columnFromText(*arrays, {"[]"}), 0);
        EXPECT_EQ(quoted, "[]");
    }
}

TEST(StoredTypes, RefuseTextsThatAreNoValues)
{
    for (const Refused & refused : REFUSED)
    {
        SCOPED_TRACE(std::string(refused.type) + " " + refused.text);
        EXPECT_ERROR(refused.code, "", readAs(refused.type, refused.text));
    }
    EXPECT_ERROR(ErrorCodes::BAD_ARGUMENTS, "Unexpected value 7 in enum Enum8('a' = 1)", [] {
        const DataTypePtr type = parseDataType("Enum8('a' = 1)");
        return textOf(*type, *columnFromBinary(*type, {"\7"}), 0);
    }());
}

TEST(StoredTypes, ReadWhatTheEngineReads)
{
    EXPECT_EQ(readAs("Bool", "YES"), "true");
    EXPECT_EQ(readAs("Bool", "0"), "false");
    EXPECT_EQ(readAs("Date", "2024-1-2"), "2024-01-02");
    EXPECT_EQ(readAs("Date", "20240102"), "2024-01-02");
    EXPECT_EQ(readAs("Date", "2024/01/02"), "2024-01-02");
    EXPECT_EQ(readAs("DateTime", "2024-01-02"), "2024-01-02 00:00:00");
    EXPECT_EQ(readAs("DateTime", "1700000000"), "2023-11-14 22:13:20");
    EXPECT_EQ(readAs("DateTime", "2024-01-02T03:04:05"), "2024-01-02 03:04:05");
    EXPECT_EQ(readAs("DateTime", "2024-01-02 03:04:05.678"), "2024-01-02 03:04:05");
    EXPECT_EQ(readAs("DateTime('Europe/Berlin')", "2024-01-02T03:04:05Z"), "2024-01-02 04:04:05");
    EXPECT_EQ(readAs("DateTime('Europe/Berlin')", "2024-01-02T03:04:05+05:00"), "2024-01-01 23:04:05");
    EXPECT_EQ(readAs("DateTime64(3)", "1700000000.5"), "2023-11-14 22:13:20.500");
    EXPECT_EQ(readAs("DateTime64(3)", "2024-01-02 03:04:05.6789"), "2024-01-02 03:04:05.678");
    EXPECT_EQ(readAs("Decimal(9, 2)", "+1.50"), "1.5");
    EXPECT_EQ(readAs("Decimal(9, 2)", ".5"), "0.5");
    EXPECT_EQ(readAs("Decimal(9, 2)", "1.999"), "1.99");
    EXPECT_EQ(readAs("Decimal(9, 2)", "1e3"), "1000");
    EXPECT_EQ(readAs("Decimal(9, 2)", "1e-3"), "0");
    EXPECT_EQ(readAs("Enum8('a' = 1, 'b' = 2)", "2"), "b");
    EXPECT_EQ(readAs("FixedString(3)", ""), "\\0\\0\\0");
    EXPECT_EQ(readAs("UUID", "61F0C4045CB311E7907BA6006AD3DBA0"), "61f0c404-5cb3-11e7-907b-a6006ad3dba0");
    EXPECT_EQ(readAs("IPv6", "1.2.3.4"), "::ffff:1.2.3.4");
    EXPECT_EQ(readAs("Array(Date)", "['2024-01-02', '2024-01-03']"), "['2024-01-02','2024-01-03']");
    EXPECT_EQ(
        readAs("Tuple(Bool, Decimal(9, 1), UUID)", "(true,1.5,'61f0c4045cb311e7907ba6006ad3dba0')"),
        "(true,1.5,'61f0c404-5cb3-11e7-907b-a6006ad3dba0')");
    EXPECT_EQ(readAs("Array(LowCardinality(Nullable(String)))", "['a',NULL]"), "['a',NULL]");
    EXPECT_EQ(readAs("Array(LowCardinality(Nullable(String)))", "[null,'null',nUlL]"), "[NULL,'null',NULL]");
}

TEST(StoredTypes, TakeTimesThatClocksShowTwiceOrNeverAsTheEngine)
{
    const DataTypePtr type = parseDataType("DateTime('Europe/Berlin')");
    const MutableColumnPtr column = columnFromText(*type, {"2024-10-27 02:30:00", "2024-03-31 02:30:00"});
    EXPECT_EQ(static_cast<const ColumnVector<UInt32> &>(*column).getData(), (std::vector<UInt32>{1729989000, 1711845000}));
}

TEST(StoredTypes, TimesBeyondFourDigitsOfTheYearHaveTheNearestText)
{
    EXPECT_EQ(readAs("DateTime64(0)", "9999-12-31 23:59:59"), "9999-12-31 23:59:59");
    EXPECT_EQ(readAs("DateTime64(0)", "0001-01-01 00:00:00"), "0001-01-01 00:00:00");
    const DataTypePtr type = parseDataType("DateTime64(3, 'Asia/Tokyo')");
    const MutableColumnPtr column = columnFromBinary(*type, {std::string(7, '\xff') + '\x7f', std::string("\1\0\0\0\0\0\0\x80", 8)});
    EXPECT_EQ(textOf(*type, *column, 0), "9999-12-31 23:59:59.807");
    EXPECT_EQ(textOf(*type, *column, 1), "0000-01-01 00:00:00.193");
    const DataTypePtr days = parseDataType("Date32");
    const MutableColumnPtr far
        = columnFromBinary(*days, {"\xff\xff\xff\x7f", std::string("\0\0\0\x80", 4), std::string("\xd2\xd6\1\0", 4)});
    EXPECT_EQ(textOf(*days, *far, 0), "9999-12-31");
    EXPECT_EQ(textOf(*days, *far, 1), "0000-01-01");
    EXPECT_EQ(textOf(*days, *far, 2), "2300-01-01");
}

TEST(StoredTypes, PrintTheEnginesNames)
{
    const auto name = [](const char * type) { return parseDataType(type)->getName(); };
    EXPECT_EQ(name("DateTime64"), "DateTime64(3)");
    EXPECT_EQ(name("DateTime64( 6 ,'UTC')"), "DateTime64(6, 'UTC')");
    EXPECT_EQ(name("DateTime32('UTC')"), "DateTime('UTC')");
    EXPECT_EQ(name("Decimal(10)"), "Decimal(10, 0)");
    EXPECT_EQ(name("Decimal"), "Decimal(10, 0)");
    EXPECT_EQ(name("Decimal32(2)"), "Decimal(9, 2)");
    EXPECT_EQ(name("Decimal64(4)"), "Decimal(18, 4)");
    EXPECT_EQ(name("Enum('a','b')"), "Enum8('a' = 1, 'b' = 2)");
    EXPECT_EQ(name("Enum16('a'=200,'b')"), "Enum16('a' = 200, 'b' = 201)");
    EXPECT_EQ(name("Enum('x'=1,'y'=-300)"), "Enum16('y' = -300, 'x' = 1)");
    EXPECT_ERROR(ErrorCodes::SYNTAX_ERROR, "Duplicate names", name("Enum8('a' = 1, 'a' = 2)"));
    EXPECT_ERROR(ErrorCodes::SYNTAX_ERROR, "Duplicate values", name("Enum8('a' = 1, 'b' = 1)"));
    EXPECT_ERROR(ErrorCodes::ARGUMENT_OUT_OF_BOUND, "Value 200", name("Enum8('a' = 200)"));
    EXPECT_ERROR(ErrorCodes::EMPTY_DATA_PASSED, "empty", name("Enum8()"));
    EXPECT_ERROR(ErrorCodes::UNEXPECTED_AST_STRUCTURE, "positive", name("FixedString(0)"));
    EXPECT_ERROR(ErrorCodes::ARGUMENT_OUT_OF_BOUND, "too large", name("FixedString(16777216)"));
    EXPECT_ERROR(ErrorCodes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, "FixedString takes 1", name("FixedString"));
    EXPECT_ERROR(ErrorCodes::BAD_ARGUMENTS, "Cannot load time zone 'Nowhere/X'", name("DateTime('Nowhere/X')"));
    EXPECT_ERROR(ErrorCodes::ARGUMENT_OUT_OF_BOUND, "between 1 and 76", name("Decimal(77, 2)"));
    EXPECT_ERROR(ErrorCodes::ARGUMENT_OUT_OF_BOUND, "scales", name("Decimal(5, 6)"));
    EXPECT_ERROR(ErrorCodes::NOT_IMPLEMENTED, "Decimal(38, 4)", name("Decimal(38, 4)"));
    EXPECT_ERROR(ErrorCodes::NOT_IMPLEMENTED, "Int128", name("Array(Int128)"));
    EXPECT_ERROR(ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT, "LowCardinality", name("LowCardinality(Array(String))"));
    EXPECT_ERROR(ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT, "LowCardinality", name("LowCardinality(LowCardinality(String))"));
    EXPECT_ERROR(ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT, "Nullable", name("Nullable(LowCardinality(String))"));
    EXPECT_ERROR(ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT, "Nullable", name("Nullable(SimpleAggregateFunction(sum, UInt64))"));
    EXPECT_ERROR(ErrorCodes::BAD_ARGUMENTS, "uniq", name("SimpleAggregateFunction(uniq, UInt64)"));
    EXPECT_ERROR(ErrorCodes::SYNTAX_ERROR, "Expected", name("SimpleAggregateFunction(sum)"));
}

/// Each list is in the engine's order.
TEST(StoredTypes, SortAndGroupInTheEnginesOrder)
{
    const std::vector<std::pair<const char *, std::vector<std::string>>> lists = {
        {"Date", {"1970-01-01", "2024-02-29", "2149-06-06"}},
        {"Date32", {"1900-01-01", "1970-01-01", "2299-12-31"}},
        {"DateTime64(3)", {"1960-01-02 03:04:05.500", "1970-01-01 00:00:00.000"}},
        {"Enum8('z' = -2, 'a' = 1)", {"z", "a"}},
        {"Decimal(9, 2)", {"-1.5", "-0.05", "0", "12"}},
        {"FixedString(3)", {"\\0\\0\\0", "\\0\\0a", "a\\0\\0", "a\\0b", "ab\\0", "b\\0\\0"}},
        {"UUID", {"00000000-0000-0002-0000-000000000001", "00000000-0000-0001-0000-000000000002", "00000000-0000-0002-0000-000000000002"}},
        {"IPv4", {"1.0.0.2", "200.0.0.1"}},
        {"IPv6", {"::3", "1::2", "2::1"}},
        {"LowCardinality(Nullable(String))", {"", "a", "ab", "\\N"}},
        {"Nullable(Date)", {"1970-01-01", "2024-02-29", "\\N"}},
        {"Array(UUID)", {"[]", "['00000000-0000-0002-0000-000000000001']", "['00000000-0000-0001-0000-000000000002']"}},
    };
    for (const auto & [type_name, values] : lists)
    {
        SCOPED_TRACE(type_name);
        const DataTypePtr type = parseDataType(type_name);
        const MutableColumnPtr column = columnFromText(*type, values);
        const IColumn * const columns[] = {column.get()};
        const GroupKeys keys({type});
        EncodedKeys encoded;
        keys.encode(columns, 0, values.size(), encoded);
        std::vector<MutableColumnPtr> decoded;
        decoded.push_back(type->createColumn());
        std::string last;
        for (size_t row = 0; row < values.size(); ++row)
        {
            char bytes[8];
            const std::string key(keys.bytesAt(encoded.numbers, encoded.views, row, bytes));
            EXPECT_TRUE(row == 0 || GroupKeys::compare(last, key) < 0) << values[row];
            EXPECT_TRUE(row == 0 || column->compareAt(row - 1, *column, row) < 0) << values[row];
            keys.decode(key, decoded);
            EXPECT_EQ(textOf(*type, *decoded[0], row), values[row]);
            last = key;
        }
    }
}

TEST(StoredTypes, StandForMissingValues)
{
    const auto missing = [](const char * name) {
        const DataTypePtr type = parseDataType(name);
        const MutableColumnPtr column = type->createColumn();
        type->insertDefaultInto(*column);
        return textOf(*type, *column, 0);
    };
    EXPECT_EQ(missing("Enum8('b' = -2, 'a' = 1)"), "b");
    EXPECT_EQ(missing("Date32"), "1900-01-01");
    EXPECT_EQ(missing("FixedString(2)"), "\\0\\0");
    EXPECT_EQ(missing("UUID"), "00000000-0000-0000-0000-000000000000");
    EXPECT_EQ(missing("LowCardinality(Nullable(String))"), "\\N");
    EXPECT_EQ(missing("Tuple(Enum8('a' = 1), Date32)"), "('a','1900-01-01')");
}

TEST(StoredTypes, DictionariesOfEverySizeReadBack)
{
    for (const size_t distinct : {size_t{1}, size_t{255}, size_t{256}, size_t{300}, size_t{70000}})
    {
        const DataTypePtr type = parseDataType("LowCardinality(Nullable(UInt32))");
        std::vector<std::string> values;
        for (size_t i = 0; i < distinct + 10; ++i)
            values.push_back(i % 7 == 6 ? "\\N" : std::to_string(i % distinct));
        const MutableColumnPtr column = columnFromText(*type, values);
        const MutableColumnPtr read = readNative(*type, nativeOf(*type, *column), values.size());
        for (size_t row = 0; row < values.size(); ++row)
            ASSERT_EQ(textOf(*type, *read, row), values[row]);
    }
}

TEST(StoredTypes, HostileDictionariesAreRefused)
{
    const DataTypePtr type = parseDataType("LowCardinality(String)");
    const MutableColumnPtr column = columnFromText(*type, {"a", "b", "a"});
    const std::string good = nativeOf(*type, *column);
    const auto read = [&](const std::string & bytes) { return readNative(*type, bytes, 3)->size(); };
    EXPECT_EQ(read(good), 3U);
    const auto changed = [&](size_t at, char byte) {
        std::string bytes = good;
        bytes.at(at) = byte;
        return bytes;
    };
    EXPECT_ERROR(ErrorCodes::INCORRECT_DATA, "of version 2, expected 1", read(changed(0, 2)));
    EXPECT_ERROR(ErrorCodes::INCORRECT_DATA, "the flags", read(changed(8, 9)));
    EXPECT_ERROR(ErrorCodes::NOT_IMPLEMENTED, "the flags", read(changed(9, 7)));
    EXPECT_ERROR(ErrorCodes::INCORRECT_DATA, "the flags", read(changed(9, 4)));
    EXPECT_ERROR(ErrorCodes::INCORRECT_DATA, "has 4 rows, expected 1 to 3", read(changed(29, 4)));
    EXPECT_ERROR(ErrorCodes::INCORRECT_DATA, "has 0 rows", read(changed(29, 0)));
    EXPECT_ERROR(ErrorCodes::INCORRECT_DATA, "Index 9", read(changed(good.size() - 1, 9)));
    for (size_t size = 0; size < good.size(); ++size)
        EXPECT_THROW(read(good.substr(0, size)), Exception) << size;

    /// One long key, named by a million indexes of a byte.
    const size_t rows = 1 << 20;
    const std::string key(8192, 'x');
    const std::string bomb = written([&](WriteBuffer & out) {
        out.write(good.data(), 24);
        const char size[] = {'\x80', '\x40'};
        out.write("\0", 1);
        out.write(size, 2);
        out.write(key.data(), key.size());
        const char count[8] = {0, 0, 16};
        out.write(count, 8);
        const std::string indexes(rows, '\1');
        out.write(indexes.data(), indexes.size());
    });
    std::string two_keys = bomb;
    two_keys[16] = 2;
    EXPECT_ERROR(ErrorCodes::TOO_LARGE_STRING_SIZE, "larger than the limit", readNative(*type, two_keys, rows));
}

TEST(StoredTypes, AreArgumentsWhereTheEngineTakesThem)
{
    const auto state_type = [](const char * name, std::vector<const char *> types) {
        DataTypes arguments;
        for (const char * type : types)
            arguments.push_back(parseDataType(type));
        return defaultAggregateFunctionFactory().get(name, arguments)->getResultType()->getName();
    };
    EXPECT_EQ(state_type("groupBitmapState", {"Bool"}), "AggregateFunction(groupBitmap, Bool)");
    EXPECT_EQ(state_type("groupBitmapState", {"Nullable(Bool)"}), "AggregateFunction(groupBitmap, Nullable(Bool))");
    EXPECT_EQ(state_type("groupBitmapState", {"LowCardinality(UInt32)"}), "AggregateFunction(groupBitmap, UInt32)");
    EXPECT_EQ(state_type("groupBitmapState", {"LowCardinality(Nullable(UInt32))"}), "AggregateFunction(groupBitmap, Nullable(UInt32))");
    EXPECT_EQ(state_type("groupBitmapStateIf", {"UInt8", "Bool"}), "AggregateFunction(groupBitmap, UInt8)");
    EXPECT_EQ(state_type("groupBitmapStateIf", {"UInt8", "Nullable(Bool)"}), "AggregateFunction(groupBitmap, UInt8)");
    for (const char * type :
         {"Date", "DateTime", "Enum8('a' = 1)", "IPv4", "FixedString(3)", "UUID", "Decimal(9, 2)", "LowCardinality(Date)"})
    {
        EXPECT_ERROR(ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT, "groupBitmap", state_type("groupBitmapState", {type}));
        EXPECT_ERROR(ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT, "If", state_type("groupBitmapStateIf", {"UInt8", type}));
    }

    const AggregateFunctionPtr function
        = defaultAggregateFunctionFactory().get("groupBitmapIf", {parseDataType("UInt8"), parseDataType("Nullable(Bool)")});
    const MutableColumnPtr values = columnFromText(*parseDataType("UInt8"), {"1", "2", "3"});
    const MutableColumnPtr conditions = columnFromText(*parseDataType("Nullable(Bool)"), {"true", "false", "\\N"});
    const Place place(*function);
    addRows(*function, place, {values.get(), conditions.get()}, 3);
    EXPECT_EQ(toUpperHex(place.bytes()), "000101");
}
