#pragma once

#include "../base/types.h"

#include <absl/container/flat_hash_map.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace DB::inline statewire
{

/// What serialization.json says of how a column's values, or those of a tuple's element, are serialized.
struct MergeTreeSerializationKind
{
    /// False for Default.
    bool sparse = false;
    /// A kind that is neither Default nor Sparse; it cannot be read.
    std::string other_kind;
    /// Of a tuple.
    std::vector<MergeTreeSerializationKind> elements;
};

/// A column as a part's text files describe it. Its type is a name: a reader need not know the types of columns that nobody wants.
struct MergeTreeColumn
{
    std::string name;
    std::string type_name;
    /// From columns_substreams.txt: the names of its streams in the order in which they are written. Empty when there is no such file.
    std::vector<std::string> substreams;
    /// Default where serialization.json says nothing.
    MergeTreeSerializationKind serialization;
};

/** columns.txt:               columns format version: 1\n 2 columns:\n `k` UInt32\n ...
 * columns_substreams.txt:     columns substreams version: 1\n 2 columns:\n 1 substreams for column `k`:\n \tk\n ...
 * serialization.json:         {"columns":[{"name":"k","kind":"Default",...},...],"types_serialization_versions":{"string":1},...}
 *
 * Errors: CANNOT_PARSE_INPUT_ASSERTION_FAILED and INCORRECT_DATA with file and byte.
 */
class MergeTreeColumns
{
public:
    /// Texts that are not there are nothing.
    [[nodiscard]] static MergeTreeColumns parse(
        std::string_view columns_text,
        const std::optional<std::string> & substreams_text,
        const std::optional<std::string> & serialization_text,
        const std::string & folder);

    [[nodiscard]] const std::vector<MergeTreeColumn> & columns() const noexcept { return list; }
    [[nodiscard]] std::optional<size_t> find(std::string_view name) const;
    /// Whether strings that are columns, or elements of tuples, have their sizes in a stream of their own; and whether those inside of arrays and
    /// Nullable have it then. What columns_substreams.txt says goes first.
    [[nodiscard]] bool stringsHaveSizes() const noexcept { return strings_have_sizes; }
    [[nodiscard]] bool nestedStringsHaveSizes() const noexcept { return nested_strings_have_sizes; }
    /// Whether the kind Sparse means something for Nullable values.
    [[nodiscard]] bool nullablesMayBeSparse() const noexcept { return nullables_may_be_sparse; }
    [[nodiscard]] bool haveSubstreams() const noexcept { return have_substreams; }

private:
    void parseSubstreams(std::string_view text, const std::string & file);
    void parseSerialization(const std::string & text, const std::string & file);

    std::vector<MergeTreeColumn> list;
    absl::flat_hash_map<std::string, size_t> positions;
    bool strings_have_sizes = false;
    bool nested_strings_have_sizes = false;
    bool nullables_may_be_sparse = false;
    bool have_substreams = false;
};

}
