#include "FormatTests.h"
#include "engine/Engine.h"
#include "linesOf.h"

#include <statewire/DataTypes/dispatchNumber.h>
#include <statewire/DataTypes/parseDataType.h>
#include <statewire/Functions/FunctionFactory.h>
#include <statewire/Interpreters/ExpressionList.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

/** The same expressions over the same generated rows, here and in the real ClickHouse engine. */

using namespace DB;
using namespace statewire_tests;

namespace
{
constexpr const char * ELEMENTS[] = {"UInt8", "UInt16", "UInt32", "UInt64", "Int8", "Int16", "Int32", "Int64"};

/// One row: two bitmaps' values, numbers, and what bitmapTransform takes.
struct Row
{
    std::vector<UInt64> a;
    std::vector<UInt64> b;
    UInt64 x = 0;
    UInt64 y = 0;
    UInt64 n = 0;
    std::vector<UInt64> from;
    std::vector<UInt64> to;
};

template <typename T>
std::string listOf(const std::vector<UInt64> & numbers)
{
    std::string result = "[";
    for (const UInt64 number : numbers)
        result += (result.size() == 1 ? "" : ",") + std::to_string(static_cast<T>(number));
    return result + "]";
}

/// Numbers of T in ascending order, around all borders, in runs and alone.
template <typename T>
std::vector<UInt64> someNumbers(std::mt19937_64 & random, size_t n)
{
    constexpr UInt64 LAST = std::numeric_limits<std::make_unsigned_t<T>>::max();
    const UInt64 borders[] = {0, 1, 127, 128, 255, 32767, 65535, 65536, LAST / 2, LAST / 2 + 1, LAST - 3, LAST, UInt64{1} << 32, UInt64{1} << 48};
    std::set<UInt64> numbers;
    const bool low = random() % 2;
    for (size_t tries = 0; numbers.size() < n && tries < 3 * n; ++tries)
    {
        const UInt64 base = low ? 0 : random() % 3 ? borders[random() % std::size(borders)] : random();
        const UInt64 length = random() % 5 == 0 ? random() % 50 : 1;
        for (UInt64 i = 0; i < length && numbers.size() < n; ++i)
            numbers.insert((base + random() % 2 * (random() % 5000) + i) & LAST);
    }
    return {numbers.begin(), numbers.end()};
}

template <typename T>
std::vector<Row> someRows()
{
    constexpr UInt64 LAST = std::numeric_limits<std::make_unsigned_t<T>>::max();
    std::mt19937_64 random(26);
    std::vector<Row> rows;
    for (const size_t n : {0, 1, 2, 7, 31, 32, 33, 60, 120, 3000})
        for (int round = 0; round < 12; ++round)
        {
            Row row;
            row.a = someNumbers<T>(random, n);
            static constexpr size_t SIZES[] = {0, 3, 32, 33, 500};
            row.b = someNumbers<T>(random, SIZES[random() % std::size(SIZES)]);
            /// Something in common.
            for (size_t i = 0; i < row.a.size(); i += 1 + random() % 7)
                row.b.push_back(row.a[i]);
            std::sort(row.b.begin(), row.b.end());
            row.b.erase(std::unique(row.b.begin(), row.b.end()), row.b.end());
            const auto probe = [&] { return row.a.empty() || random() % 5 == 0 ? random() >> random() % 64 : row.a[random() % row.a.size()] + random() % 3 - 1; };
            row.x = probe();
            row.y = random() % 3 == 0 ? probe() : row.x + random() % 10000;
            row.n = random() % 5 == 0 ? probe() : random() % 50;
            for (UInt64 pairs = random() % 4; pairs != 0; --pairs)
            {
                row.from.push_back(probe() & LAST);
                row.to.push_back(probe() & LAST);
            }
            rows.push_back(std::move(row));
        }
    return rows;
}

/// What an answer depends on beside the sets themselves.
enum class About : UInt8
{
    Sets,
    /// The numbers of values: smallest, largest, contained.
    Values,
    /// Limits that values are compared with.
    Limits,
    /// Numbers that stand for values in arrays.
    Replacements
};

struct Question
{
    const char * sql;
    About about;
};

constexpr Question QUESTIONS[] = {
    {"bitmapToArray(bitmapBuild(a))", About::Sets},
    {"bitmapCardinality(bitmapBuild(a))", About::Sets},
    {"bitmapMin(bitmapBuild(a))", About::Values},
    {"bitmapMax(bitmapBuild(a))", About::Values},
    {"bitmapContains(bitmapBuild(a), x)", About::Values},
    {"bitmapToArray(bitmapSubsetInRange(bitmapBuild(a), x, y))", About::Limits},
    {"bitmapToArray(bitmapSubsetLimit(bitmapBuild(a), x, n))", About::Limits},
    {"bitmapToArray(subBitmap(bitmapBuild(a), n, 20))", About::Sets},
    {"bitmapHasAny(bitmapBuild(a), bitmapBuild(b))", About::Sets},
    {"bitmapHasAll(bitmapBuild(a), bitmapBuild(b))", About::Sets},
    {"bitmapHasAll(bitmapBuild(b), bitmapBuild(a))", About::Sets},
    {"bitmapToArray(bitmapAnd(bitmapBuild(a), bitmapBuild(b)))", About::Sets},
    {"bitmapToArray(bitmapOr(bitmapBuild(a), bitmapBuild(b)))", About::Sets},
    {"bitmapToArray(bitmapXor(bitmapBuild(a), bitmapBuild(b)))", About::Sets},
    {"bitmapToArray(bitmapAndnot(bitmapBuild(a), bitmapBuild(b)))", About::Sets},
    {"bitmapAndCardinality(bitmapBuild(a), bitmapBuild(b))", About::Sets},
    {"bitmapOrCardinality(bitmapBuild(a), bitmapBuild(b))", About::Sets},
    {"bitmapXorCardinality(bitmapBuild(a), bitmapBuild(b))", About::Sets},
    {"bitmapAndnotCardinality(bitmapBuild(a), bitmapBuild(b))", About::Sets},
    {"bitmapToArray(bitmapTransform(bitmapBuild(a), f, t))", About::Replacements},
};

/** Where the engine (26.7) is right; elsewhere gtest_functions_bitmap.cpp has the right values.
  *
  * Bitmaps of more than 32 values of Int8 and Int16 hold negative values sign-extended to 32 bits, and that is what it compares with; in small
  * ones limits and replacements meet negative values as signed ones, and in small 64-bit ones limits are cut to 32 bits (PR 110072).
  */
template <typename T>
bool isRight(const Question & question, const Row & row)
{
    constexpr UInt64 LAST = std::numeric_limits<std::make_unsigned_t<T>>::max();
    const bool is_small = row.a.size() <= 32;
    const UInt64 largest = row.a.empty() ? 0 : row.a.back();
    const bool has_negative = std::is_signed_v<T> && largest > LAST / 2;
    switch (question.about)
    {
        case About::Sets:
            return true;
        case About::Values:
            return !has_negative || sizeof(T) >= 4 || is_small;
        case About::Limits:
            return (!has_negative || (sizeof(T) >= 4 && !is_small))
                && (!is_small || sizeof(T) < 8 || std::max({largest, row.x, row.y}) <= 0xffffffff);
        case About::Replacements:
            return !has_negative || sizeof(T) >= 4;
    }
    return true;
}

/// The engine keeps small results in the order they came about in; ours are ascending by T read as unsigned.
template <typename T>
std::string ascending(const std::string & answer)
{
    if (!answer.starts_with('['))
        return answer;
    std::vector<UInt64> numbers;
    for (size_t at = 1; at < answer.size() - 1;)
    {
        const bool is_negative = answer[at] == '-';
        UInt64 number = 0;
        for (at += is_negative; answer[at] >= '0' && answer[at] <= '9'; ++at)
            number = number * 10 + static_cast<UInt64>(answer[at] - '0');
        numbers.push_back(static_cast<std::make_unsigned_t<T>>(is_negative ? UInt64{0} - number : number));
        at += answer[at] == ',';
    }
    std::sort(numbers.begin(), numbers.end());
    return listOf<T>(numbers);
}

template <typename T>
void compare(Engine & engine, const std::string & element)
{
    SCOPED_TRACE(element);
    const std::vector<Row> rows = someRows<T>();
    std::string table;
    for (size_t i = 0; i < rows.size(); ++i)
        table += std::to_string(i) + '\t' + listOf<T>(rows[i].a) + '\t' + listOf<T>(rows[i].b) + '\t' + std::to_string(rows[i].x) + '\t'
            + std::to_string(rows[i].y) + '\t' + std::to_string(rows[i].n) + '\t' + listOf<UInt64>(rows[i].from) + '\t'
            + listOf<UInt64>(rows[i].to) + '\n';
    const std::string structure = "k UInt32, a Array(" + element + "), b Array(" + element
        + "), x UInt64, y UInt64, n UInt64, f Array(UInt64), t Array(UInt64)";
    engine.query("CREATE TABLE questions (" + structure + ") ENGINE = Memory");
    engine.query("INSERT INTO questions FORMAT TSV\n" + table);
    FunctionFactory functions;
    registerFunctions(functions);
    const Block block = blockOf(structure, table);
    for (const Question & question : QUESTIONS)
    {
        SCOPED_TRACE(question.sql);
        const auto theirs = linesOf(engine.query(std::string("SELECT ") + question.sql + " FROM questions ORDER BY k"));
        const auto ours = linesOf(rowsOf({ExpressionList(parseExpressions(question.sql), block.getNamesAndTypes(), functions).execute(block)}));
        ASSERT_EQ(theirs.size(), rows.size());
        ASSERT_EQ(ours.size(), rows.size());
        size_t compared = 0;
        for (size_t i = 0; i < rows.size(); ++i)
        {
            if (!isRight<T>(question, rows[i]))
                continue;
            ++compared;
            EXPECT_EQ(ours[i], ascending<T>(theirs[i])) << "row " << i << ": " << linesOf(table)[i].substr(0, 1000);
        }
        EXPECT_GT(compared, rows.size() / 5);
    }
    engine.query("DROP TABLE questions");
}
}

TEST(InteropBitmapFunctions, AnswerAsTheEngineDoesWhereItIsRight)
{
    Engine * engine = Engine::shared();
    if (!engine)
        GTEST_SKIP();
    for (const char * element : ELEMENTS)
        dispatchInteger(parseDataType(element)->getTypeId(), [&]<typename T>() { compare<T>(*engine, element); });
}
