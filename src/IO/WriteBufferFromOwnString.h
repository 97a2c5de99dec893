#pragma once

#include "WriteBufferFromVector.h"

namespace DB::inline statewire
{

namespace detail
{
/// A base that is constructed before, and destroyed after, the buffer over it.
struct StringHolder
{
    std::string string;
};
}

/// Writes to a string that it owns.
class WriteBufferFromOwnString : private detail::StringHolder, public WriteBufferFromString
{
public:
    WriteBufferFromOwnString() : WriteBufferFromString(string) { }

    /// Finalizes and returns what was written; the reference lives as long as this object. LOGICAL_ERROR after cancel().
    [[nodiscard]] std::string & str()
    {
        finalize();
        return string;
    }
};

}
