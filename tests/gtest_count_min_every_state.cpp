#include "CountMinHelpers.h"

#include <statewire/AggregateFunctions/CountMinRangesState.h>
#include <statewire/AggregateFunctions/CountMinTopKState.h>
#include <statewire/Common/throwError.h>

#include <functional>
#include <thread>
#include <vector>

using namespace DB;
using namespace statewire_tests;

/** What holds for the state of each function, in each weight type and option, small and large: damage is seen, both forms agree, and threads may
  * share one.
  */
namespace
{
constexpr UInt64 FEW = 4;
constexpr UInt64 MANY = 300;

UInt64 weightOf(UInt64 key) { return 1 + key * 7 % 23; }

/// A kind of state: how to make an empty one, and what its calls are named.
template <typename S>
struct Kind
{
    using State = S;

    std::string name;
    std::function<S()> make;
    std::function<void(S &, UInt64 key, UInt64 weight)> add;
    std::function<double(const S &, UInt64 key)> estimate;
    std::function<double(const S &, UInt64 key)> lower_bound;
    /// Where the headers of the images in the bytes of a large state start.
    std::function<std::vector<size_t>(std::string_view)> headers;
    /// Merging asks candidates anew, so that bytes may differ where answers do not.
    bool bytes_tell_order = false;

