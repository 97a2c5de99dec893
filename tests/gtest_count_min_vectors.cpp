#include "AllocationCounter.h"
#include "CountMinHelpers.h"
#include "Vectors.h"
#include "linesOf.h"

#include <statewire/IO/VarInt.h>

#include <cmath>
#include <map>
#include <optional>
#include <vector>

using namespace DB;
using namespace statewire_tests;

/** The count-min vectors that Apache DataSketches wrote (manifest.txt says how), and damaged ones. */
namespace
{
struct Operation
{
    bool item = false;
    std::string key_kind;
    UInt64 start = 0;
    UInt64 count = 0;
    UInt64 step = 0;
    std::string prefix;
    std::string weight_kind;
    double a = 0;
    double b = 0;
    std::string item_key;
    std::string item_weight;
};

struct Probe
{
    std::string kind;
    std::string value;
    std::string estimate;
    std::string lower;
    std::string upper;
};

struct VectorCase
{
    std::string name;
    std::string file;
    std::string weight_type;
    UInt32 num_hashes = 0;
    UInt32 num_buckets = 0;
    UInt64 seed = 0;
    UInt32 seed_hash = 0;
    UInt64 size = 0;
    bool empty = false;
    std::string total;
    std::vector<Operation> operations;
    std::vector<std::vector<Operation>> merges;
    std::vector<Probe> probes;

