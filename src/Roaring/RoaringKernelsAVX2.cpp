#include "RoaringKernelTable.h"

#if STATEWIRE_X86_KERNELS

#    include <array>
#    include <immintrin.h>
#    include <utility>

#    define TARGET STATEWIRE_TARGET_AVX2

namespace DB::inline statewire
{

namespace
{
/// Values that one step takes.
constexpr size_t BLOCK = 8;

struct alignas(64) SelectTable
{
    /// Row m moves the 16-bit lanes whose bits are set in m to the front.
    std::array<std::array<UInt8, 16>, 256> lanes;
    /// Row m is the positions of the bits set in m.
    std::array<std::array<UInt8, 8>, 256> bits;
};

constexpr SelectTable makeSelectTable()
{
    SelectTable result{};
    for (size_t mask = 0; mask < 256; ++mask)
    {
        size_t n = 0;
        for (size_t lane = 0; lane < 8; ++lane)
            if (mask >> lane & 1)
            {
                result.lanes[mask][2 * n] = static_cast<UInt8>(2 * lane);
                result.lanes[mask][2 * n + 1] = static_cast<UInt8>(2 * lane + 1);
                result.bits[mask][n] = static_cast<UInt8>(lane);
                ++n;
            }
        for (; n < 8; ++n)
            result.lanes[mask][2 * n] = result.lanes[mask][2 * n + 1] = 0x80;
    }
    return result;
}

constexpr SelectTable SELECT = makeSelectTable();

TARGET inline __m128i load8(const char * from) noexcept
{
    return _mm_loadu_si128(reinterpret_cast<const __m128i *>(from));
}
TARGET inline __m256i loadWords(const char * from) noexcept
{
    return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(from));
}

/// One bit a 16-bit lane of what a comparison gave.
TARGET inline UInt32 laneMask(__m128i lanes) noexcept
{
    return static_cast<UInt32>(_mm_movemask_epi8(_mm_packs_epi16(lanes, _mm_setzero_si128())));
}

/// Bit i: a[i] is somewhere in b. One string instruction; it takes 0 for the end, so zeros are dealt with before.
TARGET inline UInt32 matches(__m128i a, __m128i b) noexcept
{
    return static_cast<UInt32>(_mm_cvtsi128_si32(_mm_cmpistrm(b, a, _SIDD_UWORD_OPS | _SIDD_CMP_EQUAL_ANY | _SIDD_BIT_MASK)));
}

/// Up to 8 values, filled up with zeros: the string comparison ends there.
TARGET inline __m128i loadBlock(const char * values, size_t n) noexcept
{
    if (n >= BLOCK)
        return load8(values);
    alignas(16) char part[16] = {};
    std::memcpy(part, values, 2 * n);
    return _mm_load_si128(reinterpret_cast<const __m128i *>(part));
}

/// Walks two arrays without zeros by blocks and calls on_block(block of a, block of b, whether the block of a is done); returns the values
/// of `a` that are done. Which array goes on is a branch: guessed right it costs nothing, where computing it would make every step wait for
/// the one before.
template <typename OnBlock>
TARGET inline __attribute__((always_inline)) size_t walkBlocks(
    const char * a, size_t na, const char * b, size_t nb, OnBlock && on_block) noexcept
{
    size_t i = 0;
    size_t j = 0;
    if (na >= BLOCK && nb >= BLOCK)
    {
        __m128i block_a = load8(a);
        __m128i block_b = load8(b);
        for (;;)
        {
            const UInt16 last_a = arrayValue(a, i + BLOCK - 1);
            const UInt16 last_b = arrayValue(b, j + BLOCK - 1);
            on_block(block_a, block_b, last_a <= last_b);
            if (last_a <= last_b)
            {
                i += BLOCK;
                if (i + BLOCK > na)
                {
                    j += BLOCK * (last_b <= last_a);
                    break;
                }
                block_a = load8(a + 2 * i);
            }
            if (last_b <= last_a)
            {
                j += BLOCK;
                if (j + BLOCK > nb)
                    break;
                block_b = load8(b + 2 * j);
            }
        }
    }
    /// The same with blocks that may be cut off.
    while (i < na && j < nb)
    {
        const UInt16 last_a = arrayValue(a, (i + BLOCK <= na ? i + BLOCK : na) - 1);
        const UInt16 last_b = arrayValue(b, (j + BLOCK <= nb ? j + BLOCK : nb) - 1);
        on_block(loadBlock(a + 2 * i, na - i), loadBlock(b + 2 * j, nb - j), last_a <= last_b);
        i += BLOCK * (last_a <= last_b);
        j += BLOCK * (last_b <= last_a);
    }
    return i < na ? i : na;
}

/// An array without the zero that it may begin with.
struct NonZero
{
    NonZero(const char * a, size_t n) noexcept : has_zero(n != 0 && arrayValue(a, 0) == 0), data(a + 2 * has_zero), size(n - has_zero) { }
    bool has_zero;
    const char * data;
    size_t size;
};

TARGET inline char * storeSelected(char * to, __m128i values, UInt32 mask) noexcept
{
    const __m128i order = _mm_load_si128(reinterpret_cast<const __m128i *>(SELECT.lanes[mask].data()));
    _mm_storeu_si128(reinterpret_cast<__m128i *>(to), _mm_shuffle_epi8(values, order));
    return to + 2 * _mm_popcnt_u32(mask);
}

TARGET inline UInt32 sumLanes(__m256i sums) noexcept
{
    return static_cast<UInt32>(
        _mm256_extract_epi64(sums, 0) + _mm256_extract_epi64(sums, 1) + _mm256_extract_epi64(sums, 2) + _mm256_extract_epi64(sums, 3));
}

TARGET size_t arraysAnd(const char * a, size_t na, const char * b, size_t nb, char * to) noexcept
{
    const NonZero rest_a(a, na);
    const NonZero rest_b(b, nb);
    unalignedStoreLittleEndian<UInt16>(to, 0);
    char * out = to + 2 * (rest_a.has_zero && rest_b.has_zero);
    walkBlocks(rest_a.data, rest_a.size, rest_b.data, rest_b.size, [&](__m128i block_a, __m128i block_b, bool) STATEWIRE_TARGET_AVX2 {
        out = storeSelected(out, block_a, matches(block_a, block_b));
    });
    return static_cast<size_t>(out - to) / 2;
}

TARGET size_t arraysAndCount(const char * a, size_t na, const char * b, size_t nb) noexcept
{
    const NonZero rest_a(a, na);
    const NonZero rest_b(b, nb);
    /// One counter a lane: 0xffff is minus one, and no lane sees 2^16 blocks.
    __m128i counts = _mm_setzero_si128();
    walkBlocks(rest_a.data, rest_a.size, rest_b.data, rest_b.size, [&](__m128i block_a, __m128i block_b, bool) STATEWIRE_TARGET_AVX2 {
        counts = _mm_sub_epi16(counts, _mm_cmpistrm(block_b, block_a, _SIDD_UWORD_OPS | _SIDD_CMP_EQUAL_ANY | _SIDD_UNIT_MASK));
    });
    const __m256i pairs = _mm256_cvtepi32_epi64(_mm_madd_epi16(counts, _mm_set1_epi16(1)));
    return size_t{sumLanes(pairs)} + (rest_a.has_zero && rest_b.has_zero);
}

TARGET size_t arraysAndNot(const char * a, size_t na, const char * b, size_t nb, char * to) noexcept
{
    const NonZero rest_a(a, na);
    const NonZero rest_b(b, nb);
    unalignedStoreLittleEndian<UInt16>(to, 0);
    char * out = to + 2 * (rest_a.has_zero && !rest_b.has_zero);
    UInt32 found = 0;
    const auto keep = [&](__m128i block, size_t n) STATEWIRE_TARGET_AVX2 {
        out = storeSelected(out, block, ~found & (n >= BLOCK ? 0xff : (1u << n) - 1));
    };
    size_t left = rest_a.size;
    const size_t done_values = walkBlocks(
        rest_a.data, rest_a.size, rest_b.data, rest_b.size, [&](__m128i block_a, __m128i block_b, bool done) STATEWIRE_TARGET_AVX2 {
            found |= matches(block_a, block_b);
            if (done)
            {
                keep(block_a, left);
                left -= left < BLOCK ? left : BLOCK;
                found = 0;
            }
        });
    if (left != 0)
    {
        /// One block that was begun, and whole blocks that no value of b can be in.
        const char * rest = rest_a.data + 2 * done_values;
        keep(loadBlock(rest, left), left);
        if (left > BLOCK)
        {
            std::memcpy(out, rest + 2 * BLOCK, 2 * (left - BLOCK));
            out += 2 * (left - BLOCK);
        }
    }
    return static_cast<size_t>(out - to) / 2;
}

/// Sorts values that rise and then fall, or fall and then rise.
TARGET inline __m128i sortBitonic(__m128i v) noexcept
{
    __m128i other = _mm_shuffle_epi32(v, 0x4e);
    v = _mm_blend_epi16(_mm_min_epu16(v, other), _mm_max_epu16(v, other), 0xf0);
    other = _mm_shuffle_epi32(v, 0xb1);
    v = _mm_blend_epi16(_mm_min_epu16(v, other), _mm_max_epu16(v, other), 0xcc);
    other = _mm_or_si128(_mm_slli_epi32(v, 16), _mm_srli_epi32(v, 16));
    return _mm_blend_epi16(_mm_min_epu16(v, other), _mm_max_epu16(v, other), 0xaa);
}

struct SortedPair
{
    __m128i low;
    __m128i high;
};

/// Two sorted vectors to the 8 smallest and the 8 largest values: a bitonic merge. The halves are apart because a step waits for the largest
/// values of the one before and for nothing else.
TARGET inline SortedPair mergeSorted(__m128i a, __m128i b) noexcept
{
    const __m128i b_reversed = _mm_shuffle_epi8(b, _mm_set_epi8(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
    return {sortBitonic(_mm_min_epu16(a, b_reversed)), sortBitonic(_mm_max_epu16(a, b_reversed))};
}

/// The vector's values with the last one of `before` in front.
TARGET inline __m128i shiftIn(__m128i before, __m128i values) noexcept
{
    return _mm_alignr_epi8(values, before, 14);
}

template <SetOperation operation>
TARGET size_t mergeArrays(const char * a, size_t na, const char * b, size_t nb, char * to) noexcept
{
    detail::ArrayEmitter<operation> emitter(to);
    if (na < BLOCK || nb < BLOCK)
        return detail::combineArraysPlain<operation>(a, na, b, nb, to);
    char * out = to;
    size_t i = BLOCK;
    size_t j = BLOCK;
    SortedPair merged = mergeSorted(load8(a), load8(b));
    /// Differs from the first value, so that it is not taken for a repetition; with Xor the first lane is a value that has left already.
    __m128i before = _mm_xor_si128(_mm_broadcastw_epi16(merged.low), _mm_set1_epi16(-1));
    __m128i shifted = before;
    UInt32 drop = 1;
    for (;;)
    {
        const __m128i low = merged.low;
        if constexpr (operation == SetOperation::Or)
            out = storeSelected(out, low, ~laneMask(_mm_cmpeq_epi16(low, shiftIn(before, low))) & 0xff);
        else
        {
            /// A value is kept when neither neighbour equals it, so decisions lag one value behind.
            const __m128i current = shiftIn(before, low);
            const __m128i previous = shiftIn(shifted, current);
            const UInt32 equal = laneMask(_mm_or_si128(_mm_cmpeq_epi16(current, low), _mm_cmpeq_epi16(current, previous)));
            out = storeSelected(out, current, ~(equal | drop) & 0xff);
            shifted = current;
            drop = 0;
        }
        before = low;
        if (i + BLOCK > na || j + BLOCK > nb)
            break;
        const bool from_a = arrayValue(a, i) <= arrayValue(b, j);
        const __m128i next = load8(from_a ? a + 2 * i : b + 2 * j);
        i += BLOCK * from_a;
        j += BLOCK * !from_a;
        merged = mergeSorted(merged.high, next);
    }
    /// The high half and the shorter rest, merged, then with the longer rest.
    char pending[2 * BLOCK];
    _mm_storeu_si128(reinterpret_cast<__m128i *>(pending), merged.high);
    const auto last = static_cast<UInt16>(_mm_extract_epi16(before, 7));
    const auto last_but_one = static_cast<UInt16>(_mm_extract_epi16(before, 6));
    emitter.resume(out, last, operation == SetOperation::Xor && last != last_but_one);
    return detail::finishMerge<operation, BLOCK>(pending, a + 2 * i, na - i, b + 2 * j, nb - j, emitter);
}

TARGET size_t lowerBound(const char * values, size_t n, UInt32 value) noexcept
{
    constexpr size_t LANES = 16;
    if (value >= CONTAINER_VALUES)
        return n;
    const char * at = values;
    detail::narrowLowerBound(at, n, value, 4 * LANES);
    /// All values below are counted.
    const __m256i bound = _mm256_set1_epi16(static_cast<short>(value));
    size_t i = 0;
    size_t not_below = 0;
    for (; i + LANES <= n; i += LANES)
    {
        const __m256i block = loadWords(at + 2 * i);
        const __m256i lanes = _mm256_cmpeq_epi16(_mm256_max_epu16(block, bound), block);
        not_below += static_cast<size_t>(_mm_popcnt_u32(static_cast<UInt32>(_mm256_movemask_epi8(lanes)))) / 2;
    }
    size_t below = i - not_below;
    for (; i < n; ++i)
        below += arrayValue(at, i) < value;
    return static_cast<size_t>(at - values) / 2 + below;
}

/// The first lanes of 32 bits: n of them, or all.
TARGET inline __m256i firstLanes(size_t n) noexcept
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n < BLOCK ? n : BLOCK)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

/// Walks two lists of runs, one of the shorter against 8 of the longer at a time, and calls on_step(starts, lasts, lanes where both lists have a run) until it
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
    const __m256i low_half = _mm256_set1_epi32(0xffff);
    size_t i = 0;
    for (size_t j = 0; i < na && j < nb; j += BLOCK)
    {
        const __m256i lanes = firstLanes(nb - j);
        const __m256i runs_b = _mm256_maskload_epi32(reinterpret_cast<const int *>(b + 4 * j), lanes);
        const __m256i starts_b = _mm256_and_si256(runs_b, low_half);
        const __m256i lasts_b = _mm256_min_epi32(_mm256_add_epi32(starts_b, _mm256_srli_epi32(runs_b, 16)), low_half);
        const UInt32 block_last = runLast(b, (j + BLOCK <= nb ? j + BLOCK : nb) - 1);
        for (; i < na; ++i)
        {
            const UInt32 last_a = runLast(a, i);
            const __m256i starts = _mm256_max_epi32(starts_b, _mm256_set1_epi32(static_cast<int>(runStart(a, i))));
            const __m256i lasts = _mm256_min_epi32(lasts_b, _mm256_set1_epi32(static_cast<int>(last_a)));
            if (!on_step(starts, lasts, _mm256_andnot_si256(_mm256_cmpgt_epi32(starts, lasts), lanes)))
                return;
            if (last_a > block_last)
                break;
        }
    }
}

TARGET inline UInt32 wordMask(__m256i lanes) noexcept
{
    return static_cast<UInt32>(_mm256_movemask_ps(_mm256_castsi256_ps(lanes)));
}

TARGET size_t runsAnd(const char * a, size_t na, const char * b, size_t nb, char * to) noexcept
{
    size_t n = 0;
    const auto store = [&](__m256i starts, __m256i lasts, __m256i found) STATEWIRE_TARGET_AVX2 {
        const __m256i runs = _mm256_or_si256(starts, _mm256_slli_epi32(_mm256_sub_epi32(lasts, starts), 16));
        const UInt32 mask = wordMask(found);
        const __m256i order = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i *>(SELECT.bits[mask].data())));
        _mm256_storeu_si256(reinterpret_cast<__m256i *>(to + 4 * n), _mm256_permutevar8x32_epi32(runs, order));
        n += static_cast<size_t>(_mm_popcnt_u32(mask));
        /// More can only come of runs that overlap.
        return n < na + nb;
    };
    intersectRuns(a, na, b, nb, store);
    return n < na + nb ? n : na + nb;
}

