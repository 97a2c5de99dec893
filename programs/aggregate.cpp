#include "Command.h"
#include "GroupingOptions.h"
#include "groupTables.h"

#include <statewire/AggregateFunctions/AggregateFunctionFactory.h>
#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/throwError.h>
#include <statewire/Interpreters/Aggregator.h>
#include <statewire/Interpreters/ExpressionParser.h>

using namespace DB;

namespace statewire_program
{

namespace
{
struct AggregateOptions
{
    InputOptions input;
    OutputOptions output;
    GroupingOptions grouping;
    std::string keys;
    std::string aggregates;
};

const NameAndType & requireColumn(const NamesAndTypes & structure, const std::string & name)
{
    const auto position = findName(structure, name);
    if (!position)
        throwError(ErrorCodes::UNKNOWN_IDENTIFIER, concat("There is no column ", quoteName(name), " in the input"));
    return structure[*position];
}

Aggregator makeAggregator(const AggregateOptions & options, const NamesAndTypes & structure)
{
    NamesAndTypes keys;
    for (const std::string & key : parseNames(options.keys))
        keys.push_back(requireColumn(structure, key));
    std::vector<AggregateDescription> aggregates;
    for (AggregateNode & node : parseAggregates(options.aggregates))
    {
        DataTypes argument_types;
        for (const std::string & argument : node.argument_names)
            argument_types.push_back(requireColumn(structure, argument).type);
        AggregateFunctionPtr function = defaultAggregateFunctionFactory().get(node.function, argument_types, node.parameters);
        aggregates.push_back({std::move(function), std::move(node.argument_names), std::move(node.result_name)});
    }
    return Aggregator(std::move(keys), std::move(aggregates));
}

void aggregate(const AggregateOptions & options)
{
    groupTables(
        options.input,
        "TabSeparated",
        options.output,
        [&](const NamesAndTypes & structure) { return makeAggregator(options, structure); },
        options.grouping.settings());
}
}

void addAggregateCommand(CLI::App & program, Action & action)
{
    CLI::App & command
        = *program.add_subcommand("aggregate", "Read rows, group them by keys, and write one row a group with aggregate states");
    const auto options = std::make_shared<AggregateOptions>();
    options->input.addTo(command, "TabSeparated");
    command.add_option("-k,--keys", options->keys, "Columns to group by, as \"script,category\". Default: none, one group")
        ->type_name("NAMES");
    command
        .add_option(
            "-a,--aggregates",
            options->aggregates,
            "Aggregates, as \"groupBitmap(code_point) AS b, countMinSketch(5, 2719)(word) AS w\". Their states are written, as with -State")
        ->required()
        ->type_name("LIST");
    options->output.addTo(command, "Native");
    options->grouping.addTo(command);
    command.footer("The output is sorted by the keys; equal inputs give equal bytes.\n\n"
                   "Examples:\n"
                   "  statewire aggregate -S 'user UInt32, page String' --keys page \\\n"
                   "      --aggregates 'groupBitmap(user) AS users' -o users.native visits.tsv\n"
                   "  zcat visits.tsv.gz | statewire aggregate -S 'user UInt32, page String, paid UInt8' --keys page \\\n"
                   "      --aggregates 'groupBitmap(user) AS users, groupBitmapIf(user, paid) AS buyers' \\\n"
                   "      --compression 'ZSTD(3)' > users.native");
    command.callback([options, &action] { action = [options] { aggregate(*options); }; });
}

}
