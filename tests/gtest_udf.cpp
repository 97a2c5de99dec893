#include "ColumnBuilders.h"
#include "CountMinHelpers.h"
#include "TornReadBuffer.h"
#include "Vectors.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/CountMin/CountMinSumForEach.h>
#include <statewire/IO/VarInt.h>
#include <statewire/Roaring/RoaringQueries.h>

#include <udf/GroupBitmapValidation.h>
#include <udf/serveChunks.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <random>
#include <set>

/** The user-defined functions' one table: both routes into a server, the process and the WebAssembly module, call what is tested here. */

using namespace DB;
using namespace statewire_tests;

namespace
{

using Sketch = CountMinSketchState<UInt64>;

/// RowBinary, a value at a time.
std::string varUInt(UInt64 number)
{
    char bytes[VAR_UINT_MAX_SIZE];
    return {bytes, writeVarUInt(number, bytes)};
}
std::string text(std::string_view bytes) { return varUInt(bytes.size()) + std::string(bytes); }
std::string texts(const std::vector<std::string> & strings)
{
    std::string result = varUInt(strings.size());
    for (const std::string & string : strings)
        result += text(string);
    return result;
}
std::string numberArray(const std::vector<UInt64> & numbers)
{
    std::string result = varUInt(numbers.size());
    for (const UInt64 number : numbers)
        result += keyOf(number);
    return result;
}
std::string floating(double number)
{
    std::string bytes(8, '\0');
    unalignedStoreLittleEndian<Float64>(bytes.data(), number);
    return bytes;
}
std::string narrow(UInt32 number)
{
    std::string bytes(4, '\0');
    unalignedStoreLittleEndian<UInt32>(bytes.data(), number);
    return bytes;
}

template <typename T>
std::string bitmap(const std::vector<T> & values)
{
    RoaringBitmapState<T> state;
    state.addBatch(values.data(), values.size());
    return written([&](WriteBuffer & out) { state.write(out); });
}

template <typename T>
std::vector<T> progression(T first, T step, size_t n)
{
    std::vector<T> values(n);
    for (size_t i = 0; i < n; ++i)
        values[i] = static_cast<T>(first + step * i);
    return values;
}

const statewire_udf::UserDefinedFunction & functionOf(std::string_view name)
{
    const auto functions = statewire_udf::userDefinedFunctions();
    const auto found = std::find_if(functions.begin(), functions.end(), [&](const auto & f) { return f.name == name; });
    if (found == functions.end())
        throw std::runtime_error("no function " + std::string(name));
    return *found;
}

std::string run(std::string_view name, ReadBuffer & in, size_t rows)
{
    return written([&](WriteBuffer & out) {
        statewire_udf::RowArguments arguments(in);
        for (size_t row = 0; row < rows; ++row)
        {
            arguments.nextRow();
            functionOf(name).row(arguments, out);
        }
        EXPECT_TRUE(in.eof()) << name;
    });
}

std::string call(std::string_view name, const std::string & arguments)
{
    ReadBufferFromMemory in(arguments);
    return run(name, in, 1);
}

std::string sketchOf(const CountMinParameters & parameters, const std::vector<std::string> & keys)
{
    Sketch state(parameters);
    for (const std::string & key : keys)
        state.add(key);
    return serialize(state);
}

std::vector<std::string> asKeys(const std::vector<UInt64> & numbers)
{
    std::vector<std::string> keys;
    for (const UInt64 number : numbers)
        keys.push_back(keyOf(number));
    return keys;
}

struct Sample
{
    std::string name;
    std::string arguments;
    std::string result;
};

/// A call of every function with the answer that the library gives by other ways.
std::vector<Sample> samples()
{
    const CountMinParameters parameters(3, 64);
    const std::string p = text("3, 64");
    const std::vector<std::string> words{"the", "a", "the", "", "of", "the"};
    std::vector<UInt64> many = progression<UInt64>(1, 7, 300);
    many.push_back(8);
    const std::string small = sketchOf(parameters, words);
    const std::string large = sketchOf(parameters, asKeys(many));
    Sketch large_state(parameters, 8);
    for (const UInt64 key : many)
        large_state.add(keyOf(key));
    Sketch weighted(parameters);
    weighted.add("x", 5);
    weighted.add("y", 7);
    Sketch weighted_numbers(parameters, 8);
    weighted_numbers.add(keyOf(3), 5);
    weighted_numbers.add(keyOf(4), 7);
    Sketch merged(parameters);
    for (int i = 0; i < 2; ++i)
        for (const UInt64 key : many)
            merged.add(keyOf(key));
    const auto estimate = [&](UInt64 key) { return large_state.estimate(keyOf(key)); };
    const auto bounds = [&](UInt64 key) { return keyOf(large_state.lowerBound(keyOf(key))) + keyOf(large_state.upperBound(keyOf(key))); };

    /// The two largest of four candidates, one of them given twice.
    std::vector<std::pair<UInt64, UInt64>> ranked;
    for (const UInt64 key : {8, 15, 1, 2})
        ranked.emplace_back(key, estimate(key));
    std::sort(ranked.begin(), ranked.end(), [](auto a, auto b) { return a.second != b.second ? a.second > b.second : a.first < b.first; });
    const std::string top
        = varUInt(2) + keyOf(ranked[0].first) + keyOf(ranked[0].second) + keyOf(ranked[1].first) + keyOf(ranked[1].second);

    Sketch join(parameters);
    for (const std::string & word : words)
        join.add(word);
    const std::string image = join.toImage();
    std::string sum(countMinSumForEachLength(parameters) * 8, '\0');
    MemorySink sink(sum.data());
    writeCountMinSumForEach(CountMinView<UInt64>::parse(image, parameters), sink);
    Sketch table(parameters);
    table.mergeImage(image);
    const UInt64 length = countMinSumForEachLength(parameters);

    std::vector<Sample> result{
        {"countMinSketchBuildUInt64", p + numberArray(many), text(large)},
        {"countMinSketchBuildString", p + texts(words), text(small)},
        {"countMinSketchBuildWeightedUInt64", p + numberArray({3, 4}) + numberArray({5, 7}), text(serialize(weighted_numbers))},
        {"countMinSketchBuildWeightedString", p + texts({"x", "y"}) + numberArray({5, 7}), text(serialize(weighted))},
        {"countMinSketchMerge", p + texts({large, serialize(Sketch(parameters)), large}), text(serialize(merged))},
        {"countMinSketchEstimateUInt64", p + text(large) + keyOf(8), keyOf(estimate(8))},
        {"countMinSketchEstimateString", p + text(small) + text("the"), keyOf(3)},
        {"countMinSketchEstimatesUInt64", p + text(large) + numberArray({8, 2}), numberArray({estimate(8), estimate(2)})},
        {"countMinSketchEstimatesString", p + text(small) + texts({"", "the", "no"}), numberArray({1, 3, 0})},
        {"countMinSketchBoundsUInt64", p + text(large) + keyOf(8), bounds(8)},
        {"countMinSketchBoundsString", p + text(small) + text("the"), keyOf(join.lowerBound("the")) + keyOf(3)},
        {"countMinSketchTotal", p + text(large), keyOf(301)},
        {"countMinSketchTopKUInt64", p + text(large) + numberArray({15, 8, 2, 1, 8}) + keyOf(2), top},
        {"countMinSketchTopKString",
         p + text(small) + texts({"of", "a", "the", "the"}) + keyOf(9),
         varUInt(3) + text("the") + keyOf(3) + text("a") + keyOf(1) + text("of") + keyOf(1)},
        {"countMinSketchInnerProduct", p + text(small) + text(small), floating(9 + 1 + 1 + 1)},
        {"countMinSketchToImage", p + text(small), text(image)},
        {"countMinSketchFromImage", p + text(image), text(serialize(table))},
        {"countMinSketchToSumForEach", p + text(small), varUInt(length) + sum},
        {"countMinSketchToSumForEachState", p + text(small), keyOf(length) + sum},
        {"countMinSketchFromSumForEach", p + varUInt(length) + sum, text(serialize(table))},
        {"countMinSketchFromSumForEachState", p + keyOf(length) + sum, text(serialize(table))},
    };

    const auto add_bitmaps = [&]<typename T>(const std::string & suffix, auto && number) {
        const auto a = bitmap<T>(progression<T>(10, 3, 2000));
        const auto b = bitmap<T>(progression<T>(10, 6, 40));
        const auto three = bitmap<T>({7, 5, 6});
        const RoaringFormat format = RoaringBitmapState<T>::FORMAT;
        RoaringBitmap set;
        for (const T value : progression<T>(10, 3, 2000))
            set.add(value);
        const std::string portable = written([&](WriteBuffer & out) { set.write(out, format); });
        result.insert(
            result.end(),
            {{"bitmapJaccard" + suffix, a + b, floating(40.0 / 2000)},
             {"bitmapJaccard" + suffix, bitmap<T>({}) + bitmap<T>({}), floating(1)},
             {"bitmapRank" + suffix, a + number(16), keyOf(3)},
             {"bitmapRank" + suffix, three + number(4), keyOf(0)},
             {"bitmapSelect" + suffix, a + keyOf(2), std::string(1, '\0') + number(16)},
             {"bitmapSelect" + suffix, a + keyOf(2000), std::string(1, '\1')},
             {"bitmapRangeCardinality" + suffix, a + keyOf(10) + keyOf(16), keyOf(2)},
             {"bitmapRangeCardinality" + suffix, three + keyOf(0) + keyOf(~UInt64{0}), keyOf(3)},
             {"bitmapRangeCardinality" + suffix, three + keyOf(6) + keyOf(6), keyOf(0)},
             {"bitmapRangeCardinality" + suffix, three + keyOf(0) + keyOf(0), keyOf(0)},
             {"bitmapValidate" + suffix, text(a), text("")},
             {"bitmapValidate" + suffix, text(three), text("")},
             {"bitmapToPortable" + suffix, a, text(portable)},
             {"bitmapFromPortable" + suffix, text(portable), a}});
    };
    add_bitmaps.operator()<UInt32>("UInt32", narrow);
    add_bitmaps.operator()<UInt64>("UInt64", keyOf);
    return result;
}

}

