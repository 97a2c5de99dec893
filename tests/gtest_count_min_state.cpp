#include "AllocationCounter.h"
#include "CountMinHelpers.h"
#include "TornReadBuffer.h"
#include "Vectors.h"

#include <statewire/IO/VarInt.h>

#include <cmath>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

using namespace DB;
using namespace statewire_tests;

namespace
{
using State = CountMinSketchState<UInt64>;
using Signed = CountMinSketchState<Int64>;
using Floating = CountMinSketchState<Float64>;

const CountMinParameters SHAPE(2, 16);
const CountMinParameters LARGE(7, 1024);

template <typename W>
CountMinSketchState<W> stateOf(const CountMinParameters & parameters, UInt64 keys, UInt32 key_size = 8)
{
    CountMinSketchState<W> result(parameters, key_size);
    for (UInt64 i = 0; i < keys; ++i)
        result.add(keyOf(i), static_cast<W>(i % 7 + 1));
    return result;
}

/// Read from bytes that are kept alive: borrowed where the state has a table.
template <typename W>
CountMinSketchState<W> readState(std::string bytes, const CountMinParameters & parameters, UInt32 key_size = 8)
{
    auto owner = std::make_shared<const std::string>(std::move(bytes));
    ReadBufferFromMemory in(*owner);
    CountMinSketchState<W> result(parameters, key_size);
    result.read(in, owner);
    EXPECT_TRUE(in.eof());
    return result;
}

template <typename W>
int codeOfReading(const std::string & bytes, const CountMinParameters & parameters, UInt32 key_size = 8)
{
    CountMinSketchState<W> state(parameters, key_size);
    ReadBufferFromMemory in(bytes);
    const int code = codeOf([&] { state.read(in); });
    EXPECT_TRUE(code == 0 || state.isEmpty()) << "a failed read leaves a fresh state fresh";
    return code;
}

std::string number(UInt64 value) { return keyOf(value); }

std::string entry(std::string_view key, UInt64 weight)
{
    return std::string(1, static_cast<char>(key.size())) + std::string(key) + number(weight);
}

std::string floatingEntry(std::string_view key, double weight) { return entry(key, std::bit_cast<UInt64>(weight)); }
}

TEST(CountMinState, DefaultConstructionAllocatesNothing)
{
    AllocationCounter counter;
    State state(LARGE, 8);
    State moved = std::move(state);
    const bool empty = moved.isEmpty() && moved.estimate(number(1)) == 0 && moved.total() == 0;
    const size_t allocations = counter.allocations();
    EXPECT_TRUE(empty);
    EXPECT_EQ(allocations, 0);
    static_assert(sizeof(State) <= 48);
    static_assert(sizeof(Signed) <= 48);
    static_assert(sizeof(Floating) <= 48);
}

TEST(CountMinState, NeverFedIsTwoBytes)
{
    State state(SHAPE, 8);
    state.add(number(1), 0);
    EXPECT_EQ(serialize(state), std::string(2, '\0'));
    EXPECT_EQ(state.toImage().size(), 16);
    const State read = readState<UInt64>(std::string(2, '\0'), SHAPE);
    EXPECT_TRUE(read.isEmpty());
    EXPECT_EQ(read.filledCells(), 0);
}

TEST(CountMinState, SmallAnswersAreExact)
{
    Signed state(SHAPE);
    state.add("a", 5);
    state.add("b", -3);
    state.add("a", -5);
    state.add("", 2);
    EXPECT_EQ(state.storage(), Signed::Storage::Small);
    EXPECT_EQ(state.estimate("a"), 0);
    EXPECT_EQ(state.estimate("b"), -3);
    EXPECT_EQ(state.estimate(""), 2);
    EXPECT_EQ(state.estimate("c"), 0);
    EXPECT_EQ(state.total(), 15);
    EXPECT_EQ(state.smallEntries(), 3) << "a key that cancels stays";
    EXPECT_EQ(serialize(readState<Int64>(serialize(state), SHAPE, 0)), serialize(state));
    State bounds(SHAPE);
    bounds.add("a", 100);
    bounds.add("b", 10);
    EXPECT_EQ(bounds.lowerBound("a"), 100 - SHAPE.absoluteError(110));
    EXPECT_EQ(bounds.upperBound("a"), 100);
    EXPECT_EQ(bounds.lowerBound("b"), 0);
    EXPECT_EQ(bounds.dataSketchesLowerBound("b"), 10);
    EXPECT_EQ(bounds.dataSketchesUpperBound("b"), static_cast<UInt64>(10 + SHAPE.relativeError() * 110));
}

