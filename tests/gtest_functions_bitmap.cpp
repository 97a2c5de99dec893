#include "FunctionCalls.h"
#include "Vectors.h"

#include <statewire/AggregateFunctions/RoaringBitmapState.h>
#include <statewire/DataTypes/dispatchNumber.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>

/** The bitmap functions over columns, against sets of numbers: the values of T read as unsigned, in ascending order. */

using namespace DB;
using namespace statewire_tests;

namespace
{

constexpr const char * ELEMENTS[] = {"UInt8", "UInt16", "UInt32", "UInt64", "Int8", "Int16", "Int32", "Int64"};

std::string bitmapType(const std::string & element)
{
    return "AggregateFunction(groupBitmap, " + element + ")";
}

ColumnWithType number(UInt64 x)
{
    return column("UInt64", {std::to_string(x)});
}

/// Numbers of T as an array of T.
template <typename T>
std::string arrayOf(const std::vector<UInt64> & numbers)
{
    std::string array = "[";
    for (const UInt64 x : numbers)
        array += (array.size() > 1 ? "," : "") + std::to_string(static_cast<T>(x));
    return array + "]";
}

/// As text, for functions that give a bitmap.
std::string arrayFrom(std::string_view name, const ColumnsWithTypes & arguments)
{
    return one("bitmapToArray", {call(name, arguments, 1)});
}

template <typename T>
std::vector<UInt64> someNumbers(std::mt19937_64 & random, size_t n)
{
    constexpr UInt64 LAST = std::numeric_limits<std::make_unsigned_t<T>>::max();
    const UInt64 borders[] = {0, 127, 128, 255, 32767, 32768, 65535, 65536, LAST / 2, LAST / 2 + 1, LAST - 70000, LAST};
    std::set<UInt64> numbers;
    for (size_t tries = 0; numbers.size() < n && tries < 4 * n; ++tries)
    {
        const UInt64 base = random() % 4 ? borders[random() % std::size(borders)] : random();
        numbers.insert((base + random() % 5 * (random() % 1000)) & LAST);
    }
    return {numbers.begin(), numbers.end()};
}

/// The same set built, and read back from its bytes.
template <typename T>
std::vector<ColumnWithType> bothWays(const std::string & element, const std::vector<UInt64> & numbers)
{
    const ColumnWithType built = bitmap(element, arrayOf<T>(numbers));
    return {built, statesColumn(bitmapType(element), {binaryOf(*built.type, *built.column, 0)})};
}

template <typename T>
void checkAgainstSets(const std::string & element)
{
    constexpr UInt64 LAST = std::numeric_limits<std::make_unsigned_t<T>>::max();
    constexpr UInt64 SEED = 20261130;
    std::mt19937_64 random(SEED);
    for (const size_t n : {0, 1, 5, 31, 32, 33, 34, 200, 6000})
    {
        SCOPED_TRACE(element + ", seed " + std::to_string(SEED) + ", size " + std::to_string(n));
        const std::vector<UInt64> numbers = someNumbers<T>(random, n);
        const auto probe = [&]() -> UInt64 {
            const UInt64 near = numbers.empty() ? random() : numbers[random() % numbers.size()] + random() % 3 - 1;
            return random() % 4 == 0 ? random() >> random() % 64 : near;
        };
        for (const ColumnWithType & set : bothWays<T>(element, numbers))
            for (int round = 0; round < 12; ++round)
            {
                const UInt64 start = probe();
                const UInt64 end = probe();
                const UInt64 limit = round % 3 == 0 ? probe() : random() % 40;
                const auto from = std::lower_bound(numbers.begin(), numbers.end(), start);
                const auto to = start < end ? std::lower_bound(from, numbers.end(), end) : from;
                const std::vector<UInt64> in_range(from, to);
                ASSERT_EQ(arrayFrom("bitmapSubsetInRange", {set, number(start), number(end)}), arrayOf<T>(in_range)) << start << ' ' << end;
                ASSERT_EQ(one("bitmapRangeCardinality", {set, number(start), number(end)}), std::to_string(in_range.size()));
                const auto enough = from + static_cast<std::ptrdiff_t>(std::min<UInt64>(limit, static_cast<UInt64>(numbers.end() - from)));
                ASSERT_EQ(arrayFrom("bitmapSubsetLimit", {set, number(start), number(limit)}), arrayOf<T>({from, enough}));
                const UInt64 offset = round % 4 == 0 ? probe() : random() % (numbers.size() + 2);
                const size_t begin = std::min<UInt64>(offset, numbers.size());
                const size_t stop = begin + std::min<UInt64>(limit, numbers.size() - begin);
                ASSERT_EQ(
                    arrayFrom("subBitmap", {set, number(offset), number(limit)}),
                    arrayOf<T>({numbers.begin() + static_cast<std::ptrdiff_t>(begin), numbers.begin() + static_cast<std::ptrdiff_t>(stop)}));
                ASSERT_EQ(
                    one("bitmapRank", {set, number(start)}),
                    std::to_string(std::upper_bound(numbers.begin(), numbers.end(), start) - numbers.begin()));
                ASSERT_EQ(one("bitmapContains", {set, number(start)}), std::binary_search(numbers.begin(), numbers.end(), start) ? "1" : "0");
                if (offset < numbers.size())
                    ASSERT_EQ(one("bitmapSelect", {set, number(offset)}), std::to_string(numbers[offset]));
                else
                    EXPECT_ERROR(69, "index", one("bitmapSelect", {set, number(offset)}));

                std::vector<UInt64> up;
                std::vector<UInt64> down;
                const UInt64 distance = round % 2 ? random() % 300 : probe();
                for (const UInt64 x : numbers)
                {
                    if (distance <= LAST && x <= LAST - distance)
                        up.push_back(x + distance);
                    if (distance <= x)
                        down.push_back(x - distance);
                }
                ASSERT_EQ(arrayFrom("bitmapShift", {set, number(distance)}), arrayOf<T>(up)) << distance;
                if (distance < UInt64{1} << 63)
                {
                    ASSERT_EQ(
                        arrayFrom("bitmapShift", {set, column("Int64", {std::to_string(-static_cast<Int64>(distance))})}), arrayOf<T>(down));
                }

                const UInt64 flip_end = start + std::min<UInt64>(random() % 3000, ~start);
                std::vector<UInt64> flipped(numbers.begin(), from);
                for (UInt64 x = start; x < flip_end && x <= LAST; ++x)
                {
                    if (!std::binary_search(numbers.begin(), numbers.end(), x))
                        flipped.push_back(x);
                    if (x == LAST)
                        break;
                }
                flipped.insert(flipped.end(), start < flip_end ? std::lower_bound(from, numbers.end(), flip_end) : from, numbers.end());
                ASSERT_EQ(arrayFrom("bitmapFlip", {set, number(start), number(flip_end)}), arrayOf<T>(flipped)) << start << ' ' << flip_end;

                /// Pairs of the bitmap's own numbers and others, one after another.
                std::set<UInt64> transformed(numbers.begin(), numbers.end());
                std::vector<UInt64> olds;
                std::vector<UInt64> news;
                for (UInt64 pairs = random() % 6; pairs != 0; --pairs)
                {
                    olds.push_back(!news.empty() && random() % 2 ? news.back() : probe() & LAST);
                    news.push_back(probe() & LAST);
                    if (transformed.erase(olds.back()) != 0)
                        transformed.insert(news.back());
                }
                const auto list = [](const std::vector<UInt64> & values) { return column("Array(UInt64)", {arrayOf<UInt64>(values)}); };
                ASSERT_EQ(
                    arrayFrom("bitmapTransform", {set, list(olds), list(news)}), arrayOf<T>({transformed.begin(), transformed.end()}));
            }
    }
}

}

