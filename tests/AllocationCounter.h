#pragma once

#include <cstddef>

namespace statewire_tests
{

/** Watches this thread's heap through operator new and delete, from construction on. At most one at a time. */
class AllocationCounter
{
public:
    /// With `count_requested` also what was asked for, which takes longer.
    explicit AllocationCounter(bool count_requested = false);
    ~AllocationCounter();
    AllocationCounter(const AllocationCounter &) = delete;
    AllocationCounter & operator=(const AllocationCounter &) = delete;

    /// False where ThreadSanitizer has the operators: then every count is 0.
    [[nodiscard]] static bool isCounting() noexcept;
    /// Calls of operator new.
    [[nodiscard]] size_t allocations() const noexcept;
    /// The most bytes that were held at once, counted from construction.
    [[nodiscard]] size_t peakBytes() const noexcept;
    /// Bytes that were asked for since construction and are held now, and the most of them at once. Only with `count_requested`.
    [[nodiscard]] size_t requestedBytes() const noexcept;
    [[nodiscard]] size_t requestedPeak() const noexcept;
    /// The n-th allocation from now on throws std::bad_alloc, once; 0: none.
    void failAfter(size_t n) noexcept;
};

}
