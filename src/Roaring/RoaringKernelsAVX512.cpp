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
TARGET inline __m256i load16(const char * from) noexcept
{
    return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(from));
}
TARGET inline __m128i load8(const char * from) noexcept
{
    return _mm_loadu_si128(reinterpret_cast<const __m128i *>(from));
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

/// Decodes `unrolled` words at a time. Each compress has its own register: the processor lets the next one into the same register wait.
template <size_t unrolled>
TARGET inline char * decodeWords(const char * words, size_t n, __m512i & first, char * to) noexcept
{
    alignas(64) static constexpr UInt8 POSITIONS[64] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
        32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    const __m512i positions = _mm512_load_si512(POSITIONS);
    for (size_t i = 0; i + unrolled <= n; i += unrolled)
    {
        __m512i set[unrolled];
        size_t counts[unrolled];
        size_t any_large = 0;
        for (size_t k = 0; k < unrolled; ++k)
        {
            const UInt64 word = bitsetWord(words, i + k);
            set[k] = _mm512_maskz_compress_epi8(word, positions);
            counts[k] = static_cast<size_t>(_mm_popcnt_u64(word));
            any_large |= counts[k] + 31;
        }
        for (size_t k = 0; k < unrolled; ++k)
        {
            _mm512_storeu_si512(to, _mm512_add_epi16(first, _mm512_cvtepu8_epi16(_mm512_castsi512_si256(set[k]))));
            if (any_large >= 64)
                _mm512_storeu_si512(to + 64, _mm512_add_epi16(first, _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(set[k], 1))));
            to += 2 * counts[k];
            first = _mm512_add_epi16(first, _mm512_set1_epi16(64));
        }
    }
    return to;
}

TARGET size_t bitsToArray(const char * words, size_t n, UInt16 base, char * to) noexcept
{
    constexpr size_t UNROLLED = 4;
    __m512i first = _mm512_set1_epi16(static_cast<short>(base));
    char * out = decodeWords<UNROLLED>(words, n, first, to);
    out = decodeWords<1>(words + 8 * (n / UNROLLED * UNROLLED), n % UNROLLED, first, out);
    return static_cast<size_t>(out - to) / 2;
}

TARGET size_t lowerBound(const char * values, size_t n, UInt32 value) noexcept
{
    constexpr size_t LANES = 32;
    if (value >= CONTAINER_VALUES)
        return n;
    const char * at = values;
    detail::narrowLowerBound(at, n, value, 4 * LANES);
    /// All values below are counted.
    const __m512i bound = _mm512_set1_epi16(static_cast<short>(value));
    auto below = static_cast<size_t>(at - values) / 2;
    for (size_t i = 0; i < n; i += LANES)
    {
        const __mmask32 lanes = _bzhi_u32(~UInt32{0}, static_cast<UInt32>(n - i < LANES ? n - i : LANES));
        const __m512i block = _mm512_maskz_loadu_epi16(lanes, at + 2 * i);
        below += static_cast<size_t>(_mm_popcnt_u32(_mm512_mask_cmplt_epu16_mask(lanes, block, bound)));
    }
    return below;
}

TARGET ArrayCheck checkArray(const char * values, size_t n) noexcept
{
    if (n == 0)
        return {};
    ArrayCheck result{0, 1};
    size_t i = 1;
    const __m512i one = _mm512_set1_epi16(1);
    for (; i + 32 <= n; i += 32)
    {
        const __m512i value = _mm512_loadu_si512(values + 2 * i);
        const __m512i previous = _mm512_loadu_si512(values + 2 * i - 2);
        result.descents += static_cast<UInt32>(_mm_popcnt_u32(_mm512_cmple_epu16_mask(value, previous)));
        result.runs += static_cast<UInt32>(_mm_popcnt_u32(_mm512_cmpneq_epi16_mask(value, _mm512_add_epi16(previous, one))));
    }
    if (i < n)
    {
        const __mmask32 rest = _bzhi_u32(~UInt32{0}, static_cast<UInt32>(n - i));
        const __m512i value = _mm512_maskz_loadu_epi16(rest, values + 2 * i);
        const __m512i previous = _mm512_maskz_loadu_epi16(rest, values + 2 * i - 2);
        result.descents += static_cast<UInt32>(_mm_popcnt_u32(_mm512_mask_cmple_epu16_mask(rest, value, previous)));
        result.runs += static_cast<UInt32>(_mm_popcnt_u32(_mm512_mask_cmpneq_epi16_mask(rest, value, _mm512_add_epi16(previous, one))));
    }
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
    static constexpr decltype(RoaringKernelTable::bitsets) COMBINE
        = {combineBitsets<SetOperation::And>, combineBitsets<SetOperation::Or>, combineBitsets<SetOperation::Xor>,
           combineBitsets<SetOperation::AndNot>};
    static constexpr decltype(RoaringKernelTable::bitsets_count) COUNT
        = {countCombined<SetOperation::And>, countCombined<SetOperation::Or>, countCombined<SetOperation::Xor>,
           countCombined<SetOperation::AndNot>};
    static const RoaringKernelTable table = [] {
        /// Comparing blocks of arrays gains nothing from wider vectors alone.
        RoaringKernelTable result = roaringKernelsAVX2();
        setListKernelsAVX512(result);
        for (size_t i = 0; i < 4; ++i)
        {
            result.bitsets[i] = COMBINE[i];
            result.bitsets_count[i] = COUNT[i];
        }
        result.count_bitset = countBitset;
        result.bitset_cardinality = bitsetCardinality;
        result.bits_to_array = bitsToArray;
        result.lower_bound = lowerBound;
        result.check_array = checkArray;
        result.widen32 = widen32;
        result.widen64 = widen64;
        result.fill32 = fill32;
        result.fill64 = fill64;
        return result;
    }();
    return table;
}

}

#endif
