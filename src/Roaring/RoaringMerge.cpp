#include "RoaringMerge.h"

#include "RoaringContainerSearch.h"
#include "RoaringKernelTable.h"
#include "RoaringLayout.h"
#include "RoaringWriter.h"

#include <algorithm>
#include <cstring>

namespace DB::inline statewire
{

namespace
{
/// Containers that a window should have: enough to spread what a window costs for each input, few enough to stay in the cache.
constexpr size_t WINDOW_RECORDS = 16384;
/// Values that are sorted directly rather than through bits.
constexpr size_t FEW_VALUES = 32;
constexpr size_t FEW_RUNS = 64;
/// Up to this many values it pays to remember the words they touch instead of scanning all.
constexpr size_t SPARSE_VALUES = 1024;
/// Buckets of the counting pass.
constexpr size_t MAX_BUCKETS = 65536;
/// Records that a prefetch runs ahead.
constexpr size_t PREFETCH_DISTANCE = 8;

void prefetch([[maybe_unused]] const char * address) noexcept
{
#if defined(__GNUC__) || defined(__clang__)
    __builtin_prefetch(address);
#endif
}

[[nodiscard]] RoaringContainer fullContainer()
{
    char run[4];
    storeRun(run, 0, 0, CONTAINER_VALUES - 1);
    return {{ContainerKind::Run, 1, run}, CONTAINER_VALUES};
}

bool isFull(ContainerView container) noexcept
{
    return container.kind == ContainerKind::Run && container.size == 1 && runStart(container.data, 0) == 0
        && runLast(container.data, 0) == CONTAINER_VALUES - 1;
}

void toggle(char * words, ContainerView container) noexcept
{
    const auto flip = [&](size_t i, UInt64 mask) { unalignedStoreLittleEndian<UInt64>(words + 8 * i, bitsetWord(words, i) ^ mask); };
    switch (container.kind)
    {
        case ContainerKind::Array:
            for (size_t i = 0; i < container.size; ++i)
            {
                const UInt16 value = arrayValue(container.data, i);
                flip(value / 64, UInt64{1} << (value % 64));
            }
            return;
        case ContainerKind::Bitset:
            static_cast<void>(roaringKernels().bitsets[static_cast<size_t>(SetOperation::Xor)](words, container.data, words));
            return;
        case ContainerKind::Run:
            for (size_t i = 0; i < container.size; ++i)
            {
                const UInt32 first = runStart(container.data, i);
                const UInt32 last = std::min(runLast(container.data, i), CONTAINER_VALUES - 1);
                for (size_t word = first / 64; word <= last / 64; ++word)
                    flip(word, rangeMask(word, first, last));
            }
            return;
    }
}

/// The canonical container of these bits.
RoaringContainer canonicalFromBitset(const char * words)
{
    const ContainerCount count = countContainer({ContainerKind::Bitset, 0, words});
    if (canonicalKind(count) != ContainerKind::Run)
        return containerFromBitset(words);
    if (count.cardinality == 0)
        return {};
    const ContainerView view{ContainerKind::Bitset, count.cardinality, words};
    RoaringContainer result = RoaringContainer::uninitialized(ContainerKind::Run, count.runs, count.cardinality);
    UInt32 start = containerNext(view, 0);
    for (size_t i = 0; i < count.runs; ++i)
    {
        const UInt32 end = containerNextAbsent(view, start);
        storeRun(result.mutableData(), i, start, end - 1);
        start = containerNext(view, end);
    }
    return result;
}
}

RoaringMerge::RoaringMerge(SetOperation operation_, std::span<const RoaringCursor> inputs)
    : operation(operation_), cursors(inputs.begin(), inputs.end())
{
    if (operation == SetOperation::And)
        return;
    std::erase_if(cursors, [](const RoaringCursor & cursor) { return !cursor.valid(); });
    next_keys.reserve(cursors.size());
    for (const RoaringCursor & cursor : cursors)
        next_keys.push_back(cursor.key());
}

bool RoaringMerge::next(UInt64 & key, RoaringContainer & container)
{
    if (operation == SetOperation::And)
        return nextIntersection(key, container);
    for (;;)
    {
        if (at == records.size())
        {
            gather();
            if (records.empty())
                return false;
        }
        const size_t begin = at;
        key = records[begin].key();
        while (at < records.size() && records[at].key() == key)
            ++at;
        container = mergeGroup(records.data() + begin, at - begin);
        if (container.cardinality() != 0)
            return true;
    }
}

/// Appends all containers whose keys are below `end`; false when there are far more than a window should have.
bool RoaringMerge::gatherWindow(UInt64 begin, UInt64 end)
{
    const size_t too_many = 8 * std::max(WINDOW_RECORDS, 4 * cursors.size());
    for (size_t i = 0; i < cursors.size(); ++i)
    {
        if (next_keys[i] >= end)
            continue;
        RoaringCursor & cursor = cursors[i];
        const UInt64 tag = cursor.isTrusted() ? TRUSTED : 0;
        do
        {
            unsorted.push_back({cursor.key() | tag, cursor.container()});
            cursor.next();
        } while (cursor.valid() && cursor.key() < end);
        next_keys[i] = cursor.valid() ? cursor.key() : ~UInt64{0};
        if (unsorted.size() > too_many && end - begin > 1)
            return false;
    }
    return true;
}

void RoaringMerge::gather()
{
    records.clear();
    at = 0;
    UInt64 begin = ~UInt64{0};
    for (const UInt64 key : next_keys)
        begin = std::min(begin, key);
    if (begin == ~UInt64{0})
        return;
    for (;;)
    {
        unsorted.clear();
        const TrackedVector<RoaringCursor> before = cursors;
        const TrackedVector<UInt64> keys_before = next_keys;
        if (gatherWindow(begin, begin + width))
            break;
        cursors = before;
        next_keys = keys_before;
        width = std::max<UInt64>(1, width / 16);
    }
    sortRecords(begin, begin + width);
    const size_t wanted = std::max(WINDOW_RECORDS, 4 * cursors.size());
    if (unsorted.size() < wanted / 2 && width < UInt64{1} << 48)
        width *= unsorted.size() < wanted / 16 ? 16 : 2;
    else if (unsorted.size() > 2 * wanted && width > 1)
        width /= 2;
}

/// From `unsorted` to `records`: one counting pass over as many buckets as there are records, then what is left inside a bucket.
void RoaringMerge::sortRecords(UInt64 begin, UInt64 end)
{
    const size_t buckets = std::min(MAX_BUCKETS, std::bit_ceil(unsorted.size()));
    const int key_bits = std::bit_width(end - begin - 1);
    const int bucket_bits = std::bit_width(buckets) - 1;
    const int shift = std::max(0, key_bits - bucket_bits);
    starts.assign(buckets + 1, 0);
    for (const Record & record : unsorted)
        ++starts[((record.key() - begin) >> shift) + 1];
    for (size_t i = 1; i <= buckets; ++i)
        starts[i] += starts[i - 1];
    records.resize(unsorted.size());
    for (const Record & record : unsorted)
        records[starts[(record.key() - begin) >> shift]++] = record;
    if (shift == 0)
        return;
    size_t first = 0;
    for (size_t i = 0; i < buckets; ++i)
    {
        const size_t last = starts[i];
        if (last - first > 1)
            std::sort(records.begin() + static_cast<std::ptrdiff_t>(first), records.begin() + static_cast<std::ptrdiff_t>(last),
                [](const Record & a, const Record & b) { return a.key() < b.key(); });
        first = last;
    }
}

RoaringContainer RoaringMerge::mergeGroup(const Record * group, size_t n)
{
    if (n == 1)
        return copyContainer(group->container, group->tagged_key & TRUSTED);
    size_t values = 0;
    size_t runs = 0;
    bool only_arrays = true;
    bool only_runs = true;
    for (size_t i = 0; i < n; ++i)
    {
        const ContainerView & container = group[i].container;
        only_arrays = only_arrays && container.kind == ContainerKind::Array;
        only_runs = only_runs && container.kind == ContainerKind::Run;
        values += container.size;
        runs += container.size;
        if (operation == SetOperation::Or && isFull(container))
            return fullContainer();
    }
    if (only_arrays && values <= FEW_VALUES)
        return mergeFewValues(group, n);
    if (n == 2)
        return combine(operation, group[0].container, group[1].container);
    if (only_runs && operation == SetOperation::Or && runs <= FEW_RUNS)
        return mergeFewRuns(group, n);
    if (only_arrays && values <= SPARSE_VALUES)
        return mergeSparse(group, n);
    return mergeDense(group, n);
}

RoaringContainer RoaringMerge::mergeFewValues(const Record * group, size_t n) const
{
    UInt16 values[FEW_VALUES + 1];
    size_t size = 0;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < group[i].container.size; ++j)
        {
            const UInt16 value = arrayValue(group[i].container.data, j);
            size_t to = size++;
            for (; to != 0 && values[to - 1] > value; --to)
                values[to] = values[to - 1];
            values[to] = value;
        }
    size_t kept = 0;
    for (size_t i = 0; i < size;)
    {
        size_t end = i + 1;
        while (end < size && values[end] == values[i])
            ++end;
        values[kept] = values[i];
        kept += operation == SetOperation::Or || (end - i) % 2 != 0;
        i = end;
    }
    return containerFromSorted(values, kept);
}

