#include "RoaringKernels.h"

#include <algorithm>
#include <array>

namespace DB::inline statewire
{

namespace
{
/// Room for the union of two arrays, or for as many runs as still beat a bitset on both sides together.
constexpr size_t SCRATCH_BYTES = 2 * size_t{MAX_ARRAY_CARDINALITY} * 2;
constexpr size_t MAX_SWEPT_RUNS = SCRATCH_BYTES / 4;

struct alignas(64) Bitset
{
    std::array<char, BITSET_BYTES> words{};
};

/// The first index whose value is not below `value`.
size_t lowerBound(const char * values, size_t n, UInt16 value) noexcept
{
    size_t first = 0;
    while (n != 0)
    {
        const size_t half = n / 2;
        if (arrayValue(values, first + half) < value)
        {
            first += half + 1;
            n -= half + 1;
        }
        else
            n = half;
    }
    return first;
}

/// Sets the bits [first, last] of little-endian words.
void setRange(char * words, UInt32 first, UInt32 last) noexcept
{
    const size_t first_word = first / 64;
    const size_t last_word = last / 64;
    for (size_t i = first_word; i <= last_word; ++i)
    {
        UInt64 mask = ~UInt64{0};
        if (i == first_word)
            mask &= ~UInt64{0} << (first % 64);
        if (i == last_word)
            mask &= ~UInt64{0} >> (63 - last % 64);
        unalignedStoreLittleEndian<UInt64>(words + 8 * i, bitsetWord(words, i) | mask);
    }
}

UInt64 countRange(const char * words, UInt32 first, UInt32 last) noexcept
{
    UInt64 result = 0;
    const size_t first_word = first / 64;
    const size_t last_word = last / 64;
    for (size_t i = first_word; i <= last_word; ++i)
    {
        UInt64 word = bitsetWord(words, i);
        if (i == first_word)
            word &= ~UInt64{0} << (first % 64);
        if (i == last_word)
            word &= ~UInt64{0} >> (63 - last % 64);
        result += static_cast<UInt64>(std::popcount(word));
    }
    return result;
}

template <SetOperation operation>
UInt64 combineWords(UInt64 a, UInt64 b) noexcept
{
    if constexpr (operation == SetOperation::And)
        return a & b;
    else if constexpr (operation == SetOperation::Or)
        return a | b;
    else if constexpr (operation == SetOperation::Xor)
        return a ^ b;
    else
        return a & ~b;
}

/// The bits of a container, in place when it is a bitset already.
const char * asBitset(ContainerView container, Bitset & room) noexcept
{
    if (container.kind == ContainerKind::Bitset)
        return container.data;
    addToBitset(room.words.data(), container);
    return room.words.data();
}

template <SetOperation operation>
RoaringContainer combineBitsets(ContainerView a, ContainerView b)
{
    Bitset room_a;
    Bitset room_b;
    const char * words_a = asBitset(a, room_a);
    const char * words_b = asBitset(b, room_b);
    Bitset result;
    for (size_t i = 0; i < BITSET_WORDS; ++i)
        unalignedStoreLittleEndian<UInt64>(
            result.words.data() + 8 * i, combineWords<operation>(bitsetWord(words_a, i), bitsetWord(words_b, i)));
    return containerFromBitset(result.words.data());
}

/// Two sorted arrays, value by value, into `to` (room for both). Returns the number of results.
template <SetOperation operation>
size_t mergeArrays(ContainerView a, ContainerView b, UInt16 * to) noexcept
{
    size_t i = 0;
    size_t j = 0;
    UInt16 * out = to;
    while (i < a.size && j < b.size)
    {
        const UInt16 value_a = arrayValue(a.data, i);
        const UInt16 value_b = arrayValue(b.data, j);
        const bool from_a = value_a <= value_b;
        const bool from_b = value_b <= value_a;
        *out = from_a ? value_a : value_b;
        out += applyTo(operation, from_a, from_b);
        i += from_a;
        j += from_b;
    }
    if constexpr (applyTo(operation, true, false))
        for (; i < a.size; ++i)
            *out++ = arrayValue(a.data, i);
    if constexpr (applyTo(operation, false, true))
        for (; j < b.size; ++j)
            *out++ = arrayValue(b.data, j);
    return static_cast<size_t>(out - to);
}

/// The array's values that are (or are not) in the other container.
size_t filterArray(ContainerView array, ContainerView by, bool keep_contained, UInt16 * to) noexcept
{
    UInt16 * out = to;
    for (size_t i = 0; i < array.size; ++i)
    {
        const UInt16 value = arrayValue(array.data, i);
        *out = value;
        out += containerContains(by, value) == keep_contained;
    }
    return static_cast<size_t>(out - to);
}

/// Walks the borders of two run lists in order and calls emit(start, last) for every run of the result.
template <SetOperation operation, typename Emit>
void sweepRuns(ContainerView a, ContainerView b, Emit && emit) noexcept
{
    /// Border k of a list: the start of run k / 2, or the value behind its last one.
    const auto border = [](const char * runs, size_t k) {
        return std::min(k % 2 == 0 ? runStart(runs, k / 2) : runLast(runs, k / 2) + 1, CONTAINER_VALUES);
    };
    const size_t borders_a = 2 * size_t{a.size};
    const size_t borders_b = 2 * size_t{b.size};
    size_t i = 0;
    size_t j = 0;
    bool inside = false;
    UInt32 start = 0;
    while (i < borders_a || j < borders_b)
    {
        const UInt32 next_a = i < borders_a ? border(a.data, i) : CONTAINER_VALUES;
        const UInt32 next_b = j < borders_b ? border(b.data, j) : CONTAINER_VALUES;
        const UInt32 at = std::min(next_a, next_b);
        i += i < borders_a && next_a == at;
        j += j < borders_b && next_b == at;
        const bool now_inside = applyTo(operation, i % 2 != 0, j % 2 != 0);
        if (now_inside == inside)
            continue;
        inside = now_inside;
        if (inside)
            start = at;
        else if (at > start)
            emit(start, at - 1);
    }
}

RoaringContainer containerFromRuns(const char * runs, size_t n)
{
    if (n == 0)
        return {};
    UInt32 cardinality = 0;
    for (size_t i = 0; i < n; ++i)
        cardinality += runLast(runs, i) - runStart(runs, i) + 1;
    const ContainerView view{ContainerKind::Run, static_cast<UInt32>(n), runs};
    if (canonicalKind({cardinality, static_cast<UInt32>(n)}) == ContainerKind::Run)
        return {view, cardinality};
    Bitset room;
    addToBitset(room.words.data(), view);
    return containerFromBitset(room.words.data());
}

template <SetOperation operation>
RoaringContainer combineAs(ContainerView a, ContainerView b)
{
    const bool array_a = a.kind == ContainerKind::Array;
    const bool array_b = b.kind == ContainerKind::Array;
    UInt16 values[SCRATCH_BYTES / 2];
    if (array_a && array_b)
        return containerFromSorted(values, mergeArrays<operation>(a, b, values));
    if constexpr (operation == SetOperation::And || operation == SetOperation::AndNot)
    {
        if (array_a)
            return containerFromSorted(values, filterArray(a, b, operation == SetOperation::And, values));
    }
    if constexpr (operation == SetOperation::And)
    {
        if (array_b)
            return containerFromSorted(values, filterArray(b, a, true, values));
    }
    if (a.kind == ContainerKind::Run && b.kind == ContainerKind::Run && size_t{a.size} + b.size <= MAX_SWEPT_RUNS)
    {
        char * runs = reinterpret_cast<char *>(values);
        size_t n = 0;
        sweepRuns<operation>(a, b, [&](UInt32 start, UInt32 last) { storeRun(runs, n++, start, last); });
        return containerFromRuns(runs, n);
    }
    return combineBitsets<operation>(a, b);
}

UInt64 intersectionCardinality(ContainerView a, ContainerView b) noexcept
{
    if (b.kind == ContainerKind::Array)
        std::swap(a, b);
    if (a.kind == ContainerKind::Array)
    {
        UInt16 values[MAX_ARRAY_CARDINALITY * 2];
        return b.kind == ContainerKind::Array ? mergeArrays<SetOperation::And>(a, b, values) : filterArray(a, b, true, values);
    }
    UInt64 result = 0;
    if (a.kind == ContainerKind::Run && b.kind == ContainerKind::Run)
    {
        sweepRuns<SetOperation::And>(a, b, [&](UInt32 start, UInt32 last) { result += last - start + 1; });
        return result;
    }
    if (b.kind == ContainerKind::Run)
        std::swap(a, b);
    if (a.kind == ContainerKind::Run)
    {
        for (size_t i = 0; i < a.size; ++i)
            result += countRange(b.data, runStart(a.data, i), std::min(runLast(a.data, i), CONTAINER_VALUES - 1));
        return result;
    }
    for (size_t i = 0; i < BITSET_WORDS; ++i)
        result += static_cast<UInt64>(std::popcount(bitsetWord(a.data, i) & bitsetWord(b.data, i)));
    return result;
}
}

UInt64 containerCardinality(ContainerView container) noexcept
{
    if (container.kind != ContainerKind::Run)
        return container.size;
    UInt64 result = 0;
    for (size_t i = 0; i < container.size; ++i)
        result += runLast(container.data, i) - runStart(container.data, i) + 1;
    return result;
}

bool containerContains(ContainerView container, UInt16 value) noexcept
{
    switch (container.kind)
    {
        case ContainerKind::Array:
        {
            const size_t i = lowerBound(container.data, container.size, value);
            return i < container.size && arrayValue(container.data, i) == value;
        }
        case ContainerKind::Bitset:
            return static_cast<UInt8>(container.data[value / 8]) >> (value % 8) & 1;
        case ContainerKind::Run:
        {
            /// The last run that starts at or before the value.
            size_t first = 0;
            size_t n = container.size;
            while (n != 0)
            {
                const size_t half = n / 2;
                if (runStart(container.data, first + half) <= value)
                {
                    first += half + 1;
                    n -= half + 1;
                }
                else
                    n = half;
            }
            return first != 0 && value <= runLast(container.data, first - 1);
        }
    }
    return false;
}

UInt16 containerMinimum(ContainerView container) noexcept
{
    if (container.kind == ContainerKind::Array)
        return container.size == 0 ? UInt16{0} : arrayValue(container.data, 0);
    if (container.kind == ContainerKind::Run)
        return container.size == 0 ? UInt16{0} : static_cast<UInt16>(runStart(container.data, 0));
    for (size_t i = 0; i < BITSET_WORDS; ++i)
        if (const UInt64 word = bitsetWord(container.data, i))
            return static_cast<UInt16>(64 * i + static_cast<size_t>(std::countr_zero(word)));
    return 0;
}

UInt16 containerMaximum(ContainerView container) noexcept
{
    if (container.kind == ContainerKind::Array)
        return container.size == 0 ? UInt16{0} : arrayValue(container.data, container.size - 1);
    if (container.kind == ContainerKind::Run)
        return container.size == 0 ? UInt16{0} : static_cast<UInt16>(std::min(runLast(container.data, container.size - 1), CONTAINER_VALUES - 1));
    for (size_t i = BITSET_WORDS; i-- > 0;)
        if (const UInt64 word = bitsetWord(container.data, i))
            return static_cast<UInt16>(64 * i + 63 - static_cast<size_t>(std::countl_zero(word)));
    return 0;
}

ContainerCount countContainer(ContainerView container) noexcept
{
    ContainerCount result;
    switch (container.kind)
    {
        case ContainerKind::Array:
        {
            result.cardinality = container.size;
            UInt32 expected = CONTAINER_VALUES;
            for (size_t i = 0; i < container.size; ++i)
            {
                const UInt32 value = arrayValue(container.data, i);
                result.runs += value != expected;
                expected = value + 1;
            }
            return result;
        }
        case ContainerKind::Bitset:
        {
            /// A run starts at every set bit whose lower neighbour is clear.
            UInt64 carry = 0;
            for (size_t i = 0; i < BITSET_WORDS; ++i)
            {
                const UInt64 word = bitsetWord(container.data, i);
                result.cardinality += static_cast<UInt32>(std::popcount(word));
                result.runs += static_cast<UInt32>(std::popcount(word & ~(word << 1 | carry)));
                carry = word >> 63;
            }
            return result;
        }
        case ContainerKind::Run:
            result.runs = container.size;
            result.cardinality = static_cast<UInt32>(std::min<UInt64>(containerCardinality(container), CONTAINER_VALUES));
            return result;
    }
    return result;
}

void addToBitset(char * words, ContainerView container) noexcept
{
    switch (container.kind)
    {
        case ContainerKind::Array:
            for (size_t i = 0; i < container.size; ++i)
            {
                const UInt16 value = arrayValue(container.data, i);
                words[value / 8] = static_cast<char>(words[value / 8] | 1 << (value % 8));
            }
            return;
        case ContainerKind::Bitset:
            for (size_t i = 0; i < BITSET_WORDS; ++i)
                unalignedStoreLittleEndian<UInt64>(words + 8 * i, bitsetWord(words, i) | bitsetWord(container.data, i));
            return;
        case ContainerKind::Run:
            for (size_t i = 0; i < container.size; ++i)
                setRange(words, runStart(container.data, i), std::min(runLast(container.data, i), CONTAINER_VALUES - 1));
            return;
    }
}

RoaringContainer containerFromBitset(const char * words)
{
    UInt32 cardinality = 0;
    for (size_t i = 0; i < BITSET_WORDS; ++i)
        cardinality += static_cast<UInt32>(std::popcount(bitsetWord(words, i)));
    const ContainerView view{ContainerKind::Bitset, cardinality, words};
    if (cardinality > MAX_ARRAY_CARDINALITY)
        return {view, cardinality};
    char values[2 * MAX_ARRAY_CARDINALITY];
    char * out = values;
    forEachValue(view, [&](UInt16 value) {
        unalignedStoreLittleEndian<UInt16>(out, value);
        out += sizeof(value);
    });
    return {{ContainerKind::Array, cardinality, values}, cardinality};
}

RoaringContainer containerFromSorted(const UInt16 * values, size_t n)
{
    if (n > MAX_ARRAY_CARDINALITY)
    {
        Bitset room;
        for (size_t i = 0; i < n; ++i)
            room.words[values[i] / 8] = static_cast<char>(room.words[values[i] / 8] | 1 << (values[i] % 8));
        return containerFromBitset(room.words.data());
    }
    if constexpr (std::endian::native == std::endian::big)
    {
        char bytes[2 * MAX_ARRAY_CARDINALITY];
        for (size_t i = 0; i < n; ++i)
            unalignedStoreLittleEndian<UInt16>(bytes + 2 * i, values[i]);
        return {{ContainerKind::Array, static_cast<UInt32>(n), bytes}, static_cast<UInt32>(n)};
    }
    return {{ContainerKind::Array, static_cast<UInt32>(n), reinterpret_cast<const char *>(values)}, static_cast<UInt32>(n)};
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

UInt64 combinedCardinality(SetOperation operation, ContainerView a, ContainerView b) noexcept
{
    const UInt64 both = intersectionCardinality(a, b);
    const UInt64 in_a = containerCardinality(a);
    const UInt64 in_b = containerCardinality(b);
    switch (operation)
    {
        case SetOperation::And:
            return both;
        case SetOperation::Or:
            return in_a + in_b - both;
        case SetOperation::Xor:
            return in_a + in_b - 2 * both;
        case SetOperation::AndNot:
            return in_a - both;
    }
    return 0;
}

void uniteWith(RoaringContainer & to, ContainerView with)
{
    const ContainerView view = to.view();
    if (view.kind != ContainerKind::Bitset)
    {
        to = combine(SetOperation::Or, view, with);
        return;
    }
    addToBitset(to.mutableData(), with);
    to.setCardinality(countContainer(to.view()).cardinality);
}

}
