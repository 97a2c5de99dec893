#pragma once

#include "Aggregator.h"

#include <functional>
#include <vector>

namespace DB::inline statewire
{

/** Merges sorted groups from several places into one sequence, sorted by the keys, each key once, and gives it block by block; states with
 * one key are merged many at a time. Memory: the current group of each input and one output block, however many keys there are.
 *
 * Inputs with equal keys are merged in their order, into the states of the first where it gives them away.
 * Errors also: those of the inputs, the functions and `consume`; inputs are then somewhere in the middle.
 */
void mergeSortedGroups(
    const Aggregator & aggregator, const std::vector<SortedGroupsPtr> & inputs, const Aggregator::OutputLimits & limits,
    const std::function<void(const Block &)> & consume);

}