RoaringContainer RoaringMerge::mergeFewRuns(const Record * group, size_t n) const
{
    struct Run
    {
        UInt32 start;
        UInt32 last;
    };
    Run runs[FEW_RUNS] = {};
    size_t size = 0;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < group[i].container.size; ++j)
        {
            const char * data = group[i].container.data;
            runs[size++] = {runStart(data, j), std::min(runLast(data, j), CONTAINER_VALUES - 1)};
        }
    std::sort(runs, runs + size, [](Run a, Run b) { return a.start < b.start; });
    char merged[4 * FEW_RUNS];
    size_t count = 0;
    Run open = runs[0];
    for (size_t i = 1; i < size; ++i)
    {
        if (runs[i].start <= open.last + 1)
        {
            open.last = std::max(open.last, runs[i].last);
            continue;
        }
        storeRun(merged, count++, open.start, open.last);
        open = runs[i];
    }
    storeRun(merged, count++, open.start, open.last);
    return containerFromRuns(merged, count);
}

RoaringContainer RoaringMerge::mergeSparse(const Record * group, size_t n)
{
    for (size_t i = 0; i < n; ++i)
    {
        const ContainerView & container = group[i].container;
        if (i + PREFETCH_DISTANCE < n)
            prefetch(group[i + PREFETCH_DISTANCE].container.data);
        for (size_t j = 0; j < container.size; ++j)
        {
            const UInt16 value = arrayValue(container.data, j);
            char * word = words.data() + value / 64 * 8;
            const UInt64 bit = UInt64{1} << (value % 64);
            const auto before = unalignedLoadLittleEndian<UInt64>(word);
            unalignedStoreLittleEndian<UInt64>(word, operation == SetOperation::Or ? before | bit : before ^ bit);
            touched[value / 4096] |= UInt64{1} << (value / 64 % 64);
        }
    }
    char values[2 * SPARSE_VALUES + KERNEL_SLACK];
    char * out = values;
    for (size_t i = 0; i < touched.size(); ++i)
    {
        for (UInt64 left = std::exchange(touched[i], 0); left != 0; left &= left - 1)
        {
            const size_t index = 64 * i + static_cast<size_t>(std::countr_zero(left));
            char * at_word = words.data() + 8 * index;
            for (UInt64 word = unalignedLoadLittleEndian<UInt64>(at_word); word != 0; word &= word - 1)
            {
                unalignedStoreLittleEndian<UInt16>(out, static_cast<UInt16>(64 * index + static_cast<size_t>(std::countr_zero(word))));
                out += 2;
            }
            unalignedStoreLittleEndian<UInt64>(at_word, 0);
        }
    }
    const auto count = static_cast<UInt32>((out - values) / 2);
    return {{ContainerKind::Array, count, values}, count};
}

