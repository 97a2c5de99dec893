#pragma once

#include "StateWalker.h"

#include <statewire/Columns/IColumn.h>
#include <statewire/Common/Exception.h>
#include <statewire/Common/throwError.h>

#include <memory>

/// What is walked over, for the files of StateWalker.h alone.
namespace statewire_program
{

/// A type in which states are looked for: a tree as the type's.
struct StateTree
{
    StateTree(const DB::DataTypePtr & type_, std::string name_);

    DB::DataTypePtr type;
    std::string name;
    bool has_states = false;
    std::optional<StateType> state;
    /// The elements of an array or of a tuple.
    std::vector<StateTree> nested;
    /// Where there are no states: what values are read into, to get behind them.
    DB::MutableColumnPtr scratch;
};

/// A column as a file has it.
struct WalkedColumn
{
    StateTree tree;
    bool is_wanted = true;

    /// Nothing for a column that is not wanted; no copy.
    [[nodiscard]] const StateVisitor & visitor(const StateVisitor & visit) const noexcept;
};

/// BAD_ARGUMENTS when no wanted one has states or has no type.
[[nodiscard]] std::vector<WalkedColumn> walkedColumns(const DB::NamesAndTypes & header, const std::optional<DB::NamesAndTypes> & wanted);
[[noreturn]] void throwNoStates();

/// The state that stands next; its end is found by its own length. `visit` is nothing for columns that are not wanted.
void walkState(DB::ReadBuffer & in, const StateTree & tree, const StatePlace & place, const StateVisitor & visit);

/// Adds the place to what f() throws.
template <typename F>
void sayingWhere(std::string_view what, const StatePlace & place, F && f)
{
    try
    {
        f();
    }
    catch (DB::Exception & e)
    {
        e.addMessage(DB::concat(what, placeText(place), place.offset ? DB::concat(", at byte ", *place.offset) : std::string()));
        throw;
    }
}

/// Blocks of Native, as walkStates takes them.
void walkNative(DB::ReadBuffer & in, const std::optional<DB::NamesAndTypes> & wanted, const StateVisitor & visit, DB::UInt64 & rows);

}
