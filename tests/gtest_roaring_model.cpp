#include "CaseSample.h"
#include "Serialize.h"

#include <statewire/IO/WriteBufferFromVector.h>
#include <statewire/Roaring/RoaringDirectory.h>
#include <statewire/Roaring/RoaringExpand.h>
#include <statewire/Roaring/RoaringIterator.h>
#include <statewire/Roaring/RoaringMerge.h>
#include <statewire/Roaring/RoaringOperations.h>
#include <statewire/Roaring/RoaringQueries.h>
#include <statewire/Roaring/RoaringSlices.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

/** Programs of thousands of operations over 32 and 64 bits beside a model that knows nothing of containers, with Full validation, owner against
  * view and questions after every step. What borders the programs came to is counted, and each must have been there.
  *
  * STATEWIRE_EXTENDED_TESTS=N runs N times as many programs (minutes), STATEWIRE_SEED=S begins at another seed.
  */

using namespace DB;
using namespace statewire_tests;

namespace
{
constexpr UInt64 LAST64 = ~UInt64{0};
constexpr UInt64 LAST32 = 0xffffffff;
constexpr SetOperation ALL_OPERATIONS[] = {SetOperation::And, SetOperation::Or, SetOperation::Xor, SetOperation::AndNot};

/** A set as the numbers where membership changes, ascending: {0, 5, 9} is [0, 5) and all from 9 on. An odd number of them means that the last
  * range goes on to 2^64 - 1, so that no number beyond it is needed.
  */
class Model
{
public:
    using Range = std::pair<UInt64, UInt64>;

    Model() = default;
    Model(UInt64 first, UInt64 last)
    {
        borders.push_back(first);
        if (last != LAST64)
            borders.push_back(last + 1);
    }
    /// `n` ranges of `length` values, less than `step`, that begin `step` apart, the first at `first`.
    [[nodiscard]] static Model comb(UInt64 first, UInt64 n, UInt64 step, UInt64 length)
    {
        Model result;
        for (UInt64 i = 0; i < n && first <= LAST64 - i * step - length; ++i)
        {
            result.borders.push_back(first + i * step);
            result.borders.push_back(first + i * step + length);
        }
        return result;
    }
    [[nodiscard]] static Model combine(SetOperation operation, const Model & a, const Model & b)
    {
        Model result;
        size_t i = 0;
        size_t j = 0;
        bool was_inside = false;
        while (i < a.borders.size() || j < b.borders.size())
        {
            UInt64 at = LAST64;
            if (i < a.borders.size())
                at = a.borders[i];
            if (j < b.borders.size())
                at = std::min(at, b.borders[j]);
            i += i < a.borders.size() && a.borders[i] == at;
            j += j < b.borders.size() && b.borders[j] == at;
            const bool in_a = i % 2;
            const bool in_b = j % 2;
            const bool is_inside = operation == SetOperation::And ? in_a && in_b
                : operation == SetOperation::Or                   ? in_a || in_b
                : operation == SetOperation::Xor                  ? in_a != in_b
                                                                  : in_a && !in_b;
            if (is_inside != was_inside)
                result.borders.push_back(at);
            was_inside = is_inside;
        }
        return result;
    }
    void combineWith(SetOperation operation, const Model & other) { *this = combine(operation, *this, other); }
    [[nodiscard]] Model shifted(UInt64 distance, bool down) const
    {
        Model result;
        if (!down)
        {
            for (const UInt64 at : borders)
                if (at <= LAST64 - distance)
                    result.borders.push_back(at + distance);
            return result;
        }
        const auto kept = std::upper_bound(borders.begin(), borders.end(), distance);
        if ((kept - borders.begin()) % 2)
            result.borders.push_back(0);
        for (auto i = kept; i != borders.end(); ++i)
            result.borders.push_back(*i - distance);
        /// The border that a range up to 2^64 - 1 did without.
        if (borders.size() % 2 && distance != 0)
            result.borders.push_back(UInt64{0} - distance);
        return result;
    }

