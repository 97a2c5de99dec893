#include "FunctionCalls.h"
#include "Vectors.h"

#include <statewire/AggregateFunctions/CountMinSketchState.h>
#include <statewire/AggregateFunctions/RoaringBitmapState.h>
#include <statewire/DataTypes/dispatchNumber.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>

using namespace DB;
using namespace statewire_tests;

namespace
{

/// A value's bits as an unsigned number of its own width.
UInt64 unsignedBits(TypeIndex type, const IColumn & values, size_t row)
{
    UInt64 bits = 0;
    dispatchInteger(type, [&]<typename T>() {
        bits = static_cast<std::make_unsigned_t<T>>(static_cast<const ColumnVector<T> &>(values).getData()[row]);
    });
    return bits;
}

/// The bytes of a sketch over string keys, each with its weight.
std::string sketchOf(const std::vector<std::pair<std::string, UInt64>> & entries)
{
    const CountMinParameters parameters(5, 272);
    CountMinSketchState<UInt64> state(parameters);
    for (const auto & [key, weight] : entries)
        state.add(key, weight);
    return written([&](WriteBuffer & out) { state.write(out); });
}

/// A sketch state over number keys, fed through the aggregate function.
template <typename K>
ColumnWithType numberSketch(const std::string & key_type, const std::vector<K> & keys)
{
    const DataTypePtr type = parseDataType("AggregateFunction(countMinSketch(5, 272), " + key_type + ")");
    const auto & function = *static_cast<const ColumnAggregateFunction &>(*type->createColumn()).getFunction();
    const auto argument = numbers<K>(keys);
    return {columnFromBinary(*type, {stateBytes(function, {argument.get()})}), type, false};
}

}

TEST(FunctionFactory, IsAPlainObject)
{
    FunctionFactory factory;
    EXPECT_FALSE(factory.has("bitmapMin"));
    EXPECT_ERROR(46, "Unknown function 'bitmapMin'", factory.get("bitmapMin"));
    registerFunctions(factory);
    EXPECT_EQ(factory.getNames().size(), 58U);
    const std::vector<std::string> names = factory.getNames();
    EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
    for (const std::string & name : names)
        EXPECT_EQ(factory.get(name)->getName(), name);
    EXPECT_ERROR(46, "Maybe you meant: 'bitmapCardinality'", factory.get("bitmapcardinality"));
    EXPECT_ERROR(46, "...", factory.get(std::string(100000, 'x')));
    EXPECT_ERROR(49, "already", registerFunctions(factory));
}

