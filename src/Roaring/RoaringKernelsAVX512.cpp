#include "RoaringKernelTable.h"

#if STATEWIRE_X86_KERNELS

/// GCC takes the undefined operands inside its own intrinsics for mistakes of ours.
#    if defined(__GNUC__) && !defined(__clang__)
#        pragma GCC diagnostic ignored "-Wuninitialized"
#        pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#    endif
#    include <immintrin.h>

#    define TARGET STATEWIRE_TARGET_AVX512

namespace DB::inline statewire
{

namespace
{
/// Values that one step of a merge takes.
constexpr size_t LANES = 16;

TARGET inline __m256i load16(const char * from) noexcept
{
    return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(from));
}
TARGET inline __m128i load8(const char * from) noexcept
{
    return _mm_loadu_si128(reinterpret_cast<const __m128i *>(from));
}

/// Two sorted vectors to the 16 smallest (low half of the result) and the 16 largest values, each half sorted: a bitonic merge.
TARGET inline __m512i mergeSorted(__m256i a, __m256i b) noexcept
{
    const __m256i reverse = _mm256_set_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m256i b_reversed = _mm256_permutexvar_epi16(reverse, b);
    __m512i v = _mm512_inserti64x4(
        _mm512_castsi256_si512(_mm256_min_epu16(a, b_reversed)), _mm256_max_epu16(a, b_reversed), 1);
    __m512i other = _mm512_permutex_epi64(v, 0x4e);
    v = _mm512_mask_blend_epi16(0xff00ff00, _mm512_min_epu16(v, other), _mm512_max_epu16(v, other));
    other = _mm512_shuffle_epi32(v, _MM_PERM_BADC);
    v = _mm512_mask_blend_epi16(0xf0f0f0f0, _mm512_min_epu16(v, other), _mm512_max_epu16(v, other));
    other = _mm512_shuffle_epi32(v, _MM_PERM_CDAB);
    v = _mm512_mask_blend_epi16(0xcccccccc, _mm512_min_epu16(v, other), _mm512_max_epu16(v, other));
    other = _mm512_rol_epi32(v, 16);
    return _mm512_mask_blend_epi16(0xaaaaaaaa, _mm512_min_epu16(v, other), _mm512_max_epu16(v, other));
}

/// The vector's values with the last one of `before` in front.
TARGET inline __m256i shiftIn(__m256i before, __m256i values) noexcept
{
    return _mm256_alignr_epi8(values, _mm256_permute2x128_si256(before, values, 0x21), 14);
}

template <SetOperation operation>
TARGET size_t mergeArrays(const char * a, size_t na, const char * b, size_t nb, char * to) noexcept
{
    detail::ArrayEmitter<operation> emitter(to);
    if (na < LANES || nb < LANES)
        return detail::combineArraysPlain<operation>(a, na, b, nb, to);
    char * out = to;
    size_t i = LANES;
    size_t j = LANES;
    __m512i merged = mergeSorted(load16(a), load16(b));
    __m256i low = _mm512_castsi512_si256(merged);
    __m256i high = _mm512_extracti64x4_epi64(merged, 1);
    /// Differs from the first value, so that it is not taken for a repetition; with Xor the first lane is a value that has left already.
    __m256i before = _mm256_xor_si256(_mm256_broadcastw_epi16(_mm256_castsi256_si128(low)), _mm256_set1_epi16(-1));
    __m256i shifted = before;
    bool first = true;
    for (;;)
    {
        if constexpr (operation == SetOperation::Or)
        {
            const __mmask16 keep = _mm256_cmpneq_epi16_mask(low, shiftIn(before, low));
            _mm256_storeu_si256(reinterpret_cast<__m256i *>(out), _mm256_maskz_compress_epi16(keep, low));
            out += 2 * _mm_popcnt_u32(keep);
        }
        else
        {
            /// A value is kept when neither neighbour equals it, so decisions lag one value behind.
            const __m256i current = shiftIn(before, low);
            const __m256i previous = shiftIn(shifted, current);
            __mmask16 keep = static_cast<__mmask16>(
                _mm256_cmpneq_epi16_mask(current, low) & _mm256_cmpneq_epi16_mask(current, previous));
            keep = static_cast<__mmask16>(keep & ~(first ? 1u : 0u));
            _mm256_storeu_si256(reinterpret_cast<__m256i *>(out), _mm256_maskz_compress_epi16(keep, current));
            out += 2 * _mm_popcnt_u32(keep);
            shifted = current;
            first = false;
        }
        before = low;
        if (i + LANES > na || j + LANES > nb)
            break;
        const bool from_a = arrayValue(a, i) <= arrayValue(b, j);
        const __m256i next = load16(from_a ? a + 2 * i : b + 2 * j);
        i += LANES * from_a;
        j += LANES * !from_a;
        merged = mergeSorted(high, next);
        low = _mm512_castsi512_si256(merged);
        high = _mm512_extracti64x4_epi64(merged, 1);
    }
    /// The high half and the shorter rest, merged, then with the longer rest.
    char pending[2 * LANES];
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(pending), high);
    const auto last = static_cast<UInt16>(_mm256_extract_epi16(before, 15));
    const auto last_but_one = static_cast<UInt16>(_mm256_extract_epi16(before, 14));
    emitter.resume(out, last, operation == SetOperation::Xor && last != last_but_one);
    return detail::finishMerge<operation, LANES>(pending, a + 2 * i, na - i, b + 2 * j, nb - j, emitter);
}

