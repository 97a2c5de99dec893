#include "Serialize.h"

#include <statewire/AggregateFunctions/RoaringBitmapCombinedState.h>
#include <statewire/AggregateFunctions/RoaringBitmapFunctions.h>
#include <statewire/IO/ReadBufferFromMemory.h>
#include <statewire/IO/WriteBufferFromVector.h>
#include <statewire/Roaring/RoaringIterator.h>
#include <statewire/Roaring/RoaringMerge.h>
#include <statewire/Roaring/RoaringOperations.h>
#include <statewire/Roaring/RoaringStatistics.h>
#include <statewire/Roaring/RoaringWriter.h>

#include <gtest/gtest.h>

#include <atomic>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

/** Every const call on one state, by eight threads at once: under ThreadSanitizer it shows that none of them writes. */

using namespace DB;
using statewire_tests::serialize;

namespace
{
using State = RoaringBitmapState<UInt32>;
using Functions = BitmapFunctions<UInt32>;

constexpr SetOperation ALL_OPERATIONS[] = {SetOperation::And, SetOperation::Or, SetOperation::Xor, SetOperation::AndNot};

/// The answers to every question about a set, as one text.
std::string askSet(const RoaringSnapshot & set, const RoaringSnapshot & other)
{
    std::string answers;
    const auto note = [&](UInt64 number) { answers += std::to_string(number) + ' '; };
    const auto note_optional = [&](std::optional<UInt64> number) { note(number.value_or(~UInt64{0})); };
    const auto note_bitmap = [&](const RoaringBitmap & bitmap) { answers += serialize(bitmap, RoaringFormat::Portable64); };
    for (const UInt64 probe : {UInt64{0}, UInt64{19000}, UInt64{65536}, UInt64{777777}, UInt64{9999998}})
    {
        note(roaringRank(set, probe));
        note_optional(roaringSelect(set, probe));
        note_optional(roaringIndex(set, probe));
        note_optional(roaringNext(set, probe));
        note_optional(roaringPrevious(set, probe));
        note_optional(roaringNextAbsent(set, probe));
        note_optional(roaringPreviousAbsent(set, probe));
        note(roaringContainsRange(set, probe, probe + 1));
        note(roaringIntersectsRange(set, probe, probe + 9999));
        note(roaringRangeCardinality(set, probe / 2, probe));
        note_bitmap(roaringSubset(set, probe / 2, probe));
        note_bitmap(roaringSubsetLimit(set, probe, 100));
        note_bitmap(roaringSlice(set, probe % 100, 100));
        note_bitmap(roaringShift(set, probe, probe % 2));
    }
    note_optional(roaringMinimum(set));
    note_optional(roaringMaximum(set));
    for (const SetOperation operation : ALL_OPERATIONS)
    {
        note_bitmap(roaringCombine(operation, set, other));
        note_bitmap(roaringCombine(operation, other, set));
        note(roaringCombinedCardinality(operation, set, other));
    }
    note(roaringEquals(set, other));
    note(roaringIntersects(set, other));
    note(roaringIsSubset(set, other));
    note(roaringIsStrictSubset(set, other));
    note(static_cast<UInt64>(1000000 * roaringJaccard(set, other)));
    for (const SetOperation operation : {SetOperation::And, SetOperation::Or, SetOperation::Xor})
    {
        const RoaringCursor cursors[] = {set.cursor(), other.cursor(), set.cursor(), set.cursor()};
        note_bitmap(roaringMerge(operation, cursors));
    }
    answers += roaringStatistics(set).describe();
    note(roaringToArray(set).size());
    note(roaringToArray32(set).size());
    note(roaringToBits(set).size());
    UInt64 sum = 0;
    for (const UInt64 value : RoaringValues(set))
        sum += value;
    forEachValue(set, [&](UInt64 value) { sum += value; });
    RoaringBatchIterator batch(set);
    batch.seek(70000);
    UInt64 buffer[100];
    for (size_t i = 0, n = batch.read(buffer, std::size(buffer)); i < n; ++i)
        sum += buffer[i];
    note(sum);
    RoaringCursor cursor = set.cursor();
    note(cursor.remainingCardinality() + cursor.knownSize());
    cursor.seek(1);
    note(cursor.valid() ? cursor.key() + cursor.cardinality() + cursor.copy().cardinality() : 0);
    RoaringBackwardIterator backward(set);
    backward.seek(9999998);
    UInt64 first = 0;
    UInt64 last = 0;
    for (int i = 0; i < 100 && backward.next(first); ++i)
        note(first);
    RoaringRangeIterator ranges(set);
    for (int i = 0; i < 100 && ranges.next(first, last); ++i)
        note(last - first);
    note(RoaringWriter(set.cursor(), RoaringFormat::Portable32).size());
    return answers;
}

/// The same for a state.
std::string askState(const State & state, const State & other)
{
    std::string answers = serialize(state);
    const auto note = [&](UInt64 number) { answers += std::to_string(number) + ' '; };
    const auto note_state = [&](const State & result) { answers += serialize(result); };
    note(state.serializedSize());
    note(state.cardinality());
    note(state.empty());
    note(static_cast<UInt64>(state.storage()));
    note(state.heldBytes());
    note(state.contains(77) + state.containsRaw(4000000000) + Functions::contains(state, 4000000000));
    note(state.borrowedView() ? state.borrowedView()->cardinality() + state.borrowedView()->contains(77) : 0);
    note(Functions::toArray(state).size());
    UInt64 sum = 0;
    state.forEach([&](UInt32 value) { sum += value; });
    note(sum);
    note_state(State(state));
    note_state(State::fromBitmap(state.toBitmap()));
    State merged = other;
    merged.merge(state);
    note_state(merged);
    const State * many[] = {&state, &other, &state, &state, &other};
    merged.mergeMany(many);
    note_state(merged);
    State changed(state);
    changed.add(4000000001);
    note_state(changed);
    for (const SetOperation operation : ALL_OPERATIONS)
    {
        note_state(State::combine(operation, state, other));
        note(State::combinedCardinality(operation, other, state));
        if (operation != SetOperation::AndNot)
            note_state(State::combineMany(operation, many));
    }
    RoaringBitmapCombinedState<UInt32, SetOperation::And> combined;
    combined.add(state);
    combined.addMany(many);
    answers += serialize(combined, size_t{1});
    note(Functions::minimum(state) + Functions::maximum(state));
    note(Functions::rank(state, 70000));
    note(Functions::select(state, 5));
    note(Functions::rangeCardinality(state, 5, 70000));
    note(Functions::hasAny(state, other) + 2 * Functions::hasAll(state, other));
    note(static_cast<UInt64>(1000000 * Functions::jaccard(state, other)));
    note_state(Functions::subsetInRange(state, 5, 70000));
    note_state(Functions::subsetLimit(state, 5, 10));
    note_state(Functions::subBitmap(state, 3, 10));
    note_state(Functions::shift(state, 9, false));
    note_state(Functions::flip(state, 9, 99));
    note_state(Functions::transform(state, std::vector<UInt32>{1000, 2}, std::vector<UInt32>{2, 3}));
    for (const bool is_indexed : {true, false})
    {
        const RoaringBitmapProbe<UInt32> probe(state, is_indexed);
        note(probe.contains(77) + probe.rank(70000) + probe.select(5));
    }
    state.withSet([&](const RoaringSnapshot & set) {
        other.withSet([&](const RoaringSnapshot & other_set) { answers += askSet(set, other_set); });
    });
    return answers;
}

/// `ask()` alone, and by eight threads: the same answers.
template <typename Ask>
void askTogether(Ask && ask)
{
    const std::string expected = ask();
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] { wrong += ask() != expected; });
    for (std::thread & thread : threads)
        thread.join();
    EXPECT_EQ(wrong, 0);
}