TARGET UInt64 runsAndCount(const char * a, size_t na, const char * b, size_t nb) noexcept
{
    __m256i sum = _mm256_setzero_si256();
    UInt64 found_runs = 0;
    const auto add = [&](__m256i starts, __m256i lasts, __m256i found) STATEWIRE_TARGET_AVX2 {
        sum = _mm256_add_epi32(sum, _mm256_and_si256(found, _mm256_sub_epi32(lasts, starts)));
        found_runs += static_cast<UInt64>(_mm_popcnt_u32(wordMask(found)));
        return found_runs < na + nb;
    };
    intersectRuns(a, na, b, nb, add);
    const __m256i low_words = _mm256_set1_epi64x(0xffffffff);
    return sumLanes(_mm256_add_epi64(_mm256_and_si256(sum, low_words), _mm256_srli_epi64(sum, 32))) + found_runs;
}

TARGET size_t filterByRuns(const char * values, size_t n, const char * runs, size_t m, bool inside, char * to) noexcept
{
    constexpr size_t MANY_VALUES = 32;
    if (m * MANY_VALUES < n)
        return detail::roaringKernelsPlain().filter_by_runs(values, n, runs, m, inside, to);
    char * out = to;
    size_t run = 0;
    for (size_t i = 0; i < n; i += BLOCK)
    {
        const size_t in_block = i + BLOCK <= n ? BLOCK : n - i;
        const __m128i block = loadBlock(values + 2 * i, in_block);
        const UInt32 block_last = arrayValue(values, i + in_block - 1);
        __m128i found = _mm_setzero_si128();
        for (; run < m && runStart(runs, run) <= block_last; ++run)
        {
            const UInt32 start = runStart(runs, run);
            const UInt32 last = runLast(runs, run);
            const __m128i distance = _mm_sub_epi16(block, _mm_set1_epi16(static_cast<short>(start)));
            const __m128i length = _mm_set1_epi16(static_cast<short>(last - start));
            found = _mm_or_si128(found, _mm_cmpeq_epi16(_mm_min_epu16(distance, length), distance));
            if (last > block_last)
                break;
        }
        const UInt32 mask = laneMask(found);
        out = storeSelected(out, block, (inside ? mask : ~mask) & ((1u << in_block) - 1));
    }
    return static_cast<size_t>(out - to) / 2;
}