TEST(UserDefinedFunctions, EveryOneAnswersAsTheLibrary)
{
    std::set<std::string_view> tested;
    for (const Sample & sample : samples())
    {
        tested.insert(functionOf(sample.name).name);
        EXPECT_EQ(toHex(call(sample.name, sample.arguments)), toHex(sample.result)) << sample.name;
    }
    EXPECT_EQ(tested.size(), statewire_udf::userDefinedFunctions().size()) << "a function without a sample, or a name that is twice";
}

TEST(UserDefinedFunctions, TornInputGivesTheSameResults)
{
    for (const Sample & sample : samples())
    {
        const std::string three = sample.arguments + sample.arguments + sample.arguments;
        for (const size_t piece : TORN_SIZES)
        {
            TornReadBuffer in(three, piece);
            EXPECT_TRUE(run(sample.name, in, 3) == sample.result + sample.result + sample.result) << sample.name << ", pieces of " << piece;
        }
    }
}

TEST(UserDefinedFunctions, LargeArgumentsLiveAsLongAsTheirRow)
{
    const CountMinParameters parameters(5, 2719);
    const std::string one = text(sketchOf(parameters, asKeys(progression<UInt64>(1, 7, 20000))));
    const std::string other = text(sketchOf(parameters, asKeys(progression<UInt64>(5, 9, 20000))));
    ASSERT_GT(one.size(), size_t{100000});
    const std::string row = text("5, 2719") + one + other;
    const std::string result = call("countMinSketchInnerProduct", row);
    const std::string three = row + row + row;
    for (const size_t piece : {size_t{4096}, size_t{65536}, three.size()})
    {
        TornReadBuffer in(three, piece);
        EXPECT_TRUE(run("countMinSketchInnerProduct", in, 3) == result + result + result) << "pieces of " << piece;
    }
}

