#include "CountMinHelpers.h"
#include "CountMinStreams.h"
#include "TornReadBuffer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

using namespace DB;
using namespace statewire_tests;

/** Conservative and decayed sketches: what they promise, and that they are states of their own. */
namespace
{
using Counts = std::map<UInt64, UInt64>;
using State = CountMinSketchState<UInt64>;

constexpr CountMinOption OPTIONS[]
    = {CountMinOption::Plain, CountMinOption::Conservative, CountMinOption::Decayed, CountMinOption::ConservativeDecayed};

CountMinParameters conservative(UInt32 num_hashes, UInt32 num_buckets, UInt64 seed = 9001)
{
    return CountMinParameters(num_hashes, num_buckets, seed, RowSeeds::LibStdCxx, CountMinOption::Conservative);
}

State readBack(const State & state)
{
    auto bytes = std::make_shared<const std::string>(serialize(state));
    ReadBufferFromMemory in(*bytes);
    State result(state.parameters(), state.keySize());
    result.read(in, bytes);
    EXPECT_TRUE(in.eof());
    EXPECT_EQ(serialize(result), *bytes);
    return result;
}
}

TEST(CountMinConservative, IsBetweenTheTruthAndThePlainSketch)
{
    for (UInt64 seed = 1; seed <= 20; ++seed)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const CountMinParameters parameters(5, 100, seed);
        const CountMinParameters sharper = conservative(5, 100, seed);
        Counts counts;
        CountMinSketch<UInt64> one_by_one(sharper);
        CountMinSketch<UInt64> batched(sharper);
        State state(sharper, 8);
        CountMinSketch<UInt64> plain(parameters);
        ZipfStream stream(seed, 3000, seed % 2 ? 1.0 : 0.4);
        std::mt19937_64 random(seed);
        std::string column;
        std::vector<UInt64> weights;
        for (const UInt64 key : stream.take(20000, counts))
        {
            const UInt64 weight = random() % 4;
            counts[key] += weight - 1;
            one_by_one.update(keyOf(key), weight);
            state.add(keyOf(key), weight);
            plain.update(keyOf(key), weight);
            column += keyOf(key);
            weights.push_back(weight);
        }
        batched.updateMany(CountMinKeys::fixed(column.data(), 8, weights.size()), weights);
        EXPECT_EQ(batched.toString(), one_by_one.toString());
        EXPECT_EQ(one_by_one.total(), plain.total());
        UInt64 conservative_error = 0;
        UInt64 plain_error = 0;
        for (const auto & [key, count] : counts)
        {
            for (const UInt64 estimate : {one_by_one.estimate(keyOf(key)), state.estimate(keyOf(key))})
            {
                ASSERT_GE(estimate, count);
                ASSERT_LE(estimate, plain.estimate(keyOf(key)));
            }
            conservative_error += one_by_one.estimate(keyOf(key)) - count;
            plain_error += plain.estimate(keyOf(key)) - count;
        }
        EXPECT_LT(conservative_error, plain_error * 3 / 4);
        readBack(state);
    }
}

TEST(CountMinConservative, MergesStayBetweenAndCommute)
{
    for (UInt64 seed = 1; seed <= 30; ++seed)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const CountMinParameters parameters(4, 50, seed);
        const CountMinParameters sharper = conservative(4, 50, seed);
        Counts counts;
        State merged(sharper, 8);
        CountMinSketch<UInt64> plain(parameters);
        ZipfStream stream(seed, 500, 0.8);
        std::mt19937_64 random(seed);
        UInt64 rows = 0;
        for (int part = 0; part < 5; ++part)
        {
            /// Some parts small, most not.
            const size_t size = random() % 3 == 0 ? 20 : 1500;
            State one(sharper, 8);
            for (const UInt64 key : stream.take(size, counts))
            {
                one.add(keyOf(key));
                plain.update(keyOf(key));
            }
            rows += size;
            State other_way = part % 2 ? readBack(one) : one;
            other_way.merge(merged);
            if (part % 2)
                merged.merge(one);
            else
            {
                const std::string bytes = serialize(one);
                ReadBufferFromMemory in(bytes);
                merged.readAndMerge(in);
            }
            ASSERT_EQ(serialize(merged), serialize(other_way));
            for (const auto & [key, count] : counts)
            {
                ASSERT_GE(merged.estimate(keyOf(key)), count);
                ASSERT_LE(merged.estimate(keyOf(key)), plain.estimate(keyOf(key)));
                ASSERT_LE(merged.lowerBound(keyOf(key)), merged.upperBound(keyOf(key)));
            }
        }
        EXPECT_EQ(merged.total(), rows);
        readBack(merged);
    }
}

