#pragma once

#include "StateType.h"

#include <statewire/Formats/FormatSettings.h>
#include <statewire/Formats/NamesAndTypes.h>
#include <statewire/IO/ReadBuffer.h>
#include <statewire/Storages/MergeTreePart.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace statewire_program
{

/// Where a state stands.
struct StatePlace
{
    /// The column's name, and of the elements of tuples on the way: "t", "t.users", "t.2".
    std::string_view column;
    /// Counted from 1, as all here.
    DB::UInt64 row = 0;
    /// The numbers of the elements of arrays on the way, the outermost first.
    std::vector<DB::UInt64> elements = {};
    /// Of its first byte in the (decompressed) input; nothing in text formats and parts, where a state has no such place of its own.
    std::optional<DB::UInt64> offset = std::nullopt;
};

/// "row 3, column 't.users', element 2", without what there is not.
[[nodiscard]] std::string placeText(const StatePlace & place);

/// Takes the bytes of one state, as they are and unchecked.
using StateVisitor = std::function<void(const StatePlace & place, const StateType & type, std::string_view bytes)>;

/** Takes the states of a table out, those inside of arrays and tuples too, without believing them: a state that is invalid does not stop the
 * walk as long as its end is known.
 *
 * Text formats: the end is the field's. RowBinary and Native: bitmaps and sketches say how long they are; of other functions' states, and of
 * a state that is wrong before its length is known, the walk throws. `wanted` chooses columns, and is required by formats that name none.
 * `rows` counts the rows that were begun.
 * Errors: what the format says of everything around the states, with the place; BAD_ARGUMENTS without a column of states.
 */
void walkStates(
    std::string_view format,
    DB::ReadBuffer & in,
    const std::optional<DB::NamesAndTypes> & wanted,
    const DB::FormatSettings & settings,
    const StateVisitor & visit,
    DB::UInt64 & rows);

/// The same for the folder of a part; all its files are compared with their hashes, unless one granule alone is looked at. The bytes are those of the states whatever text formats would hold.
void walkStatesOfPart(
    const std::string & folder,
    const std::optional<DB::NamesAndTypes> & wanted,
    DB::PartSettings settings,
    const StateVisitor & visit,
    DB::UInt64 & rows);

/// True for AggregateFunction(...).
[[nodiscard]] bool isState(const DB::IDataType & type) noexcept;

}
