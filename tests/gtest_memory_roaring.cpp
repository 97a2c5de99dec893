#include "CaseSample.h"
#include "MemoryTests.h"

#include <statewire/AggregateFunctions/RoaringBitmapCombinedState.h>
#include <statewire/AggregateFunctions/RoaringBitmapState.h>
#include <statewire/IO/ReadBufferFromMemory.h>
#include <statewire/Roaring/RoaringMerge.h>
#include <statewire/Roaring/RoaringOperations.h>

#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

/** Memory of bitmaps: every byte is counted, and what a limit refuses leaves them whole. */

using namespace DB;
using namespace statewire_tests;

namespace
{
template <typename T>
using Values = std::vector<T>;

template <typename T>
Values<T> randomValues(std::mt19937_64 & random, size_t n, UInt64 spread)
{
    Values<T> values(n);
    for (T & value : values)
        value = static_cast<T>(random() % spread);
    return values;
}

template <typename T>
Values<T> rangeOf(UInt64 first, size_t n, UInt64 step = 1)
{
    Values<T> values(n);
    for (size_t i = 0; i < n; ++i)
        values[i] = static_cast<T>(first + i * step);
    return values;
}

template <typename T>
RoaringBitmapState<T> stateOf(const Values<T> & values)
{
    RoaringBitmapState<T> state;
    state.addBatch(values.data(), values.size());
    return state;
}

/// A state that shows bytes of the string.
template <typename T>
RoaringBitmapState<T> borrowedFrom(const std::shared_ptr<std::string> & bytes)
{
    ReadBufferFromMemory in(*bytes);
    RoaringBitmapState<T> state;
    state.read(in, bytes);
    return state;
}

/// The storages and shapes that operations tell apart.
template <typename T>
struct Forms
{
    std::vector<std::pair<std::string, std::function<RoaringBitmapState<T>()>>> all;

    explicit Forms(std::mt19937_64 & random)
    {
        const UInt64 width = sizeof(T) == 8 ? UInt64{1} << 34 : sizeof(T) == 4 ? UInt64{1} << 19 : UInt64{1} << (8 * sizeof(T) - 1);
        const auto add = [&](std::string name, Values<T> values) {
            all.emplace_back(std::move(name), [values] { return stateOf(values); });
        };
        add("empty", {});
        add("inline", randomValues<T>(random, 3, width));
        add("small", randomValues<T>(random, 30, width));
        add("full small", rangeOf<T>(1, 32, 3));
        add("arrays", randomValues<T>(random, 300, width));
        add("runs", rangeOf<T>(5, 100));
        if (sizeof(T) >= 2)
            add("bitset", rangeOf<T>(7, 10000, 2));
        if (sizeof(T) >= 4)
        {
            add("many containers", rangeOf<T>(1000, 20, 70000));
            all.emplace_back("pending", [first = rangeOf<T>(0, 3000, 100), values = randomValues<T>(random, 700, 1 << 18)] {
                RoaringBitmapState<T> state = stateOf(first);
                for (const T value : values)
                    state.add(value);
                return state;
            });
        }
        const auto bytes = std::make_shared<std::string>(serialize(stateOf(rangeOf<T>(3, sizeof(T) == 1 ? 100 : 9000, sizeof(T) == 1 ? 1 : 3))));
        all.emplace_back("borrowed", [bytes] { return borrowedFrom<T>(bytes); });
        all.emplace_back("borrowed and changed", [bytes] {
            RoaringBitmapState<T> state = borrowedFrom<T>(bytes);
            state.add(static_cast<T>(2));
            return state;
        });
    }
};

template <typename T>
struct Operation
{
    std::string name;
    std::function<void(RoaringBitmapState<T> &)> run;
};

template <typename T>
std::vector<Operation<T>> unions(std::mt19937_64 & random)
{
    std::vector<Operation<T>> result;
    const auto others = std::make_shared<std::vector<RoaringBitmapState<T>>>();
    const auto serialized = std::make_shared<std::vector<std::string>>();
    const auto all_serialized = std::make_shared<std::string>();
    Forms<T> forms(random);
    for (auto & [name, make] : forms.all)
    {
        others->push_back(make());
        serialized->push_back(serialize(others->back()));
        *all_serialized += serialized->back();
    }
    for (size_t i = 0; i < others->size(); ++i)
    {
        result.push_back({"merge " + forms.all[i].first, [others, i](auto & state) { state.merge((*others)[i]); }});
        result.push_back({"merge and take " + forms.all[i].first, [others, i](auto & state) {
                              RoaringBitmapState<T> other((*others)[i]);
                              state.merge(std::move(other));
                              EXPECT_TRUE(other.empty());
                          }});
        result.push_back({"read and merge " + forms.all[i].first, [serialized, i](auto & state) {
                              ReadBufferFromMemory in((*serialized)[i]);
                              state.readAndMerge(in);
                          }});
    }
    result.push_back({"merge many", [others](auto & state) {
                          std::array<const RoaringBitmapState<T> *, 16> pointers{};
                          for (size_t i = 0; i < others->size(); ++i)
                              pointers[i] = &(*others)[i];
                          state.mergeMany(std::span(pointers.data(), others->size()));
                      }});
    result.push_back({"read and merge many", [all_serialized, n = others->size()](auto & state) {
                          ReadBufferFromMemory in(*all_serialized);
                          state.readAndMergeMany(in, n);
                      }});
    const auto batch = [&](std::string name, Values<T> values) {
        result.push_back({std::move(name), [values](auto & state) { state.addBatch(values.data(), values.size()); }});
    };
    batch("add a sorted batch", rangeOf<T>(100, 300, sizeof(T) == 1 ? 1 : 700));
    batch("add a batch", randomValues<T>(random, 2000, sizeof(T) >= 4 ? UInt64{1} << 19 : 200));
    batch("add a dense batch", randomValues<T>(random, 9000, 30000));
    result.push_back({"add", [](auto & state) { state.add(static_cast<T>(~T{0} / 2)); }});
    result.push_back({"add an early one", [](auto & state) { state.add(T{0}); }});
    result.push_back({"seal", [](auto & state) { state.seal(); }});
    return result;
}

template <typename T>
bool isSubset(const RoaringBitmapState<T> & a, const RoaringBitmapState<T> & b)
{
    return RoaringBitmapState<T>::combinedCardinality(SetOperation::AndNot, a, b) == 0;
}

template <typename T>
class MemoryOfRoaring : public testing::Test
{
};
using Types = testing::Types<UInt8, Int16, UInt32, UInt64>;
TYPED_TEST_SUITE(MemoryOfRoaring, Types);
}

