#pragma once

#include "FormatSettings.h"
#include "IInputFormat.h"
#include "IOutputFormat.h"

#include "../IO/ReadBuffer.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/** Formats by ClickHouse's names and aliases, spelled exactly as there; anything else is UNKNOWN_FORMAT with the names that there are.
 *
 *     TabSeparated (TSV), TabSeparatedRaw (TSVRaw, Raw), CSV, RowBinary    each also ...WithNames and ...WithNamesAndTypes
 *     Native, Values, JSONEachRow (JSONLines, JSONL, NDJSON)
 *     Pretty, PrettyCompact, Vertical                                      written only: reading them is UNKNOWN_FORMAT
 */
namespace DB::inline statewire
{

/// `in` outlives the result. Without `structure` the file's own header is taken, where its format has one; where it has none, the first
/// read is BAD_ARGUMENTS. So are encoded states (FormatSettings::state_encoding) in a binary format.
[[nodiscard]] std::unique_ptr<IInputFormat> createInputFormat(
    std::string_view name, ReadBuffer & in, std::optional<NamesAndTypes> structure = std::nullopt, const FormatSettings & settings = {});

/// `out` outlives the result, and is finalized by the caller after the format.
[[nodiscard]] std::unique_ptr<IOutputFormat>
createOutputFormat(std::string_view name, WriteBuffer & out, NamesAndTypes structure, const FormatSettings & settings = {});

/// Throws UNKNOWN_FORMAT unless it is the name of a format.
void requireFormat(std::string_view name);

/// Whether it is RowBinary or Native. UNKNOWN_FORMAT as above.
[[nodiscard]] bool isBinaryFormat(std::string_view name);

/// All names and aliases, for a help text.
[[nodiscard]] std::vector<std::string_view> inputFormatNames();
[[nodiscard]] std::vector<std::string_view> outputFormatNames();

/// The format that a file's last extension names in any case (`states.native`, `rows.tsv`, `part.RowBinaryWithNamesAndTypes`), looking
/// through the suffix of a compressed file (`rows.tsv.zst`). `.json` is taken for JSONEachRow.
[[nodiscard]] std::optional<std::string_view> formatOfFileName(std::string_view file_name) noexcept;

}
