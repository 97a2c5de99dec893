#pragma once

#include <cstddef>
#include <cstdint>

/// The part of WriteBuffer that core files may use, and nothing else.
namespace DB::inline statewire
{

class WriteBuffer
{
public:
    void write(const char * from, size_t n);
    void next();
    char *& position();
    size_t available() const;
    std::uint64_t count() const;
};

}