TEST(CountMinConservative, TakesUnsignedWeightsOnlyAndHasNoProducts)
{
    const CountMinParameters parameters = conservative(4, 50);
    CountMinSketch<Int64> is_signed(parameters);
    CountMinSketch<Float64> is_floating(parameters);
    EXPECT_EQ(codeOf([&] { is_signed.update("a"); }), 36);
    EXPECT_EQ(codeOf([&] { is_floating.update("a"); }), 36);
    EXPECT_TRUE(is_signed.isEmpty() && is_floating.isEmpty());
    State state(parameters);
    state.add("a", 3);
    EXPECT_EQ(codeOf([&] { static_cast<void>(State::innerProduct(state, state)); }), 36);
    EXPECT_EQ(codeOf([&] { static_cast<void>(state.correctedEstimate("a")); }), 36);

    CountMinSketch<UInt64> sketch(parameters);
    sketch.update("a", ~UInt64{0});
    EXPECT_EQ(codeOf([&] { sketch.update("b"); }), 407);
    EXPECT_EQ(sketch.total(), ~UInt64{0});
    EXPECT_EQ(sketch.estimate("a"), ~UInt64{0});
    CountMinSketch<UInt8> saturating(parameters, CountMinOverflow::Saturate);
    for (int i = 0; i < 3; ++i)
        saturating.update("a", 100);
    EXPECT_EQ(saturating.estimate("a"), 255);
}

TEST(CountMinOptions, HaveKindsOfTheirOwnAndNeverMerge)
{
    for (const CountMinOption option : OPTIONS)
        for (const RowSeeds row_seeds : {RowSeeds::LibStdCxx, RowSeeds::LibCxx})
        {
            SCOPED_TRACE(std::string(toString(option)) + " " + std::string(toString(row_seeds)));
            const CountMinParameters parameters(3, 40, 9001, row_seeds, option);
            State small(parameters, 8);
            small.add(keyOf(1), 2);
            State large(parameters, 8);
            for (UInt64 i = 0; i < 500; ++i)
                large.add(keyOf(i % 199), i % 5);
            const auto base = static_cast<char>(16 * static_cast<int>(option));
            EXPECT_EQ(serialize(small)[0], base);
            EXPECT_EQ(serialize(large)[0], base + (row_seeds == RowSeeds::LibStdCxx ? 1 : 2));
            EXPECT_EQ(serialize(State(parameters, 8)), std::string({base, '\0'}));
            readBack(small);
            readBack(large);
            for (const size_t chunk : TORN_SIZES)
            {
                const std::string bytes = serialize(large);
                TornReadBuffer in(bytes, chunk);
                State torn(parameters, 8);
                torn.readAndMerge(in);
                EXPECT_EQ(serialize(torn), bytes);
            }
            const std::string bytes = serialize(large) + "tail";
            ReadBufferFromMemory skipped(bytes);
            State::skip(skipped);
            EXPECT_EQ(skipped.count(), bytes.size() - 4);

            for (const CountMinOption other_option : OPTIONS)
            {
                if (other_option == option)
                    continue;
                const CountMinParameters others(3, 40, 9001, row_seeds, other_option);
                State other(others, 8);
                other.add(keyOf(1));
                const std::string before = serialize(other);
                for (const State & state : {small, large})
                {
                    EXPECT_EQ(codeOf([&] { other.merge(state); }), 36);
                    EXPECT_NE(readError(State(others, 8), serialize(state)).find("expected kind "), std::string::npos);
                    const std::string foreign = serialize(state);
                    ReadBufferFromMemory in(foreign);
                    EXPECT_EQ(codeOf([&] { other.readAndMerge(in); }), 117);
                }
                EXPECT_EQ(serialize(other), before);
            }
        }
    const std::string unknown = "\x40";
    ReadBufferFromMemory in(unknown);
    EXPECT_EQ(messageOf([&] { State::skip(in); }), "Incorrect count-min state at byte 0: expected kind 0, 1 or 2, or 16, 32 or 48 more, found 64");
}

