#include "CountMinHashKernels.h"

#include "../Common/MurmurHash3.h"
#include "../base/unaligned.h"
#include "CountMinKeyHash.h"

#include <algorithm>
#include <bit>

#if STATEWIRE_X86_KERNELS
/// GCC before 14 takes the "undefined" operands inside its own AVX-512 headers for a mistake of whoever they are inlined into.
#    if defined(__GNUC__) && !defined(__clang__)
#        pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#        pragma GCC diagnostic ignored "-Wuninitialized"
#    endif
#    include <immintrin.h>
#endif

namespace DB::inline statewire::detail
{

namespace
{
/** The vector versions of remainderOf drop the lowest partial product and the fractions of the two middle ones, less than 3 together: their
  * quotient is at most 3 too small and their rest below 4 * d, which 32 bits hold; subtracting 2 * d and then d where that is possible makes it
  * exact.
  */
static_assert(COUNT_MIN_CELLS_LIMIT <= UInt64{1} << 30, "4 * num_buckets fits 32 bits");

[[nodiscard]] constexpr UInt64 inverseOf(UInt32 d) noexcept { return ~UInt64{0} / d; }

void tailPlain(const UInt64 * first, const UInt64 * second, size_t n, UInt64 row_seed, UInt32 num_buckets, UInt32 * to) noexcept
{
    const UInt64 inverse = inverseOf(num_buckets);
    for (size_t i = 0; i < n; ++i)
        to[i] = remainderOf(hashTail(first[i], second[i], row_seed), inverse, num_buckets);
}

void wholePlain(const UInt64 * first, const UInt64 * second, size_t n, UInt64 row_seed, UInt32 num_buckets, UInt32 * to) noexcept
{
    const UInt64 inverse = inverseOf(num_buckets);
    for (size_t i = 0; i < n; ++i)
        to[i] = remainderOf(hashWhole(first[i], second[i], row_seed), inverse, num_buckets);
}

#if STATEWIRE_X86_KERNELS

/// Eight keys a step.
struct AVX512
{
    STATEWIRE_TARGET_AVX512 static __m512i finalMix(__m512i k) noexcept
    {
        k = _mm512_mullo_epi64(_mm512_xor_si512(k, _mm512_srli_epi64(k, 33)), _mm512_set1_epi64(static_cast<Int64>(MURMUR_FINAL_1)));
        k = _mm512_mullo_epi64(_mm512_xor_si512(k, _mm512_srli_epi64(k, 33)), _mm512_set1_epi64(static_cast<Int64>(MURMUR_FINAL_2)));
        return _mm512_xor_si512(k, _mm512_srli_epi64(k, 33));
    }

    STATEWIRE_TARGET_AVX512 static __m512i finish(__m512i h1, __m512i h2) noexcept
    {
        h1 = _mm512_add_epi64(h1, h2);
        h2 = _mm512_add_epi64(h2, h1);
        return _mm512_add_epi64(finalMix(h1), finalMix(h2));
    }

    STATEWIRE_TARGET_AVX512 static __m256i remainder(__m512i h, __m512i inverse, __m512i divisor) noexcept
    {
        const __m512i h_high = _mm512_srli_epi64(h, 32);
        const __m512i inverse_high = _mm512_srli_epi64(inverse, 32);
        const __m512i middle_1 = _mm512_srli_epi64(_mm512_mul_epu32(h_high, inverse), 32);
        const __m512i middle_2 = _mm512_srli_epi64(_mm512_mul_epu32(h, inverse_high), 32);
        const __m512i quotient = _mm512_add_epi64(_mm512_mul_epu32(h_high, inverse_high), _mm512_add_epi64(middle_1, middle_2));
        const __m512i rest = _mm512_sub_epi64(h, _mm512_mul_epu32(quotient, divisor));
        const __m256i d = _mm512_cvtepi64_epi32(divisor);
        __m256i r = _mm512_cvtepi64_epi32(rest);
        r = _mm256_min_epu32(r, _mm256_sub_epi32(r, _mm256_add_epi32(d, d)));
        return _mm256_min_epu32(r, _mm256_sub_epi32(r, d));
    }