/// Four values are loaded at once; shifts by a register are one step with BMI2.
TARGET void arrayToBits(const char * values, size_t n, char * words) noexcept
{
    const auto set = [words](UInt64 value) STATEWIRE_TARGET_AVX2 {
        char * word = words + value / 64 * 8;
        unalignedStoreLittleEndian<UInt64>(word, unalignedLoadLittleEndian<UInt64>(word) | UInt64{1} << (value % 64));
    };
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
    {
        const auto four = unalignedLoadLittleEndian<UInt64>(values + 2 * i);
        set(four & 0xffff);
        set(four >> 16 & 0xffff);
        set(four >> 32 & 0xffff);
        set(four >> 48);
    }
    for (; i < n; ++i)
        set(arrayValue(values, i));
}

template <SetOperation operation>
TARGET inline __m256i combineWords(__m256i a, __m256i b) noexcept
{
    if constexpr (operation == SetOperation::And)
        return _mm256_and_si256(a, b);
    else if constexpr (operation == SetOperation::Or)
        return _mm256_or_si256(a, b);
    else if constexpr (operation == SetOperation::Xor)
        return _mm256_xor_si256(a, b);
    else
        return _mm256_andnot_si256(b, a);
}

/// Set bits of each 64-bit lane.
TARGET inline __m256i countBits(__m256i words) noexcept
{
    const __m256i nibble_counts = _mm256_setr_epi8(
        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low_nibbles = _mm256_set1_epi8(0xf);
    const __m256i low = _mm256_shuffle_epi8(nibble_counts, _mm256_and_si256(words, low_nibbles));
    const __m256i high = _mm256_shuffle_epi8(nibble_counts, _mm256_and_si256(_mm256_srli_epi16(words, 4), low_nibbles));
    return _mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256());
}
template <SetOperation operation, bool store>
TARGET inline UInt32 combineBitsetsAs(const char * a, const char * b, char * to) noexcept
{
    __m256i sum_0 = _mm256_setzero_si256();
    __m256i sum_1 = _mm256_setzero_si256();
    for (size_t i = 0; i < BITSET_BYTES; i += 64)
    {
        const __m256i word_0 = combineWords<operation>(loadWords(a + i), loadWords(b + i));
        const __m256i word_1 = combineWords<operation>(loadWords(a + i + 32), loadWords(b + i + 32));
        sum_0 = _mm256_add_epi64(sum_0, countBits(word_0));
        sum_1 = _mm256_add_epi64(sum_1, countBits(word_1));
        if constexpr (store)
        {
            _mm256_storeu_si256(reinterpret_cast<__m256i *>(to + i), word_0);
            _mm256_storeu_si256(reinterpret_cast<__m256i *>(to + i + 32), word_1);
        }
    }
    return sumLanes(_mm256_add_epi64(sum_0, sum_1));
}

