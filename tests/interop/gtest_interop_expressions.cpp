#include "CaseSample.h"
#include "FormatTests.h"
#include "RandomExpression.h"
#include "RandomSeed.h"
#include "RequireEngine.h"
#include "linesOf.h"

#include <statewire/DataTypes/dispatchNumber.h>
#include <statewire/DataTypes/parseDataType.h>
#include <statewire/Functions/FunctionFactory.h>
#include <statewire/Interpreters/ExpressionList.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <set>
#include <string>
#include <type_traits>

/** Random nested expressions over random rows, here and in the real engine: the same types, values, large states byte for byte, and error codes.
  *
  * Where docs/clickhouse.md says that answers differ, nothing is asked: that is what gtest_interop_differences.cpp is for.
  */

using namespace DB;
using namespace statewire_tests;

namespace
{

constexpr const char * ELEMENTS[] = {"UInt8", "UInt16", "UInt32", "UInt64", "Int8", "Int16", "Int32", "Int64"};
constexpr size_t ROWS = 16;
constexpr size_t EXPRESSIONS = 40 / SAMPLED_ONE_IN;

/** The table of one element type.
  *
  * a, b    bitmaps: built from values in ascending order; b also as what is left of a large one, which stays a large state in the engine
  * c       a bitmap of another element type
  * v, w    arrays of elements
  * x, y    unsigned numbers; n the same, or NULL; i a signed number; d a Float64, s a String, z an array of Nullable
  * f, t    unsigned numbers for bitmapTransform
  */
struct Round
{
    std::string element;
    std::string other_element;
    bool sets_only = false;
    std::string number_types[3];
    std::string signed_type;