TEST(CountMinState, SmallEndsExactlyAtItsLimit)
{
    struct Case
    {
        const CountMinParameters & parameters;
        UInt64 limit;
        UInt64 last_small;
    };
    const CountMinParameters tiny(1, 3);
    /// 17 bytes an entry: length, key, weight.
    for (const Case & c : {Case{LARGE, 4096, 240}, Case{tiny, 48, 2}, Case{SHAPE, 280, 16}})
    {
        State state = stateOf<UInt64>(c.parameters, c.last_small);
        EXPECT_EQ(state.smallLimit(), c.limit);
        EXPECT_EQ(state.storage(), State::Storage::Small);
        state.add(number(0), 1);
        EXPECT_EQ(state.storage(), State::Storage::Small) << "a key it has needs no room";
        const std::string small_image = state.toImage();
        const UInt64 small_cells = state.filledCells();
        EXPECT_EQ(CountMinView<UInt64>::parse(small_image, c.parameters).filledCells(), small_cells);
        state.add(number(c.last_small), 5);
        EXPECT_EQ(state.storage(), State::Storage::Owned);
        CountMinSketch<UInt64> expected(CountMinView<UInt64>::parse(small_image, c.parameters));
        expected.update(number(c.last_small), 5);
        EXPECT_EQ(state.toImage(), expected.toString()) << "the table is that of adding each entry";
        EXPECT_EQ(state.filledCells(), expected.filledCells());
    }
    /// Exactly full: three entries of 16 bytes in 48.
    State state(tiny, 0);
    for (const char * key : {"1234567", "abcdefg", "ABCDEFG"})
        state.add(key);
    EXPECT_EQ(state.storage(), State::Storage::Small);
    EXPECT_EQ(serialize(readState<UInt64>(serialize(state), tiny, 0)), serialize(state));
    State longer(tiny, 0);
    for (const char * key : {"1234567", "abcdefg", "ABCDEFGH"})
        longer.add(key);
    EXPECT_EQ(longer.storage(), State::Storage::Owned);
    /// Keys with two bytes of length.
    State wide(LARGE, 0);
    wide.add(std::string(4096 - 2 - 8, 'x'));
    EXPECT_EQ(wide.storage(), State::Storage::Small);
    EXPECT_EQ(wide.estimate(std::string(4086, 'x')), 1);
    EXPECT_EQ(serialize(readState<UInt64>(serialize(wide), LARGE, 0)), serialize(wide));
    State too_wide(LARGE, 0);
    too_wide.add(std::string(4096 - 2 - 7, 'x'));
    EXPECT_EQ(too_wide.storage(), State::Storage::Owned);
    too_wide.add(std::string(100000, 'y'));
    EXPECT_EQ(too_wide.estimate(std::string(100000, 'y')), 1);
}

TEST(CountMinState, KindFollowsTheScheme)
{
    const CountMinParameters other(2, 16, 9001, RowSeeds::LibCxx);
    const std::string first = serialize(stateOf<UInt64>(SHAPE, 40));
    const std::string second = serialize(stateOf<UInt64>(other, 40));
    EXPECT_EQ(first[0], '\1');
    EXPECT_EQ(second[0], '\2');
    EXPECT_NE(first.substr(1), second.substr(1));
    EXPECT_EQ(codeOfReading<UInt64>(first, other), 117);
    EXPECT_EQ(codeOfReading<UInt64>(second, SHAPE), 117);
    ReadBufferFromMemory in(second);
    State state(SHAPE, 8);
    EXPECT_EQ(
        messageOf([&] { state.read(in); }), "Incorrect count-min state at byte 0: expected kind 0 or 1 (row seeds libstdcxx), found 2");
}

