#pragma once

#include <string>
#include <string_view>
#include <vector>

/** Texts for error messages about input that may be long, binary or hostile. */
namespace DB::inline statewire
{

/// The text in single quotes, printable ASCII only (other bytes as \xHH), cut after its first bytes.
[[nodiscard]] std::string quoteForError(std::string_view text);

/// `. Maybe you meant: 'a', 'b'` with the candidates that are few edits away from `name`, case aside, nearest first; empty when none is.
[[nodiscard]] std::string nearNamesHint(std::string_view name, const std::vector<std::string> & candidates);

}
