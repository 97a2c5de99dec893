#include "Options.h"

#include <statewire/AggregateFunctions/AggregateFunctionFactory.h>
#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/Exception.h>
#include <statewire/Common/throwError.h>
#include <statewire/Compression/StreamCodec.h>
#include <statewire/Interpreters/ExpressionParser.h>
#include <statewire/base/asciiCase.h>

#include <glob.h>
#include <new>
#include <sys/stat.h>
#include <unistd.h>

using namespace DB;

namespace statewire_program
{

namespace
{
std::string joined(const std::vector<std::string_view> & names)
{
    std::string text;
    for (const std::string_view name : names)
    {
        text += text.empty() ? "" : ", ";
        text += name;
    }
    return text;
}

/// A file of this name would hold something else than people and programs look for in it.
void refuseForeignFormat(std::string_view path, std::string_view option)
{
    if (streamFormatOfName(path))
        path.remove_suffix(path.size() - path.rfind('.'));
    const std::string_view extension = path.substr(path.find_last_of('.') + 1);
    for (const std::string_view format : {"Parquet", "ORC", "Avro", "Arrow", "Feather", "MsgPack", "BSON", "XML", "xlsx"})
        if (extension.size() != path.size() && equalsIgnoringCase(extension, format))
            throwError(
                ErrorCodes::UNKNOWN_FORMAT,
                concat("The name ", quoteName(path), " says ", format, ", which is no format here: give another name, or ", option));
}

FormatSettings makeSettings(const std::string & states, const std::string & csv_delimiter)
{
    FormatSettings settings;
    settings.csv_delimiter = csv_delimiter == "\\t" ? '\t' : csv_delimiter.empty() ? '\0' : csv_delimiter.front();
    if ((csv_delimiter.size() != 1 && csv_delimiter != "\\t") || std::string_view("\"\r\n").find(settings.csv_delimiter) != std::string_view::npos)
        throwError(
            ErrorCodes::BAD_ARGUMENTS,
            concat("Bad CSV delimiter ", quoteName(csv_delimiter), ", expected one byte that is no quote and no end of a line, or \\t"));
    if (states == "hex")
        settings.state_encoding = StateEncoding::Hex;
    else if (states == "base64")
        settings.state_encoding = StateEncoding::Base64;
    else if (states != "bytes")
        throwError(ErrorCodes::BAD_ARGUMENTS, concat("Unknown encoding of states ", quoteName(states), ", known are bytes, hex and base64"));
    return settings;
}
}

FormatSettings InputOptions::formatSettings() const { return makeSettings(states, csv_delimiter); }
FormatSettings OutputOptions::formatSettings() const { return makeSettings(states, csv_delimiter); }

FormatSettings InputOptions::formatSettings(std::string_view format_name) const
{
    FormatSettings settings = formatSettings();
    if (isBinaryFormat(format_name))
        settings.state_encoding = StateEncoding::Bytes;
    return settings;
}

InputCompression parseCompression(const std::string & name)
{
    if (name == "auto")
        return InputCompression::Auto;
    if (name == "none")
        return InputCompression::None;
    if (name == "frames")
        return InputCompression::Frames;
    if (name == "zst")
        return InputCompression::ZST;
    if (name == "lz4")
        return InputCompression::LZ4;
    throwError(
        ErrorCodes::BAD_ARGUMENTS, concat("Unknown input compression ", quoteName(name), ", known are auto, none, frames, zst and lz4"));
}

std::vector<std::string> InputOptions::paths() const { return files.empty() ? std::vector<std::string>{"-"} : expandPatterns(files); }

std::string InputOptions::formatOf(const std::string & path, std::string_view default_format) const
{
    if (!format.empty())
        return format;
    if (const auto by_name = formatOfFileName(path))
        return std::string(*by_name);
    refuseForeignFormat(path, "--input-format");
    return std::string(default_format);
}

std::string InputOptions::formatHint(const std::string & path, std::string_view default_format) const
{
    if (!format.empty() || formatOfFileName(path))
        return {};
    return concat("taken for ", default_format, ", as neither --input-format nor the input's name says a format");
}

PartSettings InputOptions::partSettings() const
{
    PartSettings settings;
    settings.index_granularity = index_granularity;
    if (granule_option->count() != 0)
    {
        settings.only_granule = granule;
        settings.verification = PartVerification::Sizes;
    }
    return settings;
}

std::optional<NamesAndTypes> InputOptions::givenStructure() const
{
    return structure.empty() ? std::nullopt : std::optional(parseStructure(structure, defaultAggregateFunctionFactory()));
}

void InputOptions::addTo(CLI::App & command, const char * default_format)
{
    command.add_option("FILE,-F,--file", files, "Inputs, patterns such as 'day*.native' among them; - or none is stdin")->type_name("FILE");
    command
        .add_option(
            "-S,--structure",
            structure,
            "Columns of the input, as \"script String, code_point UInt32\". Needed by formats that do not name them; otherwise it "
            "chooses columns by name")
        ->type_name("COLUMNS");
    command
        .add_option(
            "--input-format",
            format,
            "Format of the inputs: " + joined(inputFormatNames()) + ". Default: what a file's extension says, otherwise " + default_format)
        ->type_name("FORMAT");
    command
        .add_option(
            "--input-compression",
            compression,
            "What is around the inputs: auto (looks what a file begins with), none, frames (ClickHouse's), zst or lz4. Default: auto")
        ->type_name("KIND");
    command
        .add_option(
            "--input-states",
            states,
            "How states stand in inputs of text formats: bytes (as ClickHouse writes them), hex or base64. Default: bytes")
        ->type_name("ENCODING");
    command.add_option("--csv-delimiter", csv_delimiter, "What stands between the fields of CSV inputs: one byte, or \\t. Default: a comma")
        ->type_name("BYTE");
    granule_option = command
                         .add_option(
                             "--granule",
                             granule,
                             "Of folders of parts: this granule alone, from 0, by its mark and without reading the rest of the part, so that "
                             "its hashes are not compared")
                         ->type_name("N");
    command
        .add_option(
            "--index-granularity",
            index_granularity,
            "Of folders of parts with .mrk or .cmrk marks, which do not say it: the rows of a granule. Default: 8192")
        ->type_name("ROWS");
    progress_option = command.add_flag(
        "--progress,!--no-progress", progress, "Show rows, bytes and rates on stderr. Default: when stderr is a terminal");
}

void OutputOptions::addTo(CLI::App & command, const char * default_format)
{
    command.add_option("-o,--output", path, "File to write; it appears under its name when it is complete. Default: stdout")
        ->type_name("FILE");
    command
        .add_option(
            "-f,--format,--output-format",
            format,
            "Format of the output: " + joined(outputFormatNames()) + ". Default: what the output's extension says, otherwise "
                + default_format)
        ->type_name("FORMAT");
    command
        .add_option(
            "--compression",
            codec,
            "Put the output into ClickHouse's compressed frames: NONE, LZ4, LZ4HC(level) or ZSTD(level); or write a plain .zst or .lz4 "
            "file. "
            "Default: .zst and .lz4 when the output's name ends so, otherwise nothing")
        ->type_name("CODEC");
    command.add_option("--output-csv-delimiter", csv_delimiter, "What is written between the fields of CSV. Default: a comma")
        ->type_name("BYTE");
    command.add_option("--output-states", states, "How states are written in text formats: bytes, hex or base64. Default: bytes")
        ->type_name("ENCODING");
}

std::string OutputOptions::formatOr(std::string_view default_format) const
{
    if (!format.empty())
        return format;
    if (const auto by_name = formatOfFileName(path))
        return std::string(*by_name);
    refuseForeignFormat(path, "--format");
    return std::string(default_format);
}

std::string_view defaultResultFormat(const OutputOptions & options)
{
    constexpr std::string_view FOR_PEOPLE = "PrettyCompact";
    const bool to_stdout = options.path.empty() || options.path == "-";
    return to_stdout && ::isatty(STDOUT_FILENO) == 1 ? FOR_PEOPLE : "TabSeparated";
}

std::vector<std::string> expandPatterns(const std::vector<std::string> & paths)
{
    std::vector<std::string> expanded;
    for (const std::string & path : paths)
    {
        struct stat status
        {
        };
        if (path == "-" || path.find_first_of("*?[{") == std::string::npos || ::lstat(path.c_str(), &status) == 0)
        {
            expanded.push_back(path);
            continue;
        }
        glob_t found{};
        const int result = ::glob(path.c_str(), GLOB_BRACE | GLOB_ERR, nullptr, &found);
        expanded.insert(expanded.end(), found.gl_pathv, found.gl_pathv + (result == 0 ? found.gl_pathc : 0));
        ::globfree(&found);
        if (result == GLOB_NOSPACE)
            throw std::bad_alloc();
        if (result != 0)
            throwError(ErrorCodes::FILE_DOESNT_EXIST, concat("No file matches the pattern ", quoteName(path)));
    }
    return expanded;
}

}
