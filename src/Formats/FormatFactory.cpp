#include "FormatFactory.h"

#include "NativeInputFormat.h"
#include "NativeOutputFormat.h"
#include "RowBinaryInputFormat.h"
#include "RowBinaryOutputFormat.h"
#include "TabSeparatedInputFormat.h"
#include "TabSeparatedOutputFormat.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

#include <algorithm>

namespace DB::inline statewire
{

namespace
{
enum class Family
{
    TabSeparated,
    RowBinary,
    Native
};

struct Format
{
    std::string_view name;
    Family family;
    TextHeader header;
};

constexpr Format FORMATS[] = {
    { "TabSeparated", Family::TabSeparated, TextHeader::None },
    { "TSV", Family::TabSeparated, TextHeader::None },
    { "TabSeparatedWithNames", Family::TabSeparated, TextHeader::Names },
    { "TSVWithNames", Family::TabSeparated, TextHeader::Names },
    { "TabSeparatedWithNamesAndTypes", Family::TabSeparated, TextHeader::NamesAndTypes },
    { "TSVWithNamesAndTypes", Family::TabSeparated, TextHeader::NamesAndTypes },
    { "RowBinary", Family::RowBinary, TextHeader::None },
    { "RowBinaryWithNamesAndTypes", Family::RowBinary, TextHeader::NamesAndTypes },
    { "Native", Family::Native, TextHeader::NamesAndTypes },
};

const Format & findFormat(std::string_view name)
{
    for (const Format & format : FORMATS)
        if (format.name == name)
            return format;
    std::string known;
    for (const Format & format : FORMATS)
    {
        known += known.empty() ? "" : ", ";
        known += format.name;
    }
    throwError(ErrorCodes::UNKNOWN_FORMAT, concat("Unknown format ", quoteName(name), ", known are ", known));
}

bool equalInAnyCase(std::string_view left, std::string_view right) noexcept
{
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::equal(left.begin(), left.end(), right.begin(), right.end(), [&](char a, char b) { return lower(a) == lower(b); });
}
}

std::unique_ptr<IInputFormat>
createInputFormat(std::string_view name, ReadBuffer & in, std::optional<NamesAndTypes> structure, const FormatSettings & settings)
{
    const Format & format = findFormat(name);
    switch (format.family)
    {
        case Family::TabSeparated:
            return std::make_unique<TabSeparatedInputFormat>(in, format.header, std::move(structure), settings);
        case Family::RowBinary:
            return std::make_unique<RowBinaryInputFormat>(in, format.header == TextHeader::NamesAndTypes, std::move(structure), settings);
        case Family::Native:
            break;
    }
    return std::make_unique<NativeInputFormat>(in, std::move(structure), settings);
}

std::unique_ptr<IOutputFormat> createOutputFormat(std::string_view name, WriteBuffer & out, NamesAndTypes structure)
{
    const Format & format = findFormat(name);
    switch (format.family)
    {
        case Family::TabSeparated:
            return std::make_unique<TabSeparatedOutputFormat>(out, format.header, std::move(structure));
        case Family::RowBinary:
            return std::make_unique<RowBinaryOutputFormat>(out, format.header == TextHeader::NamesAndTypes, std::move(structure));
        case Family::Native:
            break;
    }
    return std::make_unique<NativeOutputFormat>(out, std::move(structure));
}

void requireFormat(std::string_view name) { static_cast<void>(findFormat(name)); }

std::optional<std::string_view> formatOfFileName(std::string_view file_name) noexcept
{
    const size_t dot = file_name.find_last_of("./");
    if (dot == std::string_view::npos || file_name[dot] == '/')
        return std::nullopt;
    const std::string_view extension = file_name.substr(dot + 1);
    for (const Format & format : FORMATS)
        if (equalInAnyCase(format.name, extension))
            return format.name;
    return std::nullopt;
}

}