TEST(UserDefinedFunctions, InputThatEndsEarlyIsAnError)
{
    for (const Sample & sample : samples())
        for (size_t size = 0; size < sample.arguments.size(); size += 1 + sample.arguments.size() / 200)
        {
            const std::string cut = sample.arguments.substr(0, size);
            const int code = codeOf([&] { static_cast<void>(call(sample.name, cut)); });
            EXPECT_TRUE(code == ErrorCodes::CANNOT_READ_ALL_DATA || code == ErrorCodes::ATTEMPT_TO_READ_AFTER_EOF)
                << sample.name << " cut at " << size << ": " << code;
        }
}

TEST(UserDefinedFunctions, ParametersAreReadAsTheTypeNamePrintsThem)
{
    const auto total
        = [](std::string_view parameters) { return call("countMinSketchTotal", text(parameters) + text(std::string(2, '\0'))); };
    for (const std::string_view good :
         {"5, 2719",
          "5,2719",
          " 5 , 2719 ",
          "5, 2719, 9001",
          "5, 2719, 18446744073709551615",
          "1, 3, 0, libcxx",
          "255, 16448, 1, 'libstdcxx'"})
        EXPECT_EQ(total(good), keyOf(0)) << good;
    for (const std::string_view bad :
         {"",
          "5",
          "5,",
          "5, x",
          "5, 2719,",
          "5, 2719, ",
          "-5, 2719",
          "5, 2719, 18446744073709551616",
          "5, 2719, 1, gcc",
          "5, 2719, 1, libcxx, 2",
          "5, 2719, 1, libcxx,",
          "0, 2719",
          "256, 3",
          "5, 2",
          "5 2719",
          "5, 4294967296",
          "255, 4294967295",
          "5, 1000000"})
        EXPECT_EQ(codeOf([&] { static_cast<void>(total(bad)); }), ErrorCodes::BAD_ARGUMENTS) << bad;
}