TEST(BitmapFunctions, AgreeWithSetsOfNumbers)
{
    checkAgainstSets<UInt8>("UInt8");
    checkAgainstSets<UInt16>("UInt16");
    checkAgainstSets<UInt32>("UInt32");
    checkAgainstSets<UInt64>("UInt64");
    checkAgainstSets<Int8>("Int8");
    checkAgainstSets<Int16>("Int16");
    checkAgainstSets<Int32>("Int32");
    checkAgainstSets<Int64>("Int64");
}

TEST(BitmapFunctions, CheckTheirArguments)
{
    const char * b32 = "AggregateFunction(groupBitmap, UInt32)";
    for (const char * name : {"bitmapSubsetInRange", "bitmapSubsetLimit", "subBitmap", "bitmapFlip"})
    {
        EXPECT_EQ(returnType(name, {b32, "UInt8", "UInt64"})->getName(), b32);
        EXPECT_EQ(returnType(name, {"AggregateFunction(groupBitmapIf, UInt32, UInt8)", "UInt8", "UInt16"})->getName(), b32);
        EXPECT_ERROR(42, "takes 3 arguments, not 2", returnType(name, {b32, "UInt8"}));
        /// As in ClickHouse: limits are unsigned.
        EXPECT_ERROR(43, "Argument 2", returnType(name, {b32, "Int8", "UInt8"}));
        EXPECT_ERROR(43, "Argument 3", returnType(name, {b32, "UInt8", "Float64"}));
        EXPECT_ERROR(43, "Argument 1", returnType(name, {"UInt32", "UInt8", "UInt8"}));
    }
    EXPECT_EQ(returnType("bitmapRangeCardinality", {b32, "UInt8", "UInt8"})->getName(), "UInt64");
    EXPECT_ERROR(43, "Argument 3", returnType("bitmapRangeCardinality", {b32, "UInt8", "Int64"}));
    for (const char * name : {"bitmapRank", "bitmapSelect"})
    {
        EXPECT_EQ(returnType(name, {b32, "UInt8"})->getName(), "UInt64");
        EXPECT_ERROR(43, "unsigned", returnType(name, {b32, "Int8"}));
        EXPECT_ERROR(42, "not 1", returnType(name, {b32}));
    }
    EXPECT_EQ(returnType("bitmapShift", {b32, "Int8"})->getName(), b32);
    EXPECT_ERROR(43, "Argument 2", returnType("bitmapShift", {b32, "Float32"}));
    EXPECT_EQ(returnType("bitmapJaccard", {b32, b32})->getName(), "Float64");
    EXPECT_EQ(returnType("bitmapTransform", {b32, "Array(UInt8)", "Array(Int64)"})->getName(), b32);
    EXPECT_ERROR(43, "array of integers", returnType("bitmapTransform", {b32, "Array(UInt8)", "UInt8"}));
    EXPECT_ERROR(43, "array of integers", returnType("bitmapTransform", {b32, "Array(String)", "Array(UInt8)"}));
    EXPECT_EQ(returnType("bitmapToPortable32", {b32})->getName(), "String");
    EXPECT_EQ(returnType("bitmapFromPortable32", {"String"})->getName(), b32);
    EXPECT_EQ(returnType("bitmapFromPortable64", {"String"})->getName(), bitmapType("UInt64"));
    EXPECT_ERROR(43, "String", returnType("bitmapFromPortable64", {b32}));
    EXPECT_EQ(returnType("bitmapIsValid", {"String", "String"})->getName(), "UInt8");
    EXPECT_ERROR(42, "not 1", returnType("bitmapIsValid", {"String"}));
}