RoaringContainer RoaringMerge::mergeDense(const Record * group, size_t n)
{
    std::memset(words.data(), 0, words.size());
    for (size_t i = 0; i < n; ++i)
    {
        const ContainerView & container = group[i].container;
        if (i + PREFETCH_DISTANCE < n)
            prefetch(group[i + PREFETCH_DISTANCE].container.data);
        if (operation == SetOperation::Xor)
            toggle(words.data(), container);
        else if (container.kind == ContainerKind::Bitset)
        {
            const auto unite = roaringKernels().bitsets[static_cast<size_t>(SetOperation::Or)];
            if (unite(words.data(), container.data, words.data()) == CONTAINER_VALUES)
            {
                std::memset(words.data(), 0, words.size());
                return fullContainer();
            }
        }
        else
            addToBitset(words.data(), container);
    }
    RoaringContainer result = canonicalFromBitset(words.data());
    std::memset(words.data(), 0, words.size());
    return result;
}

bool RoaringMerge::nextIntersection(UInt64 & key, RoaringContainer & container)
{
    if (cursors.empty())
        return false;
    for (;;)
    {
        if (!cursors[0].valid())
            return false;
        UInt64 wanted = cursors[0].key();
        /// All inputs agree once as many in a row have stopped at the wanted key.
        size_t agreed = 1;
        for (size_t i = 1 % cursors.size(); agreed < cursors.size(); i = (i + 1) % cursors.size())
        {
            cursors[i].seek(wanted);
            if (!cursors[i].valid())
                return false;
            agreed = cursors[i].key() == wanted ? agreed + 1 : 1;
            wanted = cursors[i].key();
        }
        key = wanted;
        unsorted.clear();
        for (RoaringCursor & cursor : cursors)
        {
            unsorted.push_back({cursor.key() | (cursor.isTrusted() ? TRUSTED : 0), cursor.container()});
            cursor.next();
        }
        container = intersectGroup(unsorted.data(), unsorted.size());
        if (container.cardinality() != 0)
            return true;
    }
}

