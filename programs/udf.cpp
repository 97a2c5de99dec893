#include "Command.h"
#include "Files.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/throwError.h>
#include <statewire/IO/ReadBufferFromFileDescriptor.h>

#include <udf/serveChunks.h>

#include <algorithm>
#include <memory>

#include <unistd.h>

using namespace DB;

namespace statewire_program
{

namespace
{
struct UdfOptions
{
    std::string function;
    bool print_config = false;
    bool print_sql = false;
    std::string command = "statewire";
    std::string module = "statewire";
    bool no_fuel = false;
};

void udf(const UdfOptions & options)
{
    if (options.print_config)
        return printToStdout(statewire_udf::executableConfiguration(options.command));
    if (options.print_sql)
        return printToStdout(statewire_udf::webAssemblyStatements(options.module, !options.no_fuel));
    const auto functions = statewire_udf::userDefinedFunctions();
    const auto found = std::find_if(functions.begin(), functions.end(), [&](const auto & f) { return f.name == options.function; });
    if (found == functions.end())
        throwError(
            ErrorCodes::UNKNOWN_FUNCTION,
            concat("Unknown user-defined function '", std::string_view(options.function), "'. See statewire udf --help."));
    ReadBufferFromFileDescriptor in(STDIN_FILENO, "stdin");
    OutputFile output("-", "");
    statewire_udf::serveChunks(*found, in, output.data());
    output.finalize();
}
}

void addUdfCommand(CLI::App & program, Action & action)
{
    CLI::App & command = *program.add_subcommand("udf", "Serve a function to a ClickHouse server as an executable user-defined function");
    const auto options = std::make_shared<UdfOptions>();
    CLI::Option * function = command.add_option(
        "FUNCTION",
        options->function,
        "Answers chunks on stdin (rows, line feed, arguments in RowBinary) with RowBinary, until stdin ends");
    CLI::Option * config = command.add_flag(
        "--config", options->print_config, "Print the configuration of all functions for user_defined_executable_functions_config");
    CLI::Option * sql = command.add_flag("--sql", options->print_sql, "Print CREATE FUNCTION for all functions of the WebAssembly module");
    command.add_option("--command", options->command, "With --config: this program's name in the server's user_scripts folder")
        ->needs(config)
        ->capture_default_str();
    command.add_option("--module", options->module, "With --sql: the module's name in system.webassembly_modules")
        ->needs(sql)
        ->capture_default_str();
    command
        .add_flag(
            "--no-fuel",
            options->no_fuel,
            "With --sql: functions whose instructions the server does not count; blocks of many rows take more than its default limit")
        ->needs(sql);
    function->excludes(config)->excludes(sql);
    config->excludes(sql);
    std::string names;
    for (const statewire_udf::UserDefinedFunction & f : statewire_udf::userDefinedFunctions())
        names.append("  ").append(f.name).append("(").append(f.arguments).append(") -> ").append(f.result_type).append("\n");
    command.footer(
        "Functions:\n" + names
        + "\nExamples:\n"
          "  statewire udf --config > statewire_function.xml\n"
          "  statewire udf --sql > statewire_functions.sql\n"
          "  printf '0\\n' | statewire udf countMinSketchTotal");
    command.callback([options, &action, function, config, sql] {
        if (function->count() + config->count() + sql->count() != 1)
            throw CLI::ValidationError("udf", "give a function, --config or --sql");
        action = [options] { udf(*options); };
    });
}

}