TEST(CountMinState, StatesOfOtherParametersAreRefused)
{
    const std::string bytes = serialize(stateOf<UInt64>(SHAPE, 40));
    const CountMinParameters rows(3, 16);
    const CountMinParameters buckets(2, 17);
    const CountMinParameters transposed(4, 8);
    const CountMinParameters seed(2, 16, 7);
    for (const CountMinParameters * other : {&rows, &buckets, &transposed, &seed})
        EXPECT_EQ(codeOfReading<UInt64>(bytes, *other), 117);

    State state = stateOf<UInt64>(SHAPE, 3);
    const std::string before = serialize(state);
    for (const CountMinParameters * other : {&rows, &buckets, &transposed, &seed})
    {
        EXPECT_EQ(codeOf([&] { state.merge(State(*other, 8)); }), 36) << "never fed or not";
        EXPECT_EQ(codeOf([&] { state.merge(stateOf<UInt64>(*other, 40)); }), 36);
        ReadBufferFromMemory in(bytes);
        State foreign(*other, 8);
        EXPECT_EQ(codeOf([&] { foreign.readAndMerge(in); }), 117);
    }
    EXPECT_EQ(codeOf([&] { state.merge(State(SHAPE, 4)); }), 36) << "keys of another size";
    EXPECT_EQ(codeOf([&] { state.add("abc"); }), 36);
    EXPECT_EQ(serialize(state), before);
}

TEST(CountMinState, DamagedBytesAreNamed)
{
    struct Case
    {
        const char * what;
        std::string bytes;
        int code;
        const char * text;
    };
    const std::string kind0(1, '\0');
    const auto count = [](UInt8 n) { return std::string(1, static_cast<char>(n)); };
    const std::string image = stateOf<UInt64>(SHAPE, 40).toImage();
    const std::string sketch = serialize(stateOf<UInt64>(SHAPE, 40));
    std::string bad_image = sketch;
    bad_image[3 + 2] = 17;
    std::string bad_row = sketch;
    bad_row[3 + 24] = static_cast<char>(bad_row[3 + 24] + 1);
    for (const Case & c : {
             Case{"nothing", "", 33, "at byte 0"},
             Case{"unknown kind", "\3", 117, "at byte 0: expected kind 0 or 1 (row seeds libstdcxx), found 3"},
             Case{"no count", kind0, 32, "at byte 1"},
             Case{"overlong count", kind0 + "\x80" + kind0, 117, "VarUInt at byte 1"},
             Case{"too many entries", kind0 + count(17), 117, "at byte 1: expected at most 16 entries, found 17"},
             Case{"no total", kind0 + count(1) + "abc", 33, "at byte 2"},
             Case{"total 0", kind0 + count(1) + number(0) + entry(number(1), 0), 117, "at byte 2: expected a positive finite total"},
             Case{
                 "short key",
                 kind0 + count(1) + number(1) + entry("abcdefg", 1),
                 117,
                 "at byte 10: expected a key of 8 bytes, found a length of 7"},
             Case{"long key", kind0 + count(1) + number(1) + entry("abcdefghi", 1), 117, "at byte 10: expected a key of 8 bytes"},
             Case{
                 "weight 0",
                 kind0 + count(2) + number(1) + entry(number(1), 0) + entry(number(2), 1),
                 117,
                 "at byte 10: expected a weight above 0"},
             Case{
                 "descending",
                 kind0 + count(2) + number(2) + entry(number(2), 1) + entry(number(1), 1),
                 117,
                 "at byte 27: expected keys in strictly ascending order"},
             Case{
                 "twice",
                 kind0 + count(2) + number(2) + entry(number(1), 1) + entry(number(1), 1),
                 117,
                 "at byte 27: expected keys in strictly ascending order"},
             Case{
                 "total too small",
                 kind0 + count(2) + number(2) + entry(number(1), 1) + entry(number(2), 2),
                 117,
                 "at byte 27: expected weights that the total covers"},
             Case{
                 "total too large",
                 kind0 + count(1) + number(2) + entry(number(1), 1),
                 117,
                 "at byte 2: expected the sum of the weights, 1, as the total weight, found 2"},
             Case{"image size 0", std::string("\1", 1) + kind0, 117, "at byte 1: expected an image of 280 bytes, found a size of 0"},
             Case{"empty image", std::string("\1\x10", 2) + CountMinSketch<UInt64>(SHAPE).toString(), 117, "found a size of 16"},
             Case{
                 "image size 2^63",
                 std::string("\1\x80\x80\x80\x80\x80\x80\x80\x80\x80\1", 11),
                 117,
                 "found a size of 9223372036854775808"},
             Case{"image of another family", bad_image, 117, "not the count-min family at byte 5: expected 18, found 17"},
             Case{"row sum", bad_row, 117, "a row does not sum to the total at byte 27"},
             Case{"cut", sketch.substr(0, 100), 33, "at byte 3. Bytes read: 97. Bytes expected: 280."},
         })
    {
        SCOPED_TRACE(c.what);
        EXPECT_EQ(codeOfReading<UInt64>(c.bytes, SHAPE), c.code);
        State state(SHAPE, 8);
        ReadBufferFromMemory in(c.bytes);
        const std::string text = messageOf([&] { state.read(in); });
        EXPECT_NE(text.find(c.text), std::string::npos) << text;
        State fed = stateOf<UInt64>(SHAPE, 3);
        const std::string before = serialize(fed);
        ReadBufferFromMemory again(c.bytes);
        EXPECT_EQ(codeOf([&] { fed.readAndMerge(again); }), c.code);
        EXPECT_EQ(serialize(fed), before);
    }
    EXPECT_EQ(image, sketch.substr(3));
}

