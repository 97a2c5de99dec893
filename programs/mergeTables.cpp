#include "TableReader.h"
#include "groupTables.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/throwError.h>
#include <statewire/Interpreters/BlockGroups.h>
#include <statewire/Interpreters/SortedGroupsMerge.h>
#include <statewire/Interpreters/StoredGroups.h>

#include <memory>
#include <vector>

using namespace DB;

namespace statewire_program
{

namespace
{
/// Files that are open at a time; more are merged in several rounds through temporary files.
constexpr size_t MAX_OPEN_FILES = 128;
}

void mergeTables(
    const InputOptions & input, const char * default_input_format, const OutputOptions & output, const MakeAggregator & make_aggregator,
    const std::string & temporary_directory)
{
    const std::string format_name = output.formatOr("Native");
    requireFormat(format_name);
    const FormatSettings output_settings = output.formatSettings();
    OutputFile output_file(output.path, output.codec);
    InputTables tables(input, default_input_format);
    std::shared_ptr<InputTable> next = tables.open();
    /// One without columns has no rows either.
    while (next && !tables.getStructure())
        next = tables.open();
    if (!next)
        throwError(ErrorCodes::BAD_ARGUMENTS, "No input says what its columns are: give --structure");

    const Aggregator aggregator = make_aggregator(*tables.getStructure());
    const auto open_some = [&](std::vector<SortedGroupsPtr> & inputs) {
        for (size_t files = 0; next && files < MAX_OPEN_FILES; next = tables.open())
        {
            files += next->openFiles();
            inputs.push_back(std::make_unique<BlockGroups>(
                aggregator, [&tables, table = next](Block & block) { return tables.read(*table, block); }, next->name()));
        }
    };

    std::vector<std::unique_ptr<StoredGroups>> stored;
    std::vector<SortedGroupsPtr> inputs;
    open_some(inputs);
    while (next)
    {
        stored.push_back(std::make_unique<StoredGroups>(aggregator, temporary_directory, inputs));
        inputs.clear();
        open_some(inputs);
    }
    std::vector<SortedGroupsPtr> all;
    for (const auto & file : stored)
        all.push_back(file->read());
    for (SortedGroupsPtr & groups : inputs)
        all.push_back(std::move(groups));

    const auto format = createOutputFormat(format_name, output_file.data(), aggregator.getHeader(), output_settings);
    mergeSortedGroups(aggregator, all, {}, [&](const Block & result) { format->write(result); });
    format->finalize();
    output_file.finalize();
    tables.finish();
}

}
