#pragma once

#include "Options.h"

#include <statewire/Interpreters/Aggregator.h>

#include <functional>

namespace statewire_program
{

/// What `aggregate` and `merge` share: all inputs go block by block through `consume` (Aggregator::executeOnBlock or mergeOnBlock) into the
/// groups of the aggregator that `make_aggregator` makes for their structure, and the groups are written, sorted by their keys.
void groupTables(
    const InputOptions & input,
    const char * default_input_format,
    const OutputOptions & output,
    const std::function<DB::Aggregator(const DB::NamesAndTypes &)> & make_aggregator,
    void (DB::Aggregator::*consume)(const DB::Block &, DB::AggregatedData &) const);

}
