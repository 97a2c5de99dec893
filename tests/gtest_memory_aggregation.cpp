#include "AggregationTests.h"
#include "CaseSample.h"
#include "ColumnBuilders.h"
#include "MemoryTests.h"
#include "ScratchDirectory.h"
#include "TornReadBuffer.h"

#include <statewire/Columns/ColumnNullable.h>
#include <statewire/Interpreters/AggregatingTransform.h>

#include <atomic>
#include <cstddef>
#include <optional>
#include <random>
#include <thread>

/** Memory of a GROUP BY and of combinators: it is counted, and what a limit refuses leaves groups and states whole. */

using namespace DB;
using namespace statewire_tests;

namespace
{
/// One state of a function.
class FunctionState
{
public:
    explicit FunctionState(const IAggregateFunction & function_) : function(function_)
    {
        EXPECT_LE(function.sizeOfData(), sizeof(memory));
        function.create(place());
    }
    ~FunctionState() { function.destroy(place()); }
    FunctionState(const FunctionState &) = delete;
    FunctionState & operator=(const FunctionState &) = delete;

    [[nodiscard]] AggregateDataPtr place() noexcept { return memory; }
    [[nodiscard]] std::string bytes()
    {
        return written([&](WriteBuffer & out) { function.serialize(place(), out, std::nullopt); });
    }

private:
    const IAggregateFunction & function;
    alignas(std::max_align_t) char memory[1024];
};

struct FunctionCase
{
    std::string name;
    std::vector<std::string> types;
    /// Whether adding a row again changes nothing.
    bool is_idempotent;
};

const FunctionCase CASES[] = {
    {"groupBitmap", {"Nullable(UInt32)"}, true},
    {"groupBitmapIf", {"UInt32", "Nullable(UInt8)"}, true},
    {"groupBitmapIf", {"Nullable(UInt32)", "UInt8"}, true},
    {"groupBitmapArray", {"Array(UInt32)"}, true},
    {"groupBitmapForEach", {"Array(UInt32)"}, true},
    {"groupBitmapArrayForEach", {"Array(Array(UInt32))"}, true},
    {"groupBitmapForEachIf", {"Array(UInt32)", "Nullable(UInt8)"}, true},
    {"groupBitmapOrNull", {"UInt32"}, true},
    {"groupBitmapOrNullForEach", {"Array(UInt32)"}, true},
    {"countMinSketchForEach", {"Array(UInt32)"}, false},
    {"countMinSketchArrayIf", {"Array(UInt32)", "UInt8"}, false},
};

void appendRandom(std::mt19937_64 & random, const std::string & type, std::string & text)
{
    const auto inside = [&](std::string_view name) { return type.substr(name.size(), type.size() - name.size() - 1); };
    if (type.starts_with("Array("))
    {
        text += '[';
        for (size_t i = 0, n = random() % 6; i < n; ++i)
        {
            text += i == 0 ? "" : ",";
            appendRandom(random, inside("Array("), text);
        }
        text += ']';
    }
    else if (type.starts_with("Nullable(") && random() % 4 == 0)
        text += "\\N";
    else if (type.starts_with("Nullable("))
        appendRandom(random, inside("Nullable("), text);
    else
        text += std::to_string(type == "UInt8" ? random() % 2 : random() % 3 * 70000 + random() % 500);
}

MutableColumnPtr randomColumn(std::mt19937_64 & random, const std::string & type, size_t rows)
{
    std::vector<std::string> fields(rows);
    for (std::string & field : fields)
        appendRandom(random, type, field);
    return columnFromText(*parseDataType(type), fields);
}

constexpr std::string_view STRUCTURE = "n UInt32, s String, b UInt8, v UInt32, flag Nullable(UInt8), a Array(UInt32)";
constexpr std::string_view BITMAPS = "groupBitmap(v) AS m, groupBitmapIf(v, flag) AS f, groupBitmapForEach(a) AS e";
constexpr std::string_view KEYS[] = {"", "b", "n", "s", "n, s"};

Block makeBlock(UInt64 seed, size_t rows, size_t keys)
{
    std::mt19937_64 random(seed);
    std::string text;
    for (size_t row = 0; row < rows; ++row)
    {
        const UInt64 n = random() % keys;
        const UInt64 v = random() % 300 * (row % 2 == 0 ? 1 : 70001);
        text += std::to_string(n) + "\tkey" + std::to_string(n % 100) + '\t' + std::to_string(n % 200) + '\t' + std::to_string(v) + '\t'
            + (v % 5 == 0 ? "\\N" : v % 2 == 0 ? "1" : "0") + "\t[" + std::to_string(v % 7) + (v % 3 == 0 ? ",1" : "") + "]\n";
    }
    return blockOf(STRUCTURE, text);
}

std::string resultBytes(const Aggregator & aggregator, AggregatedData & data)
{
    return writeBlocks("RowBinary", aggregator.getHeader(), resultOf(aggregator, data));
}
}