    [[nodiscard]] bool contains(UInt64 value) const { return bordersUpTo(value) % 2; }
    [[nodiscard]] std::vector<Range> ranges() const
    {
        std::vector<Range> result;
        result.reserve(borders.size() / 2 + 1);
        for (size_t i = 0; i < borders.size(); i += 2)
            result.emplace_back(borders[i], lastOfRange(i));
        return result;
    }
    [[nodiscard]] UInt64 cardinality() const { return rank(LAST64); }
    /// Values that are at most `value`.
    [[nodiscard]] UInt64 rank(UInt64 value) const
    {
        UInt64 result = 0;
        for (size_t i = 0; i < borders.size() && borders[i] <= value; i += 2)
            result += std::min(lastOfRange(i), value) - borders[i] + 1;
        return result;
    }
    [[nodiscard]] std::optional<UInt64> select(UInt64 index) const
    {
        for (size_t i = 0; i < borders.size(); i += 2)
        {
            const UInt64 size_less_one = lastOfRange(i) - borders[i];
            if (index <= size_less_one)
                return borders[i] + index;
            index -= size_less_one + 1;
        }
        return std::nullopt;
    }
    /// The nearest number from `from` on that is in the set, or that is not.
    [[nodiscard]] std::optional<UInt64> next(UInt64 from, bool inside) const
    {
        if (contains(from) == inside)
            return from;
        const size_t i = bordersUpTo(from);
        return i < borders.size() ? std::optional(borders[i]) : std::nullopt;
    }
    [[nodiscard]] std::optional<UInt64> previous(UInt64 from, bool inside) const
    {
        if (contains(from) == inside)
            return from;
        const size_t i = bordersUpTo(from);
        return i != 0 && borders[i - 1] != 0 ? std::optional(borders[i - 1] - 1) : std::nullopt;
    }
    [[nodiscard]] UInt64 countOf(UInt64 first, UInt64 last) const { return rank(last) - (first == 0 ? 0 : rank(first - 1)); }
    [[nodiscard]] const std::vector<UInt64> & changes() const { return borders; }

private:
    /// Of the range whose first value is border i.
    [[nodiscard]] UInt64 lastOfRange(size_t i) const { return i + 1 < borders.size() ? borders[i + 1] - 1 : LAST64; }
    [[nodiscard]] size_t bordersUpTo(UInt64 value) const
    {
        return static_cast<size_t>(std::upper_bound(borders.begin(), borders.end(), value) - borders.begin());
    }

    std::vector<UInt64> borders;
};

/// How often each border was come to, by its name.
using Census = std::map<std::string, UInt64>;

class Program
{
public:
    Program(UInt64 seed, bool is_64_, Census & census_)
        : random(seed), is_64(is_64_), format(is_64_ ? RoaringFormat::Portable64 : RoaringFormat::Portable32), last(is_64_ ? LAST64 : LAST32),
          census(census_)
    {
    }

