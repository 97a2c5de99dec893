#include "BitFlipSearch.h"

#include <algorithm>
#include <vector>

namespace DB::inline statewire
{

namespace
{
/// The hash takes these bytes as its seed.
constexpr size_t SEED_SIZE = 16;

template <typename Hash>
std::optional<BitFlip> tryBits(std::string & bytes, size_t byte, UInt128Hash expected, Hash && hash)
{
    std::optional<BitFlip> found;
    for (int bit = 0; bit < 8 && !found; ++bit)
    {
        bytes[byte] = static_cast<char>(bytes[byte] ^ (1 << bit));
        if (hash() == expected)
            found = BitFlip{byte, bit};
        bytes[byte] = static_cast<char>(bytes[byte] ^ (1 << bit));
    }
    return found;
}
}

std::optional<BitFlip> findBitFlip(std::string & bytes, UInt128Hash expected)
{
    /// Bits of the seed and of the first block change where hashing begins: they are tried by hashing everything.
    const size_t tried_whole = std::min(bytes.size(), SEED_SIZE + CITY_HASH_BLOCK);
    for (size_t byte = 0; byte < tried_whole; ++byte)
        if (const auto found = tryBits(bytes, byte, expected, [&] { return cityHash128(bytes); }))
            return found;
    if (bytes.size() == tried_whole)
        return std::nullopt;

    const char * begin = bytes.data() + SEED_SIZE;
    const char * end = bytes.data() + bytes.size();
    const auto size = static_cast<size_t>(end - begin);
    const size_t blocks = size / CITY_HASH_BLOCK;
    CityHash128State before = cityHash128Begin(begin, size, cityHash128Seed(bytes));
    for (size_t block = 0; block <= blocks; ++block)
    {
        const char * block_begin = begin + block * CITY_HASH_BLOCK;
        const auto block_size = static_cast<size_t>(std::min<std::ptrdiff_t>(CITY_HASH_BLOCK, end - block_begin));
        for (size_t i = 0; block != 0 && i < block_size; ++i)
        {
            const auto hash = [&] {
                CityHash128State state = before;
                cityHash128Mix(state, block_begin, blocks - block);
                return cityHash128End(state, end, size % CITY_HASH_BLOCK);
            };
            if (const auto found = tryBits(bytes, SEED_SIZE + block * CITY_HASH_BLOCK + i, expected, hash))
                return found;
        }
        if (block != blocks)
            cityHash128Mix(before, block_begin, 1);
    }
    return std::nullopt;
}

}
