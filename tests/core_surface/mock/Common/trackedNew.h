#pragma once

#include <cstddef>
#include <memory>
#include <new>

/// As in a tree whose operator new counts by itself.
namespace DB::inline statewire
{

[[nodiscard]] inline void * trackedNew(size_t bytes)
{
    return ::operator new(bytes);
}
inline void trackedDelete(void * memory, size_t) noexcept
{
    ::operator delete(memory);
}
[[nodiscard]] inline std::shared_ptr<char[]> trackedShared(size_t bytes)
{
    return std::make_shared_for_overwrite<char[]>(bytes);
}

}