    void run(size_t steps)
    {
        for (size_t i = 0; i < steps; ++i)
        {
            Slot & slot = slots[random() % std::size(slots)];
            const auto code = random() % 26;
            SCOPED_TRACE("step " + std::to_string(i) + ", operation " + std::to_string(code));
            /// Sets that grew large start anew.
            if (slot.model.changes().size() > 12000 || slot.bitmap.serializedSize(RoaringFormat::Portable64) > 300000)
                slot = Slot();
            ASSERT_NO_FATAL_FAILURE(step(code, slot, slots[random() % std::size(slots)]));
            ASSERT_NO_FATAL_FAILURE(check(slot));
        }
        for (const Slot & a : slots)
            for (const Slot & b : slots)
                ASSERT_NO_FATAL_FAILURE(checkPair(a, b));
    }
    /// The same from sets that have all of 65536 containers on.
    void runOverAllContainers(size_t steps)
    {
        std::vector<UInt32> values;
        for (UInt64 key = 0; key < 65536; ++key)
            values.push_back(static_cast<UInt32>(key << 16 | (key * 7919 & 0xffff)));
        slots[0].bitmap.addMany(values);
        const Model one_each = fromSorted(values);
        slots[0].model = one_each;
        slots[1].bitmap.addRange(0, LAST32);
        slots[1].model = Model(0, LAST32);
        for (size_t i = 0; i < steps; ++i)
        {
            /// Small changes and combinations, which keep most containers.
            static constexpr UInt64 CODES[] = {0, 1, 2, 4, 5, 6, 7, 10, 11, 13, 17, 18, 19, 21, 25};
            const UInt64 code = CODES[random() % std::size(CODES)];
            SCOPED_TRACE("step " + std::to_string(i) + ", operation " + std::to_string(code));
            Slot & slot = slots[random() % 2];
            ASSERT_NO_FATAL_FAILURE(step(code, slot, slots[random() % 2]));
            ASSERT_NO_FATAL_FAILURE(check(slot));
            if (slot.model.changes().size() > 400000 || slot.model.cardinality() < 65536)
            {
                slot = Slot();
                slot.bitmap.addMany(values);
                slot.model = one_each;
            }
        }
    }

private:
    struct Slot
    {
        RoaringBitmap bitmap;
        Model model;
        /// What the bitmap borrows from, if anything: gone as soon as something else is there.
        std::shared_ptr<const std::string> bytes;
    };

    static Model fromSorted(const std::vector<UInt32> & values)
    {
        /// By halves, for one after another would be quadratic.
        if (values.empty())
            return {};
        std::vector<Model> models;
        for (const UInt32 one : values)
            models.emplace_back(one, one);
        for (; models.size() > 1; models.resize((models.size() + 1) / 2))
            for (size_t i = 0; i < models.size(); i += 2)
                models[i / 2] = i + 1 < models.size() ? Model::combine(SetOperation::Or, models[i], models[i + 1]) : models[i];
        return models[0];
    }

    /// Around the borders of containers, of signed numbers, of buckets and of the formats.
    UInt64 value()
    {
        static constexpr UInt64 BASES[] = {
            0, UInt64{1} << 16, UInt64{1} << 31, UInt64{1} << 32, LAST32, UInt64{1} << 48, UInt64{1} << 63, LAST64};
        const UInt64 base = std::min(last, BASES[random() % std::size(BASES)]);
        const UInt64 offset = random() % 3 == 0 ? random() % 200000 : random() % 4;
        return random() % 2 ? base - std::min(base, offset) : base + std::min(last - base, offset);
    }
    /// Around the borders of container kinds.
    UInt64 length()
    {
        static constexpr UInt64 LENGTHS[] = {1, 2, 3, 31, 32, 33, 2047, 2048, 4095, 4096, 4097, 65535, 65536, 65537, 131072};
        return random() % 4 == 0 ? 1 + random() % 5000 : LENGTHS[random() % std::size(LENGTHS)];
    }
    SetOperation operation() { return ALL_OPERATIONS[random() % std::size(ALL_OPERATIONS)]; }
    /// A value at which the set changes, or one beside it.
    UInt64 changeOf(const Model & model)
    {
        if (model.changes().empty())
            return value();
        const UInt64 at = model.changes()[random() % model.changes().size()];
        return std::min(last, at - (at != 0 && random() % 2));
    }

    static std::vector<UInt64> valuesOf(const Model & model)
    {
        std::vector<UInt64> result;
        for (const auto & [first, last_of_range] : model.ranges())
            for (UInt64 at = first;; ++at)
            {
                result.push_back(at);
                if (at == last_of_range)
                    break;
            }
        return result;
    }
    Model someComb()
    {
        const UInt64 step = 2 + random() % 40;
        return Model::combine(
            SetOperation::And, Model::comb(value(), std::min<UInt64>(length(), 4100), step, 1 + random() % (step - 1)), Model(0, last));
    }
    void shuffle(std::vector<UInt64> & values)
    {
        if (random() % 2)
            std::shuffle(values.begin(), values.end(), random);
    }

