#include "RoaringKernelTable.h"

#if STATEWIRE_X86_KERNELS

/// GCC takes the undefined operands inside its own intrinsics for mistakes of ours.
#    if defined(__GNUC__) && !defined(__clang__)
#        pragma GCC diagnostic ignored "-Wuninitialized"
#        pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#    endif
#    include <immintrin.h>
#    include <utility>

#    define TARGET STATEWIRE_TARGET_AVX512

namespace DB::inline statewire
{

namespace
{
/// Values that one step takes.
constexpr size_t LANES = 16;

TARGET inline __m256i load16(const char * from) noexcept
{
    return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(from));
}
/// The first lanes: n of them, or all.
TARGET inline __mmask16 firstLanes(size_t n) noexcept
{
    return static_cast<__mmask16>(_bzhi_u32(0xffff, n < LANES ? static_cast<UInt32>(n) : LANES));
}
/// Up to 16 values, filled up with the largest.
TARGET inline __m256i loadPadded(const char * from, size_t n) noexcept
{
    return _mm256_mask_loadu_epi16(_mm256_set1_epi16(-1), firstLanes(n), from);
}
TARGET inline char * storeSelected(char * to, __mmask16 selected, __m256i values) noexcept
{
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(to), _mm256_maskz_compress_epi16(selected, values));
    return to + 2 * _mm_popcnt_u32(selected);
}

/// Sorts values that rise and then fall, or fall and then rise.
TARGET inline __m256i sortBitonic(__m256i v) noexcept
{
    __m256i other = _mm256_permute2x128_si256(v, v, 1);
    v = _mm256_mask_max_epu16(_mm256_min_epu16(v, other), 0xff00, v, other);
    other = _mm256_shuffle_epi32(v, 0x4e);
    v = _mm256_mask_max_epu16(_mm256_min_epu16(v, other), 0xf0f0, v, other);
    other = _mm256_shuffle_epi32(v, 0xb1);
    v = _mm256_mask_max_epu16(_mm256_min_epu16(v, other), 0xcccc, v, other);
    other = _mm256_rol_epi32(v, 16);
    return _mm256_mask_max_epu16(_mm256_min_epu16(v, other), 0xaaaa, v, other);
}

/// The vector's values with the last one of `before` in front.
TARGET inline __m256i shiftIn(__m256i before, __m256i values) noexcept
{
    return _mm256_alignr_epi8(values, _mm256_permute2x128_si256(before, values, 0x21), 14);
}

/// Takes sorted vectors, each going on where the one before ended, and writes what Or or Xor keeps.
template <SetOperation operation>
class SortedVectors
{
public:
    /// `first` is any value that differs from the first one to come.
    TARGET SortedVectors(char * to_, UInt16 first) noexcept : to(to_), before(_mm256_set1_epi16(static_cast<short>(first))), shifted(before) { }

    /// `left` values are still to come, these included; lanes behind them count for nothing. The last call for Or has left <= 16, for Xor
    /// left < 16.
    TARGET inline __attribute__((always_inline)) void put(__m256i values, size_t left) noexcept
    {
        if constexpr (operation == SetOperation::Or)
            to = storeSelected(to, _mm256_mask_cmpneq_epi16_mask(firstLanes(left), values, shiftIn(before, values)), values);
        else
        {
            /// A value is kept when neither neighbour equals it, so decisions lag one value behind.
            const __m256i current = shiftIn(before, values);
            const __mmask16 known = _mm256_mask_cmpneq_epi16_mask(drop, current, shiftIn(shifted, current));
            const auto no_next = static_cast<__mmask16>(~firstLanes(left));
            const __mmask16 keep = static_cast<__mmask16>(known & firstLanes(left + 1) & (_mm256_cmpneq_epi16_mask(current, values) | no_next));
            to = storeSelected(to, keep, current);
            shifted = current;
            drop = 0xffff;
        }
        before = values;
    }

    char * to;

private:
    __m256i before;
    __m256i shifted;
    /// The first lane is no value yet.
    __mmask16 drop = 0xfffe;
};