    template <bool whole>
    STATEWIRE_TARGET_AVX512 static void
    row(const UInt64 * first, const UInt64 * second, size_t n, UInt64 row_seed, UInt32 num_buckets, UInt32 * to) noexcept
    {
        const __m512i seed = _mm512_set1_epi64(static_cast<Int64>(row_seed));
        const __m512i inverse = _mm512_set1_epi64(static_cast<Int64>(inverseOf(num_buckets)));
        const __m512i divisor = _mm512_set1_epi64(num_buckets);
        size_t i = 0;
        for (; i + 8 <= n; i += 8)
        {
            __m512i h1 = _mm512_xor_si512(seed, _mm512_loadu_si512(first + i));
            __m512i h2 = _mm512_xor_si512(seed, _mm512_loadu_si512(second + i));
            if constexpr (whole)
            {
                h1 = _mm512_add_epi64(_mm512_rol_epi64(h1, 27), seed);
                h1 = _mm512_add_epi64(_mm512_add_epi64(h1, _mm512_slli_epi64(h1, 2)), _mm512_set1_epi64(MURMUR_BLOCK_1));
                h2 = _mm512_add_epi64(_mm512_rol_epi64(h2, 31), h1);
                h2 = _mm512_add_epi64(_mm512_add_epi64(h2, _mm512_slli_epi64(h2, 2)), _mm512_set1_epi64(MURMUR_BLOCK_2));
                h1 = _mm512_xor_si512(h1, _mm512_set1_epi64(MURMUR_BLOCK_SIZE));
                h2 = _mm512_xor_si512(h2, _mm512_set1_epi64(MURMUR_BLOCK_SIZE));
            }
            _mm256_storeu_si256(reinterpret_cast<__m256i *>(to + i), remainder(finish(h1, h2), inverse, divisor));
        }
        (whole ? wholePlain : tailPlain)(first + i, second + i, n - i, row_seed, num_buckets, to + i);
    }
};

/// Four keys a step. A 64-bit product takes three 32-bit ones.
struct AVX2
{
    STATEWIRE_TARGET_AVX2 static __m256i multiply(__m256i a, UInt64 constant) noexcept
    {
        const __m256i low = _mm256_set1_epi64x(static_cast<Int64>(constant & 0xffffffff));
        const __m256i high = _mm256_set1_epi64x(static_cast<Int64>(constant >> 32));
        const __m256i crossed = _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(a, 32), low), _mm256_mul_epu32(a, high));
        return _mm256_add_epi64(_mm256_mul_epu32(a, low), _mm256_slli_epi64(crossed, 32));
    }

    STATEWIRE_TARGET_AVX2 static __m256i finalMix(__m256i k) noexcept
    {
        k = multiply(_mm256_xor_si256(k, _mm256_srli_epi64(k, 33)), MURMUR_FINAL_1);
        k = multiply(_mm256_xor_si256(k, _mm256_srli_epi64(k, 33)), MURMUR_FINAL_2);
        return _mm256_xor_si256(k, _mm256_srli_epi64(k, 33));
    }

    STATEWIRE_TARGET_AVX2 static __m256i finish(__m256i h1, __m256i h2) noexcept
    {
        h1 = _mm256_add_epi64(h1, h2);
        h2 = _mm256_add_epi64(h2, h1);
        return _mm256_add_epi64(finalMix(h1), finalMix(h2));
    }

    template <int bits>
    STATEWIRE_TARGET_AVX2 static __m256i rotateLeft(__m256i a) noexcept
    {
        return _mm256_or_si256(_mm256_slli_epi64(a, bits), _mm256_srli_epi64(a, 64 - bits));
    }