    /// Makes one container a border case, then steps over the border and back.
    void stepShape(Slot & slot)
    {
        const UInt64 key = value() >> 16;
        const UInt64 first = key << 16;
        const Model container(first, first | 0xffff);
        Model shape;
        switch (random() % 4)
        {
            case 0:
                shape = Model::comb(first, 4095 + random() % 3, 2 + random() % 14, 1);
                break;
            case 1:
                shape = Model::comb(first, 2047 + random() % 2, 32, 2 + random() % 30);
                break;
            case 2:
                shape = Model::combine(SetOperation::AndNot, container, Model::comb(first + 1, random() % 2 ? 2047 : 2046, 32, 1 + random() % 16));
                break;
            default:
                shape = container;
        }
        shape.combineWith(SetOperation::And, container);
        slot.bitmap.removeRange(first, first | 0xffff);
        slot.model.combineWith(SetOperation::AndNot, container);
        if (random() % 2)
        {
            std::vector<UInt64> values = valuesOf(shape);
            shuffle(values);
            slot.bitmap.addMany(values);
        }
        else
            for (const auto & [from, to] : shape.ranges())
                slot.bitmap.addRange(from, to);
        slot.model.combineWith(SetOperation::Or, shape);
        for (int i = 0; i < 3; ++i)
        {
            ASSERT_NO_FATAL_FAILURE(check(slot));
            stepOver(slot, first + random() % 65536);
            ASSERT_NO_FATAL_FAILURE(check(slot));
            stepOver(slot, changeOf(shape));
        }
    }
    /// Adds what is not there, removes what is.
    void stepOver(Slot & slot, UInt64 at)
    {
        if (slot.model.contains(at))
            EXPECT_TRUE(slot.bitmap.remove(at));
        else
            slot.bitmap.add(at);
        slot.model.combineWith(SetOperation::Xor, Model(at, at));
    }