TEST(CountMinState, EntriesOfSignedAndFloatingStatesAreChecked)
{
    const std::string head = std::string("\0\1", 2);
    const auto total = [&](UInt64 bits) { return head + number(bits); };
    const auto minus = [](UInt64 magnitude) { return ~magnitude + 1; };
    EXPECT_EQ(codeOfReading<Int64>(total(7) + entry("a", minus(7)), SHAPE, 0), 0);
    EXPECT_EQ(codeOfReading<Int64>(total(7) + entry("a", 5), SHAPE, 0), 0) << "something cancelled";
    EXPECT_EQ(codeOfReading<Int64>(total(2) + entry("a", 0), SHAPE, 0), 0);
    EXPECT_EQ(codeOfReading<Int64>(total(7) + entry("a", 8), SHAPE, 0), 117);
    EXPECT_EQ(codeOfReading<Int64>(total(7) + entry("a", minus(8)), SHAPE, 0), 117);
    EXPECT_EQ(codeOfReading<Int64>(total(minus(7)) + entry("a", 7), SHAPE, 0), 117);
    EXPECT_EQ(codeOfReading<Int64>(total(~UInt64{0} >> 1) + entry("a", UInt64{1} << 63), SHAPE, 0), 117);
    EXPECT_EQ(codeOfReading<Int64>(std::string("\0\2", 2) + number(7) + entry("a", 4) + entry("b", minus(4)), SHAPE, 0), 117);

    const auto floating_total = [&](double value) { return total(std::bit_cast<UInt64>(value)); };
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(codeOfReading<Float64>(floating_total(1.5) + floatingEntry("a", -1.5), SHAPE, 0), 0);
    EXPECT_EQ(codeOfReading<Float64>(floating_total(1.5) + floatingEntry("a", 0), SHAPE, 0), 0);
    EXPECT_EQ(codeOfReading<Float64>(floating_total(1.5) + floatingEntry("a", -0.0), SHAPE, 0), 117);
    EXPECT_EQ(codeOfReading<Float64>(floating_total(1.5) + floatingEntry("a", 1.6), SHAPE, 0), 117);
    const std::string two_floats = floatingEntry("a", 1) + floatingEntry("b", -1);
    EXPECT_EQ(codeOfReading<Float64>(std::string("\0\2", 2) + number(std::bit_cast<UInt64>(2.0)) + two_floats, SHAPE, 0), 0);
    EXPECT_EQ(codeOfReading<Float64>(std::string("\0\2", 2) + number(std::bit_cast<UInt64>(2 - 1e-9)) + two_floats, SHAPE, 0), 0)
        << "rounding";
    EXPECT_EQ(codeOfReading<Float64>(std::string("\0\2", 2) + number(std::bit_cast<UInt64>(1.9)) + two_floats, SHAPE, 0), 117);
    EXPECT_EQ(codeOfReading<Float64>(floating_total(1.5) + floatingEntry("a", std::nan("")), SHAPE, 0), 117);
    EXPECT_EQ(codeOfReading<Float64>(floating_total(infinity) + floatingEntry("a", 1), SHAPE, 0), 117);
    EXPECT_EQ(codeOfReading<Float64>(floating_total(std::nan("")) + floatingEntry("a", 1), SHAPE, 0), 117);
    EXPECT_EQ(codeOfReading<Float64>(floating_total(-1) + floatingEntry("a", 1), SHAPE, 0), 117);
}