State someState(UInt32 n, UInt32 factor)
{
    State state;
    for (UInt32 i = 0; i < n; ++i)
        state.add(i * factor % 1000000);
    return state;
}
}

TEST(RoaringThreads, ConstCallsShareAState)
{
    const State other = someState(1000, 77);
    const auto ask = [&](const State & state) { askTogether([&] { return askState(state, other); }); };
    ask(someState(20, 1000));
    const State unsealed = someState(5000, 2654435761u);
    ASSERT_FALSE(unsealed.toBitmap().isSealed());
    ask(unsealed);

    const auto bytes = std::make_shared<std::string>(serialize(unsealed));
    State borrowed;
    ReadBufferFromMemory in(*bytes);
    borrowed.read(in, bytes);
    ASSERT_EQ(borrowed.storage(), State::Storage::Borrowed);
    ask(borrowed);

    /// Owned, and most containers still in the borrowed bytes.
    borrowed.add(9999999);
    ASSERT_EQ(borrowed.storage(), State::Storage::Owned);
    ask(borrowed);
}

TEST(RoaringThreads, ConstCallsShareACombinedState)
{
    RoaringBitmapCombinedState<UInt32, SetOperation::Or> combined;
    combined.add(someState(3000, 2654435761u));
    combined.add(someState(500, 12345));
    const State other = someState(1000, 77);
    const auto & shared = combined;
    askTogether([&] {
        RoaringBitmapCombinedState<UInt32, SetOperation::Or> merged(shared);
        merged.add(other);
        merged.merge(shared);
        return serialize(shared, size_t{1}) + serialize(shared, size_t{0}) + serialize(merged, size_t{1}) + askState(shared.set(), other)
            + std::to_string(shared.wasFed() + shared.heldBytes());
    });
}