template <SetOperation operation>
TARGET UInt32 combineBitsets(const char * a, const char * b, char * to) noexcept
{
    return combineBitsetsAs<operation, true>(a, b, to);
}
template <SetOperation operation>
TARGET UInt32 countCombined(const char * a, const char * b) noexcept
{
    return combineBitsetsAs<operation, false>(a, b, nullptr);
}

TARGET UInt32 bitsetCardinality(const char * words) noexcept
{
    return combineBitsetsAs<SetOperation::And, false>(words, words, nullptr);
}

TARGET ContainerCount countBitset(const char * words) noexcept
{
    __m256i cardinality = _mm256_setzero_si256();
    __m256i runs = _mm256_setzero_si256();
    for (size_t i = 0; i < BITSET_BYTES; i += 32)
    {
        const __m256i word = loadWords(words + i);
        const __m256i lower = i == 0 ? _mm256_blend_epi32(_mm256_permute4x64_epi64(word, 0x90), _mm256_setzero_si256(), 3)
                                     : loadWords(words + i - 8);
        const __m256i neighbours = _mm256_or_si256(_mm256_slli_epi64(word, 1), _mm256_srli_epi64(lower, 63));
        cardinality = _mm256_add_epi64(cardinality, countBits(word));
        runs = _mm256_add_epi64(runs, countBits(_mm256_andnot_si256(neighbours, word)));
    }
    return {sumLanes(cardinality), sumLanes(runs)};
}