TEST(AggregationMemory, CombinatorsKeepStatesWhole)
{
    std::random_device device;
    const UInt64 seed = device();
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    constexpr size_t ROWS = 40;
    for (const FunctionCase & c : CASES)
    {
        SCOPED_TRACE(c.name);
        DataTypes types;
        std::vector<MutableColumnPtr> owned;
        std::vector<const IColumn *> columns;
        for (const std::string & type : c.types)
        {
            types.push_back(parseDataType(type));
            owned.push_back(randomColumn(random, type, ROWS));
            columns.push_back(owned.back().get());
        }
        const Array parameters = c.name.starts_with("countMin") ? Array{UInt64{2}, UInt64{50}} : Array{};
        const AggregateFunctionPtr function = defaultAggregateFunctionFactory().get(c.name, types, parameters);
        FunctionState whole(*function);
        function->addBatchSinglePlace(0, ROWS, whole.place(), columns.data(), nullptr);
        const std::string bytes = whole.bytes();
        FunctionState half(*function);
        function->addBatchSinglePlace(0, ROWS / 2, half.place(), columns.data(), nullptr);
        const std::string half_bytes = half.bytes();

        AggregateDataPtr places[ROWS];
        const auto add_batch = [&](FunctionState & state) {
            std::fill(std::begin(places), std::end(places), state.place());
            function->addBatch(0, ROWS, places, 0, columns.data(), nullptr);
        };
        const auto refill = [&](FunctionState & state) {
            const std::string found = state.bytes();
            FunctionState again(*function);
            ReadBufferFromMemory in(found);
            function->deserialize(again.place(), in, std::nullopt, nullptr);
            EXPECT_EQ(again.bytes(), found);
            if (!c.is_idempotent)
                return;
            add_batch(state);
            EXPECT_EQ(state.bytes(), bytes);
        };
        const auto as_before = [&](FunctionState & state) {
            EXPECT_EQ(state.bytes(), half_bytes);
            refill(state);
        };
        const auto make = [&] { return FunctionState(*function); };
        const auto half_full = [&] {
            struct HalfFull : FunctionState
            {
                HalfFull(const IAggregateFunction & f, const IColumn ** arguments) : FunctionState(f)
                {
                    f.addBatchSinglePlace(0, ROWS / 2, place(), arguments, nullptr);
                }
            };
            return HalfFull(*function, columns.data());
        };
        size_t allocations = 0;
        allocations += failEachAllocation(
            make, [&](FunctionState & state) { function->addBatchSinglePlace(0, ROWS, state.place(), columns.data(), nullptr); }, refill);
        allocations += failEachAllocation(make, add_batch, refill);
        allocations += failEachAllocation(half_full, add_batch, refill);
        allocations += failEachAllocation(
            half_full, [&](FunctionState & state) { function->merge(state.place(), whole.place(), nullptr); }, refill);
        allocations += failEachAllocation(
            half_full,
            [&](FunctionState & state) {
                ReadBufferFromMemory in(bytes);
                function->deserializeAndMerge(state.place(), in, std::nullopt);
            },
            refill);
        allocations += failEachAllocation(
            half_full, [&](FunctionState & state) { function->seal(state.place()); }, as_before);
        /// A state that could not be read can only go.
        allocations += failEachAllocation(
            make,
            [&](FunctionState & state) {
                ReadBufferFromMemory in(bytes);
                function->deserialize(state.place(), in, std::nullopt, nullptr);
            },
            [](FunctionState &) { });
        EXPECT_GT(allocations, 0U);
    }
}

