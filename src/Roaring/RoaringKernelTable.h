#pragma once

#include "../Common/CpuFeatures.h"
#include "RoaringKernels.h"

#include <cstring>

/** The inner loops over payloads, in one version a processor level. Nothing but RoaringKernels*.cpp and their tests knows of levels.
  *
  * All of them take payload bytes at any alignment, may be given any contents, and then still read and write only what is said below;
  * what they answer for arrays that are not sorted differs from level to level.
  */
namespace DB::inline statewire
{

/// Kernels may write this many bytes behind what they return.
inline constexpr size_t KERNEL_SLACK = 128;

struct ArrayCheck
{
    /// Values that are not above the one before them.
    UInt32 descents = 0;
    UInt32 runs = 0;

    /// Strictly.
    [[nodiscard]] bool isIncreasing() const noexcept { return descents == 0; }
    /// Counts a value and the one before it.
    void addPair(UInt32 previous, UInt32 value) noexcept
    {
        descents += value <= previous ? 1 : 0;
        runs += value != ((previous + 1) & 0xffff) ? 1 : 0;
    }
};

struct RoaringKernelTable
{
    /// Two arrays to one, value by value. `to` has room for 2 * (na + nb) + KERNEL_SLACK bytes. Returns the number of values.
    using CombineArrays = size_t (*)(const char * a, size_t na, const char * b, size_t nb, char * to) noexcept;
    CombineArrays arrays_and;
    CombineArrays arrays_or;
    CombineArrays arrays_xor;
    CombineArrays arrays_and_not;
    size_t (*arrays_and_count)(const char * a, size_t na, const char * b, size_t nb) noexcept;

    /// The first index whose value is not below `value`.
    size_t (*lower_bound)(const char * values, size_t n, UInt32 value) noexcept;

    /// Two lists of runs to the runs that both have. `to` has room for 4 * (na + nb) + KERNEL_SLACK bytes.
    size_t (*runs_and)(const char * a, size_t na, const char * b, size_t nb, char * to) noexcept;
    /// The values in them.
    UInt64 (*runs_and_count)(const char * a, size_t na, const char * b, size_t nb) noexcept;
    /// The values of an array that are (`inside`) or are not in runs. `to` has room for 2 * n + KERNEL_SLACK bytes. Returns the number of values.
    size_t (*filter_by_runs)(const char * values, size_t n, const char * runs, size_t m, bool inside, char * to) noexcept;

    /// Two bitsets to one, indexed by SetOperation; `to` may be one of them. Returns the result's cardinality.
    UInt32 (*bitsets[4])(const char * a, const char * b, char * to) noexcept;
    /// The cardinality alone.
    UInt32 (*bitsets_count[4])(const char * a, const char * b) noexcept;
    ContainerCount (*count_bitset)(const char * words) noexcept;
    UInt32 (*bitset_cardinality)(const char * words) noexcept;

    /// The values set in `n` words, the first word's lowest bit being `base`, as an array. `to` has room for 2 bytes a value + KERNEL_SLACK.
    size_t (*bits_to_array)(const char * words, size_t n, UInt16 base, char * to) noexcept;
    void (*array_to_bits)(const char * values, size_t n, char * words) noexcept;

    ArrayCheck (*check_array)(const char * values, size_t n) noexcept;

    /// Array values with `base` added; exactly n results are written.
    void (*widen32)(const char * values, size_t n, UInt32 base, UInt32 * to) noexcept;
    void (*widen64)(const char * values, size_t n, UInt64 base, UInt64 * to) noexcept;
    /// first, first + 1, ...: exactly n of them.
    void (*fill32)(UInt32 first, size_t n, UInt32 * to) noexcept;
    void (*fill64)(UInt64 first, size_t n, UInt64 * to) noexcept;
};

/// The table for cpuLevel().
[[nodiscard]] const RoaringKernelTable & roaringKernels() noexcept;
/// The table of one level; null when the processor does not have it.
[[nodiscard]] const RoaringKernelTable * roaringKernelsOf(CpuLevel level) noexcept;

namespace detail
{
[[nodiscard]] const RoaringKernelTable & roaringKernelsPlain() noexcept;
#if STATEWIRE_X86_KERNELS
[[nodiscard]] const RoaringKernelTable & roaringKernelsAVX2() noexcept;
[[nodiscard]] const RoaringKernelTable & roaringKernelsAVX512() noexcept;
/// Its kernels for arrays and runs.
void setListKernelsAVX512(RoaringKernelTable & table) noexcept;
#endif

/// Takes ascending values, equal ones next to each other, and keeps what `operation` (Or, Xor) keeps.
template <SetOperation operation>
class ArrayEmitter
{
public:
    explicit ArrayEmitter(char * to_) noexcept : begin(to_), to(to_) { }

