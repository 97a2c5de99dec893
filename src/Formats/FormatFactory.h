#pragma once

#include "FormatSettings.h"
#include "IInputFormat.h"
#include "IOutputFormat.h"

#include "../IO/ReadBuffer.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

/** Formats by ClickHouse's names: TabSeparated (TSV), TabSeparatedWithNames (TSVWithNames), TabSeparatedWithNamesAndTypes
 * (TSVWithNamesAndTypes), RowBinary, RowBinaryWithNamesAndTypes, Native. As in ClickHouse, names are spelled exactly; anything else is
 * UNKNOWN_FORMAT with the names that there are.
 */
namespace DB::inline statewire
{

/// `in` outlives the result. Without `structure` the file's own header is taken, where its format has one.
[[nodiscard]] std::unique_ptr<IInputFormat> createInputFormat(
    std::string_view name, ReadBuffer & in, std::optional<NamesAndTypes> structure = std::nullopt, const FormatSettings & settings = {});

/// `out` outlives the result, and is finalized by the caller after the format.
[[nodiscard]] std::unique_ptr<IOutputFormat> createOutputFormat(std::string_view name, WriteBuffer & out, NamesAndTypes structure);

/// Throws UNKNOWN_FORMAT unless it is the name of a format.
void requireFormat(std::string_view name);

/// The format that a file's last extension names in any case (`states.native`, `rows.tsv`, `part.RowBinaryWithNamesAndTypes`).
[[nodiscard]] std::optional<std::string_view> formatOfFileName(std::string_view file_name) noexcept;

}