/// The examples of users' reports, with the values that are right.
TEST(BitmapFunctions, AnswerUsersReports)
{
    /// CH#109974: a small set was walked in the order of insertion.
    EXPECT_EQ(arrayFrom("subBitmap", {bitmap("UInt32", "[5,4,1,2,3]"), number(2), number(2)}), "[3,4]");
    EXPECT_EQ(arrayFrom("subBitmap", {bitmap("UInt32", "[30,0,5,10,20]"), number(1), number(2)}), "[5,10]");
    /// CH#18713.
    EXPECT_EQ(one("bitmapContains", {bitmap("UInt64", "[1,10000]"), number(200000000)}), "0");
    /// Doris#13964, databend#19894: sets of one value.
    EXPECT_EQ(arrayFrom("subBitmap", {bitmap("UInt8", "[1]"), number(0), number(3)}), "[1]");
    EXPECT_EQ(arrayFrom("subBitmap", {bitmap("UInt8", "[1]"), number(2), number(1)}), "[]");
    EXPECT_EQ(arrayFrom("bitmapSubsetInRange", {bitmap("UInt32", "[20221103]"), number(0), number(20221104)}), "[20221103]");
    /// CRoaring#555.
    std::string hundred = "[";
    for (int i = 0; i < 100; ++i)
        hundred += (i ? "," : "") + std::to_string(i);
    hundred += "]";
    EXPECT_EQ(arrayFrom("bitmapAndnot", {bitmap("UInt64", hundred), bitmap("UInt64", hundred)}), "[]");
    /// ClickHouse's documentation, PR 7109.
    const ColumnWithType a = bitmap("UInt32", "[1,2,3,4,5,6,7,8,9,10]");
    const ColumnWithType b = bitmap("UInt32", "[6,7,8,9,10,11,12,13,14,15]");
    const ColumnWithType c = bitmap("UInt32", "[2,4,6,8,10,12]");
    EXPECT_EQ(arrayFrom("bitmapAnd", {call("bitmapAnd", {a, b}, 1), c}), "[6,8,10]");
    EXPECT_EQ(one("bitmapOrCardinality", {call("bitmapOr", {a, b}, 1), c}), "15");
    EXPECT_EQ(arrayFrom("bitmapXor", {call("bitmapXor", {a, b}, 1), c}), "[1,3,5,6,8,10,11,13,14,15]");
    EXPECT_EQ(one("bitmapJaccard", {a, b}), one("bitmapJaccard", {b, a}));
    EXPECT_EQ(one("bitmapJaccard", {bitmap("UInt8", "[1,2,3]"), bitmap("UInt8", "[3,4]")}), "0.25");
    EXPECT_EQ(one("bitmapJaccard", {bitmap("UInt8", "[]"), bitmap("UInt8", "[]")}), "1");
}