TEST(Functions, NameTheirResults)
{
    const char * b32 = "AggregateFunction(groupBitmap, UInt32)";
    const char * b32_if = "AggregateFunction(groupBitmapIf, UInt32, UInt8)";
    for (const char * name : {"bitmapCardinality", "bitmapMin", "bitmapMax"})
    {
        EXPECT_EQ(returnType(name, {b32})->getName(), "UInt64");
        EXPECT_EQ(returnType(name, {b32_if})->getName(), "UInt64");
        EXPECT_ERROR(42, "takes 1 argument, not 2", returnType(name, {b32, b32}));
        EXPECT_ERROR(43, "Argument 1", returnType(name, {"UInt32"}));
    }
    EXPECT_EQ(returnType("bitmapToArray", {"AggregateFunction(groupBitmap, Int8)"})->getName(), "Array(Int8)");
    EXPECT_EQ(returnType("bitmapBuild", {"Array(Int8)"})->getName(), "AggregateFunction(groupBitmap, Int8)");
    EXPECT_ERROR(43, "array of integers", returnType("bitmapBuild", {"Array(String)"}));
    EXPECT_ERROR(43, "array of integers", returnType("bitmapBuild", {"Array(Float64)"}));
    EXPECT_ERROR(43, "array of integers", returnType("bitmapBuild", {"UInt8"}));
    EXPECT_ERROR(42, "not 0", returnType("bitmapBuild", {}));
    EXPECT_EQ(returnType("bitmapContains", {b32, "Int64"})->getName(), "UInt8");
    EXPECT_ERROR(43, "Argument 2", returnType("bitmapContains", {b32, "Float64"}));
    EXPECT_ERROR(43, "Argument 2", returnType("bitmapContains", {b32, "String"}));
    EXPECT_ERROR(42, "not 1", returnType("bitmapContains", {b32}));
    for (const char * name : {"bitmapAnd", "bitmapOr", "bitmapXor", "bitmapAndnot"})
    {
        EXPECT_EQ(returnType(name, {b32_if, b32})->getName(), b32);
        EXPECT_ERROR(43, "same element type", returnType(name, {b32, "AggregateFunction(groupBitmap, Int32)"}));
        EXPECT_ERROR(43, "Argument 2", returnType(name, {b32, "UInt8"}));
        const std::string cardinality = std::string(name) + "Cardinality";
        EXPECT_EQ(returnType(cardinality, {b32, b32})->getName(), "UInt64");
        EXPECT_ERROR(43, "same element type", returnType(cardinality, {b32, "AggregateFunction(groupBitmap, UInt64)"}));
    }
    EXPECT_EQ(returnType("bitmapHasAny", {b32, b32})->getName(), "UInt8");
    EXPECT_EQ(returnType("bitmapHasAll", {b32, b32})->getName(), "UInt8");

    const char * sketch = "AggregateFunction(countMinSketch(5, 272), UInt16, Int8)";
    const char * string_sketch = "AggregateFunction(countMinSketch(5, 272), String, Float32)";
    for (const char * name : {"countMinSketchEstimate", "countMinSketchLowerBound", "countMinSketchUpperBound"})
    {
        EXPECT_EQ(returnType(name, {sketch, "UInt64"})->getName(), "Int64");
        EXPECT_EQ(returnType(name, {string_sketch, "String"})->getName(), "Float64");
        EXPECT_ERROR(43, "key type UInt16", returnType(name, {sketch, "String"}));
        EXPECT_ERROR(43, "key type UInt16", returnType(name, {sketch, "Float64"}));
        EXPECT_ERROR(43, "key type String", returnType(name, {string_sketch, "UInt8"}));
        EXPECT_ERROR(43, "count-min sketch", returnType(name, {b32, "UInt8"}));
        EXPECT_ERROR(42, "not 1", returnType(name, {sketch}));
    }
    EXPECT_EQ(returnType("countMinSketchTotal", {sketch})->getName(), "Int64");
    EXPECT_ERROR(43, "count-min sketch", returnType("countMinSketchTotal", {"UInt8"}));
}

TEST(BitmapFunctions, AnswerInTheUnsignedDomainOfTheType)
{
    const ColumnWithType negatives = bitmap("Int8", "[-1,-2,-3]");
    EXPECT_EQ(one("bitmapCardinality", {negatives}), "3");
    EXPECT_EQ(one("bitmapMin", {negatives}), "253");
    EXPECT_EQ(one("bitmapMax", {negatives}), "255");
    EXPECT_EQ(one("bitmapMax", {bitmap("Int8", "[-1,-2,5]")}), "255");
    EXPECT_EQ(one("bitmapMin", {bitmap("Int8", "[-1,-2,5]")}), "5");
    EXPECT_EQ(one("bitmapMin", {bitmap("Int64", "[-1]")}), "18446744073709551615");
    EXPECT_EQ(one("bitmapMax", {bitmap("Int32", "[-1,7]")}), "4294967295");
    EXPECT_EQ(one("bitmapMax", {bitmap("UInt64", "[0,18446744073709551615]")}), "18446744073709551615");
    EXPECT_EQ(one("bitmapToArray", {bitmap("Int8", "[5,-1,-128,127,0]")}), "[0,5,127,-128,-1]");
    EXPECT_EQ(one("bitmapToArray", {bitmap("UInt64", "[18446744073709551615,0,4294967296]")}), "[0,4294967296,18446744073709551615]");
}

TEST(BitmapFunctions, AnswerForTheEmptyBitmap)
{
    for (const char * element : {"UInt8", "UInt16", "UInt32", "Int8", "Int16", "Int32"})
        EXPECT_EQ(one("bitmapMin", {bitmap(element, "[]")}), "4294967295") << element;
    for (const char * element : {"UInt64", "Int64"})
        EXPECT_EQ(one("bitmapMin", {bitmap(element, "[]")}), "18446744073709551615") << element;
    const ColumnWithType empty = bitmap("UInt16", "[]");
    const ColumnWithType some = bitmap("UInt16", "[1,2]");
    EXPECT_EQ(one("bitmapMax", {empty}), "0");
    EXPECT_EQ(one("bitmapToArray", {empty}), "[]");
    EXPECT_EQ(one("bitmapHasAll", {some, empty}), "1");
    EXPECT_EQ(one("bitmapHasAll", {empty, empty}), "1");
    EXPECT_EQ(one("bitmapHasAll", {empty, some}), "0");
    EXPECT_EQ(one("bitmapHasAny", {some, empty}), "0");
    EXPECT_EQ(one("bitmapHasAny", {empty, empty}), "0");
}