/// Or, Xor: two arrays are merged 16 values at a time, the last ones of each filled up with values that sort behind all others.
template <SetOperation operation>
TARGET size_t mergeArrays(const char * a, size_t na, const char * b, size_t nb, char * to) noexcept
{
    if (na == 0 || nb == 0)
        return detail::combineArraysPlain<operation>(a, na, b, nb, to);
    const __m256i reverse = _mm256_set_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const UInt16 first = arrayValue(a, 0) < arrayValue(b, 0) ? arrayValue(a, 0) : arrayValue(b, 0);
    SortedVectors<operation> out(to, static_cast<UInt16>(~first));
    /// Values that are not written yet.
    size_t left = na + nb;
    size_t i = LANES;
    size_t j = LANES;
    __m256i high = loadPadded(a, na);
    __m256i next = loadPadded(b, nb);
    for (;;)
    {
        next = _mm256_permutexvar_epi16(reverse, next);
        const __m256i low = sortBitonic(_mm256_min_epu16(high, next));
        high = sortBitonic(_mm256_max_epu16(high, next));
        out.put(low, left);
        if (left <= LANES)
            break;
        left -= LANES;
        if (i + LANES <= na && j + LANES <= nb)
        {
            const bool from_a = arrayValue(a, i) <= arrayValue(b, j);
            next = load16(from_a ? a + 2 * i : b + 2 * j);
            i += LANES * from_a;
            j += LANES * !from_a;
            continue;
        }
        if (i >= na || j >= nb)
        {
            /// What is left of one array, if anything, is copied as soon as it lies behind all that was loaded.
            const char * rest = i >= na ? b + 2 * j : a + 2 * i;
            const size_t rest_size = i >= na ? (j < nb ? nb - j : 0) : na - i;
            const __m256i bound = _mm256_set1_epi16(static_cast<short>(rest_size != 0 ? arrayValue(rest, 0) : 0));
            if (rest_size == 0 || _mm256_mask_cmpge_epu16_mask(firstLanes(left - rest_size), high, bound) == 0)
            {
                left -= rest_size;
                out.put(high, left);
                if (operation == SetOperation::Xor && left == LANES)
                    out.put(high, 0);
                std::memcpy(out.to, rest, 2 * rest_size);
                return static_cast<size_t>(out.to - to) / 2 + rest_size;
            }
        }
        const bool from_a = j >= nb || (i < na && arrayValue(a, i) <= arrayValue(b, j));
        next = from_a ? loadPadded(a + 2 * i, na - i) : loadPadded(b + 2 * j, nb - j);
        (from_a ? i : j) += LANES;
    }
    /// The last value of all, when the vector before ended with it.
    if (operation == SetOperation::Xor && left == LANES)
        out.put(high, 0);
    return static_cast<size_t>(out.to - to) / 2;
}

/// Walks two lists of runs, one of the shorter against 16 of the longer at a time, and calls on_step(starts, lasts, lanes where both lists have a run) until it
/// returns false.
template <typename OnStep>
TARGET inline __attribute__((always_inline)) void intersectRuns(
    const char * a, size_t na, const char * b, size_t nb, OnStep && on_step) noexcept
{
    if (nb < na)
    {
        std::swap(a, b);
        std::swap(na, nb);
    }
    const __m512i low_half = _mm512_set1_epi32(0xffff);
    size_t i = 0;
    for (size_t j = 0; i < na && j < nb; j += LANES)
    {
        const __mmask16 lanes = firstLanes(nb - j);
        const __m512i runs_b = _mm512_maskz_loadu_epi32(lanes, b + 4 * j);
        const __m512i starts_b = _mm512_and_si512(runs_b, low_half);
        const __m512i lasts_b = _mm512_min_epi32(_mm512_add_epi32(starts_b, _mm512_srli_epi32(runs_b, 16)), low_half);
        const UInt32 block_last = runLast(b, (j + LANES <= nb ? j + LANES : nb) - 1);
        for (; i < na; ++i)
        {
            const UInt32 last_a = runLast(a, i);
            const __m512i starts = _mm512_max_epi32(starts_b, _mm512_set1_epi32(static_cast<int>(runStart(a, i))));
            const __m512i lasts = _mm512_min_epi32(lasts_b, _mm512_set1_epi32(static_cast<int>(last_a)));
            if (!on_step(starts, lasts, _mm512_mask_cmple_epi32_mask(lanes, starts, lasts)))
                return;
            if (last_a > block_last)
                break;
        }
    }
}

