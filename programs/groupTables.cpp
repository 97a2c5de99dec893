#include "TableReader.h"
#include "groupTables.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/throwError.h>

using namespace DB;

namespace statewire_program
{

void groupTables(
    const InputOptions & input, const char * default_input_format, const OutputOptions & output, const MakeAggregator & make_aggregator,
    AggregatingSettings settings)
{
    const std::string format_name = output.formatOr("Native");
    requireFormat(format_name);
    const FormatSettings output_settings = output.formatSettings();
    OutputFile output_file(output.path, output.codec);
    TableReader reader(input, default_input_format);
    const NamesAndTypes & structure = reader.getStructure();
    if (structure.empty())
        throwError(ErrorCodes::BAD_ARGUMENTS, "No input says what its columns are: give --structure");

    const Aggregator aggregator = make_aggregator(structure);
    AggregatingTransform transform(aggregator, std::move(settings));
    /// States that are read are counted with those they go into.
    MemoryTrackerScope scope(transform.memoryTracker());
    Block block;
    while (reader.read(block))
        transform.consume(block);
    block.clear();

    const auto format = createOutputFormat(format_name, output_file.data(), aggregator.getHeader(), output_settings);
    transform.generate([&](const Block & result) { format->write(result); });
    format->finalize();
    output_file.finalize();
    reader.finish();
}

}