TEST(BitmapFunctions, ContainsTakesAnyInteger)
{
    struct Case
    {
        const char * element;
        const char * array;
        const char * type;
        const char * x;
        const char * answer;
    };
    for (const Case & c : {
             Case{"UInt8", "[1,255]", "UInt16", "257", "0"},
             Case{"UInt8", "[1,255]", "UInt8", "255", "1"},
             Case{"UInt8", "[1,255]", "Int8", "-1", "0"},
             Case{"UInt8", "[1,255]", "UInt64", "18446744073709551615", "0"},
             Case{"UInt8", "[1,255]", "Int64", "255", "1"},
             Case{"Int8", "[-1]", "UInt8", "255", "1"},
             Case{"Int8", "[-1]", "Int8", "-1", "1"},
             Case{"Int8", "[-1]", "Int64", "-1", "1"},
             Case{"Int8", "[-1]", "Int64", "-257", "0"},
             Case{"Int8", "[-1]", "UInt16", "511", "0"},
             Case{"Int8", "[-1]", "UInt32", "4294967295", "0"},
             Case{"Int8", "[-128]", "UInt8", "128", "1"},
             Case{"Int32", "[-1]", "UInt64", "4294967295", "1"},
             Case{"Int32", "[-1]", "UInt64", "18446744073709551615", "0"},
             Case{"Int64", "[-1]", "UInt64", "18446744073709551615", "1"},
             Case{"Int64", "[-1]", "Int8", "-1", "1"},
             Case{"UInt64", "[18446744073709551615]", "Int64", "-1", "0"},
             Case{"UInt64", "[18446744073709551615]", "UInt64", "18446744073709551615", "1"},
             Case{"UInt64", "[4294967296]", "UInt8", "0", "0"},
             Case{"UInt32", "[0]", "UInt64", "4294967296", "0"},
         })
        EXPECT_EQ(one("bitmapContains", {bitmap(c.element, c.array), constant(c.type, c.x)}), c.answer)
            << c.element << " " << c.array << " " << c.x;
}

TEST(BitmapFunctions, GiveTheSameAnswersSmallLargeReadAndBuilt)
{
    /// 33 values and more leave the small form; what was read from bytes is borrowed, what was built is owned.
    for (const size_t n : {1, 31, 32, 33, 100, 5000})
    {
        std::set<Int64> values;
        std::mt19937_64 random(n);
        while (values.size() < n)
            values.insert(static_cast<Int64>(random() % 3 == 0 ? random() : random() % 10000) - 5000);
        std::string array = "[";
        for (const Int64 value : values)
            array += (array.size() > 1 ? "," : "") + std::to_string(value);
        array += "]";
        const ColumnWithType built = bitmap("Int64", array);
        const ColumnWithType read = statesColumn(built.type->getName(), {binaryOf(*built.type, *built.column, 0)});
        std::vector<UInt64> raw(values.begin(), values.end());
        std::sort(raw.begin(), raw.end());
        std::string sorted = "[";
        for (const UInt64 value : raw)
            sorted += (sorted.size() > 1 ? "," : "") + std::to_string(static_cast<Int64>(value));
        sorted += "]";
        for (const ColumnWithType & set : {built, read})
        {
            EXPECT_EQ(one("bitmapCardinality", {set}), std::to_string(n));
            EXPECT_EQ(one("bitmapMin", {set}), std::to_string(raw.front()));
            EXPECT_EQ(one("bitmapMax", {set}), std::to_string(raw.back()));
            EXPECT_EQ(one("bitmapToArray", {set}), sorted);
            EXPECT_EQ(one("bitmapHasAll", {set, read}), "1");
            EXPECT_EQ(one("bitmapAndCardinality", {set, built}), std::to_string(n));
            EXPECT_EQ(one("bitmapXorCardinality", {set, built}), "0");
            EXPECT_EQ(one("bitmapContains", {set, constant("Int64", std::to_string(*values.begin()))}), "1");
            EXPECT_EQ(binaryOf(*set.type, *call("bitmapOr", {set, built}, 1).column, 0), binaryOf(*built.type, *built.column, 0));
        }
    }
}

