#include "Bytes.h"
#include "Command.h"
#include "Files.h"
#include "StateConversion.h"
#include "StateInspector.h"
#include "Terminal.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/Exception.h>
#include <statewire/Common/throwError.h>
#include <statewire/Formats/NamesAndTypes.h>

#include <unistd.h>

using namespace DB;

namespace statewire_program
{

namespace
{
struct InspectOptions
{
    std::string type;
    std::string hex;
    std::string base64;
    std::string file;
    CLI::Option * hex_option = nullptr;
    CLI::Option * base64_option = nullptr;
    CLI::Option * file_option = nullptr;
    std::vector<std::string> estimate_keys;
    bool json = false;
    bool values = false;
    bool allow_trailing = false;
    bool plot = false;
};

std::string givenBytes(const InspectOptions & options)
{
    const size_t given = options.hex_option->count() + options.base64_option->count() + options.file_option->count();
    if (given != 1)
        throwError(ErrorCodes::BAD_ARGUMENTS, "Give the state by one of --hex, --base64 and --file");
    if (options.hex_option->count() != 0)
        return decode(Encoding::Hex, options.hex);
    if (options.base64_option->count() != 0)
        return decode(Encoding::Base64, options.base64);
    InputFile file(options.file, InputCompression::None);
    return readAll(file.data());
}

/// One line for each fact, nested ones behind their own names.
void printText(const nlohmann::ordered_json & object, const std::string & prefix, WriteBuffer & out)
{
    for (const auto & [name, value] : object.items())
    {
        const std::string full_name = prefix + name;
        if (value.is_object() || value.is_array())
            printText(value, full_name + '.', out);
        else
            print(concat(full_name, ": ", value.is_string() ? value.get<std::string>() : value.dump(), '\n'), out);
    }
}

void inspect(const InspectOptions & options)
{
    if (options.values && !options.estimate_keys.empty())
        throwError(ErrorCodes::BAD_ARGUMENTS, "--values and --estimate exclude each other");
    const StateType type = parseStateType(options.type);
    const auto bytes = std::make_shared<const std::string>(givenBytes(options));
    nlohmann::ordered_json object;
    OutputFile output("-", "");
    try
    {
        const std::unique_ptr<StateInspector> state = inspectState(type, bytes);
        if (state->consumed() != bytes->size() && !options.allow_trailing)
            throwError(
                ErrorCodes::INCORRECT_DATA,
                concat(
                    "Bytes behind the state at byte ",
                    state->consumed(),
                    ": expected ",
                    state->consumed(),
                    " bytes, found ",
                    bytes->size()));
        if (options.json || !options.values)
        {
            object["type"] = options.type;
            object["kind"] = nullptr;
            object["bytes"] = bytes->size();
            object["consumed"] = state->consumed();
            state->describe(object, options.estimate_keys);
            /// Bytes that are given and not written back differ.
            if (state->consumed() != bytes->size())
                object["canonical"] = false;
        }
        if (options.json)
            print(object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n', output.data());
        if (options.values)
            state->printValues(output.data());
        if (!options.json && !options.values)
        {
            printText(object, "", output.data());
            const bool plot = options.plot || ::isatty(STDOUT_FILENO) == 1;
            state->printDetails(output.data(), plot ? terminalWidth(STDOUT_FILENO) : 0);
        }
    }
    catch (Exception & e)
    {
        e.addMessage(concat("while inspecting a state of type ", quoteName(options.type)));
        throw;
    }
    output.finalize();
}
}

std::unique_ptr<StateInspector> inspectState(const StateType & type, const std::shared_ptr<const std::string> & bytes)
{
    if (type.layout == StateLayout::IntegerList || type.layout == StateLayout::OtherState)
        throwError(ErrorCodes::NOT_IMPLEMENTED, concat("Cannot look into ", type.name, ": it is neither a bitmap nor a count-min sketch"));
    if (type.layout == StateLayout::TopKState)
        return inspectTopK(type, bytes);
    if (type.layout == StateLayout::RangesState)
        return inspectRanges(type, bytes);
    return type.isBitmap() ? inspectBitmap(type, bytes) : inspectSketch(type, bytes);
}

void StateInspector::printValues(WriteBuffer &) const
{
    throwError(ErrorCodes::BAD_ARGUMENTS, "A count-min sketch does not know its keys: --values is for bitmaps");
}

void addInspectCommand(CLI::App & program, Action & action)
{
    CLI::App & command = *program.add_subcommand("inspect", "Check one state and say what it is");
    const auto options = std::make_shared<InspectOptions>();
    command.add_option("-t,--type", options->type, STATE_TYPE_NAMES)->required()->type_name("TYPE");
    options->hex_option = command.add_option("--hex", options->hex, "The state's bytes in hexadecimal digits")->type_name("HEX");
    options->base64_option = command.add_option("--base64", options->base64, "The state's bytes in base64")->type_name("BASE64");
    options->file_option = command.add_option("--file", options->file, "The file that holds the state; - is stdin")->type_name("FILE");
    command.add_flag("--json", options->json, "Print one JSON object; 64-bit numbers and weights are strings in it");
    command.add_flag("--values", options->values, "Print a bitmap's values in ascending order, one a line");
    command
        .add_option(
            "--estimate",
            options->estimate_keys,
            "Estimate a key's weight: a literal of the key type (of a string for images), u8:N to u64:N, i8:N to i64:N, or hex:H; of ranges a "
            "value or FIRST..LAST. May be given several times")
        ->type_name("KEY")
        ->allow_extra_args(false);
    command.add_flag("--allow-trailing", options->allow_trailing, "Accept bytes behind the state");
    command.add_flag("--plot", options->plot, "Draw where a bitmap's values lie also when stdout is no terminal");
    command.footer(
        "The state is validated in full; one that is not valid is an error, and so are bytes behind it (INCORRECT_DATA, exit code\n"
        "117). Prints: type, kind, bytes (given), consumed, canonical (rewriting gives the given bytes); for bitmaps\n"
        "cardinality, min, max, containers; for sketches empty, num_hashes, num_buckets, seed_hash, total_weight,\n"
        "filled_cells, estimates; for top keys k, capacity and the candidates with estimate, lower and upper bound, for ranges bits, levels\n"
        "and quantiles. For a person (without --json) also what the containers take and a plot of the values, or the sketch's\n"
        "load, error and heaviest cells; of a small sketch the heaviest keys.\n\n"
        "Examples:\n"
        "  statewire inspect --type 'AggregateFunction(groupBitmap, UInt8)' --hex 0003010203\n"
        "  statewire inspect --type RoaringPortable32 --file set.bin --values\n"
        "  statewire inspect --type 'CountMinImage(UInt64)' --file sketch.bin --json --estimate word --estimate u64:7");
    command.callback([options, &action] { action = [options] { inspect(*options); }; });
}

}
