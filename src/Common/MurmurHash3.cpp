#include "MurmurHash3.h"

#include "../base/unaligned.h"

#include <bit>

namespace DB::inline statewire
{

namespace
{
constexpr UInt64 C1 = 0x87c37b91114253d5;
constexpr UInt64 C2 = 0x4cf5ad432745937f;

UInt64 mixFirst(UInt64 k) noexcept
{
    return std::rotl(k * C1, 31) * C2;
}

UInt64 mixSecond(UInt64 k) noexcept
{
    return std::rotl(k * C2, 33) * C1;
}

UInt64 finalMix(UInt64 k) noexcept
{
    k ^= k >> 33;
    k *= 0xff51afd7ed558ccd;
    k ^= k >> 33;
    k *= 0xc4ceb9fe1a85ec53;
    k ^= k >> 33;
    return k;
}

/// Up to 8 bytes, the missing ones zero.
UInt64 loadPartial(const char * from, size_t size) noexcept
{
    char padded[8] = {};
    std::memcpy(padded, from, size);
    return unalignedLoadLittleEndian<UInt64>(padded);
}
}

UInt64 murmurHash3X64First(std::string_view bytes, UInt64 seed) noexcept
{
    UInt64 h1 = seed;
    UInt64 h2 = seed;
    const char * pos = bytes.data();
    size_t left = bytes.size();
    for (; left >= 16; left -= 16, pos += 16)
    {
        h1 ^= mixFirst(unalignedLoadLittleEndian<UInt64>(pos));
        h1 = (std::rotl(h1, 27) + h2) * 5 + 0x52dce729;
        h2 ^= mixSecond(unalignedLoadLittleEndian<UInt64>(pos + 8));
        h2 = (std::rotl(h2, 31) + h1) * 5 + 0x38495ab5;
    }
    if (left > 8)
        h2 ^= mixSecond(loadPartial(pos + 8, left - 8));
    if (left > 0)
        h1 ^= mixFirst(loadPartial(pos, left < 8 ? left : 8));
    h1 ^= bytes.size();
    h2 ^= bytes.size();
    h1 += h2;
    h2 += h1;
    h1 = finalMix(h1);
    h2 = finalMix(h2);
    return h1 + h2;
}

}
