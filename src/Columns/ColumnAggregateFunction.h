#pragma once

#include "../AggregateFunctions/IAggregateFunction.h"
#include "../Common/Arena.h"
#include "IColumn.h"

#include <memory>
#include <optional>

namespace DB::inline statewire
{

/** States of one aggregate function. The column owns them and destroys them.
  *
  * States that the column makes live in its own arena; adopted ones live where an aggregator made them, and keepAlive() holds that
  * memory. The serialized bytes that a state borrows are in the arena as well, or, where they are many, in memory of their own, which copies
  * of the state share. popBack destroys states but frees no arena memory before the column goes.
  * Memory: counted by the tracker of the thread that makes the column, which is there to count what the column frees too, whenever and wherever
  *     it goes (docs/memory.md).
  * Errors: NOT_IMPLEMENTED from compareAt and getDataAt (states are no keys); others from the function and the allocator. Nothing is
  *     appended when one is thrown.
  * Threads: as IColumn; the arena is used by the filling thread alone.
  */
class ColumnAggregateFunction final : public IColumn
{
public:
    explicit ColumnAggregateFunction(AggregateFunctionPtr function_);
    ~ColumnAggregateFunction() override;

    [[nodiscard]] const AggregateFunctionPtr & getFunction() const noexcept { return function; }
    [[nodiscard]] ConstAggregateDataPtr operator[](size_t row) const noexcept { return places[row]; }
    /// For changing a state in place.
    [[nodiscard]] AggregateDataPtr getPlace(size_t row) noexcept { return places[row]; }
    [[nodiscard]] const TrackedVector<AggregateDataPtr> & getPlaces() const noexcept { return places; }

    /// Appends a fresh state and returns its place.
    AggregateDataPtr insertState();
    /// Appends a copy of a state of this function, or of one with the same representation.
    void insertMerged(ConstAggregateDataPtr place);
    /// Appends the state that `in` holds, read with `version` of the state's format.
    void insertSerialized(ReadBuffer & in, size_t version);
    /// Appends up to `limit` states, fewer when the input ends before; `limit` may be any number, for memory grows with what was read. When
    /// a state cannot be read, nothing is appended.
    void insertSerializedBatch(ReadBuffer & in, size_t version, size_t limit);
    /// Takes over a live state of this function (or of one with the same representation): from now on this column destroys it. The
    /// memory at `place` must stay: pass its owner to keepAlive(). When it throws, the state is still the caller's.
    void adopt(AggregateDataPtr place) { places.push_back(place); }
    /// Holds `owner` for as long as this column lives. Holding the same owner again costs nothing.
    void keepAlive(std::shared_ptr<const void> owner);

    [[nodiscard]] size_t size() const noexcept override { return places.size(); }
    [[nodiscard]] MutableColumnPtr cloneEmpty() const override { return std::make_unique<ColumnAggregateFunction>(function); }
    /// `source` may hold states of another function with the same representation, such as groupBitmapIf for groupBitmap.
    void insertFrom(const IColumn & source, size_t row) override
    {
        insertMerged(static_cast<const ColumnAggregateFunction &>(source)[row]);
    }
    void insertDefault() override { static_cast<void>(insertState()); }
    void popBack(size_t n) noexcept override;
    [[nodiscard]] int compareAt(size_t row, const IColumn & other, size_t other_row) const override;
    [[nodiscard]] size_t byteSize() const noexcept override;
    [[nodiscard]] std::string_view getDataAt(size_t row) const override;

private:
    /// Appends a fresh state that `fill(place)` gave its content; nothing when it throws.
    template <typename Fill>
    AggregateDataPtr append(Fill && fill);

    MemoryTrackerPtr tracker = MemoryTrackerScope::currentTracker();
    /// From the destructor on: what members free is counted.
    std::optional<MemoryTrackerScope> destruction;
    AggregateFunctionPtr function;
    TrackedVector<AggregateDataPtr> places;
    Arena arena;
    /// Memory that adopted states lie in or borrow from.
    TrackedVector<std::shared_ptr<const void>> owners;
};

}