TEST(BitmapFunctions, TransformTakesWhatTheTypeHolds)
{
    const auto transform = [](const char * element, const char * values, const char * from_type, const char * from, const char * to_type,
                              const char * to) {
        return arrayFrom("bitmapTransform", {bitmap(element, values), column(from_type, {from}), column(to_type, {to})});
    };
    EXPECT_EQ(transform("UInt32", "[1,2,3]", "Array(UInt8)", "[1,2]", "Array(UInt64)", "[2,20]"), "[3,20]");
    EXPECT_EQ(transform("Int8", "[-1,2]", "Array(UInt8)", "[255]", "Array(UInt8)", "[200]"), "[2,-56]");
    EXPECT_EQ(transform("Int8", "[-1,2]", "Array(Int8)", "[-1]", "Array(Int8)", "[-128]"), "[2,-128]");
    EXPECT_EQ(transform("UInt8", "[1,2]", "Array(UInt16)", "[257]", "Array(UInt8)", "[30]"), "[1,2]");
    EXPECT_EQ(transform("UInt64", "[1]", "Array(Int8)", "[-1]", "Array(UInt8)", "[5]"), "[1]");
    EXPECT_ERROR(36, "would put 300 into a bitmap of UInt8", transform("UInt8", "[1,2]", "Array(UInt8)", "[1]", "Array(UInt16)", "[300]"));
    EXPECT_ERROR(36, "would put -1 into a bitmap of UInt64", transform("UInt64", "[1,2]", "Array(UInt8)", "[1]", "Array(Int8)", "[-1]"));
    EXPECT_ERROR(36, "same length", transform("UInt8", "[1,2]", "Array(UInt8)", "[1,3]", "Array(UInt8)", "[30]"));
}