TEST(UserDefinedFunctions, BadArgumentsAreNamed)
{
    const std::string p = text("3, 64");
    const auto refused = [](std::string_view name, const std::string & arguments, int code, std::string_view part) {
        EXPECT_ERROR(code, std::string(part), call(name, arguments));
    };
    const std::string fresh(2, '\0');
    refused("countMinSketchTotal", p + text(fresh + "xy"), ErrorCodes::INCORRECT_DATA, "2 bytes behind its end at byte 2");
    refused("countMinSketchMerge", p + texts({fresh, fresh + "x"}), ErrorCodes::INCORRECT_DATA, "1 bytes behind its end at byte 2");
    refused("countMinSketchTotal", p + text(""), ErrorCodes::CANNOT_READ_ALL_DATA, "");
    refused("countMinSketchTotal", p + text("\x07"), ErrorCodes::INCORRECT_DATA, "kind");
    refused(
        "countMinSketchBuildWeightedUInt64",
        p + numberArray({1, 2}) + numberArray({1}),
        ErrorCodes::BAD_ARGUMENTS,
        "2 keys with 1 weights");
    refused("countMinSketchBuildWeightedString", p + texts({"a"}) + numberArray({}), ErrorCodes::BAD_ARGUMENTS, "1 keys with 0 weights");
    refused("countMinSketchBuildWeightedUInt64", p + numberArray({1, 2}) + numberArray({~UInt64{0}, 1}), ErrorCodes::DECIMAL_OVERFLOW, "");
    /// A state of string keys where number keys are asked for.
    const CountMinParameters parameters(3, 64);
    refused("countMinSketchEstimateUInt64", p + text(sketchOf(parameters, {"a"})) + keyOf(1), ErrorCodes::INCORRECT_DATA, "");
    refused("bitmapFromPortableUInt32", text(std::string_view("\x3a\x30\0\0\0\0\0\0!", 9)), ErrorCodes::INCORRECT_DATA, "ends at byte 8");
    /// Declared lengths beyond all memory.
    refused("countMinSketchBuildUInt64", p + varUInt(UInt64{1} << 61), ErrorCodes::TOO_LARGE_ARRAY_SIZE, "declares 2305843009213693952");
    refused("countMinSketchBuildUInt64", p + varUInt((UInt64{1} << 61) - 1), ErrorCodes::CANNOT_READ_ALL_DATA, "");
    refused("countMinSketchBuildString", p + varUInt(~UInt64{0}) + text("a"), ErrorCodes::ATTEMPT_TO_READ_AFTER_EOF, "");
    refused("countMinSketchFromSumForEachState", p + keyOf(~UInt64{0}), ErrorCodes::TOO_LARGE_ARRAY_SIZE, "");
}

