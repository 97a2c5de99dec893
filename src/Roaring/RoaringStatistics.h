#pragma once

#include "RoaringBitmap.h"

#include <string>

namespace DB::inline statewire
{

/// What a set is made of: for people who look at sizes. Payload bytes are those of the portable formats.
struct RoaringStatistics
{
    struct Kind
    {
        UInt64 containers = 0;
        UInt64 values = 0;
        UInt64 bytes = 0;
    };

    Kind arrays;
    Kind bitsets;
    Kind runs;
    UInt64 cardinality = 0;
    /// 0 for the empty set.
    UInt64 minimum = 0;
    UInt64 maximum = 0;

    [[nodiscard]] UInt64 containers() const noexcept { return arrays.containers + bitsets.containers + runs.containers; }
    /// One line, such as "5 values in [1, 70000], 2 containers: 1 array (3 values, 6 bytes), 1 run (2 values, 6 bytes)".
    [[nodiscard]] std::string describe() const;
};

[[nodiscard]] RoaringStatistics roaringStatistics(const RoaringSnapshot & set);

}
