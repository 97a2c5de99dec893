#include "Command.h"
#include "Files.h"
#include "tuneAllocator.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/Exception.h>
#include <statewire/Common/throwError.h>
#include <statewire/Formats/NamesAndTypes.h>
#include <statewire/Interpreters/QueryError.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <new>
#include <string>
#include <string_view>
#include <unistd.h>

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
    if (const auto * query_error = dynamic_cast<const DB::QueryError *>(&e); query_error && !query_error->excerpt().empty())
        printError(query_error->excerpt());
    return DB::exitCodeOf(e.code());
}

/// The program's version, and those of the formats that it reads and writes.
constexpr const char * VERSION_TEXT = "statewire " STATEWIRE_VERSION "\n"
                                      "groupBitmap states: ClickHouse's, kinds 0 and 1, without versions\n"
                                      "groupBitmapAnd, groupBitmapOr, groupBitmapXor states: ClickHouse's, versions 0 and 1\n"
                                      "countMinSketch states: version 0, kinds 0, 1 and 2\n"
                                      "count-min images: Apache DataSketches' serial version 1\n"
                                      "Roaring images: portable 32-bit (cookies 12346 and 12347) and 64-bit\n"
                                      "compressed frames: ClickHouse's, CityHash128 1.0.2, methods 0x02 (NONE), 0x82 (LZ4), 0x90 (ZSTD)\n"
                                      "parts of MergeTree tables: checksums.txt versions 2, 3 and 4, marks .mrk to .mrk4";

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
    program.set_version_flag("-V,--version", VERSION_TEXT, "Print the versions of the program and of its formats, and exit");
    program.add_flag_callback(
        "--version-clean", [] { throw CLI::CallForVersion(STATEWIRE_VERSION, 0); }, "Print the version alone and exit");
    program.require_subcommand(1);
    program.footer("statewire COMMAND --help says more about a command.\n\n"
                   "Data goes to stdout, progress and errors to stderr. Exit code: 0, or the error's code modulo 256 (1 where that is 0).");
    Action action;
    int exit_code = 0;
    addAggregateCommand(program, action);
    addMergeCommand(program, action);
    addQueryCommand(program, action);
    addInspectCommand(program, action);
    addConvertCommand(program, action);
    addVerifyCommand(program, action);
    addDiffCommand(program, action, exit_code);
    addCompressorCommand(program, action);
    addUdfCommand(program, action);
    addManualCommand(program, action);
    addCompletionCommand(program, action);
    bool print_time = false;
    for (CLI::App * command : program.get_subcommands([](CLI::App *) { return true; }))
        command->add_flag("--time", print_time, "Print on stderr how many seconds it took");
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
    const auto start = std::chrono::steady_clock::now();
    action();
    if (print_time)
        std::fprintf(stderr, "%.3f\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    return exit_code;
}
}

/// A file that is opened must not become a standard stream that the caller closed: errors would be written into it. Reading and writing
/// what stands in for it fails.
void occupyStandardDescriptors()
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
        if (::fcntl(fd, F_GETFD) == -1)
            static_cast<void>(::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

int main(int argc, char ** argv)
{
    occupyStandardDescriptors();
    tuneAllocator();
    /// A reader that went away is an ordinary error of writing.
    std::signal(SIGPIPE, SIG_IGN);
    /// So is a limit on the sizes of files.
    std::signal(SIGXFSZ, SIG_IGN);
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
