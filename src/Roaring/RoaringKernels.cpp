#include "RoaringKernels.h"

#include "RoaringKernelTable.h"
#include "RoaringRunLists.h"

#include <algorithm>
#include <array>

namespace DB::inline statewire
{

namespace
{
/// Room for every value of two arrays, or for as many runs as can still be smaller than a bitset.
constexpr size_t SCRATCH_BYTES = std::max(2 * size_t{MAX_ARRAY_CARDINALITY} * 2 + KERNEL_SLACK, detail::LISTED_RUN_BYTES);
/// Arrays with more values together are united through a bitset: their union hardly ever fits an array, and merging first is then wasted.
constexpr size_t MAX_MERGED_VALUES = MAX_ARRAY_CARDINALITY + 1024;
/// From these ratios of sizes on, searching for the few values beats walking over the many: a search costs some 40 ns, or 5 ns when four
/// run at once; walking 0.1 ns a value where values are only compared and 0.5 ns where they are all written.
constexpr size_t SKEW_COMPARED = 48;
constexpr size_t SKEW_WRITTEN = 64;
/// From this ratio of runs to array values on, each value is searched for among the runs.
constexpr size_t FEW_VALUES = 16;
/// So few values are searched for among any number of runs when they are only counted.
constexpr size_t HANDFUL = 4;
/// From this ratio of array values to runs on, the ends of the runs are searched for in the array.
constexpr size_t FEW_RUNS = 32;

struct alignas(64) Scratch
{
    char bytes[SCRATCH_BYTES];
};

constexpr size_t indexOf(SetOperation operation) noexcept
{
    return static_cast<size_t>(operation);
}

template <SetOperation operation>
void applyRange(char * words, UInt32 first, UInt32 last) noexcept
{
    for (size_t i = first / 64; i <= last / 64; ++i)
    {
        const UInt64 mask = rangeMask(i, first, last);
        UInt64 word = bitsetWord(words, i);
        if constexpr (operation == SetOperation::Or)
            word |= mask;
        else if constexpr (operation == SetOperation::Xor)
            word ^= mask;
        else
            word &= ~mask;
        unalignedStoreLittleEndian<UInt64>(words + 8 * i, word);
    }
}

UInt32 clampedLast(const char * runs, size_t i) noexcept
{
    return std::min(runLast(runs, i), CONTAINER_VALUES - 1);
}

/// `words` op= the array; returns by how much the cardinality changed.
template <SetOperation operation>
Int32 applyArray(char * words, ContainerView array) noexcept
{
    Int32 change = 0;
    for (size_t i = 0; i < array.size; ++i)
    {
        const UInt16 value = arrayValue(array.data, i);
        char * at = words + value / 64 * 8;
        const auto before = unalignedLoadLittleEndian<UInt64>(at);
        const UInt64 bit = UInt64{1} << (value % 64);
        const bool was_set = before & bit;
        unalignedStoreLittleEndian<UInt64>(
            at, operation == SetOperation::Or ? before | bit : operation == SetOperation::Xor ? before ^ bit : before & ~bit);
        if constexpr (operation == SetOperation::Or)
            change += !was_set;
        else if constexpr (operation == SetOperation::Xor)
            change += was_set ? -1 : 1;
        else
            change -= was_set;
    }
    return change;
}

/// Calls f(value, whether `many` has it) for each of few values; four searches at once hide each other's latency.
template <typename F>
void searchEach(ContainerView few, ContainerView many, F && f)
{
    constexpr size_t AT_ONCE = 4;
    size_t i = 0;
    for (; many.size != 0 && i + AT_ONCE <= few.size; i += AT_ONCE)
    {
        UInt16 values[AT_ONCE];
        const char * at[AT_ONCE];
        for (size_t k = 0; k < AT_ONCE; ++k)
        {
            values[k] = arrayValue(few.data, i + k);
            at[k] = many.data;
        }
        for (size_t n = many.size; n > 1; n -= n / 2)
            for (size_t k = 0; k < AT_ONCE; ++k)
                at[k] += arrayValue(at[k], n / 2 - 1) < values[k] ? 2 * (n / 2) : 0;
        const char * last = many.data + 2 * (size_t{many.size} - 1);
        for (size_t k = 0; k < AT_ONCE; ++k)
        {
            const char * found = at[k] + (at[k] != last && arrayValue(at[k], 0) < values[k] ? 2 : 0);
            f(values[k], arrayValue(found, 0) == values[k]);
        }
    }
    for (; i < few.size; ++i)
        f(arrayValue(few.data, i), containerContains(many, arrayValue(few.data, i)));
}

/// Few values against many.
template <SetOperation operation>
size_t combineSkewed(ContainerView few, ContainerView many, bool few_is_a, char * to) noexcept
{
    char * out = to;
    if constexpr (operation == SetOperation::And || operation == SetOperation::AndNot)
        if (operation == SetOperation::And || few_is_a)
        {
            searchEach(few, many, [&](UInt16 value, bool in_both) {
                unalignedStoreLittleEndian<UInt16>(out, value);
                out += 2 * (in_both == (operation == SetOperation::And));
            });
            return static_cast<size_t>(out - to) / 2;
        }
    size_t at = 0;
    const auto copy_until = [&](size_t end) {
        std::memcpy(out, many.data + 2 * at, 2 * (end - at));
        out += 2 * (end - at);
        at = end;
    };
    const bool keep_many = applyTo(operation, !few_is_a, few_is_a);
    const bool keep_few = applyTo(operation, few_is_a, !few_is_a);
    for (size_t i = 0; i < few.size; ++i)
    {
        const UInt16 value = arrayValue(few.data, i);
        const size_t found = at + roaringKernels().lower_bound(many.data + 2 * at, many.size - at, value);
        if (keep_many)
            copy_until(found);
        at = found;
        const bool in_both = found < many.size && arrayValue(many.data, found) == value;
        at += in_both;
        unalignedStoreLittleEndian<UInt16>(out, value);
        out += 2 * (in_both ? applyTo(operation, true, true) : keep_few);
    }
    if (keep_many)
        copy_until(many.size);
    return static_cast<size_t>(out - to) / 2;
}

template <SetOperation operation>
size_t combineArrays(ContainerView a, ContainerView b, char * to) noexcept
{
    constexpr size_t SKEW = applyTo(operation, false, true) ? SKEW_WRITTEN : SKEW_COMPARED;
    if (a.size * SKEW < b.size)
        return combineSkewed<operation>(a, b, true, to);
    if (b.size * SKEW < a.size)
        return combineSkewed<operation>(b, a, false, to);
    const RoaringKernelTable & kernels = roaringKernels();
    constexpr RoaringKernelTable::CombineArrays RoaringKernelTable::*KERNELS[]
        = {&RoaringKernelTable::arrays_and, &RoaringKernelTable::arrays_or, &RoaringKernelTable::arrays_xor,
           &RoaringKernelTable::arrays_and_not};
    return (kernels.*KERNELS[indexOf(operation)])(a.data, a.size, b.data, b.size, to);
}

/// The array's values that are (or are not) in a bitset or among runs.
size_t filterArray(ContainerView array, ContainerView by, bool keep_contained, char * to) noexcept
{
    char * out = to;
    if (by.kind == ContainerKind::Bitset)
    {
        const UInt64 flip = keep_contained ? 0 : 1;
        for (size_t i = 0; i < array.size; ++i)
        {
            const UInt16 value = arrayValue(array.data, i);
            unalignedStoreLittleEndian<UInt16>(out, value);
            out += 2 * ((bitsetWord(by.data, value / 64) >> (value % 64) & 1) ^ flip);
        }
        return static_cast<size_t>(out - to) / 2;
    }
    if (array.size * FEW_VALUES < by.size)
    {
        for (size_t i = 0; i < array.size; ++i)
        {
            const UInt16 value = arrayValue(array.data, i);
            unalignedStoreLittleEndian<UInt16>(out, value);
            out += 2 * (containerContains(by, value) == keep_contained);
        }
        return static_cast<size_t>(out - to) / 2;
    }
    return roaringKernels().filter_by_runs(array.data, array.size, by.data, by.size, keep_contained, to);
}

/// The array's values that are among runs.
size_t countInRuns(ContainerView array, ContainerView runs) noexcept
{
    size_t result = 0;
    if (array.size <= HANDFUL || array.size * FEW_VALUES < runs.size)
    {
        for (size_t i = 0; i < array.size; ++i)
            result += containerContains(runs, arrayValue(array.data, i));
        return result;
    }
    if (runs.size * FEW_RUNS < array.size)
    {
        const auto lower_bound = roaringKernels().lower_bound;
        size_t at = 0;
        for (size_t i = 0; i < runs.size; ++i)
        {
            at += lower_bound(array.data + 2 * at, array.size - at, runStart(runs.data, i));
            const size_t found = lower_bound(array.data + 2 * at, array.size - at, runLast(runs.data, i) + 1);
            result += found;
            at += found;
        }
        return result;
    }
    Scratch scratch;
    return roaringKernels().filter_by_runs(array.data, array.size, runs.data, runs.size, true, scratch.bytes);
}

RoaringContainer containerFromArray(const char * values, size_t n)
{
    if (n <= MAX_ARRAY_CARDINALITY)
        return {{ContainerKind::Array, static_cast<UInt32>(n), values}, static_cast<UInt32>(n)};
    std::array<char, BITSET_BYTES> words{};
    roaringKernels().array_to_bits(values, n, words.data());
    return containerFromBitset(words.data());
}

/// The container of bits that were counted.
RoaringContainer containerFromWords(const char * words, UInt32 cardinality)
{
    if (cardinality > MAX_ARRAY_CARDINALITY)
        return {{ContainerKind::Bitset, cardinality, words}, cardinality};
    char values[2 * MAX_ARRAY_CARDINALITY + KERNEL_SLACK];
    roaringKernels().bits_to_array(words, BITSET_WORDS, 0, values);
    return {{ContainerKind::Array, cardinality, values}, cardinality};
}

/// The same where the bits lie in a container already, which is kept if it can be.
RoaringContainer settleBitset(RoaringContainer && container, UInt32 cardinality)
{
    if (cardinality <= MAX_ARRAY_CARDINALITY)
        return containerFromWords(container.view().data, cardinality);
    container.setCardinality(cardinality);
    return std::move(container);
}

/// A bitset with an array or with runs. Or, Xor, AndNot.
template <SetOperation operation>
RoaringContainer combineBitsetWith(ContainerView bitset, ContainerView other)
{
    RoaringContainer result = RoaringContainer::uninitialized(ContainerKind::Bitset, 0, CONTAINER_VALUES);
    char * words = result.mutableData();
    std::memcpy(words, bitset.data, BITSET_BYTES);
    if (other.kind == ContainerKind::Array)
        applyArray<operation>(words, other);
    else
        for (size_t i = 0; i < other.size; ++i)
            applyRange<operation>(words, runStart(other.data, i), clampedLast(other.data, i));
    return settleBitset(std::move(result), roaringKernels().bitset_cardinality(words));
}

/// The bits of a container, in place when it is a bitset already.
const char * asBitset(ContainerView container, char * room) noexcept
{
    if (container.kind == ContainerKind::Bitset)
        return container.data;
    std::memset(room, 0, BITSET_BYTES);
    addToBitset(room, container);
    return room;
}

/// Values that two random sets of these sizes would leave.
constexpr UInt64 expectedCardinality(SetOperation operation, UInt64 a, UInt64 b) noexcept
{
    const UInt64 both = a * b / CONTAINER_VALUES;
    return (applyTo(operation, true, true) ? both : 0) + (applyTo(operation, true, false) ? a - both : 0)
        + (applyTo(operation, false, true) ? b - both : 0);
}

/// The result is made where it will stay if it is likely to be a bitset, else on the stack; a wrong guess costs a copy.
template <SetOperation operation>
RoaringContainer combineBitsets(const char * a, const char * b, UInt64 expected)
{
    const auto kernel = roaringKernels().bitsets[indexOf(operation)];
    if (expected > MAX_ARRAY_CARDINALITY)
    {
        RoaringContainer result = RoaringContainer::uninitialized(ContainerKind::Bitset, 0, CONTAINER_VALUES);
        const UInt32 cardinality = kernel(a, b, result.mutableData());
        return settleBitset(std::move(result), cardinality);
    }
    alignas(64) char words[BITSET_BYTES];
    return containerFromWords(words, kernel(a, b, words));
}

template <SetOperation operation>
RoaringContainer combineAsBitsets(ContainerView a, ContainerView b)
{
    alignas(64) char room_a[BITSET_BYTES];
    alignas(64) char room_b[BITSET_BYTES];
    return combineBitsets<operation>(asBitset(a, room_a), asBitset(b, room_b), expectedCardinality(operation, a.size, b.size));
}

template <SetOperation operation>
RoaringContainer combineAs(ContainerView a, ContainerView b)
{
    const bool array_a = a.kind == ContainerKind::Array;
    const bool array_b = b.kind == ContainerKind::Array;
    const bool bitset_a = a.kind == ContainerKind::Bitset;
    const bool bitset_b = b.kind == ContainerKind::Bitset;
    if (bitset_a && bitset_b)
        return combineBitsets<operation>(a.data, b.data, expectedCardinality(operation, a.size, b.size));
    Scratch scratch;
    if (array_a && array_b)
    {
        if (applyTo(operation, false, true) && size_t{a.size} + b.size > MAX_MERGED_VALUES)
            return combineAsBitsets<operation>(a, b);
        return containerFromArray(scratch.bytes, combineArrays<operation>(a, b, scratch.bytes));
    }
    if constexpr (operation == SetOperation::And || operation == SetOperation::AndNot)
    {
        if (array_a)
            return containerFromArray(scratch.bytes, filterArray(a, b, operation == SetOperation::And, scratch.bytes));
    }
    if constexpr (operation == SetOperation::And)
    {
        if (array_b)
            return containerFromArray(scratch.bytes, filterArray(b, a, true, scratch.bytes));
    }
    else
    {
        if (bitset_a)
            return combineBitsetWith<operation>(a, b);
        if constexpr (operation != SetOperation::AndNot)
            if (bitset_b)
                return combineBitsetWith<operation>(b, a);
    }
    if (!bitset_a && !bitset_b && size_t{a.size} + b.size <= detail::MAX_LISTED_RUNS)
    {
        size_t n = 0;
        if constexpr (operation == SetOperation::And)
            n = roaringKernels().runs_and(a.data, a.size, b.data, b.size, scratch.bytes);
        else if constexpr (operation == SetOperation::Or)
            n = detail::uniteRuns(a, b, scratch.bytes);
        else if constexpr (operation == SetOperation::Xor)
            n = detail::xorRuns(a, b, scratch.bytes);
        else
            n = detail::subtractRuns(a, b, scratch.bytes);
        return containerFromRuns(scratch.bytes, n);
    }
    return combineAsBitsets<operation>(a, b);
}
}

void addToBitset(char * words, ContainerView container) noexcept
{
    switch (container.kind)
    {
        case ContainerKind::Array:
            roaringKernels().array_to_bits(container.data, container.size, words);
            return;
        case ContainerKind::Bitset:
            roaringKernels().bitsets[indexOf(SetOperation::Or)](words, container.data, words);
            return;
        case ContainerKind::Run:
            for (size_t i = 0; i < container.size; ++i)
                applyRange<SetOperation::Or>(words, runStart(container.data, i), clampedLast(container.data, i));
            return;
    }
}

RoaringContainer copyContainer(ContainerView view, bool trusted)
{
    if (view.kind == ContainerKind::Bitset && !trusted)
        return containerFromBitset(view.data);
    return {view, static_cast<UInt32>(std::min<UInt64>(containerCardinality(view), CONTAINER_VALUES))};
}

RoaringContainer containerFromBitset(const char * words)
{
    return containerFromWords(words, roaringKernels().bitset_cardinality(words));
}

RoaringContainer containerFromRuns(const char * runs, size_t n)
{
    if (n == 0)
        return {};
    const ContainerView view{ContainerKind::Run, static_cast<UInt32>(n), runs};
    const auto cardinality = static_cast<UInt32>(std::min<UInt64>(containerCardinality(view), CONTAINER_VALUES));
    switch (canonicalKind({cardinality, static_cast<UInt32>(n)}))
    {
        case ContainerKind::Run:
            return {view, cardinality};
        case ContainerKind::Array:
        {
            RoaringContainer result = RoaringContainer::uninitialized(ContainerKind::Array, cardinality, cardinality);
            char * out = result.mutableData();
            forEachValue(view, [&](UInt16 value) {
                unalignedStoreLittleEndian<UInt16>(out, value);
                out += 2;
            });
            return result;
        }
        case ContainerKind::Bitset:
            break;
    }
    std::array<char, BITSET_BYTES> words{};
    addToBitset(words.data(), view);
    return containerFromBitset(words.data());
}

RoaringContainer containerFromSorted(const UInt16 * values, size_t n)
{
    if constexpr (std::endian::native == std::endian::little)
        return containerFromArray(reinterpret_cast<const char *>(values), n);
    char bytes[2 * CONTAINER_VALUES];
    for (size_t i = 0; i < n; ++i)
        unalignedStoreLittleEndian<UInt16>(bytes + 2 * i, values[i]);
    return containerFromArray(bytes, n);
}

RoaringContainer combine(SetOperation operation, ContainerView a, ContainerView b)
{
    switch (operation)
    {
        case SetOperation::And:
            return combineAs<SetOperation::And>(a, b);
        case SetOperation::Or:
            return combineAs<SetOperation::Or>(a, b);
        case SetOperation::Xor:
            return combineAs<SetOperation::Xor>(a, b);
        case SetOperation::AndNot:
            return combineAs<SetOperation::AndNot>(a, b);
    }
    return {};
}

UInt64 intersectionCardinality(ContainerView a, ContainerView b) noexcept
{
    if (b.kind == ContainerKind::Array)
        std::swap(a, b);
    if (a.kind == ContainerKind::Array)
    {
        if (b.kind == ContainerKind::Bitset)
        {
            UInt64 result = 0;
            for (size_t i = 0; i < a.size; ++i)
            {
                const UInt16 value = arrayValue(a.data, i);
                result += bitsetWord(b.data, value / 64) >> (value % 64) & 1;
            }
            return result;
        }
        if (b.kind == ContainerKind::Run)
            return countInRuns(a, b);
        if (b.size < a.size)
            std::swap(a, b);
        if (a.size * SKEW_COMPARED < b.size)
        {
            UInt64 result = 0;
            searchEach(a, b, [&](UInt16, bool in_both) { result += in_both; });
            return result;
        }
        return roaringKernels().arrays_and_count(a.data, a.size, b.data, b.size);
    }
    UInt64 result = 0;
    if (a.kind == ContainerKind::Run && b.kind == ContainerKind::Run)
        return roaringKernels().runs_and_count(a.data, a.size, b.data, b.size);
    if (b.kind == ContainerKind::Run)
        std::swap(a, b);
    if (a.kind == ContainerKind::Bitset)
        return roaringKernels().bitsets_count[indexOf(SetOperation::And)](a.data, b.data);
    for (size_t i = 0; i < a.size; ++i)
        result += countBitsetRange(b.data, runStart(a.data, i), clampedLast(a.data, i));
    return result;
}

void uniteWith(RoaringContainer & to, ContainerView with)
{
    const ContainerView view = to.view();
    if (view.kind != ContainerKind::Bitset)
    {
        to = combine(SetOperation::Or, view, with);
        return;
    }
    char * words = to.mutableData();
    if (with.kind == ContainerKind::Array)
    {
        to.setCardinality(to.cardinality() + static_cast<UInt32>(applyArray<SetOperation::Or>(words, with)));
        return;
    }
    addToBitset(words, with);
    to.setCardinality(roaringKernels().bitset_cardinality(words));
}

}