    void step(UInt64 code, Slot & slot, const Slot & other)
    {
        const UInt64 first = value();
        const UInt64 end = first + std::min(last - first, length() - 1);
        switch (code)
        {
            case 0:
                slot.bitmap.add(first);
                slot.model.combineWith(SetOperation::Or, Model(first, first));
                return;
            case 1:
            case 2:
            case 3:
            {
                const Model comb = someComb();
                std::vector<UInt64> values = valuesOf(comb);
                shuffle(values);
                if (code == 1)
                    for (const UInt64 one : values)
                        slot.bitmap.add(one);
                else if (code == 2 || is_64)
                    slot.bitmap.addMany(values);
                else
                    slot.bitmap.addMany(std::vector<UInt32>(values.begin(), values.end()));
                slot.model.combineWith(SetOperation::Or, comb);
                return;
            }
            case 4:
                slot.bitmap.addRange(first, end);
                slot.model.combineWith(SetOperation::Or, Model(first, end));
                return;
            case 5:
                slot.bitmap.removeRange(first, end);
                slot.model.combineWith(SetOperation::AndNot, Model(first, end));
                return;
            case 6:
                slot.bitmap.flip(first, end);
                slot.model.combineWith(SetOperation::Xor, Model(first, end));
                return;
            case 7:
                EXPECT_EQ(slot.bitmap.remove(first), slot.model.contains(first));
                slot.model.combineWith(SetOperation::AndNot, Model(first, first));
                return;
            case 8:
                slot.bitmap.optimize();
                return;
            case 9:
                slot.bitmap.seal();
                return;
            case 10:
            {
                const SetOperation chosen = operation();
                slot.bitmap.combineWith(chosen, other.bitmap);
                slot.model.combineWith(chosen, other.model);
                return;
            }
            case 11:
            {
                const SetOperation chosen = operation();
                const std::string bytes = serialize(other.bitmap, format);
                slot.bitmap.combineWith(chosen, RoaringView::parse(bytes, format));
                slot.model.combineWith(chosen, other.model);
                return;
            }
            case 12:
            case 13:
            {
                const SetOperation chosen = operation();
                const std::string bytes = serialize(slot.bitmap, format);
                const std::string other_bytes = serialize(other.bitmap, format);
                const RoaringView view = RoaringView::parse(bytes, format);
                const RoaringView other_view = RoaringView::parse(other_bytes, format);
                const RoaringSnapshot a(slot.bitmap);
                const RoaringSnapshot b(view);
                const RoaringSnapshot c(other.bitmap);
                const RoaringSnapshot d(other_view);
                RoaringBitmap result = roaringCombine(chosen, random() % 2 ? a : b, random() % 2 ? c : d);
                replace(slot, std::move(result), Model::combine(chosen, slot.model, other.model));
                return;
            }
            case 14:
                replace(slot, roaringSubset(slot.bitmap, first / 2, end), Model::combine(SetOperation::And, slot.model, Model(first / 2, end)));
                return;
            case 15:
            {
                const UInt64 limit = 50 * length();
                const UInt64 start = first / 2;
                Model kept = Model::combine(SetOperation::And, slot.model, Model(start, LAST64));
                if (const auto behind = kept.select(limit))
                    kept.combineWith(SetOperation::AndNot, Model(*behind, LAST64));
                replace(slot, roaringSubsetLimit(slot.bitmap, start, limit), std::move(kept));
                return;
            }
            case 16:
            {
                const UInt64 offset = length() / 4;
                const UInt64 limit = 50 * length();
                Model kept;
                if (const auto begin = slot.model.select(offset))
                    kept = Model::combine(SetOperation::And, slot.model, Model(*begin, LAST64));
                if (const auto behind = kept.select(limit))
                    kept.combineWith(SetOperation::AndNot, Model(*behind, LAST64));
                replace(slot, roaringSlice(slot.bitmap, offset, limit), std::move(kept));
                return;
            }
            case 17:
            {
                const UInt64 distance = random() % 8 == 0 ? first : random() % 3 == 0 ? length() : (random() % 4) << 16;
                const bool down = random() % 2;
                replace(
                    slot, roaringShift(slot.bitmap, distance, down, last),
                    Model::combine(SetOperation::And, slot.model.shifted(distance, down), Model(0, last)));
                return;
            }
            case 18:
            {
                const std::string bytes = serialize(slot.bitmap, format);
                replace(slot, RoaringBitmap(RoaringView::parse(bytes, format)), slot.model);
                return;
            }
            case 19:
            {
                const auto bytes = std::make_shared<const std::string>(serialize(slot.bitmap, format));
                slot.bitmap = RoaringBitmap::borrow(RoaringView::parse(*bytes, format));
                slot.bytes = bytes;
                return;
            }
            case 20:
                replace(slot, RoaringBitmap(other.bitmap), other.model);
                return;
            case 21:
                slot.bitmap.merge(other.bitmap);
                slot.model.combineWith(SetOperation::Or, other.model);
                return;
            case 22:
            {
                const std::string bytes = serialize(other.bitmap, format);
                slot.bitmap.merge(RoaringView::parse(bytes, format));
                slot.model.combineWith(SetOperation::Or, other.model);
                return;
            }
            case 23:
                ASSERT_NO_FATAL_FAILURE(mergeAll(slot));
                return;
            case 24:
                ASSERT_NO_FATAL_FAILURE(stepShape(slot));
                return;
            default:
                stepOver(slot, changeOf(slot.model));
        }
    }
    /// The bytes that the old bitmap borrowed are gone then: a result that still needed them would show under AddressSanitizer.
    static void replace(Slot & slot, RoaringBitmap && bitmap, Model model)
    {
        slot.bitmap = std::move(bitmap);
        slot.model = std::move(model);
        slot.bytes = nullptr;
    }