TYPED_TEST(MemoryOfRoaring, EveryByteIsCounted)
{
    using T = TypeParam;
    std::mt19937_64 random(20);
    const Forms<T> forms(random);
    const std::vector<Operation<T>> operations = unions<T>(random);
    for (const auto & [form, make_form] : forms.all)
    {
        const auto & make = make_form;
        SCOPED_TRACE(form);
        expectEveryByteCounted([&] { const RoaringBitmapState<T> state = make(); });
        const MemoryTrackerPtr tracker = std::make_shared<MemoryTracker>();
        MemoryTrackerScope scope(tracker, NO_GATHER);
        for (const Operation<T> & operation : operations)
        {
            SCOPED_TRACE(operation.name);
            {
                RoaringBitmapState<T> state = make();
                operation.run(state);
                state.seal();
                if (state.storage() != RoaringBitmapState<T>::Storage::Borrowed && !operation.name.starts_with("read"))
                {
                    EXPECT_EQ(tracker->amount(), static_cast<Int64>(state.heldBytes()));
                }
                const RoaringBitmapState<T> copy(state);
            }
            EXPECT_EQ(tracker->amount(), 0);
            expectEveryByteCounted([&] {
                RoaringBitmapState<T> state = make();
                operation.run(state);
            });
        }
    }
}

TYPED_TEST(MemoryOfRoaring, UnionsThatAreRefusedLoseNothing)
{
    using T = TypeParam;
    std::mt19937_64 random(21);
    const Forms<T> forms(random);
    const std::vector<Operation<T>> operations = unions<T>(random);
    CaseSample sample("forms and unions");
    size_t failures = 0;
    for (const auto & [form, make] : forms.all)
        for (const Operation<T> & operation : operations)
        {
            if (!sample.takes(form))
                continue;
            SCOPED_TRACE(form + ", " + operation.name);
            const RoaringBitmapState<T> before = make();
            RoaringBitmapState<T> after = make();
            operation.run(after);
            const std::string expected = serialize(after);
            failures += failEachAllocation(make, operation.run, [&](RoaringBitmapState<T> & state) {
                EXPECT_TRUE(isSubset(before, state));
                EXPECT_TRUE(isSubset(state, after));
                EXPECT_EQ(state.storage() == RoaringBitmapState<T>::Storage::Small, state.cardinality() <= 32);
                operation.run(state);
                EXPECT_EQ(serialize(state), expected);
            });
        }
    EXPECT_GT(failures, 100u / SAMPLED_ONE_IN);
}

