#include "RoaringTargets.h"

#include <statewire/IO/WriteBufferFromVector.h>
#include <statewire/Roaring/RoaringDirectory.h>
#include <statewire/Roaring/RoaringExpand.h>
#include <statewire/Roaring/RoaringIterator.h>
#include <statewire/Roaring/RoaringOperations.h>
#include <statewire/Roaring/RoaringQueries.h>
#include <statewire/Roaring/RoaringSlices.h>
#include <statewire/Roaring/RoaringStatistics.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

/** Programs of set operations on two bitmaps, each beside a sorted vector that says what it must hold. */
namespace statewire_fuzz
{

using namespace DB;

namespace
{
using Values = std::vector<UInt64>;

/// Where values begin: all borders of containers, widths and formats.
constexpr UInt64 BASES[] = {
    0, 1, 65535, 65536, 3 * 65536, 0x7fffffff, 0x80000000, 0xffff0000, 0xffffffff, 0x100000000, UInt64{1} << 48, (UInt64{1} << 48) - 1,
    UInt64{1} << 63, (UInt64{1} << 63) - 1, ~UInt64{0} - 65535, ~UInt64{0}};
constexpr UInt64 MAX_RANGE = 140000;
constexpr size_t MAX_VALUES = 150000;

class Program
{
public:
    explicit Program(std::string_view bytes_) : bytes(bytes_) { }

    void run()
    {
        while (pos < bytes.size())
            check(step());
        checkPair();
    }

private:
    struct Slot
    {
        RoaringBitmap bitmap;
        Values model;
    };

    UInt8 byte() { return pos < bytes.size() ? static_cast<UInt8>(bytes[pos++]) : UInt8{0}; }
    UInt64 value()
    {
        const UInt64 base = BASES[byte() % std::size(BASES)];
        const UInt64 offset = byte() | UInt64{byte()} << 8;
        return base > ~UInt64{0} - 70000 ? base - offset : base + offset;
    }
    /// Lengths around the borders of container kinds are likelier than others.
    UInt64 length()
    {
        static constexpr UInt64 LENGTHS[] = {1, 2, 31, 32, 33, 2047, 2048, 4095, 4096, 4097, 65535, 65536, 65537, 131072};
        const UInt8 choice = byte();
        return choice < 200 ? LENGTHS[choice % std::size(LENGTHS)] : 1 + byte();
    }

