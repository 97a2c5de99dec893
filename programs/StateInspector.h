#pragma once

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
    /// The values of a bitmap in ascending numeric order, one a line.
    virtual void printValues(DB::WriteBuffer & out) const = 0;
};

/** Reads the state at the front of `bytes`.
 *
 * `type`: AggregateFunction(groupBitmap, T), AggregateFunction(countMinSketch(h, b[, seed[, row_seeds]]), K[, W]), RoaringPortable32,
 * RoaringPortable64 or CountMinImage(W[, seed[, scheme]]).
 * Errors: what the type's name is refused for; what the state's bytes are refused for, with the offset.
 */
[[nodiscard]] std::unique_ptr<StateInspector> inspectState(std::string_view type, const std::shared_ptr<const std::string> & bytes);

/// One for each family; nullptr when the type is not theirs.
[[nodiscard]] std::unique_ptr<StateInspector> inspectBitmap(std::string_view type, const std::shared_ptr<const std::string> & bytes);
[[nodiscard]] std::unique_ptr<StateInspector> inspectSketch(std::string_view type, const std::shared_ptr<const std::string> & bytes);

}
