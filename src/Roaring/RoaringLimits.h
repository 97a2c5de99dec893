#pragma once

#include "../base/types.h"

namespace DB::inline statewire
{

/// The most memory that one expanding operation may ask for unless its caller says otherwise: a few bytes can name 2^64 values, and what
/// they expand to must not take a process down. Beyond it such an operation ends as MEMORY_LIMIT_EXCEEDED before it allocates.
inline constexpr UInt64 DEFAULT_MAX_EXPANSION_BYTES = UInt64{1} << 30;

}