TEST(BitmapFunctions, FlipAsksForMemoryFirst)
{
    EXPECT_ERROR(241, "", arrayFrom("bitmapFlip", {bitmap("UInt64", "[1]"), number(0), number(~UInt64{0})}));
    const ColumnWithType all = call("bitmapFlip", {bitmap("UInt16", "[]"), number(0), number(65536)}, 1);
    EXPECT_EQ(one("bitmapCardinality", {all}), "65536");
    EXPECT_EQ(binaryOf(*all.type, *all.column, 0), fromHex("010f3b3000000100" "00ffff" "0100" "0000ffff"));
}

/// A constant bitmap is asked through a directory: the same answers as one bitmap a row.
TEST(BitmapFunctions, ConstantBitmapsGiveTheSameAnswers)
{
    std::mt19937_64 random(7);
    for (const char * element : ELEMENTS)
        for (const size_t n : {0, 20, 2000})
        {
            std::string array = "[";
            dispatchInteger(parseDataType(element)->getTypeId(), [&]<typename T>() { array = arrayOf<T>(someNumbers<T>(random, n)); });
            const ColumnWithType built = bitmap(element, array);
            const std::string bytes = binaryOf(*built.type, *built.column, 0);
            constexpr size_t ROWS = 300;
            std::vector<std::string> probes;
            std::vector<std::string> indexes;
            const UInt64 cardinality = std::stoull(one("bitmapCardinality", {built}));
            for (size_t row = 0; row < ROWS; ++row)
            {
                probes.push_back(std::to_string(row % 3 ? random() >> random() % 64 : row));
                indexes.push_back(std::to_string(cardinality == 0 ? 0 : random() % cardinality));
            }
            const ColumnWithType every_row = statesColumn(bitmapType(element), std::vector<std::string>(ROWS, bytes));
            for (ColumnWithType fixed : {built, statesColumn(bitmapType(element), {bytes})})
            {
                fixed.is_constant = true;
                for (const char * name : {"bitmapContains", "bitmapRank"})
                    EXPECT_EQ(
                        texts(call(name, {fixed, column("UInt64", probes)}, ROWS)), texts(call(name, {every_row, column("UInt64", probes)}, ROWS)));
                if (cardinality != 0)
                    EXPECT_EQ(
                        texts(call("bitmapSelect", {fixed, column("UInt64", indexes)}, ROWS)),
                        texts(call("bitmapSelect", {every_row, column("UInt64", indexes)}, ROWS)));
                else
                    EXPECT_ERROR(69, "index", call("bitmapSelect", {fixed, column("UInt64", indexes)}, ROWS));
                EXPECT_EQ(
                    texts(call("bitmapSubsetInRange", {fixed, number(0), number(100)}, 1)),
                    texts(call("bitmapSubsetInRange", {built, number(0), number(100)}, 1)));
            }
        }
}