    void emit(UInt16 value) noexcept
    {
        if constexpr (operation == SetOperation::Or)
        {
            unalignedStoreLittleEndian<UInt16>(to, value);
            to += 2 * (to == begin || value != last);
            last = value;
        }
        else
        {
            const bool pair = open && value == last;
            unalignedStoreLittleEndian<UInt16>(to, last);
            to += 2 * (open && !pair);
            open = !pair;
            last = value;
        }
    }
    void emitAll(const char * values, size_t n) noexcept
    {
        if (n == 0)
            return;
        emit(arrayValue(values, 0));
        if constexpr (operation == SetOperation::Xor)
        {
            if (n > 1)
                emit(arrayValue(values, 1));
            if (open)
                unalignedStoreLittleEndian<UInt16>(to, last), to += 2;
            open = false;
            if (n > 2)
                std::memcpy(to, values + 4, 2 * (n - 2)), to += 2 * (n - 2);
        }
        else
        {
            std::memcpy(to, values + 2, 2 * (n - 1));
            to += 2 * (n - 1);
        }
    }
    /// Goes on behind what a vector loop wrote, up to `position`; `last_value` is the last that it saw, `is_open` whether it still has to
    /// be written (Xor).
    void resume(char * position, UInt16 last_value, bool is_open) noexcept
    {
        to = position;
        last = last_value;
        open = is_open;
    }
    [[nodiscard]] size_t finish() noexcept
    {
        if (open)
            unalignedStoreLittleEndian<UInt16>(to, last), to += 2;
        return static_cast<size_t>(to - begin) / 2;
    }

private:
    char * begin;
    char * to;
    UInt16 last = 0;
    bool open = false;
};

/// Feeds the values of two arrays, merged, to an emitter. `a` may hold values twice in a row.
template <SetOperation operation>
void emitMerged(const char * a, size_t na, const char * b, size_t nb, ArrayEmitter<operation> & emitter) noexcept
{
    size_t i = 0;
    size_t j = 0;
    while (i < na && j < nb)
    {
        const UInt16 value_a = arrayValue(a, i);
        const UInt16 value_b = arrayValue(b, j);
        const bool from_a = value_a <= value_b;
        emitter.emit(from_a ? value_a : value_b);
        i += from_a;
        j += !from_a;
    }
    for (; i < na; ++i)
        emitter.emit(arrayValue(a, i));
    emitter.emitAll(b + 2 * j, nb - j);
}

/// Ends a vector loop that merged two arrays `lanes` values at a time: `pending` are the `lanes` values that were loaded and not emitted yet, a
/// and b the rests, at least one of them shorter than `lanes`.
template <SetOperation operation, size_t lanes>
size_t finishMerge(
    const char * pending, const char * a, size_t na, const char * b, size_t nb, ArrayEmitter<operation> & emitter) noexcept
{
    const bool a_short = na < lanes;
    const char * short_rest = a_short ? a : b;
    const size_t short_size = a_short ? na : nb;
    char both[4 * lanes];
    char * both_end = both;
    size_t p = 0;
    size_t s = 0;
    while (p < lanes || s < short_size)
    {
        const bool from_pending = s == short_size || (p < lanes && arrayValue(pending, p) <= arrayValue(short_rest, s));
        unalignedStoreLittleEndian<UInt16>(both_end, from_pending ? arrayValue(pending, p) : arrayValue(short_rest, s));
        both_end += 2;
        p += from_pending;
        s += !from_pending;
    }
    const auto both_size = static_cast<size_t>(both_end - both) / 2;
    emitMerged(both, both_size, a_short ? b : a, a_short ? nb : na, emitter);
    return emitter.finish();
}

/// Cuts n values, from `values` on, down to at most `few` among which the lower bound of `value` is. Steps wait for each other, so each looks at
/// three places at once.
inline void narrowLowerBound(const char *& values, size_t & n, UInt32 value, size_t few) noexcept
{
    while (n > few)
    {
        const size_t quarter = n / 4;
        const size_t bytes = 2 * quarter;
        size_t skip = arrayValue(values, quarter - 1) < value ? bytes : 0;
        skip += arrayValue(values, 2 * quarter - 1) < value ? bytes : 0;
        skip += arrayValue(values, 3 * quarter - 1) < value ? bytes : 0;
        values += skip;
        n -= 3 * quarter;
    }
}

/// The plain loops, which vector versions also use for what is left over.
template <SetOperation operation>
size_t combineArraysPlain(const char * a, size_t na, const char * b, size_t nb, char * to) noexcept
{
    size_t i = 0;
    size_t j = 0;
    char * out = to;
    while (i < na && j < nb)
    {
        const UInt16 value_a = arrayValue(a, i);
        const UInt16 value_b = arrayValue(b, j);
        const bool from_a = value_a <= value_b;
        const bool from_b = value_b <= value_a;
        unalignedStoreLittleEndian<UInt16>(out, from_a ? value_a : value_b);
        out += 2 * applyTo(operation, from_a, from_b);
        i += from_a;
        j += from_b;
    }
    if constexpr (applyTo(operation, true, false))
    {
        if (i < na)
            std::memcpy(out, a + 2 * i, 2 * (na - i));
        out += 2 * (na - i);
    }
    if constexpr (applyTo(operation, false, true))
    {
        if (j < nb)
            std::memcpy(out, b + 2 * j, 2 * (nb - j));
        out += 2 * (nb - j);
    }
    return static_cast<size_t>(out - to) / 2;
}
}

}
