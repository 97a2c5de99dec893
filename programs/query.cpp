#include "Command.h"
#include "Options.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/throwError.h>
#include <statewire/Functions/FunctionFactory.h>
#include <statewire/Interpreters/ExpressionList.h>

using namespace DB;

namespace statewire_program
{

namespace
{
struct QueryOptions
{
    InputOptions input;
    OutputOptions output;
    std::string query;
};

void query(const QueryOptions & options)
{
    const std::vector<ExpressionNode> nodes = parseExpressions(options.query);
    const std::string format_name = options.output.formatOr("TabSeparated");
    requireFormat(format_name);
    OutputFile output(options.output.path, options.output.codec);
    TableReader reader(options.input, "Native");
    const NamesAndTypes & structure = reader.getStructure();
    if (structure.empty())
        throwError(ErrorCodes::BAD_ARGUMENTS, "No input says what its columns are: give --structure");

    FunctionFactory functions;
    registerFunctions(functions);
    const ExpressionList expressions(nodes, structure, functions);
    const auto format = createOutputFormat(format_name, output.data(), expressions.getHeader());
    Block block;
    while (reader.read(block))
        format->write(expressions.execute(block));
    format->finalize();
    output.finalize();
    reader.finish();
}
}

void addQueryCommand(CLI::App & program, Action & action)
{
    CLI::App & command = *program.add_subcommand("query", "Compute expressions over the rows of state files and print them");
    const auto options = std::make_shared<QueryOptions>();
    options->input.addTo(command, "Native");
    command
        .add_option(
            "-q,--query",
            options->query,
            "Expressions separated by commas: columns, `quoted columns`, literals (5, -1, 1.5, 'text', [1, 2]), calls, each with AS name; "
            "or *")
        ->required()
        ->type_name("EXPRESSIONS");
    options->output.addTo(command, "TabSeparated");
    std::string names;
    FunctionFactory functions;
    registerFunctions(functions);
    for (const std::string & name : functions.getNames())
        names += "  " + name + "\n";
    command.footer(
        "Functions:\n" + names
        + "\nExamples:\n"
          "  statewire query -q 'page, bitmapCardinality(users)' week.native\n"
          "  statewire query -q 'page, bitmapAndCardinality(users, buyers) AS n' -f TSVWithNames week.native\n"
          "  statewire query -q \"countMinSketchEstimate(words, 'the')\" words.native");
    command.callback([options, &action] { action = [options] { query(*options); }; });
}

}