TEST(CountMinState, LargerSmallStatesAreRefused)
{
    /// 17 entries of 17 bytes do not fit 280; nor do fewer longer ones.
    std::string bytes = std::string("\0\3", 2) + number(3);
    for (const char letter : {'a', 'b', 'c'})
        bytes += entry(std::string(90, letter), 1);
    EXPECT_EQ(codeOfReading<UInt64>(bytes, SHAPE, 0), 117);
    EXPECT_EQ(codeOfReading<UInt64>(bytes, LARGE, 0), 0);
    std::string claim = std::string("\0\1", 2) + number(1) + "\xff\xff\xff\xff\xff\xff\xff\xff\xff\1" + "abc";
    EXPECT_EQ(codeOfReading<UInt64>(claim, LARGE, 0), 117);
}

TEST(CountMinState, BytesBehindAStateStay)
{
    for (const UInt64 keys : {0, 3, 40})
    {
        const std::string one = serialize(stateOf<UInt64>(SHAPE, keys));
        const std::string stream = one + one + "rest";
        ReadBufferFromMemory in(stream);
        State state(SHAPE, 8);
        state.read(in);
        EXPECT_EQ(in.count(), one.size());
        State::skip(in);
        EXPECT_EQ(in.count(), 2 * one.size());
        EXPECT_EQ(std::string_view(in.position(), in.available()), "rest");
    }
    ReadBufferFromMemory bad("\7");
    EXPECT_EQ(codeOf([&] { State::skip(bad); }), 117);
}

TEST(CountMinState, TornBuffersGiveTheSameStates)
{
    for (const UInt64 keys : {0, 1, 3, 16, 17, 40})
    {
        const State expected = stateOf<UInt64>(SHAPE, keys);
        const std::string bytes = serialize(expected);
        State doubled = expected;
        doubled.merge(expected);
        for (const size_t piece : TORN_SIZES)
        {
            TornReadBuffer in(bytes, piece);
            State state(SHAPE, 8);
            state.read(in);
            EXPECT_TRUE(in.eof());
            EXPECT_EQ(serialize(state), bytes) << keys << ' ' << piece;
            for (UInt64 key = 0; key < 50; ++key)
                EXPECT_EQ(state.estimate(number(key)), expected.estimate(number(key)));
            TornReadBuffer again(bytes, piece);
            state.readAndMerge(again);
            EXPECT_TRUE(again.eof());
            EXPECT_EQ(serialize(state), serialize(doubled)) << keys << ' ' << piece;
            TornReadBuffer skipped(bytes, piece);
            State::skip(skipped);
            EXPECT_TRUE(skipped.eof());
            Arena arena;
            TornReadBuffer into_arena(bytes, piece);
            State in_arena(SHAPE, 8);
            in_arena.read(into_arena, nullptr, &arena);
            EXPECT_EQ(serialize(in_arena), bytes);
        }
    }
}

TEST(CountMinState, EveryAlignmentGivesTheSameAnswers)
{
    for (const UInt64 keys : {3, 40})
    {
        const State expected = stateOf<UInt64>(SHAPE, keys);
        const std::string bytes = serialize(expected);
        for (size_t alignment = 0; alignment < 64; ++alignment)
        {
            auto memory = std::make_shared<std::string>(alignment, 'x');
            *memory += bytes;
            ReadBufferFromMemory in(std::string_view(*memory).substr(alignment));
            State state(SHAPE, 8);
            state.read(in, memory);
            memory.reset();
            EXPECT_EQ(serialize(state), bytes);
            for (UInt64 key = 0; key < 50; ++key)
                EXPECT_EQ(state.estimate(number(key)), expected.estimate(number(key)));
        }
    }
}