TEST(CountMinOptions, TablesWithRowsAboveTheTotalAreRefused)
{
    const CountMinParameters parameters = conservative(2, 5);
    State state(parameters, 8);
    for (UInt64 i = 0; i < 300; ++i)
        state.add(keyOf(i % 40), 1 + i % 3);
    std::string bytes = serialize(state);
    ASSERT_EQ(bytes[0], 17);
    const size_t cells = bytes.size() - 2 * 5 * 8;
    EXPECT_EQ(readError(State(parameters, 8), bytes), "");
    /// A smaller cell is what conservative update leaves; one that lifts the row's sum above the total is not.
    std::string damaged = bytes;
    damaged[cells] = static_cast<char>(damaged[cells] - 1);
    EXPECT_EQ(readError(State(parameters, 8), damaged), "");
    damaged = bytes;
    unalignedStoreLittleEndian<UInt64>(damaged.data() + cells + 40, state.total());
    EXPECT_NE(readError(State(parameters, 8), damaged).find("a row sums to more than the total at byte 66: expected at most 600"), std::string::npos)
        << readError(State(parameters, 8), damaged);
    damaged = bytes;
    unalignedStoreLittleEndian<UInt64>(damaged.data() + cells + 16, state.total() + 1);
    EXPECT_NE(readError(State(parameters, 8), damaged).find("a cell is larger than the total"), std::string::npos);
    /// Rows whose sums leave 64 bits.
    std::string image = bytes.substr(2);
    for (size_t i = 16; i < image.size(); i += 8)
        unalignedStoreLittleEndian<UInt64>(image.data() + i, ~UInt64{0});
    CountMinView<UInt64> view;
    EXPECT_EQ(CountMinView<UInt64>::tryParse(image, parameters, Validation::Full, view).error, CountMinError::RowSumAboveTotal);
}

TEST(CountMinDecayTest, IsExactForEveryFactor)
{
    for (const double factor : {-0.1, 1.1, 2.0, std::nan(""), std::numeric_limits<double>::infinity()})
        EXPECT_EQ(codeOf([&] { static_cast<void>(CountMinDecay(factor)); }), 36) << factor;
    const UInt64 largest = ~UInt64{0};
    EXPECT_EQ(CountMinDecay(1).weight<UInt64>(largest), largest);
    EXPECT_EQ(CountMinDecay(1).total<UInt64>(largest), largest);
    EXPECT_EQ(CountMinDecay(0.5).weight<UInt64>(largest), largest / 2);
    EXPECT_EQ(CountMinDecay(0.5).total<UInt64>(largest), largest / 2 + 1);
    EXPECT_EQ(CountMinDecay(0).weight<UInt64>(largest), 0u);
    EXPECT_EQ(CountMinDecay(0).total<UInt64>(largest), 0u);
    /// The double next below 1 is 1 - 2^-53.
    const double below_one = std::nextafter(1.0, 0.0);
    EXPECT_EQ(CountMinDecay(below_one).weight<UInt64>(UInt64{1} << 53), (UInt64{1} << 53) - 1);
    EXPECT_EQ(CountMinDecay(below_one).weight<UInt64>((UInt64{1} << 53) - 1), (UInt64{1} << 53) - 2);
    EXPECT_EQ(CountMinDecay(below_one).total<UInt64>((UInt64{1} << 53) - 1), (UInt64{1} << 53) - 1);
    for (const double tiny : {0x1p-64, 0x1p-126, 0x1p-127, 5e-324})
    {
        EXPECT_EQ(CountMinDecay(tiny).weight<UInt64>(largest), 0u);
        EXPECT_EQ(CountMinDecay(tiny).total<UInt64>(largest), 1u);
    }
    EXPECT_EQ(CountMinDecay(0.75).weight<Int64>(-7), -5);
    EXPECT_EQ(CountMinDecay(0.75).weight<Int64>(std::numeric_limits<Int64>::min()), std::numeric_limits<Int64>::min() / 4 * 3);
    EXPECT_EQ(CountMinDecay(0.5).weight<Float64>(-7), -3.5);
    EXPECT_FALSE(std::signbit(CountMinDecay(0).weight<Float64>(-7)));
    EXPECT_EQ(CountMinDecay(0.3).weight<UInt8>(10), 2) << "0.3 is a little less than 3 / 10";
}

