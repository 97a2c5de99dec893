#pragma once

#include "RoaringKernels.h"

#include <algorithm>

/** Combining two sorted lists of runs, or of runs and single values (an array), into runs. Safe for any contents; `to` has room for as many
  * runs as both lists have together.
  */
namespace DB::inline statewire
{

namespace detail
{
/// More runs in both lists together are combined as bits: what results can hardly be smaller than a bitset.
inline constexpr size_t MAX_LISTED_RUNS = 4096;

/// Border k of an array or of runs: where the k-th change between outside and inside happens.
inline UInt32 borderOf(ContainerView container, size_t k) noexcept
{
    if (container.kind == ContainerKind::Array)
        return arrayValue(container.data, k / 2) + static_cast<UInt32>(k % 2);
    return std::min(k % 2 == 0 ? runStart(container.data, k / 2) : runLast(container.data, k / 2) + 1, CONTAINER_VALUES);
}

/// All borders of a list, ascending; runs that touch are joined. Returns how many.
inline size_t listBorders(ContainerView container, UInt32 * to) noexcept
{
    size_t n = 0;
    for (size_t i = 0; i < container.size; ++i)
    {
        const UInt32 start = borderOf(container, 2 * i);
        const UInt32 behind = borderOf(container, 2 * i + 1);
        if (n != 0 && to[n - 1] == start)
        {
            to[n - 1] = behind;
            continue;
        }
        to[n++] = start;
        to[n++] = behind;
    }
    return n;
}

/// Runs of what is in one list and not in the other: their borders are those that only one of the lists has.
inline size_t xorRuns(ContainerView a, ContainerView b, char * to) noexcept
{
    UInt32 borders_a[2 * MAX_LISTED_RUNS];
    UInt32 borders_b[2 * MAX_LISTED_RUNS];
    UInt32 result[2 * MAX_LISTED_RUNS + 1];
    const size_t na = listBorders(a, borders_a);
    const size_t nb = listBorders(b, borders_b);
    size_t i = 0;
    size_t j = 0;
    size_t n = 0;
    while (i < na && j < nb)
    {
        const UInt32 next_a = borders_a[i];
        const UInt32 next_b = borders_b[j];
        result[n] = std::min(next_a, next_b);
        n += next_a != next_b;
        i += next_a <= next_b;
        j += next_b <= next_a;
    }
    n = static_cast<size_t>(std::copy(borders_a + i, borders_a + na, result + n) - result);
    n = static_cast<size_t>(std::copy(borders_b + j, borders_b + nb, result + n) - result);
    size_t runs = 0;
    for (size_t k = 0; k + 1 < n; k += 2)
        if (result[k] < result[k + 1])
            storeRun(to, runs++, result[k], result[k + 1] - 1);
    return runs;
}

/// What is in the runs of `a` and not in the list `b`.
inline size_t subtractRuns(ContainerView a, ContainerView b, char * to) noexcept
{
    size_t n = 0;
    size_t j = 0;
    for (size_t i = 0; i < a.size; ++i)
    {
        UInt32 start = borderOf(a, 2 * i);
        const UInt32 behind = borderOf(a, 2 * i + 1);
        while (j < b.size && borderOf(b, 2 * j + 1) <= start)
            ++j;
        /// The last one of these may reach into the next run, so it is looked at again.
        for (size_t k = j; k < b.size && start < behind; ++k)
        {
            const UInt32 hole = borderOf(b, 2 * k);
            if (hole >= behind)
                break;
            if (hole > start)
                storeRun(to, n++, start, hole - 1);
            start = std::max(start, borderOf(b, 2 * k + 1));
            j = k;
        }
        if (start < behind)
            storeRun(to, n++, start, behind - 1);
    }
    return n;
}

/// Calls emit(start, last, any) for each step of two lists of runs; only where `any` is true it is a run of both.
template <typename Emit>
void intersectRuns(ContainerView a, ContainerView b, Emit && emit) noexcept
{
    size_t i = 0;
    size_t j = 0;
    while (i < a.size && j < b.size)
    {
        const UInt32 last_a = runLast(a.data, i);
        const UInt32 last_b = runLast(b.data, j);
        const UInt32 start = std::max(runStart(a.data, i), runStart(b.data, j));
        const UInt32 last = std::min({last_a, last_b, CONTAINER_VALUES - 1});
        emit(start, last, start <= last);
        i += last_a <= last_b;
        j += last_b <= last_a;
    }
}

/// Both lists as one, merged where they touch.
inline size_t uniteRuns(ContainerView a, ContainerView b, char * to) noexcept
{
    size_t i = 0;
    size_t j = 0;
    size_t n = 0;
    UInt32 open_start = 0;
    /// Two below 0: touched by nothing.
    Int32 open_last = -2;
    while (i < a.size || j < b.size)
    {
        const bool from_a = j == b.size || (i < a.size && borderOf(a, 2 * i) <= borderOf(b, 2 * j));
        const UInt32 start = from_a ? borderOf(a, 2 * i) : borderOf(b, 2 * j);
        const auto last = static_cast<Int32>((from_a ? borderOf(a, 2 * i + 1) : borderOf(b, 2 * j + 1)) - 1);
        i += from_a;
        j += !from_a;
        const bool apart = static_cast<Int32>(start) > open_last + 1;
        if (apart && open_last >= 0)
            storeRun(to, n++, open_start, static_cast<UInt32>(open_last));
        open_start = apart ? start : open_start;
        open_last = apart ? last : std::max(open_last, last);
    }
    if (open_last >= 0)
        storeRun(to, n++, open_start, static_cast<UInt32>(open_last));
    return n;
}
}

}
