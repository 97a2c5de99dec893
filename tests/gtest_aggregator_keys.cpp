#include "FormatTests.h"

#include <statewire/Columns/ColumnVector.h>
#include <statewire/Common/ErrorCodes.h>
#include <statewire/DataTypes/DataTypeTuple.h>
#include <statewire/Interpreters/GroupKeys.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

using namespace DB;
using namespace statewire_tests;

namespace
{
/// The rows of a block as keys.
struct Keys
{
    explicit Keys(const Block & block)
        : keys([&] {
              DataTypes types;
              for (size_t i = 0; i < block.columns(); ++i)
                  types.push_back(block.getByPosition(i).type);
              return types;
          }())
    {
        std::vector<const IColumn *> columns;
        for (size_t i = 0; i < block.columns(); ++i)
            columns.push_back(block.getByPosition(i).column.get());
        keys.encode(columns, 0, block.rows(), encoded);
    }

    [[nodiscard]] std::string operator[](size_t row) const
    {
        char scratch[8];
        return std::string(
            keys.kind() == GroupKeys::Kind::Number ? keys.bytesOfNumber(encoded.numbers[row], scratch) : encoded.views[row]);
    }

    GroupKeys keys;
    EncodedKeys encoded;
};

int compareRows(const Block & block, size_t left, size_t right)
{
    for (size_t i = 0; i < block.columns(); ++i)
    {
        const IColumn & column = *block.getByPosition(i).column;
        if (const int order = column.compareAt(left, column, right); order != 0)
            return order;
    }
    return 0;
}

/// Keys are in the order of the columns, equal where the columns are, and give the values back.
void checkKeys(const Block & block)
{
    const Keys keys(block);
    std::vector<MutableColumnPtr> decoded;
    for (size_t i = 0; i < block.columns(); ++i)
        decoded.push_back(block.getByPosition(i).type->createColumn());
    for (size_t left = 0; left < block.rows(); ++left)
    {
        const std::string key = keys[left];
        keys.keys.decode(key, decoded);
        for (size_t i = 0; i < block.columns(); ++i)
            ASSERT_EQ(decoded[i]->compareAt(left, *block.getByPosition(i).column, left), 0) << "row " << left << ", column " << i;
        for (size_t right = 0; right < block.rows(); ++right)
        {
            const std::string other = keys[right];
            const int order = compareRows(block, left, right);
            ASSERT_EQ(GroupKeys::compare(key, other), order) << left << ' ' << right;
            const UInt64 prefix = GroupKeys::prefixOf(key);
            const UInt64 other_prefix = GroupKeys::prefixOf(other);
            ASSERT_TRUE(prefix == other_prefix || (prefix < other_prefix) == (order < 0)) << left << ' ' << right;
        }
    }
}

template <typename T>
void checkFloats(const char * type)
{
    using Limits = std::numeric_limits<T>;
    using Bits = std::conditional_t<sizeof(T) == 4, UInt32, UInt64>;
    std::vector<T> values
        = {T(0), -T(0), T(1), -T(1), Limits::infinity(), -Limits::infinity(), Limits::max(), Limits::lowest(), Limits::denorm_min(),
           -Limits::denorm_min(), Limits::quiet_NaN(), -Limits::quiet_NaN(), std::bit_cast<T>(static_cast<Bits>(~Bits{0})),
           std::bit_cast<T>(static_cast<Bits>(std::bit_cast<Bits>(Limits::infinity()) + 1)),
           std::bit_cast<T>(static_cast<Bits>(std::bit_cast<Bits>(-Limits::infinity()) + 1))};
    std::mt19937_64 random(3);
    for (size_t i = 0; i < 100; ++i)
        values.push_back(std::bit_cast<T>(static_cast<Bits>(random())));
    Block block;
    block.insert({std::make_shared<ColumnVector<T>>(values), structureOf(std::string("a ") + type).at(0).type, "a"});
    checkKeys(block);
}
}