TEST(CountMinDecayTest, KeepsTheBoundsOfDecayedWeights)
{
    /// Exact weights that decay as the sketch's cells do, and the real ones: cut <= estimate, and lower bound <= real.
    UInt64 asked = 0;
    UInt64 outside = 0;
    for (UInt64 seed = 1; seed <= 40; ++seed)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const CountMinOption option = seed % 2 ? CountMinOption::Decayed : CountMinOption::ConservativeDecayed;
        const CountMinParameters parameters(4, 64, seed, RowSeeds::LibCxx, option);
        std::mt19937_64 random(seed);
        std::map<UInt64, UInt64> cut;
        std::map<UInt64, double> real;
        double real_total = 0;
        State state(parameters, 8);
        for (int day = 0; day < 6; ++day)
        {
            /// A small day now and then; the first days may leave the state small.
            Counts counts;
            ZipfStream stream(seed * 100 + day, 300, 0.9);
            State today(parameters, 8);
            for (const UInt64 key : stream.take(day < 2 || random() % 3 == 0 ? 25 : 2000, counts))
                today.add(keyOf(key));
            const double factor = seed % 3 == 0 ? 0.5 : static_cast<double>(random() % 1000) / 1000;
            const CountMinDecay decay(factor);
            State yesterday(parameters, 8);
            yesterday.mergeDecayed(state, decay);
            const State read = readBack(yesterday);
            today.merge(read);
            state = today;
            for (auto & [key, weight] : cut)
                weight = decay.weight<UInt64>(weight);
            for (auto & [key, weight] : real)
                weight *= factor;
            real_total *= factor;
            for (const auto & [key, count] : counts)
            {
                cut[key] += count;
                real[key] += static_cast<double>(count);
                real_total += static_cast<double>(count);
            }
            EXPECT_LE(static_cast<double>(state.total()), real_total + 6);
            for (const auto & [key, weight] : cut)
            {
                const UInt64 estimate = state.estimate(keyOf(key));
                ASSERT_GE(estimate, weight) << key;
                ++asked;
                outside += static_cast<double>(state.lowerBound(keyOf(key))) > real[key] + 1e-6 * real_total;
            }
        }
    }
    EXPECT_LE(static_cast<double>(outside), std::exp(-4.0) * static_cast<double>(asked));
    EXPECT_GT(asked, 10000u);
}

