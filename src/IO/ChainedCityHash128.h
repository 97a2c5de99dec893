#pragma once

#include "../Common/CityHash102.h"

#include <cstddef>

namespace DB::inline statewire
{

/** The hash of a file in ClickHouse's checksums.txt: CityHash128 1.0.2 over blocks of 2048 bytes, each seeded with the hash of those before
  * (the first with zeros), a shorter block at the end.
  *
  * It depends on the bytes alone, not on how they come in pieces. Whole blocks are hashed where they lie.
  */
class ChainedCityHash128
{
public:
    static constexpr size_t BLOCK_SIZE = 2048;

    void append(std::string_view bytes) noexcept;
    /// Of everything appended so far.
    [[nodiscard]] UInt128Hash get() const noexcept;

private:
    UInt128Hash state;
    size_t partial_size = 0;
    char partial[BLOCK_SIZE];
};

}