template <SetOperation operation>
TARGET inline __m512i combineWords(__m512i a, __m512i b) noexcept
{
    if constexpr (operation == SetOperation::And)
        return _mm512_and_si512(a, b);
    else if constexpr (operation == SetOperation::Or)
        return _mm512_or_si512(a, b);
    else if constexpr (operation == SetOperation::Xor)
        return _mm512_xor_si512(a, b);
    else
        return _mm512_andnot_si512(b, a);
}

template <SetOperation operation, bool store>
TARGET inline UInt32 combineBitsetsAs(const char * a, const char * b, char * to) noexcept
{
    __m512i sum_0 = _mm512_setzero_si512();
    __m512i sum_1 = _mm512_setzero_si512();
    for (size_t i = 0; i < BITSET_BYTES; i += 128)
    {
        const __m512i word_0 = combineWords<operation>(_mm512_loadu_si512(a + i), _mm512_loadu_si512(b + i));
        const __m512i word_1 = combineWords<operation>(_mm512_loadu_si512(a + i + 64), _mm512_loadu_si512(b + i + 64));
        sum_0 = _mm512_add_epi64(sum_0, _mm512_popcnt_epi64(word_0));
        sum_1 = _mm512_add_epi64(sum_1, _mm512_popcnt_epi64(word_1));
        if constexpr (store)
        {
            _mm512_storeu_si512(to + i, word_0);
            _mm512_storeu_si512(to + i + 64, word_1);
        }
    }
    return static_cast<UInt32>(_mm512_reduce_add_epi64(_mm512_add_epi64(sum_0, sum_1)));
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
    __m512i cardinality = _mm512_setzero_si512();
    __m512i runs = _mm512_setzero_si512();
    __m512i before = _mm512_setzero_si512();
    for (size_t i = 0; i < BITSET_BYTES; i += 64)
    {
        const __m512i word = _mm512_loadu_si512(words + i);
        const __m512i lower = _mm512_alignr_epi64(word, before, 7);
        const __m512i neighbours = _mm512_or_si512(_mm512_slli_epi64(word, 1), _mm512_srli_epi64(lower, 63));
        cardinality = _mm512_add_epi64(cardinality, _mm512_popcnt_epi64(word));
        runs = _mm512_add_epi64(runs, _mm512_popcnt_epi64(_mm512_andnot_si512(neighbours, word)));
        before = word;
    }
    return {static_cast<UInt32>(_mm512_reduce_add_epi64(cardinality)), static_cast<UInt32>(_mm512_reduce_add_epi64(runs))};
}

TARGET size_t bitsToArray(const char * words, size_t n, UInt16 base, char * to) noexcept
{
    alignas(64) static constexpr UInt8 POSITIONS[64] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
        32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    const __m512i positions = _mm512_load_si512(POSITIONS);
    char * out = to;
    __m512i first = _mm512_set1_epi16(static_cast<short>(base));
    for (size_t i = 0; i < n; ++i)
    {
        const UInt64 word = bitsetWord(words, i);
        const __m512i set = _mm512_maskz_compress_epi8(word, positions);
        const auto count = static_cast<size_t>(_mm_popcnt_u64(word));
        _mm512_storeu_si512(out, _mm512_add_epi16(first, _mm512_cvtepu8_epi16(_mm512_castsi512_si256(set))));
        if (count > 32)
            _mm512_storeu_si512(out + 64, _mm512_add_epi16(first, _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(set, 1))));
        out += 2 * count;
        first = _mm512_add_epi16(first, _mm512_set1_epi16(64));
    }
    return static_cast<size_t>(out - to) / 2;
}