TEST(CountMinDecayTest, ForgetsWhatIsNothingAndMarksTheRest)
{
    const CountMinParameters parameters(3, 40);
    const CountMinParameters marked = parameters.decayed();
    EXPECT_EQ(marked.option(), CountMinOption::Decayed);
    State plain(parameters);
    plain.add("one", 1);
    plain.add("nine", 9);
    State halved(marked);
    halved.mergeDecayed(plain, CountMinDecay(0.5));
    EXPECT_EQ(halved.estimate("nine"), 4u);
    EXPECT_EQ(halved.smallEntries(), 1u);
    EXPECT_EQ(halved.total(), 5u);
    State nothing(marked);
    nothing.mergeDecayed(plain, CountMinDecay(0.1));
    EXPECT_TRUE(nothing.isEmpty());
    EXPECT_EQ(nothing.total(), 0u);
    State same(marked);
    same.mergeDecayed(plain, CountMinDecay(1));
    EXPECT_EQ(serialize(same).substr(1), serialize(plain).substr(1));

    for (UInt64 i = 0; i < 100; ++i)
        plain.add("key" + std::to_string(i), 1);
    ASSERT_NE(plain.storage(), State::Storage::Small);
    State gone(marked);
    gone.mergeDecayed(plain, CountMinDecay(0.01));
    EXPECT_TRUE(gone.isEmpty());

    /// What decays is not what it was, and cannot go back.
    EXPECT_EQ(codeOf([&] { State(parameters).mergeDecayed(plain, CountMinDecay(0.5)); }), 36);
    EXPECT_EQ(codeOf([&] { State(parameters).mergeDecayed(halved, CountMinDecay(0.5)); }), 36);
    const CountMinParameters sharper_marked = conservative(3, 40).decayed();
    EXPECT_EQ(codeOf([&] { State(sharper_marked).mergeDecayed(plain, CountMinDecay(0.5)); }), 36);
    EXPECT_EQ(codeOf([&] { State(marked, 8).mergeDecayed(plain, CountMinDecay(0.5)); }), 36);

    /// Weights with a sign shrink towards 0; a total of floats is multiplied.
    const CountMinParameters wide(2, 30);
    const CountMinParameters wide_marked = wide.decayed();
    CountMinSketchState<Int64> with_sign(wide);
    with_sign.add("a", -7);
    with_sign.add("b", 1);
    CountMinSketchState<Int64> with_sign_halved(wide_marked);
    with_sign_halved.mergeDecayed(with_sign, CountMinDecay(0.5));
    EXPECT_EQ(with_sign_halved.estimate("a"), -3);
    EXPECT_EQ(with_sign_halved.total(), 4);
    CountMinSketchState<Float64> floating(wide);
    for (int i = 0; i < 100; ++i)
        floating.add("key" + std::to_string(i), i * 0.37);
    CountMinSketchState<Float64> floating_decayed(wide_marked);
    floating_decayed.mergeDecayed(floating, CountMinDecay(0.3));
    EXPECT_EQ(floating_decayed.total(), floating.total() * 0.3);
    EXPECT_EQ(readError(CountMinSketchState<Float64>(wide_marked), serialize(floating_decayed)), "");
}

TEST(CountMinWeightedMerges, OfStatesAreThoseOfMultipliedWeights)
{
    for (UInt64 seed = 1; seed <= 40; ++seed)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937_64 random(seed);
        const CountMinParameters parameters(3, 60, seed);
        State left(parameters, 8);
        State right(parameters, 8);
        State expected(parameters, 8);
        const UInt64 factor = random() % 4;
        for (size_t i = random() % 400; i-- > 0;)
        {
            const std::string key = keyOf(random() % 200);
            const UInt64 weight = random() % 10;
            const bool is_left = random() % 2 == 0;
            (is_left ? left : right).add(key, weight);
            expected.add(key, is_left ? weight : weight * factor);
        }
        State merged = left;
        merged.mergeWeighted(seed % 2 ? readBack(right) : right, factor);
        EXPECT_EQ(serialize(merged), serialize(expected));
    }
    const CountMinParameters parameters(3, 60);
    const CountMinParameters others(3, 61);
    State state(parameters);
    state.add("a", UInt64{1} << 63);
    const std::string before = serialize(state);
    EXPECT_EQ(codeOf([&] { state.mergeWeighted(state, 2); }), 407);
    EXPECT_EQ(codeOf([&] { state.mergeWeighted(State(others), 2); }), 36);
    EXPECT_EQ(codeOf([&] { state.mergeWeighted(State(parameters, 8), 2); }), 36);
    EXPECT_EQ(serialize(state), before);
    CountMinSketchState<Float64> floating(parameters);
    floating.add("a", 2);
    floating.mergeWeighted(floating, -0.5);
    EXPECT_EQ(floating.estimate("a"), 1);
    EXPECT_EQ(floating.total(), 3);
    EXPECT_EQ(codeOf([&] { floating.mergeWeighted(floating, std::nan("")); }), 36);
}
