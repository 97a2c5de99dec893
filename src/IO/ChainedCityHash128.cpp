#include "ChainedCityHash128.h"

#include <algorithm>
#include <cstring>

namespace DB::inline statewire
{

void ChainedCityHash128::append(std::string_view bytes) noexcept
{
    if (partial_size != 0)
    {
        const std::string_view missing = bytes.substr(0, BLOCK_SIZE - partial_size);
        if (!missing.empty())
            std::memcpy(partial + partial_size, missing.data(), missing.size());
        partial_size += missing.size();
        bytes.remove_prefix(missing.size());
        if (partial_size < BLOCK_SIZE)
            return;
        state = cityHash128WithSeed({partial, BLOCK_SIZE}, state);
        partial_size = 0;
    }
    for (; bytes.size() >= BLOCK_SIZE; bytes.remove_prefix(BLOCK_SIZE))
        state = cityHash128WithSeed(bytes.substr(0, BLOCK_SIZE), state);
    if (!bytes.empty())
        std::memcpy(partial, bytes.data(), bytes.size());
    partial_size = bytes.size();
}

UInt128Hash ChainedCityHash128::get() const noexcept
{
    return partial_size == 0 ? state : cityHash128WithSeed({partial, partial_size}, state);
}

}
