#include "SipHash.h"

#include "../base/unaligned.h"

#include <bit>

namespace DB::inline statewire
{

namespace
{
struct State
{
    /// "somepseudorandomlygeneratedbytes".
    UInt64 v0 = 0x736f6d6570736575;
    UInt64 v1 = 0x646f72616e646f6d;
    UInt64 v2 = 0x6c7967656e657261;
    UInt64 v3 = 0x7465646279746573;

    void round() noexcept
    {
        v0 += v1;
        v1 = std::rotl(v1, 13) ^ v0;
        v0 = std::rotl(v0, 32);
        v2 += v3;
        v3 = std::rotl(v3, 16) ^ v2;
        v0 += v3;
        v3 = std::rotl(v3, 21) ^ v0;
        v2 += v1;
        v1 = std::rotl(v1, 17) ^ v2;
        v2 = std::rotl(v2, 32);
    }

    void add(UInt64 word) noexcept
    {
        v3 ^= word;
        round();
        round();
        v0 ^= word;
    }
};
}

UInt128Hash sipHash128(std::string_view bytes) noexcept
{
    State state;
    std::string_view left = bytes;
    for (; left.size() >= 8; left.remove_prefix(8))
        state.add(unalignedLoadLittleEndian<UInt64>(left.data()));
    char last[8] = {};
    std::memcpy(last, left.data(), left.size());
    last[7] = static_cast<char>(bytes.size());
    state.add(unalignedLoadLittleEndian<UInt64>(last));
    state.v2 ^= 0xff;
    for (int i = 0; i < 4; ++i)
        state.round();
    return {state.v0 ^ state.v1, state.v2 ^ state.v3};
}

}