namespace
{

/// groupBitmapStateError says something exactly where RoaringBitmapState::read, and then its end, throw.
template <typename T>
void expectAgreement(const std::string & bytes, const std::string & what)
{
    const int code = codeOf([&] {
        ReadBufferFromMemory in(bytes);
        RoaringBitmapState<T> state;
        state.read(in);
        if (!in.eof())
            throw Exception(ErrorCodes::INCORRECT_DATA, "bytes behind the state");
    });
    EXPECT_EQ(statewire_udf::groupBitmapStateError<T>(bytes).empty(), code == 0)
        << what << ": " << code << ", " << statewire_udf::groupBitmapStateError<T>(bytes);
}

template <typename T>
void expectAgreementNear(const std::string & state)
{
    for (size_t size = 0; size <= state.size(); ++size)
        expectAgreement<T>(state.substr(0, size), "cut at " + std::to_string(size));
    expectAgreement<T>(state + '\0', "a byte too many");
    for (size_t i = 0; i < state.size(); ++i)
        for (const char flip : {'\x01', '\x80', '\xff'})
        {
            std::string damaged = state;
            damaged[i] = static_cast<char>(damaged[i] ^ flip);
            expectAgreement<T>(damaged, "byte " + std::to_string(i));
        }
}

}

TEST(UserDefinedFunctions, ValidationAcceptsWhatReadingAccepts)
{
    expectAgreementNear<UInt32>(bitmap<UInt32>({}));
    expectAgreementNear<UInt32>(bitmap<UInt32>({3, 1, 2}));
    expectAgreementNear<UInt64>(bitmap<UInt64>({3, 1, ~UInt64{0}}));
    expectAgreementNear<UInt32>(bitmap<UInt32>(progression<UInt32>(0, 1, 33)));
    expectAgreementNear<UInt32>(bitmap<UInt32>(progression<UInt32>(0, 65531, 40)));
    expectAgreementNear<UInt64>(bitmap<UInt64>(progression<UInt64>(5, 0x123456789, 40)));
    expectAgreementNear<UInt64>(bitmap<UInt64>(progression<UInt64>(5, 3, 200)));
    size_t states = 0;
    const auto folder = dataDirectory() / "clickhouse";
    for (const auto & entry : nlohmann::json::parse(readFile(folder / "hostile" / "manifest.json")))
    {
        const std::string bytes = fromHex(readFile(folder / entry.at("file").get<std::string>()));
        const auto type = entry.at("type").get<std::string>();
        if (type == "UInt32")
            expectAgreement<UInt32>(bytes, entry.at("name"));
        else if (type == "UInt64")
            expectAgreement<UInt64>(bytes, entry.at("name"));
        ++states;
    }
    EXPECT_GT(states, 30u);
}

