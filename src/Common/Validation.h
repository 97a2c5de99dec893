#pragma once

#include "../base/types.h"

namespace DB::inline statewire
{

/// How much of the bytes a view checks before it answers anything.
enum class Validation : UInt8
{
    /// No access can leave the bytes, whatever they say. Costs the headers, not the payload.
    Structure,
    /// The contents mean what the format says as well (a set, a table). Costs one pass over the payload. The default, and what states use.
    Full
};

}
