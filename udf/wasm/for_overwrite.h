#pragma once

/// The two functions of C++20 that the core uses and Debian 12's libc++ 14 for WebAssembly lacks. Included before every source of the module.
#include <memory>
#include <type_traits>

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 16000
namespace std
{

template <typename T>
requires is_unbounded_array_v<T> unique_ptr<T> make_unique_for_overwrite(size_t n) { return unique_ptr<T>(new remove_extent_t<T>[n]); }

/// The module counts no memory, so the allocator is not asked.
template <typename T, typename Allocator>
requires is_unbounded_array_v<T> shared_ptr<T> allocate_shared_for_overwrite(const Allocator &, size_t n)
{
    return shared_ptr<T>(new remove_extent_t<T>[n]);
}

}
#endif
