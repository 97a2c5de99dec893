#include "RoaringKernelTable.h"

#if STATEWIRE_X86_KERNELS

#    include <array>
#    include <immintrin.h>

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

/// Two sorted vectors to the 8 smallest (low half of the result) and the 8 largest values, each half sorted: a bitonic merge.
TARGET inline __m256i mergeSorted(__m128i a, __m128i b) noexcept
{
    const __m128i b_reversed = _mm_shuffle_epi8(b, _mm_set_epi8(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
    __m256i v = _mm256_inserti128_si256(
        _mm256_castsi128_si256(_mm_min_epu16(a, b_reversed)), _mm_max_epu16(a, b_reversed), 1);
    __m256i other = _mm256_shuffle_epi32(v, 0x4e);
    v = _mm256_blend_epi16(_mm256_min_epu16(v, other), _mm256_max_epu16(v, other), 0xf0);
    other = _mm256_shuffle_epi32(v, 0xb1);
    v = _mm256_blend_epi16(_mm256_min_epu16(v, other), _mm256_max_epu16(v, other), 0xcc);
    other = _mm256_or_si256(_mm256_slli_epi32(v, 16), _mm256_srli_epi32(v, 16));
    return _mm256_blend_epi16(_mm256_min_epu16(v, other), _mm256_max_epu16(v, other), 0xaa);
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
    __m256i merged = mergeSorted(load8(a), load8(b));
    __m128i low = _mm256_castsi256_si128(merged);
    __m128i high = _mm256_extracti128_si256(merged, 1);
    /// Differs from the first value, so that it is not taken for a repetition; with Xor the first lane is a value that has left already.
    __m128i before = _mm_xor_si128(_mm_broadcastw_epi16(low), _mm_set1_epi16(-1));
    __m128i shifted = before;
    UInt32 drop = 1;
    for (;;)
    {
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
        merged = mergeSorted(high, next);
        low = _mm256_castsi256_si128(merged);
        high = _mm256_extracti128_si256(merged, 1);
    }
    /// The high half and the shorter rest, merged, then with the longer rest.
    char pending[2 * BLOCK];
    _mm_storeu_si128(reinterpret_cast<__m128i *>(pending), high);
    const auto last = static_cast<UInt16>(_mm_extract_epi16(before, 7));
    const auto last_but_one = static_cast<UInt16>(_mm_extract_epi16(before, 6));
    emitter.resume(out, last, operation == SetOperation::Xor && last != last_but_one);
    return detail::finishMerge<operation, BLOCK>(pending, a + 2 * i, na - i, b + 2 * j, nb - j, emitter);
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
        .runs_and = roaringKernelsPlain().runs_and,
        .runs_and_count = roaringKernelsPlain().runs_and_count,
        .filter_by_runs = roaringKernelsPlain().filter_by_runs,
        .bitsets
        = {combineBitsets<SetOperation::And>, combineBitsets<SetOperation::Or>, combineBitsets<SetOperation::Xor>,
           combineBitsets<SetOperation::AndNot>},
        .bitsets_count
        = {countCombined<SetOperation::And>, countCombined<SetOperation::Or>, countCombined<SetOperation::Xor>,
           countCombined<SetOperation::AndNot>},
        .count_bitset = countBitset,
        .bitset_cardinality = bitsetCardinality,
        .bits_to_array = bitsToArray,
        .array_to_bits = roaringKernelsPlain().array_to_bits,
        .check_array = checkArray,
        .widen32 = widen32,
        .widen64 = widen64,
        .fill32 = fill32,
        .fill64 = fill64};
    return table;
}

}

#endif
