#pragma once

#include <cstddef>

/// The part of Arena that core files may use, and nothing else.
namespace DB::inline statewire
{

class Arena
{
public:
    char * alloc(size_t size);
};

}