    [[nodiscard]] S filled(UInt64 keys) const
    {
        S state = make();
        for (UInt64 key = 0; key < keys; ++key)
            add(state, key, weightOf(key));
        return state;
    }
};

/// Bytes of the kind and the VarUInt behind it.
size_t prefixSize(std::string_view bytes)
{
    size_t size = 2;
    while ((static_cast<UInt8>(bytes[size - 1]) & 0x80) != 0)
        ++size;
    return size;
}

template <typename W>
Kind<CountMinSketchState<W>> sketchKind(const CountMinParameters & parameters)
{
    using State = CountMinSketchState<W>;
    return {
        "countMinSketch",
        [&] { return State(parameters, 8); },
        [](State & state, UInt64 key, UInt64 weight) { state.add(keyOf(key), static_cast<W>(weight)); },
        [](const State & state, UInt64 key) { return static_cast<double>(state.estimate(keyOf(key))); },
        [](const State & state, UInt64 key) { return static_cast<double>(state.lowerBound(keyOf(key))); },
        [](std::string_view bytes) { return std::vector<size_t>{prefixSize(bytes)}; }};
}

Kind<CountMinTopKState> topKKind(const CountMinParameters & parameters)
{
    using State = CountMinTopKState;
    return {
        "countMinTopK",
        [&] { return State(parameters, 2 * MANY, 8); },
        [](State & state, UInt64 key, UInt64 weight) { state.add(keyOf(key), weight); },
        [](const State & state, UInt64 key) { return static_cast<double>(state.estimate(keyOf(key))); },
        [](const State & state, UInt64 key) { return static_cast<double>(state.lowerBound(keyOf(key))); },
        [](std::string_view bytes) { return std::vector<size_t>{prefixSize(bytes)}; },
        true};
}

Kind<CountMinRangesState> rangesKind(const CountMinParameters & parameters)
{
    using State = CountMinRangesState;
    return {
        "countMinRanges",
        [&] { return State(parameters, 2); },
        [](State & state, UInt64 key, UInt64 weight) { state.add(key, weight); },
        [](const State & state, UInt64 key) { return static_cast<double>(state.count(key, key)); },
        [](const State & state, UInt64 key) { return static_cast<double>(state.lowerBound(key, key)); },
        [&](std::string_view bytes) {
            /// The images are at the end, one for each level that is not exact.
            std::vector<size_t> result;
            const auto image = static_cast<size_t>(countMinImageSize<UInt64>(parameters.cells()));
            for (size_t end = bytes.size(); end >= prefixSize(bytes) + image; end -= image)
                result.push_back(end - image);
            return result;
        }};
}

/// f(kind) for everything there is.
template <typename F>
void forEachKind(F && f)
{
    const auto with_name = [&](auto kind, std::string_view weight, const CountMinParameters & parameters) {
        kind.name += concat(' ', weight, ' ', toString(parameters.option()));
        SCOPED_TRACE(kind.name);
        f(kind);
    };
    for (const CountMinOption option :
         {CountMinOption::Plain, CountMinOption::Conservative, CountMinOption::Decayed, CountMinOption::ConservativeDecayed})
    {
        const CountMinParameters parameters(2, 9, 9001, option == CountMinOption::Plain ? RowSeeds::LibCxx : RowSeeds::LibStdCxx, option);
        with_name(sketchKind<UInt64>(parameters), "UInt64", parameters);
        if (!parameters.isConservative())
        {
            with_name(sketchKind<Int64>(parameters), "Int64", parameters);
            with_name(sketchKind<Float64>(parameters), "Float64", parameters);
        }
        if (!parameters.isDecayed())
        {
            with_name(topKKind(parameters), "UInt64", parameters);
            with_name(rangesKind(parameters), "UInt64", parameters);
        }
    }
}

bool isLarge(std::string_view bytes) { return bytes[0] % COUNT_MIN_KINDS_OF_AN_OPTION != COUNT_MIN_KIND_SMALL; }

/// The bytes are an error, or a state that writes them; never do they change a state without being taken.
template <typename K>
int tryBytes(const K & kind, const std::string & bytes, UInt64 & consumed)
{
    /// Memory of exactly this size, so that a byte read past it shows.
    const std::vector<char> exact(bytes.begin(), bytes.end());
    const std::string_view input(exact.data(), exact.size());
    auto state = kind.make();
    ReadBufferFromMemory in(input);
    const int code = codeOf([&] { state.read(in); });
    consumed = in.count();
    EXPECT_TRUE(code == 0 || code == 117 || code == 33 || code == 32) << code;
    EXPECT_EQ(serialize(state), code == 0 ? bytes.substr(0, static_cast<size_t>(consumed)) : serialize(kind.make()));
    auto merged = kind.filled(1);
    const std::string before = serialize(merged);
    ReadBufferFromMemory again(input);
    const int merge_code = codeOf([&] { merged.readAndMerge(again); });
    EXPECT_TRUE(merge_code == code || (code == 0 && merge_code == 407)) << merge_code << " for " << code;
    if (merge_code != 0)
    {
        EXPECT_EQ(serialize(merged), before);
    }
    return code;
}

template <typename K>
void tryEveryDamage(const K & kind, const typename K::State & state)
{
    const std::string bytes = serialize(state);
    UInt64 consumed = 0;
    for (size_t size = 0; size < bytes.size(); ++size)
        ASSERT_NE(tryBytes(kind, bytes.substr(0, size), consumed), 0) << size;
    std::vector<bool> is_header(bytes.size(), false);
    is_header[0] = true;
    if (isLarge(bytes))
    {
        std::fill_n(is_header.begin(), prefixSize(bytes), true);
        for (const size_t start : kind.headers(bytes))
            std::fill_n(is_header.begin() + static_cast<std::ptrdiff_t>(start), COUNT_MIN_HEADER_SIZE, true);
    }
    for (size_t bit = 0; bit < bytes.size() * 8; ++bit)
    {
        std::string damaged = bytes;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
        const int code = tryBytes(kind, damaged, consumed);
        if (is_header[bit / 8])
        {
            ASSERT_NE(code, 0) << "bit " << bit;
        }
        /// A count of fewer entries ends before the bytes do, and whoever reads on sees it.
        else if (code == 0 && bit / 8 == 1 && !isLarge(bytes))
        {
            ASSERT_LT(consumed, bytes.size()) << "bit " << bit;
        }
    }
}
}