TYPED_TEST(MemoryOfRoaring, OtherCallsThatAreRefusedChangeNothing)
{
    using T = TypeParam;
    std::mt19937_64 random(22);
    const Forms<T> forms(random);
    CaseSample sample("pairs of forms");
    for (const auto & [form, make_form] : forms.all)
    {
        const auto & make = make_form;
        SCOPED_TRACE(form);
        const std::string bytes = serialize(make());
        const auto make_bitmap = [&] { return make().toBitmap(); };
        const RoaringBitmap unchanged = make_bitmap();
        const auto same = [&](const RoaringBitmap & bitmap) { EXPECT_TRUE(bitmap == unchanged); };
        for (const auto & [other_form, make_other] : forms.all)
        {
            if (!sample.takes(form))
                continue;
            SCOPED_TRACE(other_form);
            const RoaringBitmap other = make_other().toBitmap();
            for (const SetOperation operation : {SetOperation::And, SetOperation::Xor, SetOperation::AndNot})
            {
                failEachAllocation(make_bitmap, [&](RoaringBitmap & bitmap) { bitmap.combineWith(operation, other); }, same);
                if (operation == SetOperation::AndNot)
                    continue;
                using Combined = RoaringBitmapCombinedState<T, SetOperation::Xor>;
                const RoaringBitmapState<T> other_state = make_other();
                std::vector<const RoaringBitmapState<T> *> many(8, &other_state);
                const auto make_combined = [&] {
                    Combined combined;
                    combined.add(make());
                    return combined;
                };
                const auto same_combined = [&](const Combined & combined) {
                    EXPECT_EQ(serialize(combined.set()), bytes);
                    EXPECT_TRUE(combined.wasFed());
                };
                failEachAllocation(make_combined, [&](Combined & combined) { combined.add(other_state); }, same_combined);
                failEachAllocation(make_combined, [&](Combined & combined) { combined.addMany(many); }, same_combined);
            }
        }
        failEachAllocation(make_bitmap, [](RoaringBitmap & bitmap) { bitmap.removeRange(110, 140); }, same);
        failEachAllocation(make_bitmap, [](RoaringBitmap & bitmap) { bitmap.removeRange(70001, 300000); }, same);
        failEachAllocation(make_bitmap, [](RoaringBitmap & bitmap) { bitmap.flip(70001, 300000); }, same);
        failEachAllocation(make_bitmap, [](RoaringBitmap & bitmap) { bitmap.optimize(); }, same);
        failEachAllocation(
            [] { return RoaringBitmapState<T>(); },
            [&](RoaringBitmapState<T> & state) {
                ReadBufferFromMemory in(bytes);
                state.read(in);
            },
            [](const RoaringBitmapState<T> & state) { EXPECT_TRUE(state.empty()); });
        failEachAllocation(
            [] { return RoaringBitmapCombinedState<T, SetOperation::Or>(); },
            [&](auto & combined) {
                ReadBufferFromMemory in(bytes);
                combined.readAndMerge(in, 0);
            },
            [](const auto & combined) {
                EXPECT_TRUE(combined.set().empty());
                EXPECT_FALSE(combined.wasFed());
            });
    }
}

TEST(MemoryOfRoaringMerge, EveryByteIsCounted)
{
    std::mt19937_64 random(23);
    std::vector<RoaringBitmap> bitmaps;
    for (size_t i = 0; i < 40; ++i)
        bitmaps.push_back(stateOf(randomValues<UInt32>(random, 3000, UInt64{1} << 24)).toBitmap());
    std::vector<RoaringCursor> cursors;
    for (RoaringBitmap & bitmap : bitmaps)
    {
        bitmap.seal();
        cursors.push_back(RoaringSnapshot(bitmap).cursor());
    }
    for (const SetOperation operation : {SetOperation::And, SetOperation::Or, SetOperation::Xor})
        expectEveryByteCounted([&] { const RoaringBitmap merged = roaringMerge(operation, cursors); });
}