    [[nodiscard]] std::string structure() const
    {
        const std::string state = "AggregateFunction(groupBitmap, ";
        return "k UInt16, a " + state + element + "), b " + state + element + "), c " + state + other_element + "), v Array(" + element
            + "), w Array(" + element + "), x " + number_types[0] + ", y " + number_types[1] + ", n Nullable(" + number_types[2] + "), i "
            + signed_type + ", d Float64, s String, f Array(UInt64), t Array(UInt64), z Array(Nullable(UInt8))";
    }
};

template <typename T>
std::string arrayText(const std::set<UInt64> & bits)
{
    std::string text = "[";
    for (const UInt64 number : bits)
        text += (text.size() == 1 ? "" : ",") + std::to_string(static_cast<T>(number));
    return text + "]";
}

/// Bits of T, ascending: none, few, more than 32, many; alone, in runs, at the borders of containers and of the type.
std::set<UInt64> someBits(std::mt19937_64 & random, UInt64 last)
{
    static constexpr size_t SIZES[] = {0, 1, 2, 31, 32, 33, 40, 200, 6000};
    const size_t wanted = SIZES[random() % std::size(SIZES)];
    const UInt64 borders[] = {0, 30, 255, 65535, last / 2, last};
    std::set<UInt64> bits;
    for (size_t tries = 0; bits.size() < wanted && tries < 2 * wanted + 50; ++tries)
    {
        const UInt64 base = random() % 2 ? borders[random() % std::size(borders)] : random() % 3 ? random() % 10000 : random();
        const UInt64 length = random() % 4 ? 1 : random() % 100;
        for (UInt64 j = 0; j < length && bits.size() < wanted; ++j)
            if (base % (last == ~UInt64{0} ? last : last + 1) + j <= last)
                bits.insert(base % (last == ~UInt64{0} ? last : last + 1) + j);
    }
    return bits;
}

template <typename T>
std::string someTable(std::mt19937_64 & random, const Round & round, UInt64 last)
{
    std::string rows;
    for (size_t k = 0; k < ROWS; ++k)
    {
        const std::set<UInt64> v = someBits(random, last);
        std::set<UInt64> w = someBits(random, last);
        for (const UInt64 number : v)
            if (random() % 3 == 0)
                w.insert(number);
        const auto number = [&](const std::string & type) {
            std::string text;
            dispatchInteger(parseDataType(type)->getTypeId(), [&]<typename N>() {
                UInt64 value = random() >> random() % 64;
                if (random() % 2 && !v.empty())
                    value = *std::next(v.begin(), static_cast<std::ptrdiff_t>(random() % v.size())) + random() % 3 - 1;
                /// Limits of small 64-bit bitmaps are cut to 32 bits by the engine.
                if (sizeof(T) == 8)
                    value &= 0x7fffffff;
                text = std::to_string(static_cast<N>(value));
            });
            return text;
        };
        std::set<UInt64> from;
        std::string to = "[";
        for (size_t pairs = random() % 4; from.size() < pairs;)
        {
            const UInt64 value
                = random() % 2 && !v.empty() ? *std::next(v.begin(), static_cast<std::ptrdiff_t>(random() % v.size())) : random() & last;
            if (from.insert(value).second)
                to += (to.size() == 1 ? "" : ",") + std::to_string(random() % 2 ? random() & last : random() % 50);
        }
        rows += std::to_string(k) + '\t' + arrayText<T>(v) + '\t' + arrayText<T>(w) + '\t' + number(round.number_types[0]) + '\t'
            + number(round.number_types[1]) + '\t' + (random() % 3 ? number(round.number_types[2]) : "\\N") + '\t'
            + number(round.signed_type) + "\t0.5\ttext\t" + arrayText<UInt64>(from) + '\t' + to + "]\t[1,NULL]\n";
    }
    return rows;
}

/// Elements of an array in the order of their texts: the engine gives small sets in the order in which they came about.
std::string sorted(const std::string & value)
{
    if (!value.starts_with('['))
        return value;
    std::vector<std::string> elements;
    for (size_t at = 1; at + 1 < value.size();)
    {
        const size_t end = std::min(value.find(',', at), value.size() - 1);
        elements.push_back(value.substr(at, end - at));
        at = end + 1;
    }
    std::sort(elements.begin(), elements.end());
    std::string result;
    for (const std::string & element : elements)
        result += element + ' ';
    return result;
}

/// The type and a line for each row; for states the values and, of more than 32, the bytes. Or the error's code alone.
using Answer = std::vector<std::string>;

std::string codeOf(const std::string & error)
{
    const size_t at = error.find("Code: ");
    return at == std::string::npos ? error : "error " + std::to_string(std::strtol(error.c_str() + at + 6, nullptr, 10));
}

/// `are_states` is what our answer was about.
Answer theirs(Engine & engine, const std::string & expression, bool are_states)
{
    try
    {
        Answer answer;
        const std::string source = " FROM (SELECT k, " + expression + " AS e FROM expressions) ORDER BY k";
        const std::string columns = are_states ? "bitmapToArray(e), if(bitmapCardinality(e) > 32, hex(e), '')" : "e";
        for (const std::string & line : linesOf(engine.query("SELECT " + columns + ", toTypeName(e)" + source, "TSV")))
        {
            const size_t type = line.rfind('\t');
            if (answer.empty())
                answer.push_back(line.substr(type + 1));
            const size_t value = std::min(line.find('\t'), type);
            answer.push_back(sorted(line.substr(0, value)) + line.substr(value, type - value));
        }
        return answer;
    }
    catch (const std::runtime_error & e)
    {
        return {codeOf(e.what())};
    }
}

const FunctionFactory & ourFunctions()
{
    static const FunctionFactory factory = [] {
        FunctionFactory made;
        registerFunctions(made);
        return made;
    }();
    return factory;
}

Answer ours(const Block & block, const std::string & expression)
{
    try
    {
        const auto columnOf = [&](const std::string & text) {
            return ExpressionList(parseExpressions(text), block.getNamesAndTypes(), ourFunctions()).execute(block);
        };
        const Block result = columnOf(expression);
        const auto & type = *result.getByPosition(0).type;
        Answer answer{type.getName()};
        if (type.getTypeId() != TypeIndex::AggregateFunction)
        {
            for (const std::string & line : linesOf(rowsOf({result})))
                answer.push_back(sorted(line));
            return answer;
        }
        for (const std::string & line : linesOf(rowsOf({columnOf("bitmapToArray(" + expression + ")")})))
        {
            const size_t row = answer.size() - 1;
            answer.push_back(sorted(line) + '\t');
            if (static_cast<size_t>(std::count(line.begin(), line.end(), ',')) < 32)
                continue;
            std::string bytes;
            WriteBufferFromString out(bytes);
            type.serializeBinary(*result.getByPosition(0).column, row, out);
            out.finalize();
            constexpr const char * DIGITS = "0123456789ABCDEF";
            for (const char byte : bytes)
                answer.back().append({DIGITS[static_cast<UInt8>(byte) >> 4], DIGITS[static_cast<UInt8>(byte) & 15]});
        }
        return answer;
    }
    catch (const Exception & e)
    {
        return {codeOf(e.displayText())};
    }
}

/// The first line that differs.
std::string difference(const Answer & left, const Answer & right)
{
    for (size_t i = 0; i < std::max(left.size(), right.size()); ++i)
    {
        const std::string l = i < left.size() ? left[i] : "nothing";
        const std::string r = i < right.size() ? right[i] : "nothing";
        if (l != r)
            return (i == 0 ? "" : "row " + std::to_string(i - 1) + ": ") + "here " + l.substr(0, 300) + "\nengine " + r.substr(0, 300);
    }
    return "";
}

struct Counts
{
    size_t expressions = 0;
    size_t errors = 0;
    size_t found = 0;
};

void askBoth(Engine & engine, std::mt19937_64 & random, const std::string & element, bool sets_only, Counts & counts)
{
    static constexpr const char * UNSIGNED[] = {"UInt8", "UInt16", "UInt32", "UInt64"};
    static constexpr const char * SIGNED[] = {"Int8", "Int16", "Int32", "Int64"};
    Round round{element, ELEMENTS[random() % std::size(ELEMENTS)], sets_only, {}, SIGNED[random() % 4]};
    for (std::string & type : round.number_types)
        type = UNSIGNED[random() % 4];
    dispatchInteger(parseDataType(element)->getTypeId(), [&]<typename T>() {
        /// All bits; or values that are not negative and, in 64-bit bitmaps, have 31 bits: elsewhere the engine's answers depend on the size.
        const UInt64 all = std::numeric_limits<std::make_unsigned_t<T>>::max();
        const UInt64 last
            = sets_only ? all : std::min<UInt64>(static_cast<UInt64>(std::numeric_limits<T>::max()), sizeof(T) == 8 ? 0x7fffffff : all);
        engine.query("DROP TABLE IF EXISTS sources");
        engine.query("DROP TABLE IF EXISTS expressions");
        std::string sources = round.structure();
        for (const std::string column : {"a ", "b ", "c "})
        {
            const size_t at = sources.find(", " + column + "Agg");
            sources.erase(at, sources.find(')', at) + 1 - at);
        }
        engine.query("CREATE TABLE sources (" + sources + ") ENGINE = Memory");
        engine.query("INSERT INTO sources FORMAT TSV\n" + someTable<T>(random, round, last));
        engine.query("CREATE TABLE expressions (" + round.structure() + ") ENGINE = Memory");
        const std::string cast = "::Array(" + element + ")";
        engine.query(
            "INSERT INTO expressions SELECT k, bitmapBuild(v), if(k % 3 = 0, bitmapAndnot(bitmapBuild(arrayDistinct(arrayConcat(w, few))), "
            "bitmapBuild(arrayFilter(x -> NOT has(w, x), few))), bitmapBuild(w)), bitmapBuild([1, 2, 3]::Array("
            + round.other_element + ")), v, w, x, y, n, i, d, s, f, t, z FROM (SELECT *, range(60)::Array(" + element
            + ") AS few FROM sources)");
    });
    const NamesAndTypes structure = structureOf(round.structure());
    const Block block = readBlocks("RowBinary", engine.query("SELECT * FROM expressions ORDER BY k", "RowBinary"), structure).at(0);
    ASSERT_EQ(block.rows(), ROWS);

    std::vector<std::string> numbers{"0", "1", "2", "31", "32", "33", "255", "256", "65535", "65536", "2147483647"};
    if (!element.ends_with("64"))
        numbers.insert(numbers.end(), {"4294967295", "4294967296", "18446744073709551615"});
    ExpressionSource source(random, sets_only, std::move(numbers));
    static constexpr Expression::Kind KINDS[]
        = {Expression::Kind::Bitmap, Expression::Kind::Number, Expression::Kind::Array, Expression::Kind::Calculation};
    for (size_t i = 0; i < EXPRESSIONS; ++i)
    {
        const Expression expression = source.make(KINDS[random() % std::size(KINDS)], 1 + random() % 4);
        const auto ask = [&](const Expression & e) {
            const Answer our_answer = ours(block, e.text());
            counts.errors += our_answer.size() == 1;
            const bool are_states = our_answer.at(0).starts_with("AggregateFunction");
            return difference(our_answer, theirs(engine, e.text(), are_states));
        };
        ++counts.expressions;
        if (ask(expression).empty())
            continue;
        const Expression smallest = shrunk(expression, [&](const Expression & e) { return !ask(e).empty(); });
        ADD_FAILURE() << element << ": " << smallest.text() << "\n" << ask(smallest) << "\nshrunk from " << expression.text();
        if (++counts.found == 20)
            return;
    }
}

}

