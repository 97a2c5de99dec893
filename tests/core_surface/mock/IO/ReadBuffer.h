#pragma once

#include <cstddef>
#include <cstdint>

/// The part of ReadBuffer that core files may use, and nothing else.
namespace DB::inline statewire
{

class ReadBuffer
{
public:
    bool eof();
    bool next();
    char *& position();
    size_t available() const;
    std::uint64_t count() const;
};

}
