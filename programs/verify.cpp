#include "Bytes.h"
#include "Command.h"
#include "Options.h"
#include "StateConversion.h"
#include "VerifyReport.h"

#include <statewire/AggregateFunctions/AggregateFunctionFactory.h>
#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/throwError.h>
#include <statewire/Interpreters/ExpressionParser.h>
#include <statewire/Storages/MergeTreePart.h>

using namespace DB;

namespace statewire_program
{

namespace
{
struct VerifyOptions
{
    InputOptions input;
    VerifyReportOptions report;
    std::string type;
    std::string encoding = "raw";
    bool lines = false;
};

/// Files of single objects.
void verifyObjects(const StateType & type, const VerifyOptions & options, ReadBuffer & in, VerifyReport & report, UInt64 & rows)
{
    const Encoding encoding = parseEncoding(options.encoding);
    const auto verifyText = [&](std::string_view text) {
        ++rows;
        report.state({.column = {}, .row = rows}, type, text, encoding);
    };
    std::string bytes = readAll(in);
    if (!options.lines)
    {
        if (encoding != Encoding::Raw)
            while (bytes.ends_with('\n') || bytes.ends_with('\r'))
                bytes.pop_back();
        verifyText(bytes);
        return;
    }
    std::string_view rest = bytes;
    while (!rest.empty())
    {
        const size_t end = rest.find('\n');
        verifyText(rest.substr(0, end));
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
}

void verifyFile(const VerifyOptions & options, const std::string & path, VerifyReport & report, UInt64 & rows)
{
    const StateEncoding in_text = options.input.formatSettings().state_encoding;
    const Encoding states = in_text == StateEncoding::Hex ? Encoding::Hex
        : in_text == StateEncoding::Base64                ? Encoding::Base64
                                                          : Encoding::Raw;
    InputFile file(path, parseCompression(options.input.compression));
    if (!options.type.empty())
        verifyObjects(parseStateType(options.type), options, file.data(), report, rows);
    else
    {
        const std::string format = options.input.formatOf(path, "Native");
        try
        {
            walkStates(
                format,
                file.data(),
                options.input.givenStructure(),
                options.input.formatSettings(format),
                [&](const StatePlace & place, const StateType & type, std::string_view bytes) {
                    report.state(place, type, bytes, place.offset ? Encoding::Raw : states);
                },
                rows);
        }
        catch (Exception & e)
        {
            if (const std::string hint = options.input.formatHint(path, "Native"); rows == 0 && !hint.empty())
                e.addMessage(hint);
            throw;
        }
    }
}

void verifyPart(const VerifyOptions & options, const std::string & folder, VerifyReport & report, UInt64 & rows)
{
    walkStatesOfPart(
        folder,
        options.input.givenStructure(),
        options.input.partSettings(),
        [&](const StatePlace & place, const StateType & type, std::string_view bytes) { report.state(place, type, bytes, Encoding::Raw); },
        rows);
}

void verifyInput(const VerifyOptions & options, const std::string & path, VerifyReport & report)
{
    UInt64 rows = 0;
    try
    {
        if (options.type.empty() && MergeTreePart::isPart(path))
            verifyPart(options, path, report, rows);
        else
            verifyFile(options, path, report, rows);
    }
    catch (const Exception & e)
    {
        report.stopped(e, "what follows cannot be found");
    }
    report.endFile(rows);
}

void verify(const VerifyOptions & options)
{
    /// What is wrong with the options is no finding.
    if (!options.type.empty())
        static_cast<void>(parseStateType(options.type));
    else if (options.lines || options.encoding != "raw")
        throwError(ErrorCodes::BAD_ARGUMENTS, "--lines and --input-encoding are for single objects: give --type");
    static_cast<void>(parseEncoding(options.encoding));
    static_cast<void>(parseCompression(options.input.compression));
    static_cast<void>(options.input.givenStructure());
    static_cast<void>(options.input.formatSettings());
    if (!options.input.format.empty())
        requireFormat(options.input.format);

    OutputFile output("-", "");
    VerifyReport report(options.report, output.data());
    for (const std::string & path : options.input.paths())
    {
        report.beginFile(path == "-" ? "stdin" : path);
        verifyInput(options, path, report);
    }
    report.finish();
    output.finalize();
    if (report.errorCode() != 0)
        throwError(report.errorCode(), report.conclusion());
}
}

void addVerifyCommand(CLI::App & program, Action & action)
{
    CLI::App & command = *program.add_subcommand("verify", "Check every state in files, and say which kinds and sizes there are");
    const auto options = std::make_shared<VerifyOptions>();
    options->input.addTo(command, "Native");
    command
        .add_option("-t,--type", options->type, std::string("The files are no tables but single objects of this type: ") + STATE_TYPE_NAMES)
        ->type_name("TYPE");
    command.add_option("--input-encoding", options->encoding, std::string("How single objects are written: ") + ENCODING_NAMES)
        ->type_name("ENCODING")
        ->default_str("raw");
    command.add_flag("--lines", options->lines, "Every line is a single object");
    command.add_flag("--list", options->report.list, "Print a line for every state");
    command.add_flag("--require-canonical", options->report.require_canonical, "Count states that are valid but not canonical as failures");
    command.add_flag("--json", options->report.json, "Print JSON objects, one a line; `event` in each says what it is about");
    command.footer(
        "States are found in tables of every format, in folders of parts, and inside of arrays and tuples.\n"
        "Prints a line for each invalid state, and a summary for each file and column: kinds, sizes, and how many states are invalid\n"
        "or not canonical (legal, but not as this program would write them). The exit code is that of the first error found.\n"
        "Behind an invalid state it goes on: in text formats at the next field; in Native and RowBinary where the state itself says that "
        "it\n"
        "ends, which bitmaps and sketches do unless they are cut off or of no known kind. Otherwise it says where it stopped.\n\n"
        "Examples:\n"
        "  statewire verify week.native\n"
        "  statewire verify --json 'day*.native'\n"
        "  statewire verify all_1_1_0\n"
        "  statewire verify -S 'page String, users AggregateFunction(groupBitmap, UInt32)' --list users.tsv\n"
        "  statewire verify --type RoaringPortable64 --require-canonical set.roaring");
    command.callback([options, &action] { action = [options] { verify(*options); }; });
}

}
