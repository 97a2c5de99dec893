#pragma once

#include "RoaringKernelTable.h"

#include <algorithm>

/** Combining two sorted lists of runs, or of runs and single values (an array), into runs. Safe for any contents.
  *
  * The kernels intersect runs. What is in either list is what is not in both complements; what is in one alone begins and ends where one list
  * alone has a border, so it is the symmetric difference of two arrays of borders.
  */
namespace DB::inline statewire
{

namespace detail
{
/// More runs in both lists together are combined as bits: what results can hardly be smaller than a bitset.
inline constexpr size_t MAX_LISTED_RUNS = 4096;
/// Room for the runs of both lists, with one more for what a complement adds.
inline constexpr size_t LISTED_RUN_BYTES = 4 * (MAX_LISTED_RUNS + 2) + KERNEL_SLACK;

/// The runs of what the list does not have; one more than it has at most.
inline size_t complementRuns(ContainerView list, char * to) noexcept
{
    size_t n = 0;
    UInt32 behind = 0;
    const auto add = [&](UInt32 start, UInt32 last) {
        storeRun(to, n, behind, start - 1);
        n += start > behind;
        behind = std::max(behind, last + 1);
    };
    if (list.kind == ContainerKind::Array)
        for (size_t i = 0; i < list.size; ++i)
            add(arrayValue(list.data, i), arrayValue(list.data, i));
    else
        for (size_t i = 0; i < list.size; ++i)
            add(runStart(list.data, i), runLast(list.data, i));
    add(CONTAINER_VALUES, CONTAINER_VALUES);
    return n;
}

/// What is in the runs of `a` and not in the list `b`. `to` has LISTED_RUN_BYTES, like in what follows.
inline size_t subtractRuns(ContainerView a, ContainerView b, char * to) noexcept
{
    char not_b[LISTED_RUN_BYTES];
    return roaringKernels().runs_and(a.data, a.size, not_b, complementRuns(b, not_b), to);
}

/// Both lists as one, merged where they touch.
inline size_t uniteRuns(ContainerView a, ContainerView b, char * to) noexcept
{
    char not_a[LISTED_RUN_BYTES];
    char not_b[LISTED_RUN_BYTES];
    char neither[LISTED_RUN_BYTES];
    const size_t n = roaringKernels().runs_and(not_a, complementRuns(a, not_a), not_b, complementRuns(b, not_b), neither);
    return complementRuns({ContainerKind::Run, static_cast<UInt32>(n), neither}, to);
}

/// Where the list changes between outside and inside, ascending. The border behind the last possible value is left out. `to` has room for two
/// borders an element.
inline size_t listBorders(ContainerView list, char * to) noexcept
{
    if (list.kind == ContainerKind::Array)
    {
        /// Borders that neighbours share fall away, as they do between two lists.
        char behind[2 * MAX_LISTED_RUNS];
        size_t n = 0;
        for (size_t i = 0; i < list.size; ++i)
        {
            const UInt32 value = UInt32{arrayValue(list.data, i)} + 1;
            unalignedStoreLittleEndian<UInt16>(behind + 2 * n, static_cast<UInt16>(value));
            n += value < CONTAINER_VALUES;
        }
        return roaringKernels().arrays_xor(list.data, list.size, behind, n, to);
    }
    size_t n = 0;
    for (size_t i = 0; i < list.size; ++i)
    {
        unalignedStoreLittleEndian<UInt16>(to + 2 * n, static_cast<UInt16>(runStart(list.data, i)));
        unalignedStoreLittleEndian<UInt16>(to + 2 * n + 2, static_cast<UInt16>(runLast(list.data, i) + 1));
        n += runLast(list.data, i) + 1 < CONTAINER_VALUES ? 2 : 1;
    }
    return n;
}

/// Runs of what is in one list and not in the other.
inline size_t xorRuns(ContainerView a, ContainerView b, char * to) noexcept
{
    constexpr size_t BORDER_BYTES = 2 * (2 * MAX_LISTED_RUNS) + KERNEL_SLACK;
    char borders_a[BORDER_BYTES];
    char borders_b[BORDER_BYTES];
    char borders[BORDER_BYTES];
    const size_t na = listBorders(a, borders_a);
    const size_t nb = listBorders(b, borders_b);
    const size_t n = roaringKernels().arrays_xor(borders_a, na, borders_b, nb, borders);
    size_t runs = 0;
    for (size_t i = 0; i < n; i += 2)
    {
        const UInt32 start = arrayValue(borders, i);
        const UInt32 behind = i + 1 < n ? arrayValue(borders, i + 1) : CONTAINER_VALUES;
        storeRun(to, runs, start, behind - 1);
        runs += start < behind;
    }
    return runs;
}
}

}
