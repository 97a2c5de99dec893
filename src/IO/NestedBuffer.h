#pragma once

#include <memory>
#include <utility>

namespace DB::inline statewire
{

/** The buffer under a decorator: owned when it came as a unique_ptr, borrowed when it came as a reference.
  *
  * An owned one ends with its decorator: finalized, canceled, destroyed. A borrowed one outlives it, and is read or written but never
  * finalized or canceled through it.
  */
template <typename T>
class NestedBuffer
{
public:
    NestedBuffer(T & borrowed) noexcept : buffer(&borrowed) { }
    template <typename Derived>
    NestedBuffer(std::unique_ptr<Derived> owned_) noexcept : owned(std::move(owned_)), buffer(owned.get())
    {
    }

    [[nodiscard]] T & operator*() const noexcept { return *buffer; }
    [[nodiscard]] T * operator->() const noexcept { return buffer; }

    void finalizeIfOwned()
    {
        if (owned)
            owned->finalize();
    }
    void cancelIfOwned() noexcept
    {
        if (owned)
            owned->cancel();
    }

private:
    std::unique_ptr<T> owned;
    T * buffer;
};

}
