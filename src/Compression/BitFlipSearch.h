#pragma once

#include "../Common/CityHash102.h"

#include <optional>
#include <string>

namespace DB::inline statewire
{

struct BitFlip
{
    size_t byte;
    int bit;
};

/** Which single bit of `bytes`, flipped back, gives the hash `expected` (CityHash128 1.0.2)?
  *
  * Every bit is tried; each try hashes from the 128-byte block with the flipped bit to the end, half the bytes on average. The cost grows
  * with the square of the size, so callers set a limit. `bytes` is changed meanwhile and is whole again afterwards.
  */
[[nodiscard]] std::optional<BitFlip> findBitFlip(std::string & bytes, UInt128Hash expected);

}