TEST(BitmapFunctions, KeepTheLawsOfSets)
{
    std::mt19937_64 random(4);
    for (int round = 0; round < 60; ++round)
    {
        std::set<UInt32> sets[2];
        std::string arrays[2];
        for (int i = 0; i < 2; ++i)
        {
            const UInt32 range = random() % 2 ? 200 : 200000;
            for (size_t n = random() % 300; n != 0; --n)
                sets[i].insert(static_cast<UInt32>(random() % range));
            arrays[i] = "[";
            for (const UInt32 value : sets[i])
                arrays[i] += (arrays[i].size() > 1 ? "," : "") + std::to_string(value);
            arrays[i] += "]";
        }
        const ColumnWithType a = bitmap("UInt32", arrays[0]);
        const ColumnWithType b = bitmap("UInt32", arrays[1]);
        const auto expect = [&](const std::string & name, auto && keep) {
            std::string array = "[";
            size_t count = 0;
            std::set<UInt32> all = sets[0];
            all.insert(sets[1].begin(), sets[1].end());
            for (const UInt32 value : all)
                if (keep(sets[0].contains(value), sets[1].contains(value)))
                {
                    array += (array.size() > 1 ? "," : "") + std::to_string(value);
                    ++count;
                }
            array += "]";
            const ColumnWithType result = call(name, {a, b}, 1);
            EXPECT_EQ(one("bitmapToArray", {result}), array) << name;
            EXPECT_EQ(one(name + "Cardinality", {a, b}), std::to_string(count)) << name;
            /// Whatever way a set came about, its bytes are those of the set.
            EXPECT_EQ(binaryOf(*result.type, *result.column, 0), binaryOf(*a.type, *bitmap("UInt32", array).column, 0)) << name;
            return count;
        };
        const size_t both = expect("bitmapAnd", [](bool x, bool y) { return x && y; });
        expect("bitmapOr", [](bool x, bool y) { return x || y; });
        expect("bitmapXor", [](bool x, bool y) { return x != y; });
        expect("bitmapAndnot", [](bool x, bool y) { return x && !y; });
        EXPECT_EQ(one("bitmapHasAny", {a, b}), both != 0 ? "1" : "0");
        EXPECT_EQ(one("bitmapHasAll", {a, b}), both == sets[1].size() ? "1" : "0");
    }
}

TEST(BitmapFunctions, WorkRowByRowAndWithConstants)
{
    const ColumnWithType arrays = column("Array(UInt8)", {"[]", "[1,2]", "[2,3]"});
    const ColumnWithType sets = call("bitmapBuild", {arrays}, 3);
    ColumnWithType fixed = bitmap("UInt8", "[2]");
    fixed.is_constant = true;
    using Texts = std::vector<std::string>;
    EXPECT_EQ(texts(call("bitmapCardinality", {sets}, 3)), (Texts{"0", "2", "2"}));
    EXPECT_EQ(texts(call("bitmapContains", {sets, column("UInt8", {"1", "1", "3"})}, 3)), (Texts{"0", "1", "1"}));
    EXPECT_EQ(texts(call("bitmapContains", {sets, constant("UInt8", "2")}, 3)), (Texts{"0", "1", "1"}));
    EXPECT_EQ(texts(call("bitmapContains", {fixed, column("Int16", {"2", "-2", "258"})}, 3)), (Texts{"1", "0", "0"}));
    EXPECT_EQ(texts(call("bitmapContains", {fixed, constant("UInt8", "2")}, 3)), (Texts{"1", "1", "1"}));
    EXPECT_EQ(texts(call("bitmapToArray", {call("bitmapOr", {sets, fixed}, 3)}, 3)), (Texts{"[2]", "[1,2]", "[2,3]"}));
    EXPECT_EQ(texts(call("bitmapToArray", {call("bitmapAndnot", {fixed, sets}, 3)}, 3)), (Texts{"[2]", "[]", "[]"}));
    EXPECT_EQ(texts(call("bitmapToArray", {call("bitmapXor", {fixed, fixed}, 3)}, 3)), (Texts{"[]", "[]", "[]"}));
    EXPECT_EQ(texts(call("bitmapToArray", {fixed}, 3)), (Texts{"[2]", "[2]", "[2]"}));
    EXPECT_EQ(texts(call("bitmapToArray", {call("bitmapBuild", {constant("Array(UInt8)", "[7]")}, 2)}, 2)), (Texts{"[7]", "[7]"}));
    /// Every bitmap function over no rows at all.
    const ColumnWithType x = column("UInt8", {"1", "2", "3"});
    const ColumnWithType string = column("String", {"a", "b", "c"});
    for (const std::string & name : functions().getNames())
    {
        if (!name.starts_with("bitmap") && name != "subBitmap")
            continue;
        size_t accepted = 0;
        for (const ColumnsWithTypes & arguments : {
                 ColumnsWithTypes{sets}, ColumnsWithTypes{sets, fixed}, ColumnsWithTypes{fixed, x}, ColumnsWithTypes{fixed, x, x},
                 ColumnsWithTypes{sets, arrays, arrays}, ColumnsWithTypes{arrays}, ColumnsWithTypes{string}, ColumnsWithTypes{string, string}})
        {
            DataTypes types;
            for (const ColumnWithType & argument : arguments)
                types.push_back(argument.type);
            try
            {
                static_cast<void>(functions().get(name)->getReturnType(types));
            }
            catch (const Exception &)
            {
                continue;
            }
            ++accepted;
            EXPECT_EQ(call(name, arguments, 0).column->size(), 0U) << name;
        }
        EXPECT_EQ(accepted, 1U) << name;
    }
}