TEST(GroupKeys, HaveTheOrderOfTheirColumns)
{
    const char * structures[]
        = {"a UInt8",  "a Int16", "a UInt32", "a Int64", "a UInt64", "a Int8, b UInt32, c Int16", "a UInt64, b Int64", "a Int32, b UInt64, c Int8",
           "a String", "a String, b Int8", "a Int8, b String", "a String, b String", "a Array(Int16)", "a Array(String), b UInt8",
           "a Array(Array(UInt8))", "a Nullable(UInt8)", "a Nullable(Int64), b String", "a Nullable(String), b Nullable(Int8)",
           "a Array(Nullable(Int16)), b UInt8", "a Tuple(Int8, UInt32)", "a UInt8, b Tuple(x UInt64, y Tuple(Int16, UInt8))",
           "a Tuple(String, Int8), b String", "a Array(Tuple(UInt8, String))", "a Tuple(Nullable(Int16), Array(String)), b Int8",
           "a Tuple(String)"};
    std::mt19937_64 random(11);
    const auto text = [&] {
        /// Few letters, so that keys share their beginnings.
        static const char * const LETTERS[] = {"\\0", "a", "b", "\xff", "\\0a"};
        std::string value;
        for (size_t n = random() % 12; n != 0; --n)
            value += LETTERS[random() % std::size(LETTERS)];
        return value;
    };
    const auto number = [&](const std::string & type) {
        const size_t bits = std::stoul(type.substr(type.find_first_of("12345678")));
        const UInt64 value = random() % 3 == 0 ? random() % 4 : random() >> (64 - bits);
        if (type[0] == 'U')
            return std::to_string(value);
        return std::to_string(static_cast<Int64>(value << (64 - bits)) >> (64 - bits));
    };
    const std::function<std::string(const std::string &, bool)> field = [&](const std::string & type, bool quoted) -> std::string {
        if (type.starts_with("Array("))
        {
            std::string value = "[";
            for (size_t n = random() % 4; n != 0; --n)
                value += field(type.substr(6, type.size() - 7), true) + (n > 1 ? "," : "");
            return value + "]";
        }
        if (type.starts_with("Tuple("))
        {
            std::string value = "(";
            const DataTypePtr tuple = structureOf("e " + type).at(0).type;
            for (const DataTypePtr & element : static_cast<const DataTypeTuple &>(*tuple).getElements())
                value += (value.size() > 1 ? "," : "") + field(element->getName(), true);
            return value + ")";
        }
        if (type.starts_with("Nullable("))
        {
            if (random() % 4 == 0)
                return quoted ? "NULL" : "\\N";
            return field(type.substr(9, type.size() - 10), quoted);
        }
        if (type == "String")
            return quoted ? "'" + text() + "'" : text();
        return number(type);
    };
    for (const char * structure : structures)
    {
        SCOPED_TRACE(structure);
        const NamesAndTypes columns = structureOf(structure);
        std::string rows;
        for (size_t row = 0; row < 120; ++row)
            for (size_t i = 0; i < columns.size(); ++i)
                rows += field(columns[i].type->getName(), false) + (i + 1 == columns.size() ? '\n' : '\t');
        checkKeys(blockOf(structure, rows));
    }
    checkFloats<Float32>("Float32");
    checkFloats<Float64>("Float64");
}

TEST(GroupKeys, AreNumbersUpToEightBytes)
{
    const auto kind = [](std::string_view structure) {
        DataTypes types;
        for (const NameAndType & column : structureOf(structure))
            types.push_back(column.type);
        return GroupKeys(types).kind();
    };
    EXPECT_EQ(GroupKeys({}).kind(), GroupKeys::Kind::None);
    EXPECT_EQ(kind("a UInt32, b Float32"), GroupKeys::Kind::Number);
    EXPECT_EQ(kind("a UInt64, b UInt8"), GroupKeys::Kind::Bytes);
    EXPECT_EQ(kind("a String"), GroupKeys::Kind::Bytes);
    EXPECT_EQ(kind("a Tuple(UInt32, Tuple(UInt8, Int16)), b Int8"), GroupKeys::Kind::Number);
    EXPECT_EQ(kind("a Tuple(UInt32, String)"), GroupKeys::Kind::Bytes);
    EXPECT_EQ(
        caught([&] { static_cast<void>(kind("a Tuple(UInt8, AggregateFunction(groupBitmap, UInt8))")); }).code,
        ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT);
    EXPECT_EQ(kind("a Array(UInt8)"), GroupKeys::Kind::Bytes);
    EXPECT_EQ(caught([&] { static_cast<void>(kind("a AggregateFunction(groupBitmap, UInt8)")); }).code, ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT);
    EXPECT_EQ(
        caught([&] { static_cast<void>(kind("a Array(AggregateFunction(groupBitmap, UInt8))")); }).code, ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT);
}

TEST(GroupKeys, AreDescribedAsTheirValues)
{
    const Keys keys(blockOf("a String, b Int8", "x'y\t-5\n"));
    EXPECT_EQ(keys.keys.describe(keys[0]), "('x\\'y', -5)");
    const Keys null(blockOf("a String, b Nullable(Int8)", "x\t\\N\n"));
    EXPECT_EQ(null.keys.describe(null[0]), "('x', NULL)");
    const Keys tuple(blockOf("a Tuple(Int8, String)", "(-5,'x')\n"));
    EXPECT_EQ(tuple.keys.describe(tuple[0]), "(-5,'x')");
    const Keys one(blockOf("a Int16", "-5\n"));
    EXPECT_EQ(one.keys.describe(one[0]), "-5");
}

TEST(GroupKeys, RefusesBytesThatAreNoKey)
{
    const char * structures[] = {"a UInt32", "a String, b UInt8", "a Array(UInt16)", "a UInt64, b UInt64", "a UInt8, b Nullable(String)",
                                 "a Tuple(UInt8, Array(Tuple(String, UInt16)))", "a UInt8, b Array(Array(UInt8))"};
    const char * rows[] = {"5\n", "x\\0y\t7\n", "[1,2]\n", "1\t2\n", "3\tx\n", "(1,[('a',2),('b',3)])\n", "1\t[[1],[2,3]]\n"};
    for (size_t i = 0; i < std::size(structures); ++i)
    {
        const Keys keys(blockOf(structures[i], rows[i]));
        const std::string key = keys[0];
        std::vector<MutableColumnPtr> columns;
        for (const NameAndType & column : structureOf(structures[i]))
            columns.push_back(column.type->createColumn());
        for (size_t size = 0; size < key.size(); ++size)
            EXPECT_EQ(caught([&] { keys.keys.decode(key.substr(0, size), columns); }).code, ErrorCodes::CORRUPTED_DATA) << structures[i] << size;
        EXPECT_EQ(caught([&] { keys.keys.decode(key + "x", columns); }).code, ErrorCodes::CORRUPTED_DATA) << structures[i];
        for (const MutableColumnPtr & column : columns)
            EXPECT_EQ(column->size(), 0U);
        keys.keys.decode(key, columns);
        EXPECT_EQ(columns[0]->size(), 1U);
    }
}
