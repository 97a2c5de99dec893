#include "RoaringKernelTable.h"

#include <algorithm>

namespace DB::inline statewire
{

namespace
{
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

size_t andCount(const char * a, size_t na, const char * b, size_t nb) noexcept
{
    size_t i = 0;
    size_t j = 0;
    size_t result = 0;
    while (i < na && j < nb)
    {
        const UInt16 value_a = arrayValue(a, i);
        const UInt16 value_b = arrayValue(b, j);
        result += value_a == value_b;
        i += value_a <= value_b;
        j += value_b <= value_a;
    }
    return result;
}

size_t lowerBound(const char * values, size_t n, UInt32 value) noexcept
{
    const char * at = values;
    detail::narrowLowerBound(at, n, value, 3);
    for (; n != 0; --n)
        at += arrayValue(at, 0) < value ? 2 : 0;
    return static_cast<size_t>(at - values) / 2;
}

/// Calls emit(start, last, any) for each step of two lists of runs; only where `any` is true it is a run of both.
template <typename Emit>
void intersectRuns(const char * a, size_t na, const char * b, size_t nb, Emit && emit) noexcept
{
    size_t i = 0;
    size_t j = 0;
    while (i < na && j < nb)
    {
        const UInt32 last_a = runLast(a, i);
        const UInt32 last_b = runLast(b, j);
        const UInt32 start = std::max(runStart(a, i), runStart(b, j));
        const UInt32 last = std::min({last_a, last_b, CONTAINER_VALUES - 1});
        emit(start, last, start <= last);
        i += last_a <= last_b;
        j += last_b <= last_a;
    }
}

size_t runsAnd(const char * a, size_t na, const char * b, size_t nb, char * to) noexcept
{
    size_t n = 0;
    intersectRuns(a, na, b, nb, [&](UInt32 start, UInt32 last, bool any) {
        storeRun(to, n, start, last);
        n += any;
    });
    return n;
}

UInt64 runsAndCount(const char * a, size_t na, const char * b, size_t nb) noexcept
{
    UInt64 result = 0;
    intersectRuns(a, na, b, nb, [&](UInt32 start, UInt32 last, bool any) { result += any ? last - start + 1 : 0; });
    return result;
}

/// The same for so many values a run that searching for its ends costs less than looking at each value. Pieces between them are copied whole.
size_t filterByFewRuns(const char * values, size_t n, const char * runs, size_t m, bool inside, char * to) noexcept
{
    char * out = to;
    size_t at = 0;
    const auto take_until = [&](size_t end, bool keep) {
        if (keep)
        {
            std::memcpy(out, values + 2 * at, 2 * (end - at));
            out += 2 * (end - at);
        }
        at = end;
    };
    for (size_t run = 0; run < m; ++run)
    {
        take_until(at + lowerBound(values + 2 * at, n - at, runStart(runs, run)), !inside);
        take_until(at + lowerBound(values + 2 * at, n - at, runLast(runs, run) + 1), inside);
    }
    take_until(n, !inside);
    return static_cast<size_t>(out - to) / 2;
}

size_t filterByRuns(const char * values, size_t n, const char * runs, size_t m, bool inside, char * to) noexcept
{
    constexpr size_t MANY_VALUES = 32;
    if (m * MANY_VALUES < n)
        return filterByFewRuns(values, n, runs, m, inside, to);
    char * out = to;
    size_t run = 0;
    for (size_t i = 0; i < n; ++i)
    {
        const UInt16 value = arrayValue(values, i);
        while (run < m && runLast(runs, run) < value)
            ++run;
        unalignedStoreLittleEndian<UInt16>(out, value);
        out += 2 * ((run < m && runStart(runs, run) <= value) == inside);
    }
    return static_cast<size_t>(out - to) / 2;
}

template <SetOperation operation>
UInt32 combineBitsets(const char * a, const char * b, char * to) noexcept
{
    UInt32 result = 0;
    for (size_t i = 0; i < BITSET_WORDS; ++i)
    {
        const UInt64 word = combineWords<operation>(bitsetWord(a, i), bitsetWord(b, i));
        unalignedStoreLittleEndian<UInt64>(to + 8 * i, word);
        result += static_cast<UInt32>(std::popcount(word));
    }
    return result;
}

template <SetOperation operation>
UInt32 countCombined(const char * a, const char * b) noexcept
{
    UInt32 result = 0;
    for (size_t i = 0; i < BITSET_WORDS; ++i)
        result += static_cast<UInt32>(std::popcount(combineWords<operation>(bitsetWord(a, i), bitsetWord(b, i))));
    return result;
}

ContainerCount countBitset(const char * words) noexcept
{
    /// A run starts at every set bit whose lower neighbour is clear.
    ContainerCount result;
    UInt64 carry = 0;
    for (size_t i = 0; i < BITSET_WORDS; ++i)
    {
        const UInt64 word = bitsetWord(words, i);
        result.cardinality += static_cast<UInt32>(std::popcount(word));
        result.runs += static_cast<UInt32>(std::popcount(word & ~(word << 1 | carry)));
        carry = word >> 63;
    }
    return result;
}

UInt32 bitsetCardinality(const char * words) noexcept
{
    UInt32 result = 0;
    for (size_t i = 0; i < BITSET_WORDS; ++i)
        result += static_cast<UInt32>(std::popcount(bitsetWord(words, i)));
    return result;
}

size_t bitsToArray(const char * words, size_t n, UInt16 base, char * to) noexcept
{
    char * out = to;
    for (size_t i = 0; i < n; ++i)
        for (UInt64 word = bitsetWord(words, i); word != 0; word &= word - 1)
        {
            unalignedStoreLittleEndian<UInt16>(out, static_cast<UInt16>(base + 64 * i + static_cast<size_t>(std::countr_zero(word))));
            out += 2;
        }
    return static_cast<size_t>(out - to) / 2;
}

void arrayToBits(const char * values, size_t n, char * words) noexcept
{
    for (size_t i = 0; i < n; ++i)
    {
        const UInt16 value = arrayValue(values, i);
        char * word = words + value / 64 * 8;
        unalignedStoreLittleEndian<UInt64>(word, unalignedLoadLittleEndian<UInt64>(word) | UInt64{1} << (value % 64));
    }
}

ArrayCheck checkArray(const char * values, size_t n) noexcept
{
    if (n == 0)
        return {};
    ArrayCheck result{0, 1};
    for (size_t i = 1; i < n; ++i)
        result.addPair(arrayValue(values, i - 1), arrayValue(values, i));
    return result;
}

template <typename T>
void widen(const char * values, size_t n, T base, T * to) noexcept
{
    for (size_t i = 0; i < n; ++i)
        to[i] = base + arrayValue(values, i);
}

template <typename T>
void fill(T first, size_t n, T * to) noexcept
{
    for (size_t i = 0; i < n; ++i)
        to[i] = static_cast<T>(first + i);
}
}

const RoaringKernelTable & detail::roaringKernelsPlain() noexcept
{
    static constexpr RoaringKernelTable table{
        .arrays_and = combineArraysPlain<SetOperation::And>,
        .arrays_or = combineArraysPlain<SetOperation::Or>,
        .arrays_xor = combineArraysPlain<SetOperation::Xor>,
        .arrays_and_not = combineArraysPlain<SetOperation::AndNot>,
        .arrays_and_count = andCount,
        .lower_bound = lowerBound,
        .runs_and = runsAnd,
        .runs_and_count = runsAndCount,
        .filter_by_runs = filterByRuns,
        .bitsets
        = {combineBitsets<SetOperation::And>, combineBitsets<SetOperation::Or>, combineBitsets<SetOperation::Xor>,
           combineBitsets<SetOperation::AndNot>},
        .bitsets_count
        = {countCombined<SetOperation::And>, countCombined<SetOperation::Or>, countCombined<SetOperation::Xor>,
           countCombined<SetOperation::AndNot>},
        .count_bitset = countBitset,
        .bitset_cardinality = bitsetCardinality,
        .bits_to_array = bitsToArray,
        .array_to_bits = arrayToBits,
        .check_array = checkArray,
        .widen32 = widen<UInt32>,
        .widen64 = widen<UInt64>,
        .fill32 = fill<UInt32>,
        .fill64 = fill<UInt64>};
    return table;
}

const RoaringKernelTable * roaringKernelsOf(CpuLevel level) noexcept
{
    if (level > supportedCpuLevel())
        return nullptr;
#if STATEWIRE_X86_KERNELS
    if (level == CpuLevel::AVX512)
        return &detail::roaringKernelsAVX512();
    if (level == CpuLevel::AVX2)
        return &detail::roaringKernelsAVX2();
#endif
    return &detail::roaringKernelsPlain();
}

const RoaringKernelTable & roaringKernels() noexcept
{
    static const RoaringKernelTable * const table = roaringKernelsOf(cpuLevel());
    return *table;
}

}