TEST(BitmapFunctions, StopAtTheLimitBeforeTheyExpand)
{
    FunctionFactory limited;
    registerFunctions(limited, FunctionLimits{.max_array_elements = 5});
    const auto to_array = [&](const ColumnWithType & argument, size_t rows) {
        return texts({limited.get("bitmapToArray")->execute({argument}, rows), parseDataType("Array(UInt32)"), false});
    };
    EXPECT_EQ(to_array(bitmap("UInt32", "[1,2,3,4,5]"), 1).at(0), "[1,2,3,4,5]");
    EXPECT_ERROR(241, "more than 5 array elements: row 0 has 6", to_array(bitmap("UInt32", "[1,2,3,4,5,6]"), 1));
    ColumnWithType two = bitmap("UInt32", "[1,2]");
    two.is_constant = true;
    EXPECT_EQ(to_array(two, 2).size(), 2U);
    EXPECT_ERROR(241, "row 2 has 2 behind 4", to_array(two, 3));

    /// 17 bytes that stand for 65536 values.
    const std::string full_run = fromHex("010f3b300000010000ffff01000000ffff");
    const ColumnWithType set = statesColumn("AggregateFunction(groupBitmap, UInt32)", {full_run});
    EXPECT_EQ(one("bitmapCardinality", {set}), "65536");
    EXPECT_ERROR(241, "65536", to_array(set, 1));
}

