#include "Command.h"
#include "Files.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/Exception.h>
#include <statewire/Common/throwError.h>
#include <statewire/Formats/NamesAndTypes.h>

#include <csignal>
#include <cstdio>
#include <new>
#include <string>
#include <string_view>

using namespace statewire_program;

namespace
{
void printError(const std::string & text)
{
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fputc('\n', stderr);
}

int fail(const DB::Exception & e)
{
    printError(e.displayText());
    return DB::exitCodeOf(e.code());
}

void printToStdout(const std::string & text)
{
    OutputFile output("-", "");
    output.data().write(text.data(), text.size());
    output.finalize();
}

bool isCommand(CLI::App & program, std::string_view name)
{
    for (const CLI::App * command : program.get_subcommands([](CLI::App *) { return true; }))
        if (command->get_name() == name)
            return true;
    return false;
}

int run(int argc, char ** argv)
{
    CLI::App program("statewire: bitmap and count-min aggregate states in ClickHouse's own bytes", "statewire");
    program.set_help_flag("-h,--help", "Print this help and exit");
    program.set_version_flag("-V,--version", "statewire " STATEWIRE_VERSION, "Print the version and exit");
    program.require_subcommand(1);
    program.footer("statewire COMMAND --help says more about a command.\n\n"
                   "Data goes to stdout, progress and errors to stderr. Exit code: 0, or the error's code modulo 256 (1 where that is 0).");
    Action action;
    addAggregateCommand(program, action);
    addMergeCommand(program, action);
    addQueryCommand(program, action);
    addInspectCommand(program, action);
    addCompressorCommand(program, action);
    try
    {
        program.parse(argc, argv);
    }
    catch (const CLI::CallForHelp &)
    {
        printToStdout(program.help());
        return 0;
    }
    catch (const CLI::CallForVersion & version)
    {
        printToStdout(std::string(version.what()) + '\n');
        return 0;
    }
    catch (const CLI::ParseError & e)
    {
        /// The parser would only say that a command is missing.
        const std::string_view first = argc > 1 ? argv[1] : "";
        if (!first.empty() && first[0] != '-' && !isCommand(program, first))
        {
            printError(DB::concat("Bad arguments: Unknown command ", DB::quoteName(first), ". See statewire --help."));
            return DB::exitCodeOf(DB::ErrorCodes::BAD_ARGUMENTS);
        }
        printError(DB::concat("Bad arguments: ", std::string_view(e.what()), ". See statewire --help."));
        return DB::exitCodeOf(DB::ErrorCodes::BAD_ARGUMENTS);
    }
    action();
    return 0;
}
}

int main(int argc, char ** argv)
{
    /// A reader that went away is an ordinary error of writing.
    std::signal(SIGPIPE, SIG_IGN);
    try
    {
        return run(argc, argv);
    }
    catch (const DB::Exception & e)
    {
        return fail(e);
    }
    catch (const std::bad_alloc &)
    {
        return fail(DB::Exception(DB::ErrorCodes::CANNOT_ALLOCATE_MEMORY, "Cannot allocate memory"));
    }
    catch (const std::exception & e)
    {
        return fail(DB::Exception(DB::ErrorCodes::STD_EXCEPTION, DB::concat("std::exception: ", std::string_view(e.what()))));
    }
}