TEST(CountMinEveryState, TruncatedBytesAndFlippedBitsOfHeadersAreNeverTaken)
{
    forEachKind([](const auto & kind) {
        const auto small = kind.filled(FEW);
        ASSERT_FALSE(isLarge(serialize(small)));
        tryEveryDamage(kind, small);
        const auto large = kind.filled(30);
        ASSERT_TRUE(isLarge(serialize(large)) || kind.name.starts_with("countMinRanges"));
        tryEveryDamage(kind, large);
        tryEveryDamage(kind, kind.make());
    });
    const CountMinParameters parameters(2, 9);
    const auto ranges = rangesKind(parameters);
    ASSERT_TRUE(isLarge(serialize(ranges.filled(MANY))));
    tryEveryDamage(ranges, ranges.filled(MANY));
}

TEST(CountMinEveryState, SmallAndLargeFormsAgree)
{
    forEachKind([](const auto & kind) {
        const auto small = kind.filled(FEW);
        ASSERT_FALSE(isLarge(serialize(small)));
        for (UInt64 key = 0; key < FEW; ++key)
            ASSERT_EQ(kind.estimate(small, key), static_cast<double>(weightOf(key)));
        ASSERT_EQ(kind.estimate(small, FEW), 0);
        /// Merged into a large state a small one is what adding its keys in order is.
        auto merged = kind.filled(MANY);
        ASSERT_TRUE(isLarge(serialize(merged)));
        auto fed = kind.filled(MANY);
        merged.merge(small);
        auto read = kind.filled(MANY);
        const std::string small_bytes = serialize(small);
        ReadBufferFromMemory in(small_bytes);
        read.readAndMerge(in);
        for (UInt64 key = 0; key < FEW; ++key)
            kind.add(fed, key, weightOf(key));
        ASSERT_EQ(serialize(read), serialize(merged));
        ASSERT_EQ(merged.total(), fed.total());
        if (!kind.bytes_tell_order)
        {
            ASSERT_EQ(serialize(merged), serialize(fed));
        }
        for (UInt64 key = 0; key <= MANY; ++key)
        {
            ASSERT_EQ(kind.estimate(merged, key), kind.estimate(fed, key)) << key;
            ASSERT_EQ(kind.lower_bound(merged, key), kind.lower_bound(fed, key)) << key;
            const UInt64 truth = key == MANY ? 0 : weightOf(key) * (key < FEW ? 2 : 1);
            ASSERT_GE(kind.estimate(merged, key), static_cast<double>(truth)) << key;
            ASSERT_LE(kind.lower_bound(merged, key), kind.estimate(merged, key)) << key;
        }
        /// A large state merged into a small one is the same state.
        auto other_way = kind.filled(FEW);
        other_way.merge(kind.filled(MANY));
        ASSERT_EQ(serialize(other_way), serialize(merged));
    });
}

/// Run by the tsan preset.
TEST(CountMinEveryState, ConstCallsMayBeShared)
{
    forEachKind([](const auto & kind) {
        for (const UInt64 keys : {FEW, MANY})
        {
            const auto state = kind.filled(keys);
            const std::string bytes = serialize(state);
            const double expected = kind.estimate(state, 1);
            std::vector<int> agreed(3, 0);
            std::vector<std::thread> threads;
            for (size_t t = 0; t < agreed.size(); ++t)
                threads.emplace_back([&, t] {
                    bool all = true;
                    for (int round = 0; round < 10; ++round)
                    {
                        all &= kind.estimate(state, 1) == expected && kind.lower_bound(state, 1) <= expected;
                        all &= serialize(state) == bytes && state.heldBytes() > 0;
                        auto copy = kind.make();
                        copy.merge(state);
                        all &= copy.total() == state.total();
                        if constexpr (requires { state.top(3); })
                            all &= state.top(3).size() == 3;
                        if constexpr (requires { state.quantile(0.5); })
                            all &= state.quantile(0) == 0 && state.quantile(1) < 65536;
                    }
                    agreed[t] = all;
                });
            for (std::thread & thread : threads)
                thread.join();
            ASSERT_EQ(agreed, std::vector<int>(3, 1));
        }
    });
}