TARGET size_t runsAnd(const char * a, size_t na, const char * b, size_t nb, char * to) noexcept
{
    size_t n = 0;
    const auto store = [&](__m512i starts, __m512i lasts, __mmask16 found) __attribute__((always_inline)) TARGET {
        const __m512i runs = _mm512_or_si512(starts, _mm512_slli_epi32(_mm512_sub_epi32(lasts, starts), 16));
        _mm512_storeu_si512(to + 4 * n, _mm512_maskz_compress_epi32(found, runs));
        n += static_cast<size_t>(_mm_popcnt_u32(found));
        /// More can only come of runs that overlap.
        return n < na + nb;
    };
    intersectRuns(a, na, b, nb, store);
    return n < na + nb ? n : na + nb;
}

TARGET UInt64 runsAndCount(const char * a, size_t na, const char * b, size_t nb) noexcept
{
    __m512i sum = _mm512_setzero_si512();
    UInt64 found_runs = 0;
    const auto add = [&](__m512i starts, __m512i lasts, __mmask16 found) __attribute__((always_inline)) TARGET {
        sum = _mm512_mask_add_epi32(sum, found, sum, _mm512_sub_epi32(lasts, starts));
        found_runs += static_cast<UInt64>(_mm_popcnt_u32(found));
        return found_runs < na + nb;
    };
    intersectRuns(a, na, b, nb, add);
    return static_cast<UInt32>(_mm512_reduce_add_epi32(sum)) + found_runs;
}

TARGET size_t filterByRuns(const char * values, size_t n, const char * runs, size_t m, bool inside, char * to) noexcept
{
    constexpr size_t BLOCK = 32;
    char * out = to;
    size_t run = 0;
    for (size_t i = 0; i < n; i += BLOCK)
    {
        const auto lanes = static_cast<__mmask32>(_bzhi_u32(~UInt32{0}, static_cast<UInt32>(n - i < BLOCK ? n - i : BLOCK)));
        const __m512i block = _mm512_maskz_loadu_epi16(lanes, values + 2 * i);
        const UInt32 block_last = arrayValue(values, (i + BLOCK <= n ? i + BLOCK : n) - 1);
        __mmask32 found = 0;
        for (; run < m && runStart(runs, run) <= block_last; ++run)
        {
            const UInt32 start = runStart(runs, run);
            const UInt32 last = runLast(runs, run);
            const __m512i distance = _mm512_sub_epi16(block, _mm512_set1_epi16(static_cast<short>(start)));
            found |= _mm512_cmple_epu16_mask(distance, _mm512_set1_epi16(static_cast<short>(last - start)));
            if (last > block_last)
                break;
        }
        const __mmask32 selected = (inside ? found : ~found) & lanes;
        _mm512_storeu_si512(out, _mm512_maskz_compress_epi16(selected, block));
        out += 2 * _mm_popcnt_u32(selected);
    }
    return static_cast<size_t>(out - to) / 2;
}

/// Blocks of 16 values are compared all with all by one instruction, on the processors that have it (Tiger Lake, Zen 5 and later).
#    define TARGET_INTERSECT \
        __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512vpopcntdq,avx512vp2intersect")))

/// Up to 16 values in 32 bits each; lanes without a value hold `filler`, which is none.
TARGET_INTERSECT inline __m512i loadWide(const char * from, size_t n, int filler) noexcept
{
    const __mmask16 lanes = firstLanes(n);
    return _mm512_mask_cvtepu16_epi32(_mm512_set1_epi32(filler), lanes, _mm256_maskz_loadu_epi16(lanes, from));
}
TARGET_INTERSECT inline __mmask16 matches(__m512i a, __m512i b) noexcept
{
    __mmask16 in_a;
    __mmask16 in_b;
    _mm512_2intersect_epi32(a, b, &in_a, &in_b);
    return in_a;
}