namespace
{

/// Keeps what each flush brought.
class RecordingWriteBuffer final : public WriteBuffer
{
public:
    RecordingWriteBuffer() : WriteBuffer(nullptr, 0) { expose(); }
    ~RecordingWriteBuffer() override { closeInDestructor(); }
    std::vector<std::string> flushes;

protected:
    void nextImpl() override
    {
        flushes.emplace_back(working_buffer.begin_pos, pos);
        expose();
    }

private:
    void expose()
    {
        internal_buffer = working_buffer = Buffer{memory, memory + sizeof(memory)};
        pos = memory;
    }
    char memory[4096];
};

std::vector<std::string> serve(std::string_view name, const std::string & input)
{
    ReadBufferFromMemory in(input);
    RecordingWriteBuffer out;
    statewire_udf::serveChunks(functionOf(name), in, out);
    out.finalize();
    return out.flushes;
}

}

TEST(UserDefinedFunctions, ChunksAreAnsweredOneByOne)
{
    const std::string row = text("3, 64") + text(std::string(2, '\0'));
    const std::string answer = keyOf(0);
    EXPECT_EQ(serve("countMinSketchTotal", ""), std::vector<std::string>{});
    EXPECT_EQ(serve("countMinSketchTotal", "0\n"), std::vector<std::string>{});
    EXPECT_EQ(serve("countMinSketchTotal", "1\n" + row), std::vector<std::string>{answer});
    EXPECT_EQ(serve("countMinSketchTotal", "2\n" + row + row + "1\n" + row), (std::vector<std::string>{answer + answer, answer}));
    for (const std::string & header :
         std::vector<std::string>{"\n", "x\n", "-1\n", " 1\n", "1 \n", "1\r\n", "18446744073709551616\n", "99999999999999999999\n"})
        EXPECT_EQ(codeOf([&] { static_cast<void>(serve("countMinSketchTotal", header + row)); }), ErrorCodes::INCORRECT_DATA) << header;
    for (const std::string & cut : std::vector<std::string>{"1", "1\n", "2\n" + row, "18446744073709551615\n" + row})
    {
        const int code = codeOf([&] { static_cast<void>(serve("countMinSketchTotal", cut)); });
        EXPECT_TRUE(code == ErrorCodes::CANNOT_READ_ALL_DATA || code == ErrorCodes::ATTEMPT_TO_READ_AFTER_EOF) << cut << ": " << code;
    }
    EXPECT_NE(
        messageOf([&] {
            static_cast<void>(serve("countMinSketchTotal", "1\n" + row + "2\n" + row + text("3, 64") + text("z")));
        }).find("in function countMinSketchTotal, row 1 of chunk 1"),
        std::string::npos);
}

TEST(UserDefinedFunctions, ConfigurationAndStatementsDeclareEveryOne)
{
    const std::string xml = statewire_udf::executableConfiguration("program");
    const std::string sql = statewire_udf::webAssemblyStatements("module");
    for (const auto & function : statewire_udf::userDefinedFunctions())
    {
        const std::string name(function.name);
        EXPECT_NE(xml.find("<name>" + name + "</name>"), std::string::npos) << name;
        EXPECT_NE(xml.find("<command>program udf " + name + "</command>"), std::string::npos) << name;
        EXPECT_NE(
            sql.find("FUNCTION " + name + " LANGUAGE WASM FROM 'module' ARGUMENTS (" + std::string(function.arguments) + ") RETURNS "),
            std::string::npos);
    }
    EXPECT_NE(
        xml.find("<argument><name>left</name><type>AggregateFunction(groupBitmap, UInt32)</type></argument>\n"
                 "        <argument><name>right</name><type>AggregateFunction(groupBitmap, UInt32)</type></argument>\n"
                 "        <return_type>Float64</return_type>"),
        std::string::npos);
    EXPECT_NE(
        xml.find("<argument><name>sum</name><type>AggregateFunction(sumForEach, Array(UInt64))</type></argument>"), std::string::npos);
}
