#include "FormatFactory.h"

#include "CSVInputFormat.h"
#include "CSVOutputFormat.h"
#include "EncodedStates.h"
#include "JSONEachRowInputFormat.h"
#include "JSONEachRowOutputFormat.h"
#include "NativeInputFormat.h"
#include "NativeOutputFormat.h"
#include "PrettyOutputFormat.h"
#include "RowBinaryInputFormat.h"
#include "RowBinaryOutputFormat.h"
#include "TabSeparatedInputFormat.h"
#include "TabSeparatedOutputFormat.h"
#include "ValuesInputFormat.h"
#include "ValuesOutputFormat.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../Compression/StreamCodec.h"
#include "../base/asciiCase.h"

namespace DB::inline statewire
{

namespace
{
enum class Family
{
    TabSeparated,
    TabSeparatedRaw,
    CSV,
    JSONEachRow,
    Values,
    RowBinary,
    Native,
    Pretty,
    PrettyCompact,
    Vertical
};

struct Format
{
    std::string_view name;
    Family family;
    TextHeader header = TextHeader::None;
};

constexpr Format FORMATS[] = {
    {"TabSeparated", Family::TabSeparated},
    {"TSV", Family::TabSeparated},
    {"TabSeparatedWithNames", Family::TabSeparated, TextHeader::Names},
    {"TSVWithNames", Family::TabSeparated, TextHeader::Names},
    {"TabSeparatedWithNamesAndTypes", Family::TabSeparated, TextHeader::NamesAndTypes},
    {"TSVWithNamesAndTypes", Family::TabSeparated, TextHeader::NamesAndTypes},
    {"TabSeparatedRaw", Family::TabSeparatedRaw},
    {"TSVRaw", Family::TabSeparatedRaw},
    {"Raw", Family::TabSeparatedRaw},
    {"TabSeparatedRawWithNames", Family::TabSeparatedRaw, TextHeader::Names},
    {"TSVRawWithNames", Family::TabSeparatedRaw, TextHeader::Names},
    {"RawWithNames", Family::TabSeparatedRaw, TextHeader::Names},
    {"TabSeparatedRawWithNamesAndTypes", Family::TabSeparatedRaw, TextHeader::NamesAndTypes},
    {"TSVRawWithNamesAndTypes", Family::TabSeparatedRaw, TextHeader::NamesAndTypes},
    {"RawWithNamesAndTypes", Family::TabSeparatedRaw, TextHeader::NamesAndTypes},
    {"CSV", Family::CSV},
    {"CSVWithNames", Family::CSV, TextHeader::Names},
    {"CSVWithNamesAndTypes", Family::CSV, TextHeader::NamesAndTypes},
    {"JSONEachRow", Family::JSONEachRow},
    {"JSONLines", Family::JSONEachRow},
    {"JSONL", Family::JSONEachRow},
    {"NDJSON", Family::JSONEachRow},
    {"Values", Family::Values},
    {"RowBinary", Family::RowBinary},
    {"RowBinaryWithNames", Family::RowBinary, TextHeader::Names},
    {"RowBinaryWithNamesAndTypes", Family::RowBinary, TextHeader::NamesAndTypes},
    {"Native", Family::Native},
    {"Pretty", Family::Pretty},
    {"PrettyCompact", Family::PrettyCompact},
    {"Vertical", Family::Vertical},
};

constexpr bool isReadable(Family family) noexcept
{
    return family != Family::Pretty && family != Family::PrettyCompact && family != Family::Vertical;
}

std::vector<std::string_view> formatNames(bool readable_only)
{
    std::vector<std::string_view> names;
    for (const Format & format : FORMATS)
        if (!readable_only || isReadable(format.family))
            names.push_back(format.name);
    return names;
}

[[noreturn]] void throwUnknownFormat(std::string_view name, std::string_view what, bool readable_only)
{
    std::string known;
    for (const std::string_view format : formatNames(readable_only))
    {
        known += known.empty() ? "" : ", ";
        known += format;
    }
    throwError(ErrorCodes::UNKNOWN_FORMAT, concat(what, ' ', quoteName(name), ", known are ", known));
}

const Format & findFormat(std::string_view name)
{
    for (const Format & format : FORMATS)
        if (format.name == name)
            return format;
    throwUnknownFormat(name, "Unknown format", false);
}

bool isBinary(const Format & format) noexcept { return format.family == Family::RowBinary || format.family == Family::Native; }

/// Encoded states are a matter of text: in a binary format nobody would expect a string where its header says a state.
void requireText(const Format & format, const FormatSettings & settings)
{
    if (settings.state_encoding != StateEncoding::Bytes && isBinary(format))
        throwError(ErrorCodes::BAD_ARGUMENTS, concat("States in hex or base64 are for text formats, and ", format.name, " is binary"));
}
}

std::unique_ptr<IInputFormat>
createInputFormat(std::string_view name, ReadBuffer & in, std::optional<NamesAndTypes> structure, const FormatSettings & settings)
{
    const Format & format = findFormat(name);
    requireText(format, settings);
    switch (format.family)
    {
        case Family::TabSeparated:
            return std::make_unique<TabSeparatedInputFormat>(
                in, format.header, TabSeparatedFields::Escaped, std::move(structure), settings);
        case Family::TabSeparatedRaw:
            return std::make_unique<TabSeparatedInputFormat>(in, format.header, TabSeparatedFields::Raw, std::move(structure), settings);
        case Family::CSV:
            return std::make_unique<CSVInputFormat>(in, format.header, std::move(structure), settings);
        case Family::JSONEachRow:
            return std::make_unique<JSONEachRowInputFormat>(in, std::move(structure), settings);
        case Family::Values:
            return std::make_unique<ValuesInputFormat>(in, std::move(structure), settings);
        case Family::RowBinary:
            return std::make_unique<RowBinaryInputFormat>(in, format.header, std::move(structure), settings);
        case Family::Native:
            return std::make_unique<NativeInputFormat>(in, std::move(structure), settings);
        case Family::Pretty:
        case Family::PrettyCompact:
        case Family::Vertical:
            break;
    }
    throwUnknownFormat(name, "Cannot read the format", true);
}

namespace
{
std::unique_ptr<IOutputFormat>
createPlainOutput(const Format & format, WriteBuffer & out, NamesAndTypes structure, const FormatSettings & settings)
{
    switch (format.family)
    {
        case Family::TabSeparated:
            return std::make_unique<TabSeparatedOutputFormat>(out, format.header, TabSeparatedFields::Escaped, std::move(structure));
        case Family::TabSeparatedRaw:
            return std::make_unique<TabSeparatedOutputFormat>(out, format.header, TabSeparatedFields::Raw, std::move(structure));
        case Family::CSV:
            return std::make_unique<CSVOutputFormat>(out, format.header, std::move(structure), settings);
        case Family::JSONEachRow:
            return std::make_unique<JSONEachRowOutputFormat>(out, std::move(structure), settings);
        case Family::Values:
            return std::make_unique<ValuesOutputFormat>(out, std::move(structure));
        case Family::RowBinary:
            return std::make_unique<RowBinaryOutputFormat>(out, format.header, std::move(structure));
        case Family::Pretty:
            return std::make_unique<PrettyOutputFormat>(out, PrettyKind::Grid, std::move(structure), settings);
        case Family::PrettyCompact:
            return std::make_unique<PrettyOutputFormat>(out, PrettyKind::Compact, std::move(structure), settings);
        case Family::Vertical:
            return std::make_unique<PrettyOutputFormat>(out, PrettyKind::Vertical, std::move(structure), settings);
        case Family::Native:
            break;
    }
    return std::make_unique<NativeOutputFormat>(out, std::move(structure), settings);
}
}

std::unique_ptr<IOutputFormat>
createOutputFormat(std::string_view name, WriteBuffer & out, NamesAndTypes structure, const FormatSettings & settings)
{
    const Format & format = findFormat(name);
    requireText(format, settings);
    if (settings.state_encoding == StateEncoding::Bytes)
        return createPlainOutput(format, out, std::move(structure), settings);
    auto strings = createPlainOutput(format, out, *encodedStructure(structure, settings.state_encoding), settings);
    return createEncodedStatesOutput(out, std::move(structure), std::move(strings), settings.state_encoding);
}

bool isBinaryFormat(std::string_view name) { return isBinary(findFormat(name)); }

void requireFormat(std::string_view name) { static_cast<void>(findFormat(name)); }

std::vector<std::string_view> inputFormatNames() { return formatNames(true); }
std::vector<std::string_view> outputFormatNames() { return formatNames(false); }

std::optional<std::string_view> formatOfFileName(std::string_view file_name) noexcept
{
    if (streamFormatOfName(file_name))
        file_name = file_name.substr(0, file_name.rfind('.'));
    const size_t dot = file_name.find_last_of("./");
    if (dot == std::string_view::npos || file_name[dot] == '/')
        return std::nullopt;
    const std::string_view extension = file_name.substr(dot + 1);
    for (const Format & format : FORMATS)
        if (equalsIgnoringCase(format.name, extension))
            return format.name;
    if (equalsIgnoringCase("json", extension))
        return "JSONEachRow";
    return std::nullopt;
}

}