    void mergeAll(Slot & slot)
    {
        const SetOperation chosen = ALL_OPERATIONS[random() % 3];
        std::vector<std::string> images;
        std::vector<RoaringView> views;
        std::vector<std::unique_ptr<RoaringSnapshot>> snapshots;
        std::vector<RoaringCursor> cursors;
        Model expected;
        for (const Slot & one : slots)
        {
            expected = images.empty() ? one.model : Model::combine(chosen, expected, one.model);
            images.push_back(serialize(one.bitmap, format));
        }
        for (const std::string & image : images)
            views.push_back(RoaringView::parse(image, format));
        for (size_t i = 0; i < views.size(); ++i)
        {
            snapshots.push_back(
                random() % 2 ? std::make_unique<RoaringSnapshot>(views[i]) : std::make_unique<RoaringSnapshot>(slots[i].bitmap));
            cursors.push_back(snapshots.back()->cursor());
        }
        RoaringBitmap merged = roaringMerge(chosen, cursors);
        const std::string bytes = serialize(merged, format);
        for (const MergeMemory memory : {MergeMemory::OnePass, MergeMemory::TwoPass})
        {
            std::string written;
            WriteBufferFromString out(written);
            roaringMerge(chosen, views, out, format, memory);
            out.finalize();
            ASSERT_EQ(written, bytes);
        }
        replace(slot, std::move(merged), std::move(expected));
    }

    void check(const Slot & slot)
    {
        const std::string bytes = serialize(slot.bitmap, format);
        /// Full validation, or an exception.
        const RoaringView view = RoaringView::parse(bytes, format);
        ASSERT_TRUE(view.isCanonical());
        ASSERT_EQ(view.sizeInBytes(), bytes.size());
        const UInt64 cardinality = slot.model.cardinality();
        ASSERT_EQ(slot.bitmap.cardinality(), cardinality);
        ASSERT_EQ(view.cardinality(), cardinality);
        const RoaringSnapshot owner(slot.bitmap);
        ASSERT_NO_FATAL_FAILURE(checkSet(owner, slot.model, cardinality));
        ASSERT_NO_FATAL_FAILURE(checkSet(view, slot.model, cardinality));
        ASSERT_TRUE(roaringEquals(owner, view));
        const RoaringDirectory directory(view);
        const UInt64 probe = changeOf(slot.model);
        const UInt64 index = random() % (cardinality + 1);
        ASSERT_EQ(slot.bitmap.contains(probe), slot.model.contains(probe));
        ASSERT_EQ(view.contains(probe), slot.model.contains(probe));
        ASSERT_EQ(directory.contains(probe), slot.model.contains(probe));
        ASSERT_EQ(directory.rank(probe), slot.model.rank(probe));
        ASSERT_EQ(directory.select(index), slot.model.select(index));
        ASSERT_EQ(directory.next(probe), slot.model.next(probe, true));
        ASSERT_EQ(directory.previous(probe), slot.model.previous(probe, true));
        if (cardinality != 0)
        {
            ASSERT_EQ(slot.bitmap.minimum(), slot.model.select(0));
            ASSERT_EQ(slot.bitmap.maximum(), slot.model.select(cardinality - 1));
        }
        count(view, owner, slot.model);
    }
    void checkSet(const RoaringSnapshot & set, const Model & model, UInt64 cardinality)
    {
        RoaringRangeIterator ranges(set);
        std::vector<Model::Range> found;
        found.reserve(model.changes().size() / 2 + 1);
        for (Model::Range range; ranges.next(range.first, range.second);)
            found.push_back(range);
        ASSERT_EQ(found, model.ranges());

        const UInt64 probe = random() % 2 ? changeOf(model) : value();
        const UInt64 end = probe + std::min(last - probe, length());
        const UInt64 index = random() % (cardinality + 1);
        const UInt64 in_range = model.countOf(probe, end);
        ASSERT_EQ(roaringRank(set, probe), model.rank(probe));
        ASSERT_EQ(roaringSelect(set, index), model.select(index));
        ASSERT_EQ(roaringIndex(set, probe), model.contains(probe) ? std::optional(model.rank(probe) - 1) : std::nullopt);
        ASSERT_EQ(roaringNext(set, probe), model.next(probe, true));
        ASSERT_EQ(roaringPrevious(set, probe), model.previous(probe, true));
        ASSERT_EQ(roaringNextAbsent(set, probe), model.next(probe, false));
        ASSERT_EQ(roaringPreviousAbsent(set, probe), model.previous(probe, false));
        ASSERT_EQ(roaringRangeCardinality(set, probe, end), in_range);
        ASSERT_EQ(roaringIntersectsRange(set, probe, end), in_range != 0);
        ASSERT_EQ(roaringContainsRange(set, probe, end), in_range == end - probe + 1);

        UInt64 buffer[70];
        RoaringBatchIterator batch(set);
        batch.seek(probe);
        const size_t n = batch.read(buffer, std::size(buffer));
        const UInt64 before = probe == 0 ? 0 : model.rank(probe - 1);
        ASSERT_EQ(n, std::min<UInt64>(std::size(buffer), cardinality - before));
        RoaringBackwardIterator backward(set);
        backward.seek(probe);
        auto forward_from = model.next(probe, true);
        auto backward_from = model.previous(probe, true);
        for (size_t i = 0; i < n; ++i)
        {
            ASSERT_EQ(buffer[i], forward_from);
            forward_from = buffer[i] == LAST64 ? std::nullopt : model.next(buffer[i] + 1, true);
        }
        UInt64 at = 0;
        for (size_t i = 0; i < 70; ++i)
        {
            ASSERT_EQ(backward.next(at), backward_from.has_value());
            if (!backward_from)
                break;
            ASSERT_EQ(at, *backward_from);
            backward_from = at == 0 ? std::nullopt : model.previous(at - 1, true);
        }
        if (cardinality < 20000 && random() % 8 == 0)
        {
            const std::vector<UInt64> values = valuesOf(model);
            ASSERT_EQ(roaringToArray(set), values);
            if (values.empty() || values.back() < UInt64{1} << 24)
            {
                ASSERT_EQ(roaringToArray32(set), std::vector<UInt32>(values.begin(), values.end()));
                ASSERT_TRUE(roaringEquals(roaringFromBits(roaringToBits(set)), set));
            }
        }
    }

