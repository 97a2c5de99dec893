#pragma once

#if defined(__GLIBC__)
#    include <malloc.h>
#endif

namespace statewire_program
{

/// For a process that makes many states and ends soon: memory that was freed is kept for the states to come, and heaps grow in large steps. By
/// default glibc grows the heap of a second thread page by page, and gives freed memory at its end back to the system at once.
inline void tuneAllocator() noexcept
{
#if defined(__GLIBC__)
    constexpr int MIB = 1 << 20;
    ::mallopt(M_TOP_PAD, 64 * MIB);
    ::mallopt(M_TRIM_THRESHOLD, 1024 * MIB);
    ::mallopt(M_MMAP_THRESHOLD, 32 * MIB);
#endif
}

}