TEST(AggregationMemory, RefusedRowsLeaveGroupsWhole)
{
    CaseSample sample("keys and numbers of groups");
    for (const std::string_view keys : KEYS)
        for (const size_t groups : {5, 300})
        {
            if (!sample.takes(std::string(keys)))
                continue;
            SCOPED_TRACE(std::string(keys) + ", " + std::to_string(groups));
            const Aggregator aggregator = aggregatorFor(STRUCTURE, keys, BITMAPS);
            const Block first = makeBlock(1, 30, groups);
            const Block block = makeBlock(2, 150, groups);
            const auto make = [&] {
                std::unique_ptr<AggregatedData> data = aggregator.createData();
                aggregator.executeOnBlock(first, *data);
                return data;
            };
            const std::unique_ptr<AggregatedData> whole = make();
            aggregator.executeOnBlock(block, *whole);
            const std::unique_ptr<AggregatedData> other = aggregator.createData();
            aggregator.executeOnBlock(block, *other);
            const std::unique_ptr<AggregatedData> given = aggregator.createData();
            aggregator.executeOnBlock(block, *given);
            const Block states = resultOf(aggregator, *given).at(0);
            const std::string expected = resultBytes(aggregator, *whole);

            const auto refill = [&](std::unique_ptr<AggregatedData> & data) {
                aggregator.executeOnBlock(block, *data);
                EXPECT_TRUE(resultBytes(aggregator, *data) == expected);
            };
            const bool not_all_tracked = false;
            size_t allocations = failEachAllocation(
                make, [&](std::unique_ptr<AggregatedData> & data) { aggregator.executeOnBlock(block, *data); }, refill, not_all_tracked);
            allocations += failEachAllocation(
                make, [&](std::unique_ptr<AggregatedData> & data) { aggregator.mergeOnBlock(states, *data); }, refill, not_all_tracked);
            allocations += failEachAllocation(
                make, [&](std::unique_ptr<AggregatedData> & data) { aggregator.mergeData(*data, *other); }, refill);
            allocations += failEachAllocation(
                make, [&](std::unique_ptr<AggregatedData> & data) { static_cast<void>(resultOf(aggregator, *data)); },
                [](std::unique_ptr<AggregatedData> &) { }, not_all_tracked);
            EXPECT_GT(allocations, 0U);
        }
}

TEST(AggregationMemory, NearlyAllIsCounted)
{
    if (!AllocationCounter::isCounting())
        GTEST_SKIP() << "nobody counts allocations";
    /// Lists of columns, descriptions, and keys of the output.
    constexpr size_t UNCOUNTED = 65536;
    for (const std::string_view keys : KEYS)
        for (const size_t groups : {50, 5000})
        {
            SCOPED_TRACE(std::string(keys) + ", " + std::to_string(groups));
            const Aggregator aggregator = aggregatorFor(STRUCTURE, keys, BITMAPS);
            const Block block = makeBlock(3, 20000, groups);
            const MemoryTrackerPtr tracker = std::make_shared<MemoryTracker>();
            size_t peak = 0;
            {
                AllocationCounter counter(true);
                MemoryTrackerScope scope(tracker, NO_GATHER);
                const std::unique_ptr<AggregatedData> data = aggregator.createData();
                aggregator.executeOnBlock(block, *data);
                aggregator.executeOnBlock(block, *data);
                aggregator.convertToBlocks(*data, {.max_block_rows = 100}, [](const Block &) { });
                peak = counter.requestedPeak();
            }
            EXPECT_EQ(tracker->amount(), 0);
            EXPECT_LE(tracker->peak(), static_cast<Int64>(peak));
            EXPECT_GE(tracker->peak(), static_cast<Int64>(peak - UNCOUNTED));
        }
}