TARGET size_t bitsToArray(const char * words, size_t n, UInt16 base, char * to) noexcept
{
    char * out = to;
    for (size_t i = 0; i < n; ++i)
    {
        UInt64 word = bitsetWord(words, i);
        const auto first = static_cast<UInt16>(base + 64 * i);
        const auto count = static_cast<size_t>(_mm_popcnt_u64(word));
        if (count <= 8)
        {
            /// As many steps whatever the count, so that nothing is mispredicted.
            for (size_t k = 0; k < 8; ++k, word = _blsr_u64(word))
                unalignedStoreLittleEndian<UInt16>(out + 2 * k, static_cast<UInt16>(first + _tzcnt_u64(word)));
            out += 2 * count;
            continue;
        }
        for (UInt16 at = 0; at < 64; at = static_cast<UInt16>(at + 8), word >>= 8)
        {
            const auto byte = static_cast<UInt8>(word);
            const __m128i bits = _mm_cvtepu8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i *>(SELECT.bits[byte].data())));
            _mm_storeu_si128(reinterpret_cast<__m128i *>(out), _mm_add_epi16(bits, _mm_set1_epi16(static_cast<short>(first + at))));
            out += 2 * _mm_popcnt_u32(byte);
        }
    }
    return static_cast<size_t>(out - to) / 2;
}