    [[nodiscard]] RowSeeds scheme() const { return file.starts_with("libcxx/") ? RowSeeds::LibCxx : RowSeeds::LibStdCxx; }
};

std::vector<std::string> wordsOf(const std::string & line)
{
    std::vector<std::string> result;
    for (size_t pos = 0; pos < line.size();)
    {
        const size_t end = std::min(line.find(' ', pos), line.size());
        if (end != pos)
            result.push_back(line.substr(pos, end - pos));
        pos = end + 1;
    }
    return result;
}

std::string bytesOfHex(const std::string & hex) { return hex == "-" ? std::string() : fromHex(hex); }

Operation parseOperation(const std::vector<std::string> & words)
{
    Operation result;
    if (words.at(1) == "item")
    {
        result.item = true;
        result.item_key = bytesOfHex(words.at(2));
        result.item_weight = words.at(3);
        return result;
    }
    result.key_kind = words.at(1);
    result.start = std::stoull(words.at(2));
    result.count = std::stoull(words.at(3));
    result.step = std::stoull(words.at(4));
    result.prefix = bytesOfHex(words.at(5));
    result.weight_kind = words.at(6);
    result.a = std::stod(words.at(7));
    result.b = std::stod(words.at(8));
    return result;
}

std::vector<VectorCase> parseManifest(const std::filesystem::path & path)
{
    std::vector<VectorCase> result;
    bool in_merge = false;
    for (const std::string & line : linesOf(readFile(path)))
    {
        const auto words = wordsOf(line);
        if (words.empty() || words[0].starts_with("#"))
            continue;
        if (words[0] == "case")
        {
            VectorCase c;
            c.name = words.at(1);
            c.file = words.at(2);
            c.weight_type = words.at(3);
            c.num_hashes = static_cast<UInt32>(std::stoul(words.at(4)));
            c.num_buckets = static_cast<UInt32>(std::stoul(words.at(5)));
            c.seed = std::stoull(words.at(6));
            c.seed_hash = static_cast<UInt32>(std::stoul(words.at(7)));
            c.size = std::stoull(words.at(8));
            c.empty = words.at(9) == "1";
            c.total = words.at(10);
            result.push_back(std::move(c));
        }
        else if (words[0] == "merge_begin")
        {
            in_merge = true;
            result.back().merges.emplace_back();
        }
        else if (words[0] == "merge_end")
            in_merge = false;
        else if (words[0] == "op")
            (in_merge ? result.back().merges.back() : result.back().operations).push_back(parseOperation(words));
        else if (words[0] == "probe")
            result.back().probes.push_back({words.at(1), words.at(2), words.at(3), words.at(4), words.at(5)});
        else
            ADD_FAILURE() << "unknown line: " << line;
    }
    return result;
}

template <typename W>
W parseWeight(const std::string & text)
{
    if constexpr (std::is_floating_point_v<W>)
        return static_cast<W>(std::strtod(text.c_str(), nullptr));
    else if (text.starts_with("-"))
        return static_cast<W>(std::stoll(text));
    else
        return static_cast<W>(std::stoull(text));
}

template <typename W>
W weightOf(const Operation & operation, UInt64 index)
{
    const auto i = static_cast<double>(index);
    double weight = 0;
    if (operation.weight_kind == "const")
        weight = operation.a;
    else if (operation.weight_kind == "lin")
        weight = operation.a * i + operation.b;
    else if (operation.weight_kind == "sq")
        weight = operation.a * i * i;
    else if (operation.weight_kind == "modp")
        weight = static_cast<double>(index % static_cast<UInt64>(operation.a)) + operation.b;
    else if (operation.weight_kind == "alt")
        weight = (index % 3 == 0 ? -(i + 1) : i + 1) * operation.a;
    else
        ADD_FAILURE() << "unknown weights " << operation.weight_kind;
    if constexpr (std::is_floating_point_v<W>)
        return static_cast<W>(weight);
    else
        return static_cast<W>(static_cast<Int64>(weight));
}

std::string keyOf(const Operation & operation, UInt64 value)
{
    if (operation.key_kind == "u64" || operation.key_kind == "i64")
        return statewire_tests::keyOf(value);
    if (operation.key_kind == "str")
        return operation.prefix + std::to_string(value);
    std::string result(value, '\0');
    for (UInt64 j = 0; j < value; ++j)
        result[j] = static_cast<char>((j * 7 + value) & 255);
    return result;
}

template <typename W>
void apply(CountMinSketch<W> & sketch, const std::vector<Operation> & operations)
{
    for (const Operation & operation : operations)
    {
        if (operation.item)
        {
            /// The library drops empty strings; here they count, so the recipe's must be left out to get its bytes.
            if (!operation.item_key.empty())
                sketch.update(operation.item_key, parseWeight<W>(operation.item_weight));
            continue;
        }
        for (UInt64 i = 0; i < operation.count; ++i)
            sketch.update(keyOf(operation, operation.start + i * operation.step), weightOf<W>(operation, i));
    }
}

std::optional<std::string> keyOf(const Probe & probe)
{
    if (probe.kind == "u64")
        return statewire_tests::keyOf(std::stoull(probe.value));
    if (probe.kind == "i64")
        return statewire_tests::keyOf(static_cast<UInt64>(std::stoll(probe.value)));
    std::string key = bytesOfHex(probe.value);
    /// The second documented difference: DataSketches answers 0 to the empty string without looking.
    if (probe.kind == "str_hex" && key.empty())
        return std::nullopt;
    return key;
}

template <typename W, typename Sketch>
void expectAnswers(const VectorCase & c, const Sketch & sketch)
{
    for (const Probe & probe : c.probes)
    {
        const auto key = keyOf(probe);
        if (!key)
            continue;
        EXPECT_EQ(sketch.estimate(*key), parseWeight<W>(probe.estimate)) << c.file << ' ' << probe.kind << ' ' << probe.value;
        if (probe.lower == "-")
            continue;
        EXPECT_EQ(sketch.dataSketchesLowerBound(*key), parseWeight<W>(probe.lower)) << c.file << ' ' << probe.kind << ' ' << probe.value;
        EXPECT_EQ(sketch.dataSketchesUpperBound(*key), parseWeight<W>(probe.upper)) << c.file << ' ' << probe.kind << ' ' << probe.value;
    }
}

template <typename W>
void expectStateKeepsImage(const VectorCase & c, const CountMinParameters & parameters, const std::string & image)
{
    std::string bytes(1, c.scheme() == RowSeeds::LibStdCxx ? '\1' : '\2');
    char size[VAR_UINT_MAX_SIZE];
    bytes.append(size, static_cast<size_t>(writeVarUInt(image.size(), size) - size));
    bytes += image;
    CountMinSketchState<W> state(parameters);
    ReadBufferFromMemory in(bytes);
    if (c.empty)
    {
        EXPECT_EQ(codeOf([&] { state.read(in); }), 117) << c.file;
        EXPECT_TRUE(state.isEmpty());
        return;
    }
    state.read(in);
    EXPECT_TRUE(in.eof());
    EXPECT_EQ(serialize(state), bytes) << c.file;
    EXPECT_EQ(state.toImage(), image) << c.file;
    expectAnswers<W>(c, state);
}

template <typename W>
void checkCase(const VectorCase & c, const std::string & image)
{
    const CountMinParameters parameters(c.num_hashes, c.num_buckets, c.seed, c.scheme());
    EXPECT_EQ(parameters.seedHash(), c.seed_hash) << c.file;

    const auto view = CountMinView<W>::parse(image, parameters);
    EXPECT_EQ(view.sizeInBytes(), c.size);
    EXPECT_EQ(view.sizeInBytes(), image.size());
    EXPECT_EQ(view.isEmpty(), c.empty) << c.file;
    EXPECT_EQ(view.total(), parseWeight<W>(c.total)) << c.file;
    EXPECT_EQ(CountMinView<W>::readShape(image), parameters.shape(c.empty)) << c.file;
    expectAnswers<W>(c, view);
    const CountMinSketch<W> owner(view);
    EXPECT_EQ(owner.toString(), image) << c.file;
    EXPECT_EQ(owner.filledCells(), view.filledCells());
    expectAnswers<W>(c, owner);

    /// From the recipe, with the arithmetic of the library.
    CountMinSketch<W> rebuilt(parameters, CountMinOverflow::Wrap);
    apply(rebuilt, c.operations);
    for (const auto & operations : c.merges)
    {
        CountMinSketch<W> other(parameters, CountMinOverflow::Wrap);
        apply(other, operations);
        rebuilt.merge(other);
    }
    if (c.name == "u64_2x8_total_wraps_to_zero")
    {
        /// The library writes an empty image here and loses the table.
        EXPECT_FALSE(rebuilt.isEmpty());
        EXPECT_EQ(codeOf([&] { static_cast<void>(rebuilt.toString()); }), 407);
    }
    else
    {
        EXPECT_EQ(rebuilt.toString(), image) << c.file;
        expectAnswers<W>(c, rebuilt);
    }
    if constexpr (CountMinStateWeight<W>)
        expectStateKeepsImage<W>(c, parameters, image);
}

void checkCaseOfType(const VectorCase & c, const std::string & image)
{
    const std::map<std::string, void (*)(const VectorCase &, const std::string &)> checks{
        {"uint8", checkCase<UInt8>},
        {"uint16", checkCase<UInt16>},
        {"uint32", checkCase<UInt32>},
        {"uint64", checkCase<UInt64>},
        {"int8", checkCase<Int8>},
        {"int16", checkCase<Int16>},
        {"int32", checkCase<Int32>},
        {"int64", checkCase<Int64>},
        {"float", checkCase<Float32>},
        {"double", checkCase<Float64>}};
    checks.at(c.weight_type)(c, image);
}
}