    void checkPair(const Slot & a, const Slot & b)
    {
        const std::string bytes = serialize(b.bitmap, format);
        const RoaringView view = RoaringView::parse(bytes, format);
        UInt64 cardinalities[4];
        for (size_t i = 0; i < std::size(ALL_OPERATIONS); ++i)
        {
            cardinalities[i] = Model::combine(ALL_OPERATIONS[i], a.model, b.model).cardinality();
            ASSERT_EQ(roaringCombinedCardinality(ALL_OPERATIONS[i], a.bitmap, b.bitmap), cardinalities[i]);
            ASSERT_EQ(roaringCombinedCardinality(ALL_OPERATIONS[i], a.bitmap, view), cardinalities[i]);
        }
        const auto [common, both, different, only_a] = cardinalities;
        ASSERT_EQ(roaringIntersects(a.bitmap, view), common != 0);
        ASSERT_EQ(roaringIsSubset(a.bitmap, view), only_a == 0);
        ASSERT_EQ(roaringIsStrictSubset(a.bitmap, view), only_a == 0 && different != 0);
        ASSERT_EQ(roaringEquals(a.bitmap, view), different == 0);
        ASSERT_DOUBLE_EQ(roaringJaccard(a.bitmap, view), both == 0 ? 1 : static_cast<double>(common) / static_cast<double>(both));
    }

