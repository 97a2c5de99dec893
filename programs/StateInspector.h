#pragma once

#include "StateType.h"

#include <nlohmann/json.hpp>

#include <statewire/IO/WriteBuffer.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace statewire_program
{

/** What the program can say of one state, after Full validation. Made by inspectState.
 *
 * Points into: the bytes given to inspectState. Errors: NOT_IMPLEMENTED from what the kind of state does not have.
 */
class StateInspector
{
public:
    virtual ~StateInspector() = default;
    StateInspector() = default;
    StateInspector(const StateInspector &) = delete;
    StateInspector & operator=(const StateInspector &) = delete;

    /// Bytes of the state; what is behind them is not part of it.
    [[nodiscard]] virtual DB::UInt64 consumed() const = 0;
    /// Adds `kind`, `canonical` and what there is to say of this kind of state. 64-bit numbers and weights are strings.
    virtual void describe(nlohmann::ordered_json & object, const std::vector<std::string> & estimate_keys) const = 0;
    /// More for a person, a fact a line: what the containers take and, with a plot of at most `plot_width` columns (0 is none), where a
    /// bitmap's values lie; a sketch's load, error and heaviest cells or keys. Nothing where describe() says it all.
    virtual void printDetails(DB::WriteBuffer & /*out*/, size_t /*plot_width*/) const { }
    /// The values of a bitmap in ascending numeric order, one a line. BAD_ARGUMENTS for everything else.
    virtual void printValues(DB::WriteBuffer & out) const;
};

/** Reads the state at the front of `bytes`.
 *
 * Errors: NOT_IMPLEMENTED for lists and for states of other functions; what the bytes are refused for, with the offset.
 */
[[nodiscard]] std::unique_ptr<StateInspector> inspectState(const StateType & type, const std::shared_ptr<const std::string> & bytes);

/// One for each family; the type is of it.
[[nodiscard]] std::unique_ptr<StateInspector> inspectBitmap(const StateType & type, const std::shared_ptr<const std::string> & bytes);
[[nodiscard]] std::unique_ptr<StateInspector> inspectSketch(const StateType & type, const std::shared_ptr<const std::string> & bytes);
[[nodiscard]] std::unique_ptr<StateInspector> inspectTopK(const StateType & type, const std::shared_ptr<const std::string> & bytes);
[[nodiscard]] std::unique_ptr<StateInspector> inspectRanges(const StateType & type, const std::shared_ptr<const std::string> & bytes);

/// Text as it is, for printDetails and printValues.
inline void print(std::string_view text, DB::WriteBuffer & out) { out.write(text.data(), text.size()); }

}