    STATEWIRE_TARGET_AVX2 static __m128i remainder(__m256i h, __m256i inverse, __m256i divisor) noexcept
    {
        const __m256i h_high = _mm256_srli_epi64(h, 32);
        const __m256i inverse_high = _mm256_srli_epi64(inverse, 32);
        const __m256i middle_1 = _mm256_srli_epi64(_mm256_mul_epu32(h_high, inverse), 32);
        const __m256i middle_2 = _mm256_srli_epi64(_mm256_mul_epu32(h, inverse_high), 32);
        const __m256i quotient = _mm256_add_epi64(_mm256_mul_epu32(h_high, inverse_high), _mm256_add_epi64(middle_1, middle_2));
        __m256i r = _mm256_sub_epi64(h, _mm256_mul_epu32(quotient, divisor));
        r = _mm256_min_epu32(r, _mm256_sub_epi32(r, _mm256_add_epi32(divisor, divisor)));
        r = _mm256_min_epu32(r, _mm256_sub_epi32(r, divisor));
        return _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(r, _mm256_setr_epi32(0, 2, 4, 6, 0, 0, 0, 0)));
    }

    template <bool whole>
    STATEWIRE_TARGET_AVX2 static void
    row(const UInt64 * first, const UInt64 * second, size_t n, UInt64 row_seed, UInt32 num_buckets, UInt32 * to) noexcept
    {
        const __m256i seed = _mm256_set1_epi64x(static_cast<Int64>(row_seed));
        const __m256i inverse = _mm256_set1_epi64x(static_cast<Int64>(inverseOf(num_buckets)));
        const __m256i divisor = _mm256_set1_epi64x(num_buckets);
        size_t i = 0;
        for (; i + 4 <= n; i += 4)
        {
            __m256i h1 = _mm256_xor_si256(seed, _mm256_loadu_si256(reinterpret_cast<const __m256i *>(first + i)));
            __m256i h2 = _mm256_xor_si256(seed, _mm256_loadu_si256(reinterpret_cast<const __m256i *>(second + i)));
            if constexpr (whole)
            {
                h1 = _mm256_add_epi64(rotateLeft<27>(h1), seed);
                h1 = _mm256_add_epi64(_mm256_add_epi64(h1, _mm256_slli_epi64(h1, 2)), _mm256_set1_epi64x(MURMUR_BLOCK_1));
                h2 = _mm256_add_epi64(rotateLeft<31>(h2), h1);
                h2 = _mm256_add_epi64(_mm256_add_epi64(h2, _mm256_slli_epi64(h2, 2)), _mm256_set1_epi64x(MURMUR_BLOCK_2));
                h1 = _mm256_xor_si256(h1, _mm256_set1_epi64x(MURMUR_BLOCK_SIZE));
                h2 = _mm256_xor_si256(h2, _mm256_set1_epi64x(MURMUR_BLOCK_SIZE));
            }
            _mm_storeu_si128(reinterpret_cast<__m128i *>(to + i), remainder(finish(h1, h2), inverse, divisor));
        }
        (whole ? wholePlain : tailPlain)(first + i, second + i, n - i, row_seed, num_buckets, to + i);
    }
};

#endif
}

const CountMinHashKernels & countMinHashKernels(CpuLevel level) noexcept
{
    static constexpr CountMinHashKernels PLAIN{tailPlain, wholePlain};
#if STATEWIRE_X86_KERNELS
    static constexpr CountMinHashKernels AVX2_KERNELS{AVX2::row<false>, AVX2::row<true>};
    static constexpr CountMinHashKernels AVX512_KERNELS{AVX512::row<false>, AVX512::row<true>};
    if (level == CpuLevel::AVX512)
        return AVX512_KERNELS;
    if (level == CpuLevel::AVX2)
        return AVX2_KERNELS;
#else
    static_cast<void>(level);
#endif
    return PLAIN;
}

void CountMinKeyBlock::load(const CountMinKeys & keys_) noexcept
{
    keys = keys_;
    tails = wholes = longs = 0;
    if (keys.width() == 0)
        loadStrings();
    else
        loadFixed();
}

