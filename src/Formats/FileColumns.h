#pragma once

#include "FormatSettings.h"
#include "NamesAndTypes.h"

#include "../IO/ReadBuffer.h"

#include <optional>
#include <string>
#include <vector>

namespace DB::inline statewire
{

/// A column as a file has it, and where its values go.
struct FileColumn
{
    std::string name;
    /// nullptr where the format names no types and nobody wants the column.
    DataTypePtr type;
    /// The position in the structure; nothing for a column that is read and dropped.
    std::optional<size_t> target;
};

using FileColumns = std::vector<FileColumn>;

/** Matches a header's columns with the wanted structure, by name; without one, the header is the structure.
 *
 * Errors: INCORRECT_DATA for a name that comes twice, UNKNOWN_IDENTIFIER for a wanted column that is missing, TYPE_MISMATCH for another
 * type. A header entry without a type takes the wanted one.
 */
[[nodiscard]] FileColumns matchHeader(const NamesAndTypes & header, const std::optional<NamesAndTypes> & wanted);

/// The structure of what a reader gives: the columns that have a target, in the order of their targets.
[[nodiscard]] NamesAndTypes structureOf(const FileColumns & columns);

/// INCORRECT_DATA when a header promises more columns than a table may have.
void requireFewColumns(UInt64 columns, const FormatSettings & settings);

/// A VarUInt length and as many bytes, in memory that grows with the bytes that arrive. TOO_LARGE_STRING_SIZE above `limit`.
[[nodiscard]] std::string readLimitedString(ReadBuffer & in, UInt64 limit);

}