    static void unite(Values & to, const Values & with)
    {
        Values result;
        std::set_union(to.begin(), to.end(), with.begin(), with.end(), std::back_inserter(result));
        to = std::move(result);
    }
    static Values combined(SetOperation operation, const Values & a, const Values & b)
    {
        Values result;
        const auto out = std::back_inserter(result);
        switch (operation)
        {
            case SetOperation::And:
                std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), out);
                break;
            case SetOperation::Or:
                std::set_union(a.begin(), a.end(), b.begin(), b.end(), out);
                break;
            case SetOperation::Xor:
                std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), out);
                break;
            case SetOperation::AndNot:
                std::set_difference(a.begin(), a.end(), b.begin(), b.end(), out);
                break;
        }
        return result;
    }
    static Values rangeOf(UInt64 first, UInt64 last)
    {
        Values result;
        for (UInt64 at = first;; ++at)
        {
            result.push_back(at);
            if (at == last)
                return result;
        }
    }

    /// Returns the slot that it changed.
    const Slot & step()
    {
        const UInt8 code = byte();
        Slot & slot = slots[code >> 7];
        change(code, slot, slots[1 - (code >> 7)]);
        return slot;
    }

    void change(UInt8 code, Slot & slot, const Slot & other)
    {
        if (slot.model.size() > MAX_VALUES)
        {
            slot.bitmap.clear();
            slot.model.clear();
        }
        switch (code % 16)
        {
            case 0:
            {
                const UInt64 added = value();
                slot.bitmap.add(added);
                unite(slot.model, {added});
                return;
            }
            case 1:
            case 2:
            {
                /// Many values at some distance from each other, in some order.
                const UInt64 first = value();
                const UInt64 n = std::min<UInt64>(length(), 9000);
                const UInt64 step = 1 + byte() % 33;
                Values added;
                for (UInt64 i = 0; i < n && first + i * step >= first; ++i)
                    added.push_back(first + i * step);
                Values sorted = added;
                if (code % 16 == 2)
                    for (size_t i = 0; i < added.size(); ++i)
                        std::swap(added[i], added[(i * 7919 + 13) % added.size()]);
                slot.bitmap.addMany(added);
                unite(slot.model, sorted);
                return;
            }
            case 3:
            {
                const UInt64 removed = value();
                const bool was_there = std::binary_search(slot.model.begin(), slot.model.end(), removed);
                require(slot.bitmap.remove(removed) == was_there);
                slot.model = combined(SetOperation::AndNot, slot.model, {removed});
                return;
            }
            case 4:
            case 5:
            case 6:
            {
                const UInt64 first = value();
                const UInt64 last = first + std::min({length(), MAX_RANGE, ~first}) - (first == ~UInt64{0} ? 0 : 1);
                const Values range = rangeOf(first, std::max(first, last));
                if (code % 16 == 4)
                    slot.bitmap.addRange(first, std::max(first, last));
                else if (code % 16 == 5)
                    slot.bitmap.removeRange(first, std::max(first, last));
                else
                    slot.bitmap.flip(first, std::max(first, last));
                slot.model = combined(
                    code % 16 == 4 ? SetOperation::Or : code % 16 == 5 ? SetOperation::AndNot : SetOperation::Xor, slot.model, range);
                return;
            }
            case 7:
            {
                const auto operation = static_cast<SetOperation>(byte() % 4);
                slot.bitmap.combineWith(operation, other.bitmap);
                slot.model = combined(operation, slot.model, other.model);
                return;
            }
            case 8:
            {
                const auto operation = static_cast<SetOperation>(byte() % 4);
                const std::string image = serialize(other.bitmap, RoaringFormat::Portable64);
                slot.bitmap.combineWith(operation, RoaringView::parse(image, RoaringFormat::Portable64));
                slot.model = combined(operation, slot.model, other.model);
                return;
            }
            case 9:
                slot.bitmap.optimize();
                return;
            case 10:
                slot.bitmap.seal();
                return;
            case 11:
            {
                const UInt64 distance = value();
                const bool down = byte() % 2;
                slot.bitmap = roaringShift(slot.bitmap, distance, down);
                Values moved;
                for (const UInt64 at : slot.model)
                    if (down ? at >= distance : at <= ~distance)
                        moved.push_back(down ? at - distance : at + distance);
                slot.model = std::move(moved);
                return;
            }
            case 12:
            {
                const UInt64 offset = length();
                const UInt64 limit = length() * 16;
                slot.bitmap = roaringSlice(slot.bitmap, offset, limit);
                const size_t begin = std::min<size_t>(offset, slot.model.size());
                const size_t end = std::min<size_t>(begin + limit, slot.model.size());
                slot.model = Values(slot.model.begin() + static_cast<std::ptrdiff_t>(begin), slot.model.begin() + static_cast<std::ptrdiff_t>(end));
                return;
            }
            case 13:
            {
                const UInt64 start = value();
                const UInt64 limit = length() * 16;
                slot.bitmap = roaringSubsetLimit(slot.bitmap, start, limit);
                const auto begin = std::lower_bound(slot.model.begin(), slot.model.end(), start);
                const auto n = std::min<std::ptrdiff_t>(slot.model.end() - begin, static_cast<std::ptrdiff_t>(limit));
                slot.model = Values(begin, begin + n);
                return;
            }
            case 14:
            {
                const std::string image = serialize(slot.bitmap, RoaringFormat::Portable64);
                slot.bitmap = RoaringBitmap(RoaringView::parse(image, RoaringFormat::Portable64));
                return;
            }
            default:
            {
                const auto operation = static_cast<SetOperation>(byte() % 4);
                slot.bitmap = roaringCombine(operation, slot.bitmap, other.bitmap);
                slot.model = combined(operation, slot.model, other.model);
                return;
            }
        }
    }

    static std::string serialize(const RoaringBitmap & bitmap, RoaringFormat format)
    {
        std::string result;
        WriteBufferFromString out(result);
        bitmap.write(out, format);
        out.finalize();
        require(result.size() == bitmap.serializedSize(format));
        return result;
    }

    void check(const Slot & slot)
    {
        require(slot.bitmap.cardinality() == slot.model.size());
        const std::string image = serialize(slot.bitmap, RoaringFormat::Portable64);
        const RoaringView view = RoaringView::parse(image, RoaringFormat::Portable64);
        require(view.isCanonical());
        require(view.sizeInBytes() == image.size());
        require(roaringToArray(slot.bitmap) == slot.model);
        require(roaringToArray(view) == slot.model);
        checkQueries(slot.bitmap, slot.model);
        checkQueries(view, slot.model);
        const RoaringDirectory directory(view);
        for (int i = 0; i < 3; ++i)
        {
            const UInt64 probe = probeFor(slot.model);
            const RoaringSnapshot set(view);
            require(directory.contains(probe) == view.contains(probe));
            require(directory.rank(probe) == roaringRank(set, probe));
            require(directory.next(probe) == roaringNext(set, probe));
            require(directory.previous(probe) == roaringPrevious(set, probe));
            require(directory.select(probe % (slot.model.size() + 1)) == roaringSelect(set, probe % (slot.model.size() + 1)));
        }
        if (slot.model.empty() || slot.model.back() <= 0xffffffff)
        {
            const std::string image_32 = serialize(slot.bitmap, RoaringFormat::Portable32);
            const RoaringView view_32 = RoaringView::parse(image_32, RoaringFormat::Portable32);
            require(view_32.isCanonical());
            require(roaringEquals(view_32, view));
            checkQueries(view_32, slot.model);
        }
    }

    UInt64 probeFor(const Values & model)
    {
        noise = noise * 6364136223846793005 + 1442695040888963407;
        const UInt64 random = noise >> 33;
        if (model.empty() || random % 4 == 0)
            return BASES[random % std::size(BASES)];
        return model[random % model.size()] + random % 5 - 2;
    }

    void checkQueries(const RoaringSnapshot & set, const Values & model)
    {
        for (int i = 0; i < 4; ++i)
        {
            const UInt64 probe = probeFor(model);
            const auto from = std::lower_bound(model.begin(), model.end(), probe);
            const auto behind = std::upper_bound(model.begin(), model.end(), probe);
            require(roaringRank(set, probe) == static_cast<UInt64>(behind - model.begin()));
            require(roaringNext(set, probe) == (from == model.end() ? std::nullopt : std::optional(*from)));
            require(roaringPrevious(set, probe) == (behind == model.begin() ? std::nullopt : std::optional(*std::prev(behind))));
            require(roaringIndex(set, probe) == (from == behind ? std::nullopt : std::optional(static_cast<UInt64>(from - model.begin()))));
            checkAbsent(set, model, probe);
            const UInt64 last = probe + std::min(~probe, noise % 100000);
            const auto count = static_cast<UInt64>(std::upper_bound(model.begin(), model.end(), last) - from);
            require(roaringRangeCardinality(set, probe, last) == count);
            require(roaringIntersectsRange(set, probe, last) == (count != 0));
            require(roaringContainsRange(set, probe, last) == (count - 1 == last - probe && count != 0));
            const UInt64 index = model.empty() ? 0 : noise % (model.size() + 1);
            require(roaringSelect(set, index) == (index < model.size() ? std::optional(model[index]) : std::nullopt));
        }
        checkIterators(set, model);
    }

    static void checkAbsent(const RoaringSnapshot & set, const Values & model, UInt64 probe)
    {
        UInt64 next = probe;
        bool has_next = true;
        for (auto i = std::lower_bound(model.begin(), model.end(), probe); i != model.end() && has_next && *i == next; ++i)
        {
            has_next = next != ~UInt64{0};
            ++next;
        }
        const auto found_next = roaringNextAbsent(set, probe);
        require(found_next.has_value() == has_next && (!has_next || *found_next == next));
        UInt64 previous = probe;
        bool has_previous = true;
        for (auto i = std::upper_bound(model.begin(), model.end(), probe); i != model.begin() && has_previous && *std::prev(i) == previous; --i)
        {
            has_previous = previous != 0;
            --previous;
        }
        const auto found_previous = roaringPreviousAbsent(set, probe);
        require(found_previous.has_value() == has_previous && (!has_previous || *found_previous == previous));
    }

    void checkIterators(const RoaringSnapshot & set, const Values & model)
    {
        const UInt64 start = probeFor(model);
        RoaringBatchIterator batch(set);
        batch.seek(start);
        UInt64 buffer[100];
        const auto from = std::lower_bound(model.begin(), model.end(), start);
        const size_t n = batch.read(buffer, std::size(buffer));
        require(n == std::min<size_t>(std::size(buffer), static_cast<size_t>(model.end() - from)));
        require(std::equal(buffer, buffer + n, from));
        RoaringBackwardIterator backward(set);
        backward.seek(start);
        auto behind = std::upper_bound(model.begin(), model.end(), start);
        UInt64 value = 0;
        for (int i = 0; i < 20 && backward.next(value); ++i)
            require(behind != model.begin() && value == *--behind);
        RoaringRangeIterator ranges(set);
        UInt64 first = 0;
        UInt64 last = 0;
        UInt64 total = 0;
        UInt64 previous_last = 0;
        for (bool begun = false; ranges.next(first, last); begun = true)
        {
            require(first <= last && (!begun || first - previous_last > 1));
            total += last - first + 1;
            previous_last = last;
        }
        require(total == model.size());
        size_t i = 0;
        if (model.size() < 5000)
            for (const UInt64 found : RoaringValues(set))
                require(found == model[i++]);
    }

    void checkPair()
    {
        const RoaringSnapshot a(slots[0].bitmap);
        const RoaringSnapshot b(slots[1].bitmap);
        const std::string image = serialize(slots[1].bitmap, RoaringFormat::Portable64);
        const RoaringView view = RoaringView::parse(image, RoaringFormat::Portable64);
        for (const auto operation : {SetOperation::And, SetOperation::Or, SetOperation::Xor, SetOperation::AndNot})
        {
            const Values expected = combined(operation, slots[0].model, slots[1].model);
            require(roaringCombinedCardinality(operation, a, b) == expected.size());
            require(roaringCombinedCardinality(operation, a, view) == expected.size());
            require(roaringToArray(roaringCombine(operation, a, view)) == expected);
        }
        const bool subset = std::includes(slots[1].model.begin(), slots[1].model.end(), slots[0].model.begin(), slots[0].model.end());
        require(roaringIsSubset(a, view) == subset);
        require(roaringIsStrictSubset(a, b) == (subset && slots[0].model != slots[1].model));
        require(roaringIntersects(a, view) == !combined(SetOperation::And, slots[0].model, slots[1].model).empty());
        require(roaringEquals(a, view) == (slots[0].model == slots[1].model));
        require(roaringStatistics(a).cardinality == slots[0].model.size());
    }

    std::string_view bytes;
    size_t pos = 0;
    UInt64 noise = 1;
    Slot slots[2];
};
}

void runRoaringProgram(std::string_view bytes)
{
    Program(bytes.substr(0, 400)).run();
}

}

#ifdef STATEWIRE_FUZZER
extern "C" int LLVMFuzzerTestOneInput(const unsigned char * data, size_t size)
{
    statewire_fuzz::runRoaringProgram({reinterpret_cast<const char *>(data), size});
    return 0;
}
#endif