TEST(CountMinState, ImagesAreBorrowedWithoutACopy)
{
    const std::string bytes = serialize(stateOf<UInt64>(LARGE, 1000));
    auto owner = std::make_shared<const std::string>(bytes);
    ReadBufferFromMemory in(*owner);
    State state(LARGE, 8);
    size_t allocations = 0;
    {
        AllocationCounter counter;
        state.read(in, owner);
        allocations = counter.allocations();
    }
    EXPECT_EQ(allocations, 0);
    EXPECT_EQ(state.storage(), State::Storage::Borrowed);
    EXPECT_EQ(state.heldBytes(), 0);
    EXPECT_EQ(owner.use_count(), 2);
    /// Written back as it came, past a buffer that is too small for it.
    EXPECT_EQ(serialize(state), bytes);

    State copy = state;
    EXPECT_EQ(copy.storage(), State::Storage::Borrowed);
    EXPECT_EQ(owner.use_count(), 3);
    copy.add(number(5), 1);
    EXPECT_EQ(copy.storage(), State::Storage::Owned);
    EXPECT_EQ(owner.use_count(), 2);
    EXPECT_EQ(copy.estimate(number(5)), state.estimate(number(5)) + 1);
    State fresh(LARGE, 8);
    fresh.merge(state);
    EXPECT_EQ(fresh.storage(), State::Storage::Borrowed);
    state.add(number(5), 0);
    EXPECT_EQ(state.storage(), State::Storage::Borrowed) << "weight 0 changes nothing";
}

TEST(CountMinState, PinnedStatesOutliveTheirSource)
{
    const std::string bytes = serialize(stateOf<UInt64>(SHAPE, 40));
    const auto copy_of = [&] { return std::make_unique<std::string>(bytes); };
    /// With an owner: the source object goes, the bytes stay with the state.
    auto owner = std::make_shared<std::string>(bytes);
    auto source = std::make_unique<ReadBufferFromMemory>(*owner);
    State owned_bytes(SHAPE, 8);
    owned_bytes.read(*source, owner);
    source.reset();
    owner.reset();
    EXPECT_EQ(serialize(owned_bytes), bytes);
    /// Without one: copied once.
    auto text = copy_of();
    ReadBufferFromMemory in(*text);
    State copied(SHAPE, 8);
    copied.read(in);
    text.reset();
    EXPECT_EQ(serialize(copied), bytes);
    /// In an arena that outlives the state, but not its copies.
    auto arena = std::make_unique<Arena>();
    State survivor(SHAPE, 8);
    State merged(SHAPE, 8);
    {
        text = copy_of();
        ReadBufferFromMemory from(*text);
        State state(SHAPE, 8);
        state.read(from, nullptr, arena.get());
        text.reset();
        EXPECT_EQ(serialize(state), bytes);
        survivor = state;
        merged.merge(state);
    }
    arena.reset();
    EXPECT_EQ(serialize(survivor), bytes);
    EXPECT_EQ(serialize(merged), bytes);
    /// readAndMerge keeps nothing of its source.
    text = copy_of();
    ReadBufferFromMemory from(*text);
    State transient(SHAPE, 8);
    transient.readAndMerge(from);
    text.reset();
    EXPECT_EQ(serialize(transient), bytes);
    EXPECT_EQ(transient.storage(), State::Storage::Owned);
}

TEST(CountMinState, StatesOutliveTheParametersOfWhatTheyMerged)
{
    State state(SHAPE, 8);
    State expected(SHAPE, 8);
    for (const UInt64 keys : {3, 40})
    {
        const auto parameters = std::make_unique<CountMinParameters>(SHAPE);
        state.merge(stateOf<UInt64>(*parameters, keys));
        expected.merge(stateOf<UInt64>(SHAPE, keys));
    }
    EXPECT_EQ(&state.parameters(), &SHAPE);
    EXPECT_EQ(&state.toSketch().parameters(), &SHAPE);
    EXPECT_EQ(serialize(state), serialize(expected));
}

namespace
{
/// The state in each of its storages, as far as it has them.
template <typename W>
std::vector<CountMinSketchState<W>> formsOf(const CountMinSketchState<W> & state)
{
    std::vector<CountMinSketchState<W>> result{state};
    result.push_back(readState<W>(serialize(state), state.parameters(), state.keySize()));
    return result;
}
}

