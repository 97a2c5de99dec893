#pragma once

#include "Options.h"

#include <statewire/Interpreters/AggregatingTransform.h>

#include <functional>

namespace statewire_program
{

using MakeAggregator = std::function<DB::Aggregator(const DB::NamesAndTypes &)>;

/// What `aggregate` and `merge --sort` share: all inputs go block by block into the groups of the aggregator that `make_aggregator` makes for
/// their structure, and the groups are written, sorted by their keys.
void groupTables(
    const InputOptions & input, const char * default_input_format, const OutputOptions & output, const MakeAggregator & make_aggregator,
    DB::AggregatingSettings settings);

/// Merges tables of states that are sorted by their keys, streaming: memory does not grow with the number of keys. Very many tables go through
/// temporary files in `temporary_directory`. INCORRECT_DATA for a table that is not sorted.
void mergeTables(
    const InputOptions & input, const char * default_input_format, const OutputOptions & output, const MakeAggregator & make_aggregator,
    const std::string & temporary_directory);

}