TEST(RoaringThreads, ConstCallsShareABitmapAViewAndADirectory)
{
    RoaringBitmap bitmap;
    for (UInt64 i = 0; i < 20000; ++i)
        bitmap.add(i * 2654435761u % 3000000);
    bitmap.addRange(100000, 300000);
    bitmap.add(5);
    ASSERT_FALSE(bitmap.isSealed());
    const RoaringBitmap other = RoaringBitmap::range(150000, 400000);
    const std::string image = serialize(bitmap, RoaringFormat::Portable64);
    const RoaringView view = RoaringView::parse(image, RoaringFormat::Portable64);
    const RoaringDirectory directory(view);
    askTogether([&] {
        return askSet(bitmap, other) + (bitmap == other ? "equal" : bitmap.empty() ? "empty" : bitmap.isSealed() ? "sealed" : "") + std::to_string(bitmap.cardinality() + bitmap.minimum() + bitmap.maximum() + bitmap.contains(5))
            + std::to_string(bitmap.serializedSize(RoaringFormat::Portable32) + bitmap.heldBytes()) + serialize(bitmap, RoaringFormat::Portable32)
            + serialize(RoaringBitmap(bitmap), RoaringFormat::Portable64);
    });
    askTogether([&] {
        RoaringBitmap borrowing = RoaringBitmap::borrow(view);
        borrowing.merge(view);
        borrowing.add(1);
        RoaringBitmap merged = other;
        merged.merge(bitmap);
        merged.combineWith(SetOperation::Xor, view);
        std::string merged_bytes;
        WriteBufferFromString out(merged_bytes);
        const RoaringView views[] = {view, view, view};
        roaringMerge(SetOperation::Xor, views, out, RoaringFormat::Portable64);
        out.finalize();
        return merged_bytes + askSet(view, bitmap) + std::to_string(view.cardinality() + view.contains(5)) + serialize(borrowing, RoaringFormat::Portable64)
            + serialize(merged, RoaringFormat::Portable64);
    });
    askTogether([&] {
        UInt64 sum = directory.cardinality() + directory.containers() + directory.heldBytes();
        for (UInt64 probe = 0; probe < 3000000; probe += 9999)
            sum += directory.contains(probe) + directory.rank(probe) + directory.select(probe / 100).value_or(0)
                + directory.next(probe).value_or(0) + directory.previous(probe).value_or(0);
        return std::to_string(sum);
    });
}