/// Walks two arrays by blocks and calls on_block(index of the block of a, lanes that b has too, whether the block of a is done). Returns the
/// index of the first value of `a` whose block is not done. Which array goes on is computed: a branch would be guessed wrong too often.
template <typename OnBlock>
TARGET_INTERSECT inline __attribute__((always_inline)) size_t walkBlocks(
    const char * a, size_t na, const char * b, size_t nb, OnBlock && on_block) noexcept
{
    size_t i = 0;
    size_t j = 0;
    while (i + LANES <= na && j + LANES <= nb)
    {
        const UInt16 last_a = arrayValue(a, i + LANES - 1);
        const UInt16 last_b = arrayValue(b, j + LANES - 1);
        on_block(i, matches(_mm512_cvtepu16_epi32(load16(a + 2 * i)), _mm512_cvtepu16_epi32(load16(b + 2 * j))), last_a <= last_b);
        i += LANES * (last_a <= last_b);
        j += LANES * (last_b <= last_a);
    }
    while (i < na && j < nb)
    {
        const UInt16 last_a = arrayValue(a, (i + LANES <= na ? i + LANES : na) - 1);
        const UInt16 last_b = arrayValue(b, (j + LANES <= nb ? j + LANES : nb) - 1);
        on_block(i, matches(loadWide(a + 2 * i, na - i, -1), loadWide(b + 2 * j, nb - j, -2)), last_a <= last_b);
        i += LANES * (last_a <= last_b);
        j += LANES * (last_b <= last_a);
    }
    return i;
}

TARGET_INTERSECT size_t arraysAnd(const char * a, size_t na, const char * b, size_t nb, char * to) noexcept
{
    char * out = to;
    walkBlocks(a, na, b, nb, [&](size_t i, __mmask16 found, bool) __attribute__((always_inline)) TARGET_INTERSECT {
        out = storeSelected(out, found, loadPadded(a + 2 * i, na - i));
    });
    return static_cast<size_t>(out - to) / 2;
}

TARGET_INTERSECT size_t arraysAndCount(const char * a, size_t na, const char * b, size_t nb) noexcept
{
    size_t result = 0;
    walkBlocks(a, na, b, nb, [&](size_t, __mmask16 found, bool) __attribute__((always_inline)) TARGET_INTERSECT {
        result += static_cast<size_t>(_mm_popcnt_u32(found));
    });
    return result;
}

TARGET_INTERSECT size_t arraysAndNot(const char * a, size_t na, const char * b, size_t nb, char * to) noexcept
{
    char * out = to;
    UInt32 found = 0;
    const auto keep = [&](size_t i) __attribute__((always_inline)) TARGET_INTERSECT {
        return storeSelected(out, static_cast<__mmask16>(~found & firstLanes(na - i)), loadPadded(a + 2 * i, na - i));
    };
    const size_t rest = walkBlocks(a, na, b, nb, [&](size_t i, __mmask16 found_now, bool done) __attribute__((always_inline)) TARGET_INTERSECT {
        found |= found_now;
        char * behind = keep(i);
        out = done ? behind : out;
        found = done ? 0 : found;
    });
    if (rest < na)
    {
        /// One block that was begun, and values that no value of b reaches.
        out = keep(rest);
        if (rest + LANES < na)
        {
            std::memcpy(out, a + 2 * (rest + LANES), 2 * (na - rest - LANES));
            out += 2 * (na - rest - LANES);
        }
    }
    return static_cast<size_t>(out - to) / 2;
}
}

void detail::setListKernelsAVX512(RoaringKernelTable & table) noexcept
{
    table.arrays_or = mergeArrays<SetOperation::Or>;
    table.arrays_xor = mergeArrays<SetOperation::Xor>;
    table.runs_and = runsAnd;
    table.runs_and_count = runsAndCount;
    table.filter_by_runs = filterByRuns;
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx512vp2intersect"))
        return;
    table.arrays_and = arraysAnd;
    table.arrays_and_not = arraysAndNot;
    table.arrays_and_count = arraysAndCount;
}

}

#endif