TARGET ArrayCheck checkArray(const char * values, size_t n) noexcept
{
    if (n == 0)
        return {};
    ArrayCheck result{0, 1};
    size_t i = 1;
    const __m256i one = _mm256_set1_epi16(1);
    for (; i + 16 <= n; i += 16)
    {
        const __m256i value = loadWords(values + 2 * i);
        const __m256i previous = loadWords(values + 2 * i - 2);
        const auto wrong = static_cast<UInt32>(_mm256_movemask_epi8(_mm256_cmpeq_epi16(_mm256_max_epu16(value, previous), previous)));
        result.descents += static_cast<UInt32>(_mm_popcnt_u32(wrong)) / 2;
        const auto next = static_cast<UInt32>(_mm256_movemask_epi8(_mm256_cmpeq_epi16(value, _mm256_add_epi16(previous, one))));
        result.runs += 16 - static_cast<UInt32>(_mm_popcnt_u32(next)) / 2;
    }
    for (; i < n; ++i)
        result.addPair(arrayValue(values, i - 1), arrayValue(values, i));
    return result;
}

TARGET void widen32(const char * values, size_t n, UInt32 base, UInt32 * to) noexcept
{
    const __m256i first = _mm256_set1_epi32(static_cast<int>(base));
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_si256(reinterpret_cast<__m256i *>(to + i), _mm256_add_epi32(first, _mm256_cvtepu16_epi32(load8(values + 2 * i))));
    for (; i < n; ++i)
        to[i] = base + arrayValue(values, i);
}

