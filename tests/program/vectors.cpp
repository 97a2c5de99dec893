// Asks `statewire inspect --json` about every vector there is, and compares with what the vectors' lists say. A sanitized program, which takes long to
// start, is asked about all that are hostile and some of the others: tests of the library read those as well.
//
//   statewire_program_vectors PROGRAM

#include "CaseSample.h"
#include "Vectors.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

using namespace statewire_tests;
using nlohmann::json;

namespace
{
std::string program;

struct Answer
{
    int exit_code = -1;
    std::string text;
};

std::string quote(const std::string & argument)
{
    std::string result = "'";
    for (const char c : argument)
        result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

/// Runs the program with stdin from `input`, a command or empty.
Answer run(const std::vector<std::string> & arguments, const std::string & input = "")
{
    std::string command = input.empty() ? "" : input + " | ";
    command += quote(program);
    for (const std::string & argument : arguments)
        command += ' ' + quote(argument);
    command += " 2>/dev/null";
    Answer answer;
    std::FILE * pipe = popen(command.c_str(), "r");
    EXPECT_NE(pipe, nullptr) << command;
    if (!pipe)
        return answer;
    char buffer[65536];
    while (const size_t n = std::fread(buffer, 1, sizeof(buffer), pipe))
        answer.text.append(buffer, n);
    const int status = pclose(pipe);
    answer.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return answer;
}

json readJson(const std::filesystem::path & path) { return json::parse(readFile(path)); }

std::string numberOf(const json & value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

std::string stripped(std::string text)
{
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    return text;
}

std::vector<std::string> bitmapArguments(const std::string & type) { return {"inspect", "--json", "--type", type}; }

/// A decimal number of any length, modulo 2^64.
unsigned long long modulo64(const std::string & text)
{
    unsigned long long result = 0;
    for (const char c : text)
        if (c != '-')
            result = result * 10 + static_cast<unsigned long long>(c - '0');
    return text.starts_with('-') ? 0 - result : result;
}

/// One value a line, ascending by number, as many as there are, with the right sum modulo 2^64.
void expectValues(const Answer & answer, const json & vector, const std::string & name)
{
    ASSERT_EQ(answer.exit_code, 0) << name;
    const bool is_signed = vector.at("type").get<std::string>().starts_with("Int");
    const auto number
        = [&](const std::string & text) { return is_signed ? static_cast<unsigned long long>(std::stoll(text)) : std::stoull(text); };
    unsigned long long sum = 0;
    unsigned long long last = 0;
    size_t count = 0;
    for (size_t begin = 0; begin < answer.text.size(); ++count)
    {
        const size_t end = answer.text.find('\n', begin);
        ASSERT_NE(end, std::string::npos) << name;
        const unsigned long long value = number(answer.text.substr(begin, end - begin));
        const bool ascending = is_signed ? static_cast<long long>(last) < static_cast<long long>(value) : last < value;
        EXPECT_TRUE(count == 0 || ascending) << name << ' ' << count;
        sum += value;
        last = value;
        begin = end + 1;
    }
    EXPECT_EQ(std::to_string(count), numberOf(vector.at("cardinality"))) << name;
    EXPECT_EQ(sum, modulo64(vector.at("sum"))) << name;
}

void expectContainers(const json & expected, const json & found, const std::string & name)
{
    for (const char * kind : {"array", "bitset", "run"})
        EXPECT_EQ(expected.value(kind, 0), found.at(kind).get<int>()) << name << ' ' << kind;
}
}

TEST(ProgramVectors, StatesOfClickHouse)
{
    REQUIRE_VECTORS(folder, "clickhouse");
    CaseSample sample("states of ClickHouse");
    size_t count = 0;
    const json manifest = readJson(folder / "manifest.json");
    for (const json & vector : manifest.at("vectors"))
    {
        ++count;
        std::string kind = vector.at("type");
        for (const auto & [container, number] : vector.at("containers").items())
            kind += ' ' + container;
        if (!sample.takes(kind))
            continue;
        const std::string name = vector.at("name");
        std::vector<std::string> arguments
            = bitmapArguments("AggregateFunction(groupBitmap, " + vector.at("type").get<std::string>() + ")");
        arguments.insert(arguments.end(), {"--hex", stripped(readFile(folder / vector.at("file")))});
        const Answer answer = run(arguments);
        ASSERT_EQ(answer.exit_code, 0) << name;
        const json found = json::parse(answer.text);
        EXPECT_EQ(found.at("kind"), vector.at("kind") == "SMALL" ? "small" : "bitmap") << name;
        EXPECT_EQ(found.at("bytes"), vector.at("bytes")) << name;
        EXPECT_EQ(found.at("consumed"), vector.at("bytes")) << name;
        EXPECT_EQ(found.at("cardinality"), numberOf(vector.at("cardinality"))) << name;
        EXPECT_EQ(found.at("min"), vector.at("min")) << name;
        EXPECT_EQ(found.at("max"), vector.at("max")) << name;
        expectContainers(vector.at("containers"), found.at("containers"), name);
        arguments[1] = "--values";
        expectValues(run(arguments), vector, name);
    }
    EXPECT_GT(count, 100U);
}

TEST(ProgramVectors, HostileStates)
{
    REQUIRE_VECTORS(folder, "clickhouse/hostile");
    for (const json & vector : readJson(folder / "manifest.json"))
    {
        const std::string name = vector.at("name");
        std::vector<std::string> arguments
            = bitmapArguments("AggregateFunction(groupBitmap, " + vector.at("type").get<std::string>() + ")");
        arguments.insert(arguments.end(), {"--hex", stripped(readFile(folder / (name + ".hex")))});
        const Answer answer = run(arguments);
        if (vector.at("expect") == "accept")
        {
            EXPECT_EQ(answer.exit_code, 0) << name;
            continue;
        }
        /// CANNOT_READ_ALL_DATA, ATTEMPT_TO_READ_AFTER_EOF, INCORRECT_DATA or TOO_LARGE_ARRAY_SIZE.
        EXPECT_TRUE(answer.exit_code == 33 || answer.exit_code == 32 || answer.exit_code == 117 || answer.exit_code == 128)
            << name << ": exit code " << answer.exit_code;
        EXPECT_EQ(answer.text, "") << name;
    }
}

TEST(ProgramVectors, PortableBitmaps)
{
    REQUIRE_VECTORS(folder, "roaring");
    CaseSample sample("bitmaps that are accepted");
    size_t count = 0;
    const json manifest = readJson(folder / "manifest.json");
    for (const json & vector : manifest.at("vectors"))
    {
        const std::string kind = vector.at("kind");
        if (kind != "portable32" && kind != "portable64")
            continue;
        ++count;
        const bool is_accepted = vector.at("expect").get<std::string>().starts_with("accept");
        const std::string file = vector.at("file");
        if (is_accepted && !sample.takes(kind + file.substr(0, file.find('/'))))
            continue;
        std::filesystem::path path = folder / file;
        std::string input = "cat " + quote(path.string());
        if (!std::filesystem::exists(path))
            input = "gzip -dc " + quote(path.string() + (path.extension() == ".gz" ? "" : ".gz"));
        else if (path.extension() == ".gz")
            input = "gzip -dc " + quote(path.string());
        std::vector<std::string> arguments = bitmapArguments(kind == "portable32" ? "RoaringPortable32" : "RoaringPortable64");
        arguments.insert(arguments.end(), {"--file", "-", "--allow-trailing"});
        const Answer answer = run(arguments, input);
        if (!is_accepted)
        {
            EXPECT_NE(answer.exit_code, 0) << file;
            EXPECT_EQ(answer.text, "") << file;
            continue;
        }
        ASSERT_EQ(answer.exit_code, 0) << file;
        const json found = json::parse(answer.text);
        EXPECT_EQ(found.at("kind"), kind) << file;
        EXPECT_EQ(found.at("consumed"), vector.at("consumed")) << file;
        EXPECT_EQ(found.at("cardinality"), numberOf(vector.at("cardinality"))) << file;
        if (vector.at("cardinality") != 0)
        {
            EXPECT_EQ(found.at("min"), numberOf(vector.at("min"))) << file;
            EXPECT_EQ(found.at("max"), numberOf(vector.at("max"))) << file;
        }
        if (vector.contains("canonical"))
        {
            EXPECT_EQ(found.at("canonical"), vector.at("canonical")) << file;
        }
        if (vector.contains("containers"))
            expectContainers(vector.at("containers"), found.at("containers"), file);
    }
    EXPECT_GT(count, 100U);
}

TEST(ProgramVectors, CountMinImages)
{
    REQUIRE_VECTORS(folder, "datasketches");
    const std::map<std::string, std::string> weights
        = {{"uint8", "UInt8"},
           {"uint16", "UInt16"},
           {"uint32", "UInt32"},
           {"uint64", "UInt64"},
           {"int8", "Int8"},
           {"int16", "Int16"},
           {"int32", "Int32"},
           {"int64", "Int64"},
           {"float", "Float32"},
           {"double", "Float64"},
           {"float32", "Float32"},
           {"float64", "Float64"}};
    CaseSample sample("images of count-min sketches");
    size_t cases = 0;
    size_t probes = 0;
    const json manifest = readJson(folder / "manifest.json");
    for (const json & vector : manifest.at("cases"))
    {
        ++cases;
        if (!sample.takes(vector.at("weight_type").get<std::string>() + vector.at("row_seed_rng").get<std::string>()))
            continue;
        const std::string file = vector.at("file");
        const std::string type = "CountMinImage(" + weights.at(vector.at("weight_type")) + ", " + vector.at("seed").get<std::string>()
            + ", " + vector.at("row_seed_rng").get<std::string>() + ")";
        std::vector<std::string> arguments = {"inspect", "--json", "--type", type, "--file", (folder / file).string()};
        std::vector<json> asked;
        for (const json & probe : vector.at("probes"))
        {
            std::string key;
            if (probe.contains("u64"))
                key = "u64:" + probe.at("u64").get<std::string>();
            else if (probe.contains("i64"))
                key = "i64:" + probe.at("i64").get<std::string>();
            else if (probe.contains("raw_hex"))
                key = "hex:" + probe.at("raw_hex").get<std::string>();
            else if (probe.contains("str_hex") && !probe.at("str_hex").get<std::string>().empty())
                key = "hex:" + probe.at("str_hex").get<std::string>();
            else
                continue;
            arguments.insert(arguments.end(), {"--estimate", key});
            asked.push_back(probe);
        }
        const Answer answer = run(arguments);
        if (answer.exit_code != 0)
        {
            ADD_FAILURE() << file << ": exit code " << answer.exit_code;
            continue;
        }
        const json found = json::parse(answer.text);
        EXPECT_EQ(found.at("bytes"), vector.at("size")) << file;
        EXPECT_EQ(found.at("empty"), vector.at("empty")) << file;
        EXPECT_EQ(found.at("num_hashes"), vector.at("num_hashes")) << file;
        EXPECT_EQ(found.at("num_buckets"), vector.at("num_buckets")) << file;
        EXPECT_EQ(found.at("seed_hash"), vector.at("seed_hash")) << file;
        /// What a total that wrapped to zero had counted is not in the bytes any more.
        EXPECT_EQ(found.at("filled_cells"), vector.at("empty").get<bool>() ? json(0) : vector.at("nonzero_cells")) << file;
        EXPECT_EQ(std::stod(found.at("total_weight").get<std::string>()), std::stod(vector.at("total_weight").get<std::string>())) << file;
        for (size_t i = 0; i < asked.size(); ++i)
        {
            const json & estimate = found.at("estimates").at(i);
            const auto same = [&](const char * ours, const char * theirs) {
                /// Bounds that the library computes by an undefined conversion are left out of the list.
                if (!asked[i].contains(theirs))
                    return;
                /// As numbers: the texts of a float's value may have different lengths.
                const double our_value = std::stod(estimate.at(ours).get<std::string>());
                const double their_value = std::stod(asked[i].at(theirs).get<std::string>());
                if (type.starts_with("CountMinImage(Float32"))
                    EXPECT_FLOAT_EQ(static_cast<float>(our_value), static_cast<float>(their_value)) << file << ' ' << estimate.at("key");
                else
                    EXPECT_EQ(our_value, their_value) << file << ' ' << estimate.at("key");
            };
            same("estimate", "est");
            same("datasketches_lower", "lo");
            same("datasketches_upper", "up");
            ++probes;
        }
    }
    EXPECT_GT(cases, 50U);
    EXPECT_GT(probes, 500U / SAMPLED_ONE_IN);
}

int main(int argc, char ** argv)
{
    testing::InitGoogleTest(&argc, argv);
    if (argc != 2)
    {
        std::fputs("usage: statewire_program_vectors PROGRAM\n", stderr);
        return 2;
    }
    program = argv[1];
    return RUN_ALL_TESTS();
}
