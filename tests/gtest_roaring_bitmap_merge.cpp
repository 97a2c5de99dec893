#include "AllocationCounter.h"
#include "Serialize.h"
#include "TornReadBuffer.h"

#include <statewire/AggregateFunctions/RoaringBitmapCombinedState.h>
#include <statewire/Common/Exception.h>
#include <statewire/IO/ReadBufferFromMemory.h>

#include <gtest/gtest.h>

#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

/** Many states in one call: the same as one after another, whatever the storages. */

using namespace DB;
using namespace statewire_tests;

namespace
{
template <typename T>
RoaringBitmapState<T> build(const std::vector<T> & values)
{
    RoaringBitmapState<T> result;
    result.addBatch(values.data(), values.size());
    return result;
}

/// States of every storage and shape: empty, small, at the border of small, arrays, bitsets, runs, unsealed, borrowed, borrowed and changed.
template <typename T>
std::vector<RoaringBitmapState<T>> someStates(std::mt19937_64 & random, size_t n)
{
    std::vector<RoaringBitmapState<T>> result;
    for (size_t i = 0; i < n; ++i)
    {
        static constexpr size_t SIZES[] = {0, 1, 5, 31, 32, 33, 100, 4096, 4097, 9000};
        const size_t size = SIZES[random() % std::size(SIZES)];
        const UInt64 base = random() % 3 == 0 ? random() : random() % 3 * 65000;
        const UInt64 spread = random() % 2 ? 2 * size + 1 : 200000;
        const bool is_run = random() % 4 == 0;
        std::vector<T> values;
        for (size_t j = 0; j < size; ++j)
            values.push_back(static_cast<T>(base + (is_run ? j : random() % spread)));
        RoaringBitmapState<T> state;
        if (random() % 2)
            state.addBatch(values.data(), values.size());
        else
            for (const T value : values)
                state.add(value);
        if (random() % 2)
        {
            const auto bytes = std::make_shared<std::string>(serialize(state));
            ReadBufferFromMemory in(*bytes);
            state = {};
            state.read(in, bytes);
            if (random() % 2)
                state.add(static_cast<T>(random()));
        }
        result.push_back(std::move(state));
    }
    return result;
}

template <typename T>
std::vector<const RoaringBitmapState<T> *> pointersTo(const std::vector<RoaringBitmapState<T>> & states)
{
    std::vector<const RoaringBitmapState<T> *> result;
    for (const auto & state : states)
        result.push_back(&state);
    return result;
}
}

template <typename T>
class RoaringBitmapMerge : public testing::Test
{
};
using ElementTypes = testing::Types<UInt8, UInt16, UInt32, UInt64, Int8, Int16, Int32, Int64>;
TYPED_TEST_SUITE(RoaringBitmapMerge, ElementTypes);

TYPED_TEST(RoaringBitmapMerge, ManyAreMergedAsOneAfterAnother)
{
    using State = RoaringBitmapState<TypeParam>;
    for (UInt64 seed = 1; seed <= 25; ++seed)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937_64 random(seed);
        const auto states = someStates<TypeParam>(random, random() % 12);
        const auto pointers = pointersTo(states);
        std::string all;
        std::vector<std::string> before;
        for (const State & state : states)
        {
            all += serialize(state);
            before.push_back(serialize(state));
        }
        for (const State & start : someStates<TypeParam>(random, 6))
        {
            State expected = start;
            for (const State & state : states)
                expected.merge(state);
            State merged = start;
            merged.mergeMany(pointers);
            ASSERT_EQ(serialize(merged), serialize(expected));
            ASSERT_EQ(merged.cardinality() <= State::MAX_SMALL, merged.storage() == State::Storage::Small);

            const auto owner = std::make_shared<std::string>(all + "rest");
            for (const bool has_owner : {true, false})
            {
                State read = start;
                ReadBufferFromMemory in(*owner);
                read.readAndMergeMany(in, states.size(), has_owner ? owner : nullptr);
                ASSERT_EQ(in.count(), all.size());
                ASSERT_EQ(serialize(read), serialize(expected));
            }
            State torn = start;
            TornReadBuffer in(all, TORN_SIZES[random() % std::size(TORN_SIZES)]);
            torn.readAndMergeMany(in, states.size());
            ASSERT_EQ(serialize(torn), serialize(expected));
        }
        for (size_t i = 0; i < states.size(); ++i)
            ASSERT_EQ(serialize(states[i]), before[i]) << "merging must not change its inputs";
    }
}

