#include "CityHash102.h"

#include "../base/unaligned.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace DB::inline statewire
{

namespace
{
constexpr UInt64 K0 = 0xc3a5c85c97cb3127;
constexpr UInt64 K1 = 0xb492b66fbe98f273;
constexpr UInt64 K2 = 0x9ae16a3b2f90404f;
constexpr UInt64 K3 = 0xc949d7c7509e6557;
constexpr UInt64 MULTIPLIER = 0x9ddfea08eb382d69;

UInt64 fetch64(const char * p) noexcept
{
    return unalignedLoadLittleEndian<UInt64>(p);
}

UInt64 rotate(UInt64 value, int shift) noexcept
{
    return std::rotr(value, shift);
}

UInt64 shiftMix(UInt64 value) noexcept
{
    return value ^ (value >> 47);
}

UInt64 hash16(UInt64 u, UInt64 v) noexcept
{
    const UInt64 a = shiftMix((u ^ v) * MULTIPLIER);
    return shiftMix((v ^ a) * MULTIPLIER) * MULTIPLIER;
}

UInt64 hashUpTo16(const char * s, size_t size) noexcept
{
    if (size > 8)
    {
        const UInt64 a = fetch64(s);
        const UInt64 b = fetch64(s + size - 8);
        return hash16(a, rotate(b + size, static_cast<int>(size))) ^ b;
    }
    if (size >= 4)
    {
        const UInt64 a = unalignedLoadLittleEndian<UInt32>(s);
        return hash16(size + (a << 3), unalignedLoadLittleEndian<UInt32>(s + size - 4));
    }
    if (size > 0)
    {
        const auto a = static_cast<UInt8>(s[0]);
        const auto b = static_cast<UInt8>(s[size >> 1]);
        const auto c = static_cast<UInt8>(s[size - 1]);
        const UInt32 y = a + (static_cast<UInt32>(b) << 8);
        const UInt32 z = static_cast<UInt32>(size) + (static_cast<UInt32>(c) << 2);
        return shiftMix(y * K2 ^ z * K3) * K2;
    }
    return K2;
}

struct Pair
{
    UInt64 first;
    UInt64 second;
};

/// Mixes 32 bytes into two lanes.
Pair weakHash32(const char * s, UInt64 a, UInt64 b) noexcept
{
    const UInt64 w = fetch64(s);
    const UInt64 x = fetch64(s + 8);
    const UInt64 y = fetch64(s + 16);
    const UInt64 z = fetch64(s + 24);
    a += w;
    b = rotate(b + a + z, 21);
    const UInt64 c = a;
    a += x + y;
    b += rotate(a, 44);
    return {a + z, b + c};
}

/// The form for fewer than 128 bytes.
UInt128Hash hashShort(const char * s, size_t size, UInt128Hash seed) noexcept
{
    UInt64 a = seed.low;
    UInt64 b = seed.high;
    UInt64 c = 0;
    UInt64 d = 0;
    if (size <= 16)
    {
        a = shiftMix(a * K1) * K1;
        c = b * K1 + hashUpTo16(s, size);
        d = shiftMix(a + (size >= 8 ? fetch64(s) : c));
    }
    else
    {
        c = hash16(fetch64(s + size - 8) + K1, a);
        d = hash16(b + size, c + fetch64(s + size - 16));
        a += d;
        for (size_t done = 0; done + 16 < size; done += 16)
        {
            a = (a ^ shiftMix(fetch64(s + done) * K1) * K1) * K1;
            b ^= a;
            c = (c ^ shiftMix(fetch64(s + done + 8) * K1) * K1) * K1;
            d ^= c;
        }
    }
    a = hash16(a, c);
    b = hash16(d, b);
    return {a ^ b, hash16(b, a)};
}
}

CityHash128State cityHash128Begin(const char * begin, size_t size, UInt128Hash seed) noexcept
{
    CityHash128State state{};
    state.x = seed.low;
    state.y = seed.high;
    state.z = size * K1;
    state.v_first = rotate(state.y ^ K1, 49) * K1 + fetch64(begin);
    state.v_second = rotate(state.v_first, 42) * K1 + fetch64(begin + 8);
    state.w_first = rotate(state.y + state.z, 35) * K1 + state.x;
    state.w_second = rotate(state.x + fetch64(begin + 88), 53) * K1;
    return state;
}

void cityHash128Mix(CityHash128State & state, const char * s, size_t blocks) noexcept
{
    UInt64 x = state.x;
    UInt64 y = state.y;
    UInt64 z = state.z;
    Pair v{state.v_first, state.v_second};
    Pair w{state.w_first, state.w_second};
    for (size_t halves = blocks * 2; halves != 0; --halves)
    {
        x = rotate(x + y + v.first + fetch64(s + 16), 37) * K1;
        y = rotate(y + v.second + fetch64(s + 48), 42) * K1;
        x ^= w.second;
        y ^= v.first;
        z = rotate(z ^ w.first, 33);
        v = weakHash32(s, v.second * K1, x + w.first);
        w = weakHash32(s + 32, z + w.second, y);
        std::swap(z, x);
        s += 64;
    }
    state = CityHash128State{x, y, z, v.first, v.second, w.first, w.second};
}

UInt128Hash cityHash128End(CityHash128State state, const char * end, size_t rest) noexcept
{
    UInt64 x = state.x;
    UInt64 y = state.y;
    const UInt64 z = state.z;
    Pair v{state.v_first, state.v_second};
    Pair w{state.w_first, state.w_second};
    y += rotate(w.first, 37) * K0 + z;
    x += rotate(v.first + z, 49) * K0;
    /// Up to four runs of 32 bytes, counted from the end; the first may reach back into what was mixed already.
    for (size_t tail = 0; tail < rest;)
    {
        tail += 32;
        y = rotate(y - x, 42) * K0 + v.second;
        w.first += fetch64(end - tail + 16);
        x = rotate(x, 49) * K0 + w.first;
        w.first += v.first;
        v = weakHash32(end - tail, v.first, v.second);
    }
    x = hash16(x, v.first);
    y = hash16(y, w.first);
    return {hash16(x + v.second, w.second) + y, hash16(x + w.second, y + v.second)};
}

std::string toHex(UInt128Hash hash)
{
    constexpr char DIGITS[] = "0123456789abcdef";
    std::string text;
    for (const UInt64 half : {hash.high, hash.low})
        for (int shift = 60; shift >= 0; shift -= 4)
            text += DIGITS[half >> shift & 15];
    return text;
}

UInt128Hash cityHash128WithSeed(std::string_view bytes, UInt128Hash seed) noexcept
{
    if (bytes.size() < CITY_HASH_BLOCK)
        return hashShort(bytes.data(), bytes.size(), seed);
    CityHash128State state = cityHash128Begin(bytes.data(), bytes.size(), seed);
    cityHash128Mix(state, bytes.data(), bytes.size() / CITY_HASH_BLOCK);
    return cityHash128End(state, bytes.data() + bytes.size(), bytes.size() % CITY_HASH_BLOCK);
}

UInt128Hash cityHash128Seed(std::string_view bytes) noexcept
{
    return {fetch64(bytes.data()) ^ K3, fetch64(bytes.data() + 8)};
}

UInt128Hash cityHash128(std::string_view bytes) noexcept
{
    const char * s = bytes.data();
    const size_t size = bytes.size();
    if (size >= 16)
        return cityHash128WithSeed(bytes.substr(16), cityHash128Seed(bytes));
    if (size >= 8)
        return cityHash128WithSeed({}, {fetch64(s) ^ (size * K0), fetch64(s + size - 8) ^ K1});
    return cityHash128WithSeed(bytes, {K0, K1});
}

UInt128Hash cityHash128(std::string_view head, std::string_view tail) noexcept
{
    char first[16];
    const size_t from_tail = std::min(sizeof(first) - head.size(), tail.size());
    std::copy(head.begin(), head.end(), first);
    std::copy_n(tail.begin(), from_tail, first + head.size());
    const size_t size = head.size() + from_tail;
    if (size < sizeof(first))
        return cityHash128({first, size});
    return cityHash128WithSeed(tail.substr(from_tail), cityHash128Seed({first, sizeof(first)}));
}

}