TEST(CountMinState, OverflowChangesNothing)
{
    constexpr UInt64 LARGEST = ~UInt64{0};
    for (const UInt64 keys : {3, 40})
    {
        State full = stateOf<UInt64>(SHAPE, keys);
        full.add(number(1), LARGEST - full.total());
        EXPECT_EQ(full.total(), LARGEST);
        for (State & state : formsOf(full))
        {
            const auto storage = state.storage();
            const std::string before = serialize(state);
            EXPECT_EQ(codeOf([&] { state.add(number(1), 1); }), 407);
            EXPECT_EQ(codeOf([&] { state.add(number(99), 1); }), 407);
            for (const UInt64 other_keys : {1, 20})
            {
                const State other = stateOf<UInt64>(SHAPE, other_keys);
                for (State & form : formsOf(other))
                {
                    EXPECT_EQ(codeOf([&] { state.merge(form); }), 407);
                    const std::string other_before = serialize(form);
                    EXPECT_EQ(codeOf([&] { form.merge(state); }), 407);
                    EXPECT_EQ(serialize(form), other_before);
                }
                const std::string other_bytes = serialize(other);
                ReadBufferFromMemory in(other_bytes);
                EXPECT_EQ(codeOf([&] { state.readAndMerge(in); }), 407);
            }
            EXPECT_EQ(codeOf([&] { state.merge(state); }), 407);
            EXPECT_EQ(state.storage(), storage);
            EXPECT_EQ(serialize(state), before);
        }
    }
    EXPECT_EQ(
        messageOf([] {
            State state(SHAPE);
            state.add("a", LARGEST);
            state.add("a", 1);
        }),
        "Count-min sketch: the total weight would leave the range of UInt64");
    Signed negative(SHAPE);
    EXPECT_EQ(codeOf([&] { negative.add("a", std::numeric_limits<Int64>::min()); }), 407);
    negative.add("a", -std::numeric_limits<Int64>::max());
    EXPECT_EQ(negative.estimate("a"), -std::numeric_limits<Int64>::max());
    EXPECT_EQ(codeOf([&] { negative.add("a", 1); }), 407) << "the total counts magnitudes";
    Floating floating(SHAPE);
    floating.add("a", std::numeric_limits<double>::max());
    EXPECT_EQ(codeOf([&] { floating.add("b", std::numeric_limits<double>::max()); }), 407);
    for (const double weight : {std::nan(""), std::numeric_limits<double>::infinity()})
        EXPECT_EQ(codeOf([&] { floating.add("b", weight); }), 36);
    EXPECT_EQ(floating.smallEntries(), 1);
}

TEST(CountMinState, CopiesAndMovesAreValues)
{
    for (const UInt64 keys : {0, 3, 40})
    {
        const State original = stateOf<UInt64>(SHAPE, keys);
        const std::string bytes = serialize(original);
        for (State & state : formsOf(original))
        {
            State copy = state;
            copy.add(number(1), 7);
            EXPECT_EQ(serialize(state), bytes);
            copy = state;
            EXPECT_EQ(serialize(copy), bytes);
            State & alias = copy;
            copy = alias;
            copy = std::move(alias);
            EXPECT_EQ(serialize(copy), bytes);
            State moved = std::move(copy);
            EXPECT_EQ(serialize(moved), bytes);
            EXPECT_TRUE(copy.isEmpty()); // NOLINT(bugprone-use-after-move): the promise is tested
            copy.add(number(1), 7);
            EXPECT_EQ(copy.estimate(number(1)), 7);
            moved.merge(moved);
            EXPECT_EQ(moved.total(), 2 * original.total());
        }
    }
}

TEST(CountMinState, ConstCallsMayBeShared)
{
    for (const UInt64 keys : {3, 40})
    {
        const State original = stateOf<UInt64>(SHAPE, keys);
        const std::string bytes = serialize(original);
        for (const State & state : formsOf(original))
        {
            std::vector<std::thread> threads;
            for (int i = 0; i < 4; ++i)
                threads.emplace_back([&] {
                    for (int round = 0; round < 50; ++round)
                    {
                        EXPECT_EQ(state.estimate(number(1)), original.estimate(number(1)));
                        EXPECT_EQ(state.filledCells(), original.filledCells());
                        EXPECT_EQ(serialize(state), bytes);
                        const State copy = state;
                        EXPECT_EQ(copy.toImage(), state.toImage());
                    }
                });
            for (std::thread & thread : threads)
                thread.join();
        }
    }
}

