#pragma once

#include "StateType.h"

#include <statewire/Formats/NamesAndTypes.h>
#include <statewire/IO/ReadBuffer.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace statewire_program
{

/// Where a state stands. Rows count from 1.
struct StatePlace
{
    const std::string & column;
    DB::UInt64 row = 0;
    /// Of its first byte in the (decompressed) input; nothing in text formats, where a state has no bytes of its own.
    std::optional<DB::UInt64> offset;
};

/// Takes the bytes of one state, as they are and unchecked.
using StateVisitor = std::function<void(const StatePlace & place, const StateType & type, std::string_view bytes)>;

/** Takes the states of a table out, without believing them: a state that is invalid does not stop the walk as long as its end is known.
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
    const StateVisitor & visit,
    DB::UInt64 & rows);

/// True for AggregateFunction(...).
[[nodiscard]] bool isState(const DB::IDataType & type) noexcept;

}