RoaringContainer RoaringMerge::intersectGroup(Record * group, size_t n)
{
    /// Arrays first, the smallest in front: then nothing that follows makes the result larger than it.
    std::sort(group, group + n, [](const Record & a, const Record & b) {
        const auto rank = [](const Record & record) {
            return record.container.kind == ContainerKind::Array ? record.container.size : MAX_ARRAY_CARDINALITY + record.container.size;
        };
        return rank(a) < rank(b);
    });
    RoaringContainer result = copyContainer(group[0].container, group[0].tagged_key & TRUSTED);
    for (size_t i = 1; i < n && result.cardinality() != 0; ++i)
    {
        const ContainerView with = group[i].container;
        const ContainerView so_far = result.view();
        if (so_far.kind == ContainerKind::Bitset && with.kind == ContainerKind::Bitset)
        {
            const auto intersect = roaringKernels().bitsets[static_cast<size_t>(SetOperation::And)];
            char * data = result.mutableData();
            const UInt32 cardinality = intersect(data, with.data, data);
            if (cardinality <= MAX_ARRAY_CARDINALITY)
                result = containerFromBitset(data);
            else
                result.setCardinality(cardinality);
        }
        else
            result = combine(SetOperation::And, so_far, with);
    }
    return result;
}

RoaringBitmap roaringMerge(SetOperation operation, std::span<const RoaringCursor> inputs)
{
    RoaringMerge merge(operation, inputs);
    RoaringBuilder builder;
    UInt64 key = 0;
    for (RoaringContainer container; merge.next(key, container);)
        builder.append(key, std::move(container));
    return builder.finish();
}

namespace
{
TrackedVector<RoaringCursor> cursorsOf(std::span<const RoaringView> inputs)
{
    TrackedVector<RoaringCursor> result;
    result.reserve(inputs.size());
    for (const RoaringView & view : inputs)
        result.push_back(view.cursor());
    return result;
}
}

RoaringBitmap roaringMerge(SetOperation operation, std::span<const RoaringView> inputs)
{
    return roaringMerge(operation, std::span<const RoaringCursor>(cursorsOf(inputs)));
}

void roaringMerge(
    SetOperation operation, std::span<const RoaringView> inputs, WriteBuffer & out, RoaringFormat format, MergeMemory memory)
{
    WriteBufferSink sink(out);
    if (memory == MergeMemory::OnePass)
    {
        const RoaringBitmap merged = roaringMerge(operation, inputs);
        RoaringWriter(RoaringSnapshot(merged).cursor(), format).write(sink);
        return;
    }
    const TrackedVector<RoaringCursor> cursors = cursorsOf(inputs);
    RoaringLayout layout(format);
    UInt64 key = 0;
    {
        RoaringMerge first_pass(operation, cursors);
        for (RoaringContainer container; first_pass.next(key, container);)
            layout.add(key, countContainer(container.view()));
    }
    RoaringMerge second_pass(operation, cursors);
    RoaringContainer container;
    layout.write(sink, [&] {
        static_cast<void>(second_pass.next(key, container));
        return container.view();
    });
}

}
