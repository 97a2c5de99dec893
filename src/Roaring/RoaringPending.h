#pragma once

#include "../Common/TrackedAllocator.h"
#include "../base/types.h"

#include <span>
#include <utility>

namespace DB::inline statewire
{

/** Values in no order that wait to become part of a bitmap: in 4 bytes each as long as all of them fit, then in 8.
  *
  * Errors: those of TrackedAllocator.h, with nothing added. Threads: const calls may run together.
  */
class RoaringPending
{
public:
    [[nodiscard]] bool empty() const noexcept { return narrow.empty() && wide.empty(); }
    [[nodiscard]] size_t size() const noexcept { return narrow.size() + wide.size(); }
    [[nodiscard]] size_t heldBytes() const noexcept { return narrow.capacity() * sizeof(UInt32) + wide.capacity() * sizeof(UInt64); }

    void push(UInt64 value)
    {
        if (wide.empty() && value >> 32 == 0)
        {
            narrow.push_back(static_cast<UInt32>(value));
            return;
        }
        widen(1);
        wide.push_back(value);
    }

    /// `expected` values in all are soon there: what makes room then makes room for them.
    void append(std::span<const UInt32> values, size_t expected)
    {
        if (wide.empty())
            appendTo(narrow, values, expected);
        else
            appendTo(wide, values, expected);
    }
    void append(std::span<const UInt64> values, size_t expected)
    {
        UInt64 all_or = 0;
        for (const UInt64 value : values)
            all_or |= value;
        if (wide.empty() && all_or >> 32 == 0)
        {
            appendTo(narrow, values, expected);
            return;
        }
        widen(values.size());
        appendTo(wide, values, expected);
    }

    /// Calls f(std::span<const T>) with all values, T UInt32 or UInt64.
    template <typename F>
    decltype(auto) visit(F && f) const
    {
        if (wide.empty())
            return f(std::span<const UInt32>(narrow));
        return f(std::span<const UInt64>(wide));
    }
    /// Calls f(std::span<T>), which may change the order.
    template <typename F>
    decltype(auto) visitMutable(F && f)
    {
        if (wide.empty())
            return f(std::span<UInt32>(narrow));
        return f(std::span<UInt64>(wide));
    }

    /// Gives memory back as well: a large buffer is only worth keeping while values keep coming in no order, and then it grows again soon.
    void clear() noexcept
    {
        TrackedVector<UInt32>().swap(narrow);
        TrackedVector<UInt64>().swap(wide);
    }

private:
    template <typename To, typename From>
    static void appendTo(TrackedVector<To> & to, std::span<const From> values, size_t expected)
    {
        if (to.capacity() - to.size() < values.size() && to.capacity() < expected)
            to.reserve(expected);
        to.insert(to.end(), values.begin(), values.end());
    }

    void widen(size_t more)
    {
        if (narrow.empty())
            return;
        TrackedVector<UInt64> widened;
        widened.reserve(narrow.size() + more);
        widened.assign(narrow.begin(), narrow.end());
        wide = std::move(widened);
        TrackedVector<UInt32>().swap(narrow);
    }

    /// One of them is empty.
    TrackedVector<UInt32> narrow;
    TrackedVector<UInt64> wide;
};

}