TEST(InteropExpressions, RandomOnesAnswerAsTheEnginesDo)
{
    REQUIRE_ENGINE(engine);
    std::mt19937_64 random(chosenSeed());
    Counts counts;
    for (const bool sets_only : {false, true})
        for (const char * element : ELEMENTS)
            if (counts.found < 20)
                askBoth(*engine, random, element, sets_only, counts);
    engine->query("DROP TABLE sources");
    engine->query("DROP TABLE expressions");
    std::printf("%zu expressions over %zu rows each, %zu of them errors\n", counts.expressions, ROWS, counts.errors);
}

/// Which types the functions take, and what they give or which error.
TEST(InteropExpressions, RandomArgumentsAreTakenOrRefusedAsByTheEngine)
{
    REQUIRE_ENGINE(engine);
    std::mt19937_64 random(chosenSeed());
    static constexpr const char * FUNCTIONS[]
        = {"bitmapBuild",
           "bitmapToArray",
           "bitmapCardinality",
           "bitmapMin",
           "bitmapMax",
           "bitmapContains",
           "bitmapHasAny",
           "bitmapHasAll",
           "bitmapAnd",
           "bitmapOr",
           "bitmapXor",
           "bitmapAndnot",
           "bitmapAndCardinality",
           "bitmapOrCardinality",
           "bitmapXorCardinality",
           "bitmapAndnotCardinality",
           "bitmapSubsetInRange",
           "bitmapSubsetLimit",
           "subBitmap",
           "bitmapTransform"};
    std::vector<std::string> types{
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
        "Nullable(UInt16)",
        "Nullable(Int32)",
        "Nullable(String)",
        "Array(UInt8)",
        "Array(UInt16)",
        "Array(UInt32)",
        "Array(UInt64)",
        "Array(Int64)",
        "Array(Float64)",
        "Array(String)",
        "Array(Nullable(UInt8))",
        "Array(Array(UInt8))",
        "Tuple(UInt8, String)"};
    std::vector<std::string> bitmaps;
    for (const std::string element : ELEMENTS)
        bitmaps.push_back("AggregateFunction(groupBitmap, " + element + ")");
    bitmaps.emplace_back("AggregateFunction(1, groupBitmapAnd, AggregateFunction(groupBitmap, UInt32))");
    types.insert(types.end(), bitmaps.begin(), bitmaps.end());

    std::string structure;
    for (size_t i = 0; i < types.size(); ++i)
        structure += (i ? ", c" : "c") + std::to_string(i) + ' ' + types[i];
    engine->query("CREATE OR REPLACE TABLE arguments (" + structure + ") ENGINE = Memory");
    engine->query("INSERT INTO arguments (c0) VALUES (0)");
    const Block block = readBlocks("RowBinary", engine->query("SELECT * FROM arguments", "RowBinary"), structureOf(structure)).at(0);

    size_t taken = 0;
    for (int i = 0; i < 800; ++i)
    {
        const std::string function = FUNCTIONS[random() % std::size(FUNCTIONS)];
        const UInt64 count = random() % 30 == 0                                                                ? random() % 5
            : function == "bitmapTransform" || function.starts_with("bitmapSubset") || function == "subBitmap" ? 3
            : function == "bitmapBuild" || function == "bitmapToArray" || function == "bitmapMin" || function == "bitmapMax"
                || function == "bitmapCardinality"
            ? 1
            : 2;
        std::string arguments;
        bool is_lenient = false;
        for (UInt64 j = 0; j < count; ++j)
        {
            const bool is_bitmap = j == 0 ? random() % 4 != 0 : random() % 4 == 0;
            const size_t type = is_bitmap ? types.size() - 1 - random() % bitmaps.size() : random() % types.size();
            /// docs/clickhouse.md: arrays for bitmapTransform, and states of groupBitmapAnd.
            is_lenient = is_lenient || (function == "bitmapTransform" && j != 0 && types[type] == "Array(Int64)")
                || types[type].starts_with("AggregateFunction(1");
            arguments += (j ? ", c" : "c") + std::to_string(type);
        }
        const std::string call = function + "(" + arguments + ")";
        const auto our_type = [&] {
            try
            {
                return ExpressionList(parseExpressions(call), block.getNamesAndTypes(), ourFunctions()).getHeader().at(0).type->getName();
            }
            catch (const Exception & e)
            {
                return codeOf(e.displayText());
            }
        }();
        std::string their_type;
        try
        {
            their_type = engine->query("SELECT toTypeName(" + call + ") FROM arguments");
            their_type.pop_back();
            ++taken;
        }
        catch (const std::runtime_error & e)
        {
            their_type = codeOf(e.what());
        }
        std::string with_types = call;
        for (size_t type = types.size(); type-- != 0;)
            for (size_t at = 0; (at = with_types.find("c" + std::to_string(type), at)) != std::string::npos;)
                with_types.replace(at, 1 + std::to_string(type).size(), types[type]);
        if (our_type != their_type)
        {
            EXPECT_TRUE(is_lenient && their_type == "error 43") << with_types << "\nhere " << our_type << "\nengine " << their_type;
        }
    }
    engine->query("DROP TABLE arguments");
    std::printf("%zu calls taken\n", taken);
    EXPECT_GT(taken, 50u);
}
