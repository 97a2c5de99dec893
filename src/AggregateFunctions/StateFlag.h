#pragma once

#include "../IO/ReadBuffer.h"

namespace DB::inline statewire
{

/// The byte 0 or 1 that combinators put beside a state. Throws INCORRECT_DATA for any other, saying what the flag means.
[[nodiscard]] bool readStateFlag(ReadBuffer & in, const char * meaning);

}