TEST(BitmapFunctions, CarryPortableImagesBothWays)
{
    const auto string = [](const std::string & bytes) { return ColumnWithType{strings({bytes}), parseDataType("String"), false}; };
    const auto bytesOf = [](const ColumnWithType & result) { return std::string(static_cast<const ColumnString &>(*result.column)[0]); };
    const ColumnWithType few = bitmap("UInt32", "[1,2,3]");
    EXPECT_EQ(bytesOf(call("bitmapToPortable32", {few}, 1)), fromHex("3a3000000100000000000200100000000100" "02000300"));
    EXPECT_EQ(
        bytesOf(call("bitmapToPortable64", {few}, 1)), fromHex("0100000000000000" "00000000" "3a3000000100000000000200100000000100" "02000300"));
    EXPECT_EQ(bytesOf(call("bitmapToPortable32", {bitmap("Int8", "[-1]")}, 1)), fromHex("3a30000001000000ffff000010000000ffff"));
    EXPECT_ERROR(69, "", call("bitmapToPortable32", {bitmap("UInt64", "[4294967296]")}, 1));
    std::mt19937_64 random(3);
    for (const size_t n : {0, 3, 33, 5000})
    {
        const ColumnWithType narrow = bitmap("UInt32", arrayOf<UInt32>(someNumbers<UInt32>(random, n)));
        const ColumnWithType wide = bitmap("UInt64", arrayOf<UInt64>(someNumbers<UInt64>(random, n)));
        EXPECT_EQ(one("bitmapToArray", {call("bitmapFromPortable32", {call("bitmapToPortable32", {narrow}, 1)}, 1)}), one("bitmapToArray", {narrow}));
        EXPECT_EQ(one("bitmapToArray", {call("bitmapFromPortable64", {call("bitmapToPortable64", {wide}, 1)}, 1)}), one("bitmapToArray", {wide}));
    }
    /// The layouts of others, each by its own name and no other.
    const std::string image = fromHex("3b3000000100002000010001002000");
    const std::string java = fromHex("00" "00000001" "00000000") + image;
    EXPECT_EQ(one("bitmapCardinality", {call("bitmapFromJavaLegacy64", {string(java)}, 1)}), "33");
    EXPECT_ERROR(117, "Java", call("bitmapFromPortable64", {string(java)}, 1));
    EXPECT_EQ(one("bitmapToArray", {call("bitmapFromDoris", {string(fromHex("0503010000000000000003000000000000000500000000000000"))}, 1)}), "[1,3,5]");
    EXPECT_EQ(one("bitmapToArray", {call("bitmapFromStarRocks", {string(fromHex("0a0200000001000000000000000300000000000000"))}, 1)}), "[1,3]");
    EXPECT_ERROR(117, "in function bitmapFromDoris, row 0", call("bitmapFromDoris", {string("")}, 1));
    EXPECT_ERROR(117, "in function bitmapFromFrozen32, row 0", call("bitmapFromFrozen32", {string(image)}, 1));
    EXPECT_ERROR(117, "Bytes behind", call("bitmapFromPortable32", {string(image + "x")}, 1));
    /// A frozen image of {5}: array zone, key, cardinality less one, type code, header.
    EXPECT_EQ(one("bitmapToArray", {call("bitmapFromFrozen32", {string(fromHex("0500" "0000" "0000" "02" "c6b50000"))}, 1)}), "[5]");
}

TEST(BitmapFunctions, ValidateBytes)
{
    const auto valid = [](const std::string & bytes, const char * type) {
        auto column = strings({bytes});
        return one("bitmapIsValid", {{std::move(column), parseDataType("String"), false}, constant("String", type)});
    };
    EXPECT_EQ(valid(fromHex("0000"), "UInt8"), "1");
    EXPECT_EQ(valid(fromHex("0003010203"), "UInt8"), "1");
    EXPECT_EQ(valid(fromHex("0003010203"), "UInt16"), "0");
    EXPECT_EQ(valid(fromHex("000301020300"), "UInt8"), "0");
    EXPECT_EQ(valid("", "UInt8"), "0");
    EXPECT_EQ(valid("b", "UInt8"), "0");
    EXPECT_EQ(valid(fromHex("010f3b3000000100002000010001002000"), "UInt32"), "1");
    EXPECT_EQ(valid(fromHex("010f3b3000000100002000010001002000"), "UInt64"), "0");
    EXPECT_EQ(valid(fromHex("010b3b30000001000000000000"), "UInt32"), "0");
    EXPECT_ERROR(36, "not 'String'", valid("", "String"));
}

/// Functions take states of groupBitmapAnd, Or and Xor as the bitmaps they are.
TEST(BitmapFunctions, TakeCombinedStates)
{
    const std::string type = "AggregateFunction(1, groupBitmapAnd, AggregateFunction(groupBitmap, Int16))";
    const ColumnWithType combined = statesColumn(type, {"1" + fromHex("0003" "0100" "0200" "ffff")});
    EXPECT_EQ(one("bitmapToArray", {combined}), "[1,2,-1]");
    EXPECT_EQ(one("bitmapCardinality", {combined}), "3");
    EXPECT_EQ(arrayFrom("bitmapOr", {combined, bitmap("Int16", "[7]")}), "[1,2,7,-1]");
    EXPECT_EQ(call("bitmapAnd", {combined, combined}, 1).type->getName(), bitmapType("Int16"));
    EXPECT_EQ(one("bitmapCardinality", {statesColumn(type, {fromHex("300000")})}), "0");
}