namespace
{
/// What hostile bytes may do: fail, or give a state that writes exactly what was read. Within bounded memory, and never misread.
template <typename W>
void expectErrorOrTheSameBytes(const std::string & bytes, const CountMinParameters & parameters, UInt32 key_size)
{
    /// Memory of exactly this size, so that a byte read past it shows.
    const std::vector<char> exact(bytes.begin(), bytes.end());
    const std::string_view input(exact.data(), exact.size());
    CountMinSketchState<W> state(parameters, key_size);
    ReadBufferFromMemory in(input);
    int code = 0;
    size_t peak = 0;
    {
        AllocationCounter counter;
        code = codeOf([&] { state.read(in); });
        peak = counter.peakBytes();
    }
    EXPECT_LE(peak, (size_t{64} << 10) + 4 * bytes.size());
    EXPECT_TRUE(code == 0 || code == 117 || code == 33 || code == 32) << code;
    if (code == 0)
    {
        EXPECT_EQ(serialize(state), bytes.substr(0, in.count())) << toHex(bytes);
        const std::string image = state.toImage();
        const W total = CountMinView<W>::parse(image, parameters).total();
        if constexpr (std::is_floating_point_v<W>)
        {
            EXPECT_NEAR(total, state.total(), state.total() * 1e-6);
        }
        else
        {
            EXPECT_EQ(total, state.total());
        }
    }
    CountMinSketchState<W> torn(parameters, key_size);
    TornReadBuffer torn_in(input, 7);
    EXPECT_EQ(codeOf([&] { torn.read(torn_in); }), code);
    CountMinSketchState<W> merged(parameters, key_size);
    TornReadBuffer merged_in(input, 16);
    {
        AllocationCounter counter;
        const int merge_code = codeOf([&] { merged.readAndMerge(merged_in); });
        peak = counter.peakBytes();
        EXPECT_EQ(merge_code, code);
    }
    EXPECT_LE(peak, (size_t{64} << 10) + 4 * bytes.size());
    ReadBufferFromMemory skipped(input);
    EXPECT_TRUE(codeOf([&] { CountMinSketchState<W>::skip(skipped); }) == 0 || code != 0) << "what can be read can be skipped";
}

template <typename W>
void tryEveryDamage(const CountMinSketchState<W> & state)
{
    const std::string bytes = serialize(state);
    for (size_t size = 0; size < bytes.size(); ++size)
    {
        EXPECT_NE(codeOfReading<W>(bytes.substr(0, size), state.parameters(), state.keySize()), 0) << size;
        expectErrorOrTheSameBytes<W>(bytes.substr(0, size), state.parameters(), state.keySize());
    }
    for (size_t bit = 0; bit < bytes.size() * 8; ++bit)
    {
        std::string damaged = bytes;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
        expectErrorOrTheSameBytes<W>(damaged, state.parameters(), state.keySize());
    }
}
}

TEST(CountMinState, TruncationsAndFlippedBitsAreErrorsOrStates)
{
    const CountMinParameters tiny(2, 3);
    tryEveryDamage(State(tiny, 8));
    for (const UInt64 keys : {1, 3, 10})
    {
        tryEveryDamage(stateOf<UInt64>(tiny, keys));
        tryEveryDamage(stateOf<Int64>(tiny, keys, 0));
        tryEveryDamage(stateOf<Float64>(tiny, keys, 0));
    }
    Signed strings(SHAPE);
    for (const char * key : {"", "a", "ab", "b", "long key with some text in it"})
        strings.add(key, key[0] == 'a' ? -3 : 2);
    strings.add("b", -2);
    tryEveryDamage(strings);
    Floating floating(SHAPE);
    for (const char * key : {"x", "yy", "zzz"})
        floating.add(key, 0.1);
    tryEveryDamage(floating);
    tryEveryDamage(stateOf<UInt64>(SHAPE, 16));
    tryEveryDamage(stateOf<Int64>(SHAPE, 40));
}

TEST(CountMinState, DeclaredSizesAllocateNothing)
{
    const CountMinParameters huge(3, 300000000);
    std::string bytes = "\1";
    char size[VAR_UINT_MAX_SIZE];
    bytes.append(size, static_cast<size_t>(writeVarUInt(countMinImageSize<UInt64>(huge.cells()), size) - size));
    bytes += "too short";
    for (const size_t piece : {size_t{1}, size_t{4096}})
    {
        State state(huge, 8);
        TornReadBuffer in(bytes, piece);
        AllocationCounter counter;
        const int code = codeOf([&] { state.read(in); });
        const size_t peak = counter.peakBytes();
        EXPECT_EQ(code, 33);
        EXPECT_LE(peak, size_t{64} << 10);
    }
}
