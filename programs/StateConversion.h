#pragma once

#include "StateType.h"

#include <statewire/IO/ReadBuffer.h>
#include <statewire/IO/WriteBuffer.h>

#include <string>
#include <string_view>

namespace statewire_program
{

/** From one layout to another, one object at a time.
 *
 * Bitmaps: values keep their number; one that the target cannot hold is ARGUMENT_OUT_OF_BOUND. A Roaring layout has no sign of its own: beside
 * a state of a signed type its bits are signed numbers, otherwise unsigned ones; a list is of the other side's type.
 * Sketches: cells are taken over, so shape, seed and row seeds must be the same, unless a small state, which knows its keys, is the source.
 *
 * Errors: NOT_IMPLEMENTED for a target that is read only, CANNOT_CONVERT_TYPE with the reason for what cannot become the target; what
 * the bytes are refused for; INCORRECT_DATA for bytes behind the object.
 */
class StateConversion
{
public:
    /// Refuses pairs of types that never convert.
    StateConversion(StateType from_, StateType to_);

    [[nodiscard]] bool readsText() const noexcept { return from.layout == StateLayout::IntegerList; }
    [[nodiscard]] bool writesText() const noexcept { return to.layout == StateLayout::IntegerList; }

    /// The object is all of `in`.
    void convert(DB::ReadBuffer & in, DB::WriteBuffer & out) const;
    /// The values of a list stand between these: line feeds, or commas inside brackets.
    void setListInLine(bool in_line_) noexcept { list_in_line = in_line_; }

private:
    void convertBitmap(std::string_view bytes, DB::WriteBuffer & out) const;
    void convertList(DB::ReadBuffer & in, DB::WriteBuffer & out) const;
    void convertSketch(std::string_view bytes, DB::WriteBuffer & out) const;

    StateType from;
    StateType to;
    bool list_in_line = false;
};

/// The rest of a source.
[[nodiscard]] std::string readAll(DB::ReadBuffer & in);

}