TEST(BitmapFunctions, AnswerAsTheRealEngineDoes)
{
    REQUIRE_VECTORS(folder, "clickhouse");
    const std::map<std::string, std::string> names = {
        {"and", "bitmapAnd"},
        {"or", "bitmapOr"},
        {"xor", "bitmapXor"},
        {"andnot", "bitmapAndnot"},
        {"groupBitmapAnd", "bitmapAnd"},
        {"groupBitmapOr", "bitmapOr"},
        {"groupBitmapXor", "bitmapXor"},
    };
    size_t cases = 0;
    for (const auto & vector : nlohmann::json::parse(readFile(folder / "ops.json")))
    {
        const std::string type = "AggregateFunction(groupBitmap, " + vector["type"].get<std::string>() + ")";
        const auto state = [&](const char * which) { return statesColumn(type, {fromHex(vector[which].get<std::string>())}); };
        const std::string name = names.at(vector["op"].get<std::string>());
        const ColumnWithType result = call(name, {state("a"), state("b")}, 1);
        const std::string cardinality = std::to_string(vector["cardinality"].get<UInt64>());
        EXPECT_EQ(one("bitmapToArray", {result}), one("bitmapToArray", {state("result")})) << vector.dump();
        EXPECT_EQ(one("bitmapCardinality", {result}), cardinality) << vector.dump();
        EXPECT_EQ(one(name + "Cardinality", {state("a"), state("b")}), cardinality) << vector.dump();
        if (vector["cardinality"].get<UInt64>() > 32)
        {
            EXPECT_EQ(binaryOf(*result.type, *result.column, 0), fromHex(vector["result"].get<std::string>())) << vector.dump();
        }
        ++cases;
    }
    EXPECT_GT(cases, 100U);

    const nlohmann::json manifest = nlohmann::json::parse(readFile(folder / "manifest.json"));
    EXPECT_GT(manifest["vectors"].size(), 100U);
    for (const auto & vector : manifest["vectors"])
    {
        const std::string element = vector["type"].get<std::string>();
        const std::string state = fromHex(readVector(folder / vector["file"].get<std::string>()));
        const ColumnWithType set = statesColumn("AggregateFunction(groupBitmap, " + element + ")", {state});
        EXPECT_EQ(one("bitmapCardinality", {set}), std::to_string(vector["cardinality"].get<UInt64>())) << vector["name"];
        /// The manifest's minimum and maximum are in the order of the type.
        if (vector["min"].is_null())
            continue;
        const ColumnWithType array = call("bitmapToArray", {set}, 1);
        const IColumn & values = static_cast<const ColumnArray &>(*array.column).getData();
        size_t smallest = 0;
        size_t largest = 0;
        for (size_t i = 1; i < values.size(); ++i)
        {
            smallest = values.compareAt(i, values, smallest) < 0 ? i : smallest;
            largest = values.compareAt(i, values, largest) > 0 ? i : largest;
        }
        const DataTypePtr value_type = parseDataType(element);
        EXPECT_EQ(textOf(*value_type, values, smallest), vector["min"].get<std::string>()) << vector["name"];
        EXPECT_EQ(textOf(*value_type, values, largest), vector["max"].get<std::string>()) << vector["name"];
        EXPECT_EQ(one("bitmapMin", {set}), std::to_string(unsignedBits(value_type->getTypeId(), values, 0))) << vector["name"];
        EXPECT_EQ(one("bitmapMax", {set}), std::to_string(unsignedBits(value_type->getTypeId(), values, values.size() - 1)))
            << vector["name"];
    }
}

TEST(CountMinSketchFunctions, AnswerForStringKeys)
{
    const std::string type = "AggregateFunction(countMinSketch(5, 272), String)";
    const ColumnWithType sketches = statesColumn(type, {sketchOf({}), sketchOf({{"a", 3}, {"", 2}, {"b", 1}})});
    using Texts = std::vector<std::string>;
    EXPECT_EQ(texts(call("countMinSketchTotal", {sketches}, 2)), (Texts{"0", "6"}));
    EXPECT_EQ(texts(call("countMinSketchEstimate", {sketches, constant("String", "a")}, 2)), (Texts{"0", "3"}));
    EXPECT_EQ(texts(call("countMinSketchEstimate", {sketches, constant("String", "")}, 2)), (Texts{"0", "2"}));
    EXPECT_EQ(texts(call("countMinSketchEstimate", {sketches, column("String", {"a", "b"})}, 2)), (Texts{"0", "1"}));
    EXPECT_EQ(texts(call("countMinSketchEstimate", {sketches, constant("String", "other")}, 2)), (Texts{"0", "0"}));

    std::vector<std::pair<std::string, UInt64>> many;
    for (UInt64 i = 0; i < 2000; ++i)
        many.emplace_back("key " + std::to_string(i), i);
    const ColumnWithType large = statesColumn(type, {sketchOf(many)});
    for (const UInt64 i : {0, 1, 500, 1999})
    {
        const ColumnWithType key = constant("String", "key " + std::to_string(i));
        const UInt64 estimate = std::stoull(one("countMinSketchEstimate", {large, key}));
        const UInt64 lower = std::stoull(one("countMinSketchLowerBound", {large, key}));
        const UInt64 upper = std::stoull(one("countMinSketchUpperBound", {large, key}));
        EXPECT_GE(estimate, i);
        EXPECT_LE(lower, i);
        EXPECT_GE(upper, i);
        EXPECT_LE(estimate, i + 2000 * 1999 / 2);
    }
    EXPECT_EQ(one("countMinSketchTotal", {large}), std::to_string(2000 * 1999 / 2));
}