TARGET void widen64(const char * values, size_t n, UInt64 base, UInt64 * to) noexcept
{
    const __m256i first = _mm256_set1_epi64x(static_cast<Int64>(base));
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
    {
        const __m128i four = _mm_loadl_epi64(reinterpret_cast<const __m128i *>(values + 2 * i));
        _mm256_storeu_si256(reinterpret_cast<__m256i *>(to + i), _mm256_add_epi64(first, _mm256_cvtepu16_epi64(four)));
    }
    for (; i < n; ++i)
        to[i] = base + arrayValue(values, i);
}
TARGET void fill32(UInt32 first, size_t n, UInt32 * to) noexcept
{
    __m256i values = _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(first)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    size_t i = 0;
    for (; i + 8 <= n; i += 8, values = _mm256_add_epi32(values, _mm256_set1_epi32(8)))
        _mm256_storeu_si256(reinterpret_cast<__m256i *>(to + i), values);
    for (; i < n; ++i)
        to[i] = first + static_cast<UInt32>(i);
}

TARGET void fill64(UInt64 first, size_t n, UInt64 * to) noexcept
{
    __m256i values = _mm256_add_epi64(_mm256_set1_epi64x(static_cast<Int64>(first)), _mm256_setr_epi64x(0, 1, 2, 3));
    size_t i = 0;
    for (; i + 4 <= n; i += 4, values = _mm256_add_epi64(values, _mm256_set1_epi64x(4)))
        _mm256_storeu_si256(reinterpret_cast<__m256i *>(to + i), values);
    for (; i < n; ++i)
        to[i] = first + i;
}
}

const RoaringKernelTable & detail::roaringKernelsAVX2() noexcept
{
    static const RoaringKernelTable table{
        .arrays_and = arraysAnd,
        .arrays_or = mergeArrays<SetOperation::Or>,
        .arrays_xor = mergeArrays<SetOperation::Xor>,
        .arrays_and_not = arraysAndNot,
        .arrays_and_count = arraysAndCount,
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
        .widen32 = widen32,
        .widen64 = widen64,
        .fill32 = fill32,
        .fill64 = fill64};
    return table;
}

}

#endif