TYPED_TEST(RoaringBitmapMerge, ManyAreCombinedAsOneAfterAnother)
{
    using State = RoaringBitmapState<TypeParam>;
    for (UInt64 seed = 1; seed <= 25; ++seed)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937_64 random(seed);
        auto states = someStates<TypeParam>(random, 1 + random() % 6);
        /// So that intersections are not always empty.
        const auto common = someStates<TypeParam>(random, 1);
        for (State & state : states)
            if (random() % 4 != 0)
                state.merge(common[0]);
        const auto pointers = pointersTo(states);
        const auto check = [&]<SetOperation operation>() {
            State expected = states[0];
            for (size_t i = 1; i < states.size(); ++i)
                expected = State::combine(operation, expected, states[i]);
            ASSERT_EQ(serialize(State::combineMany(operation, pointers)), serialize(expected));
            RoaringBitmapCombinedState<TypeParam, operation> one_by_one;
            for (const State & state : states)
                one_by_one.add(state);
            ASSERT_EQ(serialize(one_by_one), "1" + serialize(expected));
            for (size_t split = 0; split <= states.size(); ++split)
            {
                RoaringBitmapCombinedState<TypeParam, operation> at_once;
                at_once.addMany(std::span(pointers).first(split));
                ASSERT_EQ(at_once.wasFed(), split != 0);
                at_once.addMany(std::span(pointers).subspan(split));
                ASSERT_EQ(serialize(at_once), serialize(one_by_one));
                /// The same from two partial states, read back and merged.
                RoaringBitmapCombinedState<TypeParam, operation> left;
                left.addMany(std::span(pointers).first(split));
                RoaringBitmapCombinedState<TypeParam, operation> right;
                right.addMany(std::span(pointers).subspan(split));
                const std::string bytes = serialize(right);
                ReadBufferFromMemory in(bytes);
                left.readAndMerge(in);
                ASSERT_EQ(serialize(left), serialize(one_by_one));
            }
        };
        check.template operator()<SetOperation::And>();
        check.template operator()<SetOperation::Or>();
        check.template operator()<SetOperation::Xor>();
    }
    EXPECT_TRUE(State::combineMany(SetOperation::And, {}).empty());
    EXPECT_TRUE(State::combineMany(SetOperation::Or, {}).empty());
}

TEST(RoaringBitmapMergeMany, ABadStateAmongManyChangesNothing)
{
    std::vector<UInt32> values;
    for (UInt32 i = 0; i < 5000; ++i)
        values.push_back(i * 7);
    const std::string good = serialize(build(values));
    std::string bad = good;
    bad[bad.size() / 2] = static_cast<char>(~bad[bad.size() / 2]);
    for (const auto & start : {build<UInt32>({}), build<UInt32>({1, 2}), build(values)})
        for (const std::string & last : {bad, good.substr(0, good.size() - 1), std::string("\2"), std::string()})
        {
            RoaringBitmapState<UInt32> state = start;
            const std::string bytes = good + good + good + good + good + last;
            ReadBufferFromMemory in(bytes);
            EXPECT_THROW(state.readAndMergeMany(in, 6), Exception);
            EXPECT_EQ(serialize(state), serialize(start));
        }
}

/// Merging into a state of a hundred borrowed bitsets copies the containers that change, and merging such states copies no input.
TEST(RoaringBitmapMergeMany, CopiesOnlyWhatChanges)
{
    constexpr size_t CONTAINERS = 100;
    std::vector<UInt32> even;
    for (UInt32 value = 0; value < CONTAINERS * 65536; value += 2)
        even.push_back(value);
    const auto bytes = std::make_shared<std::string>(serialize(build(even)));
    ASSERT_GT(bytes->size(), CONTAINERS * 8192);
    const auto borrow = [&] {
        RoaringBitmapState<UInt32> state;
        ReadBufferFromMemory in(*bytes);
        state.read(in, bytes);
        EXPECT_EQ(state.heldBytes(), 0u);
        return state;
    };
    const std::vector<RoaringBitmapState<UInt32>> few{
        build<UInt32>({1, 3, 5}), build<UInt32>({7, 9}), build<UInt32>({65537}), build<UInt32>({11}), build<UInt32>({13, 65539}), build<UInt32>({15})};
    const auto pointers = pointersTo(few);
    RoaringBitmapState<UInt32> one_by_one = borrow();
    RoaringBitmapState<UInt32> at_once = borrow();
    {
        const AllocationCounter counter;
        for (const auto & state : few)
            one_by_one.merge(state);
        EXPECT_LT(counter.peakBytes(), 3 * 8192 + 60 * CONTAINERS);
    }
    {
        const AllocationCounter counter;
        at_once.mergeMany(pointers);
        EXPECT_LT(counter.peakBytes(), 3 * 8192 + 60 * CONTAINERS + 100000);
    }
    EXPECT_EQ(at_once.cardinality(), even.size() + 10);
    EXPECT_EQ(serialize(at_once), serialize(one_by_one));

    /// Many equal inputs: the result alone is built.
    std::vector<RoaringBitmapState<UInt32>> same;
    for (int i = 0; i < 20; ++i)
        same.push_back(borrow());
    const auto same_pointers = pointersTo(same);
    const AllocationCounter counter;
    const auto united = RoaringBitmapState<UInt32>::combineMany(SetOperation::Or, same_pointers);
    EXPECT_LT(counter.peakBytes(), 2 * bytes->size());
    EXPECT_EQ(serialize(united), *bytes);
}