TEST(CountMinSketchFunctions, TakeNumberKeysOfAnyWidth)
{
    const ColumnWithType bytes = numberSketch<UInt8>("UInt8", {5, 5, 255});
    const ColumnWithType narrow = numberSketch<Int16>("Int16", {-1, -1, 5});
    const ColumnWithType wide = numberSketch<UInt64>("UInt64", {5, 18446744073709551615ULL});
    const auto estimate = [](const ColumnWithType & sketch, const char * type, const char * key) {
        return one("countMinSketchEstimate", {sketch, constant(type, key)});
    };
    for (const char * type : {"UInt8", "UInt16", "UInt32", "UInt64", "Int8", "Int16", "Int32", "Int64"})
    {
        EXPECT_EQ(estimate(bytes, type, "5"), "2") << type;
        EXPECT_EQ(estimate(narrow, type, "5"), "1") << type;
        EXPECT_EQ(estimate(wide, type, "5"), "1") << type;
    }
    EXPECT_EQ(estimate(bytes, "UInt64", "255"), "1");
    EXPECT_ERROR(70, "UInt8", estimate(bytes, "UInt16", "256"));
    EXPECT_ERROR(70, "UInt8", estimate(bytes, "Int8", "-1"));
    EXPECT_EQ(estimate(narrow, "Int64", "-1"), "2");
    EXPECT_ERROR(70, "Int16", estimate(narrow, "UInt16", "65535"));
    EXPECT_ERROR(70, "Int16", estimate(narrow, "Int64", "-32769"));
    EXPECT_EQ(estimate(wide, "UInt64", "18446744073709551615"), "1");
    EXPECT_ERROR(70, "UInt64", estimate(wide, "Int64", "-1"));
    EXPECT_ERROR(70, "Int64", estimate(numberSketch<Int64>("Int64", {1}), "UInt64", "9223372036854775808"));
}

TEST(CountMinSketchFunctions, TakeFloatKeysOnlyWhereTheyAreExact)
{
    const ColumnWithType narrow = numberSketch<Float32>("Float32", {0.5F, 0.1F, 7, std::numeric_limits<Float32>::infinity()});
    const ColumnWithType wide = numberSketch<Float64>("Float64", {0.5, 0.1, -7, 9007199254740992.0});
    const auto estimate = [](const ColumnWithType & sketch, const char * type, const char * key) {
        return one("countMinSketchEstimate", {sketch, constant(type, key)});
    };
    EXPECT_EQ(estimate(narrow, "Float64", "0.5"), "1");
    EXPECT_EQ(estimate(narrow, "Float32", "0.1"), "1");
    EXPECT_ERROR(70, "Float32", estimate(narrow, "Float64", "0.1"));
    EXPECT_ERROR(70, "Float32", estimate(narrow, "Float64", "1e300"));
    EXPECT_EQ(estimate(narrow, "Float64", "inf"), "1");
    EXPECT_EQ(estimate(narrow, "UInt8", "7"), "1");
    EXPECT_ERROR(70, "Float32", estimate(narrow, "UInt32", "16777217"));
    EXPECT_EQ(estimate(narrow, "UInt32", "16777216"), "0");
    EXPECT_EQ(estimate(wide, "Float32", "0.5"), "1");
    EXPECT_EQ(estimate(wide, "Float32", "0.1"), "0");
    EXPECT_EQ(estimate(wide, "Int8", "-7"), "1");
    EXPECT_EQ(estimate(wide, "UInt64", "9007199254740992"), "1");
    EXPECT_ERROR(70, "Float64", estimate(wide, "UInt64", "9007199254740993"));
    EXPECT_EQ(estimate(wide, "Int64", "-9223372036854775808"), "0");
}

TEST(CountMinSketchFunctions, AnswerInTheWeightsType)
{
    const DataTypePtr type = parseDataType("AggregateFunction(countMinSketch(5, 272), UInt8, Int32)");
    const auto & function = *static_cast<const ColumnAggregateFunction &>(*type->createColumn()).getFunction();
    const auto keys = numbers<UInt8>({1, 1, 2});
    const auto weights = numbers<Int32>({5, -7, 3});
    const ColumnWithType sketch{columnFromBinary(*type, {stateBytes(function, {keys.get(), weights.get()})}), type, false};
    EXPECT_EQ(one("countMinSketchEstimate", {sketch, constant("UInt8", "1")}), "-2");
    EXPECT_EQ(one("countMinSketchTotal", {sketch}), "15");
}
