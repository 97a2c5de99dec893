#pragma once

#include "../Common/MurmurHash3.h"
#include "../base/unaligned.h"
#include "CountMinParameters.h"

#include <algorithm>
#include <bit>
#include <string_view>

/** MurmurHash3 x64-128 (h1) taken apart. The hash mixes the words of a key before they meet the seed, so that for keys of at most 16 bytes the
  * words are mixed once a key, not once a row. The pieces of plain code, which the kernels for many keys repeat in vectors.
  */
namespace DB::inline statewire::detail
{

inline constexpr UInt64 MURMUR_C1 = 0x87c37b91114253d5;
inline constexpr UInt64 MURMUR_C2 = 0x4cf5ad432745937f;
inline constexpr UInt64 MURMUR_FINAL_1 = 0xff51afd7ed558ccd;
inline constexpr UInt64 MURMUR_FINAL_2 = 0xc4ceb9fe1a85ec53;
inline constexpr UInt64 MURMUR_BLOCK_1 = 0x52dce729;
inline constexpr UInt64 MURMUR_BLOCK_2 = 0x38495ab5;
/// One whole block of the hash; shorter keys are its tail.
inline constexpr UInt64 MURMUR_BLOCK_SIZE = 16;

[[nodiscard]] inline UInt64 mixFirst(UInt64 k) noexcept { return std::rotl(k * MURMUR_C1, 31) * MURMUR_C2; }
[[nodiscard]] inline UInt64 mixSecond(UInt64 k) noexcept { return std::rotl(k * MURMUR_C2, 33) * MURMUR_C1; }

[[nodiscard]] inline UInt64 finalMix(UInt64 k) noexcept
{
    k = (k ^ (k >> 33)) * MURMUR_FINAL_1;
    k = (k ^ (k >> 33)) * MURMUR_FINAL_2;
    return k ^ (k >> 33);
}

[[nodiscard]] inline UInt64 finishHash(UInt64 h1, UInt64 h2) noexcept
{
    h1 += h2;
    h2 += h1;
    return finalMix(h1) + finalMix(h2);
}

/// The hash of a key shorter than 16 bytes from its mixed words, into both of which the length went.
[[nodiscard]] inline UInt64 hashTail(UInt64 first, UInt64 second, UInt64 row_seed) noexcept
{
    return finishHash(row_seed ^ first, row_seed ^ second);
}

/// The hash of a key of 16 bytes from its mixed words.
[[nodiscard]] inline UInt64 hashWhole(UInt64 first, UInt64 second, UInt64 row_seed) noexcept
{
    const UInt64 h1 = (std::rotl(row_seed ^ first, 27) + row_seed) * 5 + MURMUR_BLOCK_1;
    const UInt64 h2 = (std::rotl(row_seed ^ second, 31) + h1) * 5 + MURMUR_BLOCK_2;
    return finishHash(h1 ^ MURMUR_BLOCK_SIZE, h2 ^ MURMUR_BLOCK_SIZE);
}

/// h mod d without a division, `inverse` being floor((2^64 - 1) / d): h * inverse / 2^64 is above h / d - 1, so that the quotient is at most one
/// too small, and subtracting d where that is possible (the smaller of both as unsigned numbers) makes the rest exact. d < 2^31.
[[nodiscard]] inline UInt32 remainderOf(UInt64 h, UInt64 inverse, UInt32 d) noexcept
{
    __extension__ using UInt128 = unsigned __int128;
    const auto quotient = static_cast<UInt64>((UInt128{h} * inverse) >> 64);
    const auto rest = static_cast<UInt32>(h - quotient * d);
    return std::min(rest, rest - d);
}

/// The bytes of a key shorter than 8, as a little-endian number. Reads nothing else.
[[nodiscard]] inline UInt64 loadShort(const char * from, size_t size) noexcept
{
    if (size >= 4)
        return unalignedLoadLittleEndian<UInt32>(from) | UInt64{unalignedLoadLittleEndian<UInt32>(from + size - 4)} << (8 * (size - 4));
    if (size == 0)
        return 0;
    const auto byte_at = [&](size_t i) { return UInt64{unalignedLoadLittleEndian<UInt8>(from + i)} << (8 * i); };
    return byte_at(0) | byte_at(size / 2) | byte_at(size - 1);
}

struct KeyWords
{
    UInt64 first;
    UInt64 second;
};

/// The mixed words of a key of at most 16 bytes; into those of a shorter one goes its length.
[[nodiscard]] inline KeyWords mixKey(const char * from, size_t size) noexcept
{
    const UInt64 length = size == MURMUR_BLOCK_SIZE ? 0 : size;
    if (size <= 8)
        return {mixFirst(size == 8 ? unalignedLoadLittleEndian<UInt64>(from) : loadShort(from, size)) ^ length, length};
    const UInt64 last = unalignedLoadLittleEndian<UInt64>(from + size - 8) >> (8 * (16 - size));
    return {mixFirst(unalignedLoadLittleEndian<UInt64>(from)) ^ length, mixSecond(last) ^ length};
}

/// Calls f(row, cell) with the cell's index in the whole table, for each row in order: the same cells as CountMinParameters::cellIndex, sooner.
template <typename F>
inline void forEachCell(const CountMinParameters & parameters, std::string_view key, F && f) noexcept
{
    const UInt32 num_buckets = parameters.numBuckets();
    const UInt64 inverse = parameters.inverseOfBuckets();
    const auto rows = [&](auto && hash) {
        size_t begin = 0;
        for (UInt32 row = 0; row < parameters.numHashes(); ++row, begin += num_buckets)
            f(row, begin + remainderOf(hash(parameters.rowSeed(row)), inverse, num_buckets));
    };
    if (key.size() > MURMUR_BLOCK_SIZE)
    {
        rows([&](UInt64 row_seed) { return murmurHash3X64First(key, row_seed); });
        return;
    }
    const KeyWords words = mixKey(key.data(), key.size());
    if (key.size() == MURMUR_BLOCK_SIZE)
        rows([&](UInt64 row_seed) { return hashWhole(words.first, words.second, row_seed); });
    else
        rows([&](UInt64 row_seed) { return hashTail(words.first, words.second, row_seed); });
}

}
