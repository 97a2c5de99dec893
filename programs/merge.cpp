#include "Command.h"
#include "GroupingOptions.h"
#include "groupTables.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/throwError.h>
#include <statewire/DataTypes/DataTypeAggregateFunction.h>
#include <statewire/Interpreters/Aggregator.h>
#include <statewire/Interpreters/ExpressionParser.h>

#include <algorithm>

using namespace DB;

namespace statewire_program
{

namespace
{
struct MergeOptions
{
    InputOptions input;
    OutputOptions output;
    GroupingOptions grouping;
    std::string keys;
    CLI::Option * keys_option = nullptr;
    bool sort = false;
};

Aggregator makeAggregator(const MergeOptions & options, const NamesAndTypes & structure)
{
    const bool keys_given = options.keys_option->count() != 0;
    const std::vector<std::string> key_names = parseNames(options.keys);
    NamesAndTypes keys;
    std::vector<AggregateDescription> aggregates;
    for (const std::string & name : key_names)
    {
        const auto position = findName(structure, name);
        if (!position)
            throwError(ErrorCodes::UNKNOWN_IDENTIFIER, concat("There is no column ", quoteName(name), " in the input"));
        keys.push_back(structure[*position]);
    }
    for (const NameAndType & column : structure)
    {
        if (std::find(key_names.begin(), key_names.end(), column.name) != key_names.end())
            continue;
        if (column.type->getTypeId() == TypeIndex::AggregateFunction)
            aggregates.push_back({static_cast<const DataTypeAggregateFunction &>(*column.type).getFunction(), {}, column.name});
        else if (!keys_given)
            keys.push_back(column);
        else
            throwError(
                ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT,
                concat("Column ", quoteName(column.name), " of type ", column.type->getName(), " is neither a key nor a state"));
    }
    return Aggregator(std::move(keys), std::move(aggregates));
}

void merge(const MergeOptions & options)
{
    const auto make_aggregator = [&](const NamesAndTypes & structure) { return makeAggregator(options, structure); };
    AggregatingSettings settings = options.grouping.settings();
    if (!options.sort)
    {
        mergeTables(options.input, "Native", options.output, make_aggregator, settings.temporary_directory);
        return;
    }
    settings.has_states = true;
    groupTables(options.input, "Native", options.output, make_aggregator, std::move(settings));
}
}

void addMergeCommand(CLI::App & program, Action & action)
{
    CLI::App & command = *program.add_subcommand("merge", "Merge files of aggregate states by their keys into one");
    const auto options = std::make_shared<MergeOptions>();
    options->input.addTo(command, "Native");
    options->keys_option
        = command
              .add_option(
                  "-k,--keys",
                  options->keys,
                  "Key columns, as \"script,category\"; all other columns are states. Default: every column that is no state")
              ->type_name("NAMES");
    CLI::Option * const sort = command.add_flag(
        "--sort", options->sort, "Take inputs whose rows are in any order. Without it they are read side by side, and refused unless sorted by the keys");
    options->output.addTo(command, "Native");
    options->grouping.addTo(command);
    for (CLI::Option * const option : options->grouping.grouping_only)
        option->needs(sort);
    command.footer("The files may have different formats and compressions, and each is sorted by the keys, as aggregate and merge write\n"
                   "them: then memory does not grow with the number of keys. The output is sorted by the keys; it does not depend on the\n"
                   "order of the files.\n\n"
                   "Examples:\n"
                   "  statewire merge --keys page monday.native tuesday.native -o week.native\n"
                   "  statewire merge shard1.native shard2.RowBinaryWithNamesAndTypes --compression LZ4 -o all.native\n"
                   "  statewire merge --sort --memory-limit 2Gi exported.native -o sorted.native");
    command.callback([options, &action] { action = [options] { merge(*options); }; });
}

}
