#include "Command.h"
#include "Options.h"
#include "TableReader.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/throwError.h>
#include <statewire/Formats/BlockPrefetcher.h>
#include <statewire/Functions/FunctionFactory.h>
#include <statewire/Interpreters/QueryError.h>
#include <statewire/Interpreters/QueryExecutor.h>

#include <algorithm>
#include <iterator>
#include <set>

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

/// False when it is `*`, which looks at all columns.
bool addColumnNames(const ExpressionNode & node, std::set<std::string, std::less<>> & names)
{
    if (node.kind == ExpressionNode::Kind::Column)
        names.insert(node.name);
    return node.kind != ExpressionNode::Kind::AllColumns
        && std::all_of(node.arguments.begin(), node.arguments.end(), [&](const ExpressionNode & argument) {
               return addColumnNames(argument, names);
           });
}

/// The first `*`, or use of the column, in an expression; nullptr without one.
const ExpressionNode * findUse(const ExpressionNode & node, std::string_view column)
{
    if (node.kind == ExpressionNode::Kind::AllColumns || (node.kind == ExpressionNode::Kind::Column && node.name == column))
        return &node;
    for (const ExpressionNode & argument : node.arguments)
        if (const ExpressionNode * use = findUse(argument, column))
            return use;
    return nullptr;
}

/// A column that cannot be read is no column to forget in `*`, nor an unknown one.
void requireNoUse(const Query & query, const UnreadableColumn & column)
{
    const auto require = [&](const ExpressionNode & expression) {
        const ExpressionNode * use = findUse(expression, column.name);
        if (!use)
            return;
        const std::string name = quoteName(column.name);
        const std::string what = use->kind == ExpressionNode::Kind::AllColumns
            ? concat("Not all columns can be read, as * at position ", use->position + 1, " asks: column ", name)
            : concat("Cannot read column ", name, " at position ", use->position + 1);
        throw QueryError(column.code, concat(what, ", of type ", column.type_name, ": ", column.reason), use->position);
    };
    for (const ExpressionNode & item : query.items)
        require(item);
    if (query.where)
        require(*query.where);
    for (const OrderByElement & key : query.order_by)
    {
        /// A whole sort key is an alias first.
        const auto is_alias = [&](const ExpressionNode & item) { return item.result_name == key.expression.name; };
        if (key.expression.kind != ExpressionNode::Kind::Column || std::none_of(query.items.begin(), query.items.end(), is_alias))
            require(key.expression);
    }
}

/// The columns that a query looks at, and at least one.
NamesAndTypes columnsOf(const Query & query, const NamesAndTypes & structure)
{
    std::set<std::string, std::less<>> names;
    bool some = true;
    for (const ExpressionNode & item : query.items)
        some = some && addColumnNames(item, names);
    if (query.where)
        some = some && addColumnNames(*query.where, names);
    for (const OrderByElement & key : query.order_by)
        some = some && addColumnNames(key.expression, names);
    if (!some)
        return structure;
    NamesAndTypes columns;
    std::copy_if(structure.begin(), structure.end(), std::back_inserter(columns), [&](const NameAndType & column) {
        return names.contains(column.name);
    });
    if (columns.empty())
        columns.push_back(structure.front());
    return columns;
}

void query(const QueryOptions & options)
{
    Query parsed = parseQuery(options.query);
    const FormatSettings settings = options.output.formatSettings();
    const std::string format_name = options.output.formatOr(defaultResultFormat(options.output));
    requireFormat(format_name);
    OutputFile output(options.output.path, options.output.codec);
    TableReader reader(options.input, "Native");
    const NamesAndTypes & structure = reader.getStructure();
    if (structure.empty())
        throwError(ErrorCodes::BAD_ARGUMENTS, "No input says what its columns are: give --structure");
    for (const UnreadableColumn & column : reader.leftOut())
        showingErrorsIn(options.query, [&] { requireNoUse(parsed, column); });
    reader.lookAtOnly(columnsOf(parsed, structure));

    FunctionFactory functions;
    registerFunctions(functions);
    showingErrorsIn(options.query, [&] {
        QueryExecutor executor(std::move(parsed), structure, functions);
        const auto format = createOutputFormat(format_name, output.data(), executor.getHeader(), settings);
        const auto write = [&](const Block & result) { format->write(result); };
        BlockPrefetcher ahead([&](Block & next) { return reader.read(next); });
        Block block;
        while (!executor.isDone() && ahead.read(block))
            executor.execute(block, write);
        executor.finish(write);
        format->finalize();
    });
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
            "-q,--query", options->query, "[SELECT] items [FROM table] [WHERE condition] [ORDER BY keys] [LIMIT n [OFFSET m]]; see below")
        ->required()
        ->type_name("QUERY");
    options->output.addTo(command, "TabSeparated, on a terminal PrettyCompact");
    std::string names;
    FunctionFactory functions;
    registerFunctions(functions);
    for (const std::string & name : functions.getNames())
        names += "  " + name + "\n";
    command.footer(
        "Items are separated by commas: *, or an expression with AS name. Expressions are columns, `quoted columns`, literals (5, 0xFF, "
        "-1,\n"
        "1.5, 'text', NULL, [1, 2]), function(...) calls, + - * and, mostly for WHERE, = != < <= > >=, [NOT] IN (literals), IS [NOT] NULL, "
        "NOT, AND, "
        "OR\n"
        "and parentheses. ORDER BY takes expressions, aliases and numbers of items, each with ASC or DESC. An error shows its place.\n\n"
        "Functions:\n"
        + names
        + "\nExamples:\n"
          "  statewire query -q 'page, bitmapCardinality(users)' week.native\n"
          "  statewire query -q 'page, bitmapAndCardinality(users, buyers) AS n' -f TSVWithNames week.native\n"
          "  statewire query -q \"countMinSketchEstimate(words, 'the')\" words.native\n"
          "  statewire query -q \"SELECT page, bitmapCardinality(users) AS n WHERE page != '/' AND n > 1 ORDER BY n DESC LIMIT 10\" "
          "week.native");
    command.callback([options, &action] { action = [options] { query(*options); }; });
}

}