TEST(CountMinVectors, EveryImageIsReadAndRebuiltByteForByte)
{
    REQUIRE_VECTORS(folder, "datasketches");
    const auto cases = parseManifest(folder / "manifest.txt");
    EXPECT_EQ(cases.size(), 72);
    for (const VectorCase & c : cases)
    {
        SCOPED_TRACE(c.file);
        checkCaseOfType(c, readFile(folder / c.file));
    }
}

TEST(CountMinVectors, MalformedImagesAreAnsweredAsListedWithoutAllocation)
{
    REQUIRE_VECTORS(folder, "datasketches");
    const CountMinParameters parameters(3, 8);
    size_t inputs = 0;
    for (const std::string & line : linesOf(readFile(folder / "malformed" / "malformed.txt")))
    {
        if (line.empty() || line.starts_with("#"))
            continue;
        const size_t name_end = line.find('\t');
        const std::string name = line.substr(0, name_end);
        const std::string verdict = line.substr(line.find('\t', name_end + 1) + 1);
        const bool accepted = verdict.starts_with("accept");
        const std::string bytes = readFile(folder / "malformed" / (name + ".bin"));
        SCOPED_TRACE(name);
        ++inputs;
        for (const Validation validation : {Validation::Structure, Validation::Full})
        {
            CountMinView<UInt64> view;
            CountMinParseResult result;
            size_t allocations = 0;
            {
                AllocationCounter counter;
                result = CountMinView<UInt64>::tryParse(bytes, parameters, validation, view);
                allocations = counter.allocations();
            }
            EXPECT_EQ(allocations, 0);
            EXPECT_EQ(result.ok(), accepted) << result.describe();
            EXPECT_EQ(view.sizeInBytes(), !accepted ? 0 : name == "trailing_1_byte" ? 216 : bytes.size());
        }
        /// The same without knowing the shape: what the header says is what is asked for.
        CountMinShape shape;
        bool found = tryReadCountMinShape(bytes, shape).ok() && shape.seed_hash == parameters.seedHash();
        if (found)
        {
            const CountMinParameters claimed(shape.num_hashes, shape.num_buckets);
            CountMinView<UInt64> view;
            found = CountMinView<UInt64>::tryParse(bytes, claimed, Validation::Full, view).ok();
        }
        EXPECT_EQ(found, accepted);
        /// In a state the image has exactly one size and is not empty.
        std::string state_bytes(1, '\1');
        char size[VAR_UINT_MAX_SIZE];
        state_bytes.append(size, static_cast<size_t>(writeVarUInt(bytes.size(), size) - size));
        state_bytes += bytes;
        ReadBufferFromMemory in(state_bytes);
        CountMinSketchState<UInt64> state(parameters);
        EXPECT_EQ(codeOf([&] { state.read(in); }) == 0, name == "valid_3x8");
    }
    EXPECT_EQ(inputs, 38);
}
