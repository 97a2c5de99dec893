#pragma once

#include <cstddef>

namespace statewire_tests
{

/** Watches this thread's heap through operator new and delete, from construction on. At most one at a time. */
class AllocationCounter
{
public:
    AllocationCounter() noexcept;
    ~AllocationCounter();
    AllocationCounter(const AllocationCounter &) = delete;
    AllocationCounter & operator=(const AllocationCounter &) = delete;

    /// False where ThreadSanitizer has the operators: then every count is 0.
    [[nodiscard]] static bool isCounting() noexcept;
    /// Calls of operator new.
    [[nodiscard]] size_t allocations() const noexcept;
    /// The most bytes that were held at once, counted from construction.
    [[nodiscard]] size_t peakBytes() const noexcept;
};

}