void CountMinKeyBlock::loadFixed() noexcept
{
    const size_t n = keys.size();
    const UInt32 width = keys.width();
    const char * const bytes = n == 0 ? nullptr : keys[0].data();
    const auto load_numbers = [&]<typename T>() {
        for (size_t i = 0; i < n; ++i)
            first[i] = mixFirst(unalignedLoadLittleEndian<T>(bytes + i * sizeof(T))) ^ sizeof(T);
        std::fill_n(second, n, UInt64{sizeof(T)});
        tails = n;
    };
    if (width == 8)
        load_numbers.operator()<UInt64>();
    else if (width == 4)
        load_numbers.operator()<UInt32>();
    else if (width == 2)
        load_numbers.operator()<UInt16>();
    else if (width == 1)
        load_numbers.operator()<UInt8>();
    else if (width == MURMUR_BLOCK_SIZE)
    {
        /// At the end, as loadStrings() puts them; n need not be SIZE.
        const size_t begin = SIZE - n;
        for (size_t i = 0; i < n; ++i)
        {
            first[begin + i] = mixFirst(unalignedLoadLittleEndian<UInt64>(bytes + i * MURMUR_BLOCK_SIZE));
            second[begin + i] = mixSecond(unalignedLoadLittleEndian<UInt64>(bytes + i * MURMUR_BLOCK_SIZE + 8));
        }
        wholes = n;
    }
    else if (width < MURMUR_BLOCK_SIZE)
    {
        for (size_t i = 0; i < n; ++i)
        {
            const KeyWords words = mixKey(bytes + i * width, width);
            first[i] = words.first;
            second[i] = words.second;
        }
        tails = n;
    }
    else
        longs = n;
}

void CountMinKeyBlock::loadStrings() noexcept
{
    const size_t n = keys.size();
    size_t whole_begin = SIZE;
    /// Backwards, so that what fills up from the end lies in the order of the keys; tails are turned around below.
    for (size_t i = n; i-- > 0;)
    {
        const std::string_view key = keys[i];
        if (key.size() > MURMUR_BLOCK_SIZE)
        {
            long_position[longs++] = static_cast<UInt16>(i);
            continue;
        }
        const KeyWords words = mixKey(key.data(), key.size());
        const size_t slot = key.size() == MURMUR_BLOCK_SIZE ? --whole_begin : tails++;
        first[slot] = words.first;
        second[slot] = words.second;
        position[slot] = static_cast<UInt16>(i);
    }
    wholes = SIZE - whole_begin;
    if (tails == n)
    {
        std::reverse(first, first + n);
        std::reverse(second, second + n);
    }
}

void CountMinKeyBlock::buckets(UInt32 row, UInt32 * to) const noexcept
{
    const size_t n = keys.size();
    const UInt64 row_seed = parameters.rowSeed(row);
    const UInt32 num_buckets = parameters.numBuckets();
    const size_t whole_begin = SIZE - wholes;
    if (tails == n)
    {
        kernels.tail(first, second, n, row_seed, num_buckets, to);
        return;
    }
    if (wholes == n)
    {
        kernels.whole(first + whole_begin, second + whole_begin, n, row_seed, num_buckets, to);
        return;
    }
    UInt32 packed[SIZE];
    kernels.tail(first, second, tails, row_seed, num_buckets, packed);
    kernels.whole(first + whole_begin, second + whole_begin, wholes, row_seed, num_buckets, packed + whole_begin);
    for (size_t i = 0; i < tails; ++i)
        to[position[i]] = packed[i];
    for (size_t i = whole_begin; i < SIZE; ++i)
        to[position[i]] = packed[i];
    const UInt64 inverse = parameters.inverseOfBuckets();
    const bool all_long = longs == n;
    for (size_t i = 0; i < longs; ++i)
    {
        const size_t index = all_long ? i : long_position[i];
        to[index] = remainderOf(murmurHash3X64First(keys[index], row_seed), inverse, num_buckets);
    }
}

}