    /// Enters the borders that this set is at.
    void count(const RoaringView & view, const RoaringSnapshot & owner, const Model & model)
    {
        size_t containers = 0;
        for (RoaringCursor at = view.cursor(); at.valid(); at.next(), ++containers)
        {
            const ContainerView container = at.container();
            const UInt64 values = at.cardinality();
            if (container.kind == ContainerKind::Array && values >= 4095)
                ++census["array of " + std::to_string(values)];
            if (container.kind == ContainerKind::Bitset && values == 4097)
                ++census["bitset of 4097"];
            if (container.kind == ContainerKind::Run && container.size >= 2046)
                ++census["runs " + std::to_string(container.size)];
            if (container.kind == ContainerKind::Bitset && values >= 4097 && model.changes().size() >= 4096)
            {
                const UInt64 first = at.key() << 16;
                const Model inside = Model::combine(SetOperation::And, model, Model(first, first | 0xffff));
                if (inside.ranges().size() == 2048)
                    ++census["bitset of 2048 runs"];
            }
            if (values == 65536)
                ++census["full container"];
            if (values == 65535)
                ++census["all but one"];
        }
        for (RoaringCursor at = owner.cursor(); at.valid(); at.next())
        {
            const ContainerKind kind = at.container().kind;
            const UInt64 values = at.cardinality();
            ASSERT_NE(values, 0u);
            ASSERT_TRUE(kind != ContainerKind::Array || values <= 4096);
            ASSERT_TRUE(kind != ContainerKind::Bitset || values > 4096);
            if ((kind == ContainerKind::Array && values == 4096) || (kind == ContainerKind::Bitset && values == 4097))
                ++census[kind == ContainerKind::Array ? "owner's array of 4096" : "owner's bitset of 4097"];
        }
        if (containers == 65536)
            ++census["65536 containers"];
        for (const auto power : {16, 31, 32, 48, 63})
        {
            const UInt64 border = UInt64{1} << power;
            for (const UInt64 at : {border - 1, border})
                census["2^" + std::to_string(power) + (at == border ? "" : " - 1")] += model.contains(at);
        }
        census["2^64 - 1"] += model.contains(LAST64);
        census["0"] += model.contains(0);
    }

    std::mt19937_64 random;
    bool is_64;
    RoaringFormat format;
    UInt64 last;
    Census & census;
    Slot slots[3];
};

UInt64 numberFrom(const char * variable, UInt64 otherwise)
{
    const char * given = std::getenv(variable);
    return given && *given ? std::strtoull(given, nullptr, 10) : otherwise;
}
}

TEST(RoaringModel, LongProgramsAgreeWithAPlainModelAtEveryBorder)
{
    /// A sanitizer runs the beginning of other programs each time, which need not come to every border.
    const bool is_sampled = SAMPLED_ONE_IN != 1;
    const UInt64 begin = is_sampled ? chosenSeed() : numberFrom("STATEWIRE_SEED", 1);
    const UInt64 programs = std::max<UInt64>(1, numberFrom("STATEWIRE_EXTENDED_TESTS", 1));
    RecordProperty("seed", std::to_string(begin));
    Census census;
    for (UInt64 seed = begin; seed < begin + programs; ++seed)
        for (const bool is_64 : {false, true})
        {
            SCOPED_TRACE("seed " + std::to_string(seed) + (is_64 ? ", 64 bits" : ", 32 bits"));
            ASSERT_NO_FATAL_FAILURE(Program(seed, is_64, census).run(2000 / SAMPLED_ONE_IN));
        }
    for (const bool is_64 : {false, true})
    {
        SCOPED_TRACE("all containers, seed " + std::to_string(begin) + (is_64 ? ", 64 bits" : ", 32 bits"));
        ASSERT_NO_FATAL_FAILURE(Program(begin, is_64, census).runOverAllContainers(30 / SAMPLED_ONE_IN));
    }
    for (const auto & [border, times] : census)
        RecordProperty(border, std::to_string(times));
    if (is_sampled)
        return;
    for (const char * border :
         {"array of 4095", "array of 4096", "bitset of 4097", "owner's array of 4096", "owner's bitset of 4097", "runs 2047",
          "bitset of 2048 runs", "full container", "all but one", "65536 containers", "0", "2^16 - 1", "2^16", "2^31 - 1", "2^31", "2^32 - 1", "2^32",
          "2^48 - 1", "2^48", "2^63 - 1", "2^63", "2^64 - 1"})
        EXPECT_GT(census[border], 0u) << border;
}