TEST(AggregationMemory, StatesThatWereGivenAwayAreCountedUntilTheyGo)
{
    const Aggregator aggregator = aggregatorFor(STRUCTURE, "n", BITMAPS);
    const MemoryTrackerPtr tracker = std::make_shared<MemoryTracker>();
    std::vector<Block> blocks;
    {
        std::unique_ptr<AggregatedData> data;
        {
            MemoryTrackerScope scope(tracker);
            data = aggregator.createData();
        }
        /// Whoever calls has another scope, or none.
        const MemoryTrackerPtr other = std::make_shared<MemoryTracker>();
        {
            MemoryTrackerScope scope(other);
            aggregator.executeOnBlock(makeBlock(4, 5000, 1000), *data);
            EXPECT_EQ(other->amount(), 0);
        }
        aggregator.convertToBlocks(*data, [&](const Block & block) { blocks.push_back(block); });
    }
    EXPECT_GT(tracker->amount(), 0);
    std::thread([&] { blocks.clear(); }).join();
    EXPECT_EQ(tracker->amount(), 0);
}

TEST(AggregationMemory, SharedBytesAreFreedWhereTheyWereCounted)
{
    /// A state that is so large that its bytes are memory of their own, which a state that it is merged into shares.
    const AggregateFunctionPtr function = defaultAggregateFunctionFactory().get("groupBitmap", {parseDataType("UInt32")});
    std::string bytes;
    {
        FunctionState state(*function);
        std::vector<UInt32> values(100000);
        for (size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<UInt32>(i * 12345);
        const auto column = numbers(values);
        const IColumn * columns[] = {column.get()};
        function->addBatchSinglePlace(0, values.size(), state.place(), columns, nullptr);
        bytes = state.bytes();
    }
    const MemoryTrackerPtr readers = std::make_shared<MemoryTracker>();
    const MemoryTrackerPtr groups = std::make_shared<MemoryTracker>();
    const MemoryTrackerPtr none;
    for (const auto & [reader, piece] : {std::pair(readers, bytes.size()), {none, bytes.size()}, {readers, size_t{5000}}, {none, size_t{5000}}})
    {
        std::unique_ptr<ColumnAggregateFunction> column;
        {
            MemoryTrackerScope scope(reader, NO_GATHER);
            column = std::make_unique<ColumnAggregateFunction>(function);
            TornReadBuffer in(bytes, piece);
            column->insertSerialized(in, 0);
        }
        if (reader)
        {
            EXPECT_GT(readers->amount(), static_cast<Int64>(bytes.size()));
        }
        {
            std::optional<MemoryTrackerScope> scope(std::in_place, groups, NO_GATHER);
            FunctionState state(*function);
            function->merge(state.place(), (*column)[0], nullptr);
            scope.reset();
            column.reset();
            scope.emplace(groups, NO_GATHER);
            EXPECT_EQ(state.bytes(), bytes);
        }
        EXPECT_EQ(readers->amount(), 0);
        EXPECT_EQ(groups->amount(), 0);
    }
}

namespace
{
/// Blocks with many groups, and what they give.
struct Input
{
    Aggregator aggregator = aggregatorFor(STRUCTURE, "n, s", BITMAPS);
    std::vector<Block> blocks;
    std::string expected;

    Input(size_t count, size_t rows, size_t groups)
    {
        const std::unique_ptr<AggregatedData> data = aggregator.createData();
        for (size_t i = 0; i < count; ++i)
        {
            blocks.push_back(makeBlock(i, rows, groups));
            aggregator.executeOnBlock(blocks.back(), *data);
        }
        expected = resultBytes(aggregator, *data);
    }

    [[nodiscard]] std::string transformed(AggregatingSettings settings, UInt64 * stored = nullptr) const
    {
        AggregatingTransform transform(aggregator, std::move(settings));
        for (const Block & block : blocks)
            transform.consume(block);
        std::string result;
        transform.generate([&](const Block & block) { result += writeBlocks("RowBinary", aggregator.getHeader(), {block}); });
        if (stored)
            *stored = transform.storedBytes();
        return result;
    }
};
}

TEST(AggregationMemory, ALimitHoldsThePeak)
{
    const ScratchDirectory directory;
    const Input input(24, 5000, 50000);
    CaseSample sample("limits");
    for (const size_t threads : {1, 2})
    {
        const MemoryTrackerPtr unlimited = std::make_shared<MemoryTracker>();
        EXPECT_TRUE(input.transformed({.threads = threads, .memory_tracker = unlimited}) == input.expected);
        EXPECT_EQ(unlimited->amount(), 0);
        for (const UInt64 limit : {UInt64{4} << 20, UInt64{8} << 20})
        {
            if (!sample.takes(std::to_string(threads)))
                continue;
            EXPECT_GT(unlimited->peak(), static_cast<Int64>(2 * limit));
            const MemoryTrackerPtr tracker = std::make_shared<MemoryTracker>();
            UInt64 stored = 0;
            const std::string found = input.transformed(
                {.threads = threads, .memory_limit = limit, .memory_tracker = tracker, .temporary_directory = directory.name(),
                 .output = {.max_block_rows = 1000}},
                &stored);
            EXPECT_TRUE(found == input.expected) << threads << ", " << limit;
            EXPECT_GT(stored, 0U);
            EXPECT_EQ(tracker->amount(), 0);
            /// While files are merged, the last groups and what threads work with are still in memory.
            EXPECT_LE(tracker->peak(), static_cast<Int64>(limit + limit / 2)) << threads;
        }
    }
}

TEST(AggregationMemory, ARefusalEndsATransformCleanly)
{
    const ScratchDirectory directory;
    const Input input(6, 3000, 5000);
    for (const size_t threads : {1, 2})
        for (const UInt64 limit : {UInt64{0}, UInt64{1} << 20})
        {
            const auto tracker = std::make_shared<FailingTracker>();
            CaseSample sample("refused allocations");
            size_t allocation = 1;
            for (bool failed = true; failed; ++allocation)
            {
                if (!sample.takes())
                    continue;
                tracker->failAfter(allocation);
                const Caught error = caught([&] {
                    EXPECT_TRUE(
                        input.transformed(
                            {.threads = threads, .memory_limit = limit, .memory_tracker = tracker, .temporary_directory = directory.name()})
                        == input.expected);
                });
                failed = error.code != 0;
                EXPECT_TRUE(!failed || error.code == ErrorCodes::MEMORY_LIMIT_EXCEEDED) << error.text;
                EXPECT_EQ(tracker->amount(), 0);
            }
            EXPECT_GT(allocation, 10U);
        }
}

TEST(AggregationMemory, SaysWhatOneGroupWouldTake)
{
    /// Parts of one state go to files; together they are above the tracker's limit.
    const ScratchDirectory directory;
    const Aggregator aggregator = aggregatorFor("v UInt64", "", "groupBitmap(v) AS m");
    const MemoryTrackerPtr tracker = std::make_shared<MemoryTracker>(UInt64{16} << 20);
    {
        AggregatingTransform transform(
            aggregator, {.memory_limit = 3 << 20, .memory_tracker = tracker, .temporary_directory = directory.name()});
        UInt64 value = 0;
        /// When its parts are merged, some of which are while there are more rows.
        const Caught error = caught([&] {
            for (size_t b = 0; b < 150; ++b)
            {
                auto values = std::make_shared<ColumnVector<UInt64>>();
                for (size_t row = 0; row < 10000; ++row)
                    values->getData().push_back(value += 0x9e3779b97f4a7c15);
                Block block;
                block.insert({values, parseDataType("UInt64"), "v"});
                transform.consume(block);
            }
            transform.generate([](const Block &) { FAIL(); });
        });
        EXPECT_NE(transform.storedBytes(), 0U);
        EXPECT_EQ(error.code, ErrorCodes::MEMORY_LIMIT_EXCEEDED);
        EXPECT_NE(error.text.find("at most 16777216"), std::string::npos) << error.text;
        EXPECT_NE(error.text.find("with a memory limit of 3145728 bytes"), std::string::npos) << error.text;
    }
    EXPECT_EQ(tracker->amount(), 0);
}