TARGET ArrayCheck checkArray(const char * values, size_t n) noexcept
{
    if (n == 0)
        return {};
    ArrayCheck result{true, 1};
    size_t i = 1;
    const __m512i one = _mm512_set1_epi16(1);
    __mmask32 wrong = 0;
    for (; i + 32 <= n; i += 32)
    {
        const __m512i value = _mm512_loadu_si512(values + 2 * i);
        const __m512i previous = _mm512_loadu_si512(values + 2 * i - 2);
        wrong |= _mm512_cmple_epu16_mask(value, previous);
        result.runs += static_cast<UInt32>(_mm_popcnt_u32(_mm512_cmpneq_epi16_mask(value, _mm512_add_epi16(previous, one))));
    }
    if (i < n)
    {
        const __mmask32 rest = _bzhi_u32(~UInt32{0}, static_cast<UInt32>(n - i));
        const __m512i value = _mm512_maskz_loadu_epi16(rest, values + 2 * i);
        const __m512i previous = _mm512_maskz_loadu_epi16(rest, values + 2 * i - 2);
        wrong |= _mm512_mask_cmple_epu16_mask(rest, value, previous);
        result.runs += static_cast<UInt32>(_mm_popcnt_u32(_mm512_mask_cmpneq_epi16_mask(rest, value, _mm512_add_epi16(previous, one))));
    }
    result.increasing = wrong == 0;
    return result;
}

TARGET void widen32(const char * values, size_t n, UInt32 base, UInt32 * to) noexcept
{
    const __m512i first = _mm512_set1_epi32(static_cast<int>(base));
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        _mm512_storeu_si512(to + i, _mm512_add_epi32(first, _mm512_cvtepu16_epi32(load16(values + 2 * i))));
    if (i < n)
    {
        const auto rest = static_cast<__mmask16>(_bzhi_u32(0xffff, static_cast<UInt32>(n - i)));
        const __m256i last = _mm256_maskz_loadu_epi16(rest, values + 2 * i);
        _mm512_mask_storeu_epi32(to + i, rest, _mm512_add_epi32(first, _mm512_cvtepu16_epi32(last)));
    }
}

TARGET void widen64(const char * values, size_t n, UInt64 base, UInt64 * to) noexcept
{
    const __m512i first = _mm512_set1_epi64(static_cast<Int64>(base));
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        _mm512_storeu_si512(to + i, _mm512_add_epi64(first, _mm512_cvtepu16_epi64(load8(values + 2 * i))));
    if (i < n)
    {
        const auto rest = static_cast<__mmask8>(_bzhi_u32(0xff, static_cast<UInt32>(n - i)));
        const __m128i last = _mm_maskz_loadu_epi16(rest, values + 2 * i);
        _mm512_mask_storeu_epi64(to + i, rest, _mm512_add_epi64(first, _mm512_cvtepu16_epi64(last)));
    }
}
TARGET void fill32(UInt32 first, size_t n, UInt32 * to) noexcept
{
    __m512i values = _mm512_add_epi32(
        _mm512_set1_epi32(static_cast<int>(first)), _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    size_t i = 0;
    for (; i + 16 <= n; i += 16, values = _mm512_add_epi32(values, _mm512_set1_epi32(16)))
        _mm512_storeu_si512(to + i, values);
    if (i < n)
        _mm512_mask_storeu_epi32(to + i, static_cast<__mmask16>(_bzhi_u32(0xffff, static_cast<UInt32>(n - i))), values);
}

TARGET void fill64(UInt64 first, size_t n, UInt64 * to) noexcept
{
    __m512i values = _mm512_add_epi64(_mm512_set1_epi64(static_cast<Int64>(first)), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
    size_t i = 0;
    for (; i + 8 <= n; i += 8, values = _mm512_add_epi64(values, _mm512_set1_epi64(8)))
        _mm512_storeu_si512(to + i, values);
    if (i < n)
        _mm512_mask_storeu_epi64(to + i, static_cast<__mmask8>(_bzhi_u32(0xff, static_cast<UInt32>(n - i))), values);
}
}

const RoaringKernelTable & detail::roaringKernelsAVX512() noexcept
{
    static const RoaringKernelTable table{
        /// Comparing blocks gains nothing from wider vectors.
        .arrays_and = roaringKernelsAVX2().arrays_and,
        .arrays_or = mergeArrays<SetOperation::Or>,
        .arrays_xor = mergeArrays<SetOperation::Xor>,
        .arrays_and_not = roaringKernelsAVX2().arrays_and_not,
        .arrays_and_count = roaringKernelsAVX2().arrays_and_count,
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
