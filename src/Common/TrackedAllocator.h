#pragma once

#include "trackedNew.h"

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/** What states keep and work with lies in memory that trackedNew.h gives. Errors: as trackedNew's. */
namespace DB::inline statewire
{

/// For the standard's containers. All are equal.
template <typename T>
class TrackedAllocator
{
public:
    using value_type = T;
    static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

    TrackedAllocator() noexcept = default;
    template <typename Other>
    TrackedAllocator(const TrackedAllocator<Other> &) noexcept
    {
    }

    [[nodiscard]] T * allocate(size_t n) { return static_cast<T *>(trackedNew(n * sizeof(T))); }
    void deallocate(T * memory, size_t n) noexcept { trackedDelete(memory, n * sizeof(T)); }

    template <typename Other>
    friend bool operator==(const TrackedAllocator &, const TrackedAllocator<Other> &) noexcept
    {
        return true;
    }
};

template <typename T>
using TrackedVector = std::vector<T, TrackedAllocator<T>>;
using TrackedString = std::basic_string<char, std::char_traits<char>, TrackedAllocator<char>>;

/// A fixed number of trivial values that nobody has set yet. Moved from it is empty.
template <typename T>
class TrackedArray
{
public:
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

    TrackedArray() noexcept = default;
    explicit TrackedArray(size_t size_) : values(size_ == 0 ? nullptr : static_cast<T *>(trackedNew(size_ * sizeof(T)))), count(size_) { }
    TrackedArray(TrackedArray && other) noexcept : values(std::exchange(other.values, nullptr)), count(std::exchange(other.count, 0)) { }
    TrackedArray & operator=(TrackedArray && other) noexcept
    {
        TrackedArray taken(std::move(other));
        std::swap(values, taken.values);
        std::swap(count, taken.count);
        return *this;
    }
    ~TrackedArray() { trackedDelete(values, count * sizeof(T)); }

    [[nodiscard]] T * data() const noexcept { return values; }
    [[nodiscard]] size_t size() const noexcept { return count; }
    [[nodiscard]] T & operator[](size_t i) const noexcept { return values[i]; }

private:
    T * values = nullptr;
    size_t count = 0;
};

template <typename T>
struct TrackedDelete
{
    void operator()(T * object) const noexcept
    {
        std::destroy_at(object);
        trackedDelete(object, sizeof(T));
    }
};

/// An object on the heap, as std::unique_ptr has it.
template <typename T>
using TrackedPtr = std::unique_ptr<T, TrackedDelete<T>>;

template <typename T, typename... Arguments>
[[nodiscard]] TrackedPtr<T> makeTracked(Arguments &&... arguments)
{
    static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
    struct Memory
    {
        void * memory = trackedNew(sizeof(T));
        ~Memory() { trackedDelete(memory, sizeof(T)); }
    } room;
    T * const object = ::new (room.memory) T(std::forward<Arguments>(arguments)...);
    room.memory = nullptr;
    return TrackedPtr<T>(object);
}

}
