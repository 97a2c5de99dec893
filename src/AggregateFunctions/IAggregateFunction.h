#pragma once

#include "../Columns/IColumn.h"
#include "../Common/Arena.h"
#include "../Common/TrackedAllocator.h"
#include "../DataTypes/IDataType.h"
#include "../IO/ReadBuffer.h"
#include "../IO/WriteBuffer.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace DB::inline statewire
{

using AggregateDataPtr = char *;
using ConstAggregateDataPtr = const char *;

/// A parameter of an aggregate function, as written in `name(parameter, ...)(argument, ...)`.
using Field = std::variant<UInt64, Int64, Float64, std::string>;
using Array = std::vector<Field>;

class IAggregateFunction;
using AggregateFunctionPtr = std::shared_ptr<const IAggregateFunction>;

/** Describes an aggregate function; the data of one group is untyped memory at a `place` that the caller provides.
  *
  * A place goes through create -> (add | merge | deserialize)* -> (serialize | insertResultInto)* -> destroy. The descriptor itself is
  * immutable and shared by threads; one place is used by one thread at a time, except that const calls on a place may run together.
  * Names and order of the calls follow ClickHouse's interface of the same name (reference in docs/clickhouse.md). The batch calls are
  * pure here; IAggregateFunctionHelper has all of them over the single ones.
  *
  * In all batch calls rows are [row_begin, row_end), row i goes to places[i] + place_offset, and a null place is passed over. With
  * `if_argument_pos` >= 0 only rows whose UInt8 in that column is not 0 are added.
  *
  * Exceptions: `create` either makes a destructible state or throws having made nothing. `deserialize` is called on a fresh state only;
  * when it throws, the state is still destructible. `add`, `merge` and `deserializeAndMerge` leave the state as it was when they throw, a
  * batch leaves it with some of its rows; either way it is whole, and may be fed, written and destroyed. `destroy` never throws.
  */
class IAggregateFunction : public std::enable_shared_from_this<IAggregateFunction>
{
public:
    IAggregateFunction(DataTypes argument_types_, Array parameters_, DataTypePtr result_type_)
        : argument_types(std::move(argument_types_)), parameters(std::move(parameters_)), result_type(std::move(result_type_))
    {
    }
    virtual ~IAggregateFunction() = default;
    IAggregateFunction(const IAggregateFunction &) = delete;
    IAggregateFunction & operator=(const IAggregateFunction &) = delete;

    /// The name with its combinators: `groupBitmapIf`.
    [[nodiscard]] virtual std::string getName() const = 0;
    [[nodiscard]] const DataTypes & getArgumentTypes() const noexcept { return argument_types; }
    [[nodiscard]] const Array & getParameters() const noexcept { return parameters; }
    [[nodiscard]] const DataTypePtr & getResultType() const noexcept { return result_type; }
    /// AggregateFunction(...) as it is printed: of this function, except where its states are another one's (-State, -Merge).
    [[nodiscard]] virtual DataTypePtr getStateType() const;
    /// The function without combinators that leave the state as it is: groupBitmap for groupBitmapIf. Lives as long as this one.
    [[nodiscard]] virtual const IAggregateFunction & getBaseAggregateFunctionWithSameStateRepresentation() const noexcept { return *this; }
    /// True when states of both have the same layout in memory, the same bytes, and merge with each other.
    [[nodiscard]] bool haveSameStateRepresentation(const IAggregateFunction & rhs) const;
    /// The function that a combinator was put around; null for a function without combinators.
    [[nodiscard]] virtual AggregateFunctionPtr getNestedFunction() const noexcept { return nullptr; }
    /// This function over arguments of which some are Nullable, when it does not leave NULLs to addNullHandling(); null otherwise.
    [[nodiscard]] virtual AggregateFunctionPtr getOwnNullAdapter(const DataTypes & /*nullable_types*/) const { return nullptr; }
    /// True when the result is the state itself (-State), which then starts at the place.
    [[nodiscard]] virtual bool isState() const noexcept { return false; }

    /// False when the state's bytes have one version only; a type name then takes no version but 0.
    [[nodiscard]] virtual bool isVersioned() const noexcept { return false; }
    /// The version for a peer that speaks this revision of ClickHouse's protocol.
    [[nodiscard]] virtual size_t getVersionFromRevision(size_t /*revision*/) const noexcept { return 0; }
    /// The version written into type names; 0 is not printed.
    [[nodiscard]] virtual size_t getDefaultVersion() const noexcept { return 0; }

    [[nodiscard]] virtual size_t sizeOfData() const noexcept = 0;
    [[nodiscard]] virtual size_t alignOfData() const noexcept = 0;
    virtual void create(AggregateDataPtr place) const = 0;
    virtual void destroy(AggregateDataPtr place) const noexcept = 0;
    /// True when places may be dropped without destroy().
    [[nodiscard]] virtual bool hasTrivialDestructor() const noexcept = 0;
    virtual void destroyBatch(size_t row_begin, size_t row_end, AggregateDataPtr * places, size_t place_offset) const noexcept = 0;
    /// Heap bytes that the state holds beyond sizeOfData(); borrowed bytes and arenas belong to their owners.
    [[nodiscard]] virtual size_t heldBytes(ConstAggregateDataPtr) const noexcept { return 0; }
    /// Brings the state into the form in which questions are cheap, for when no more rows are expected. What it says stays the same.
    virtual void seal(AggregateDataPtr) const { }

    /// Adds row `row` of the argument columns.
    virtual void add(AggregateDataPtr place, const IColumn ** columns, size_t row, Arena * arena) const = 0;
    /// Adds row 0 of the columns `length` times: a run of one value, of which the columns hold one.
    virtual void addManyDefaults(AggregateDataPtr place, const IColumn ** columns, size_t length, Arena * arena) const = 0;
    virtual void addBatch(
        size_t row_begin, size_t row_end, AggregateDataPtr * places, size_t place_offset, const IColumn ** columns, Arena * arena,
        std::ptrdiff_t if_argument_pos = -1) const = 0;
    virtual void addBatchSinglePlace(
        size_t row_begin, size_t row_end, AggregateDataPtr place, const IColumn ** columns, Arena * arena,
        std::ptrdiff_t if_argument_pos = -1) const = 0;
    /// The same without the rows whose byte in `null_map` is not 0.
    virtual void addBatchSinglePlaceNotNull(
        size_t row_begin, size_t row_end, AggregateDataPtr place, const IColumn ** columns, const UInt8 * null_map, Arena * arena,
        std::ptrdiff_t if_argument_pos = -1) const = 0;
    /// The columns are the elements of arrays, and offsets[i] is where array i ends: all elements of array i go to its place.
    virtual void addBatchArray(
        size_t row_begin, size_t row_end, AggregateDataPtr * places, size_t place_offset, const IColumn ** columns, const UInt64 * offsets,
        Arena * arena) const = 0;
    /// GROUP BY over one byte: row i goes to map[key[i]] + place_offset. `init` makes a place where the map has null.
    virtual void addBatchLookupTable8(
        size_t row_begin, size_t row_end, AggregateDataPtr * map, size_t place_offset, const std::function<void(AggregateDataPtr &)> & init,
        const UInt8 * key, const IColumn ** columns, Arena * arena) const = 0;

    /// `rhs` is only read, and the place does not depend on its memory afterwards (serialized bytes with an owner may be shared).
    /// place != rhs.
    virtual void merge(AggregateDataPtr place, ConstAggregateDataPtr rhs, Arena * arena) const = 0;
    /// State i at rhs[i].
    virtual void mergeBatch(
        size_t row_begin, size_t row_end, AggregateDataPtr * places, size_t place_offset, const AggregateDataPtr * rhs,
        Arena * arena) const = 0;

    /// Merges `size` states into the place and destroys them, so that their memory may move over. They are destroyed also when this throws; the place has
    /// some of their values then.
    virtual void mergeAndDestroyBatch(AggregateDataPtr place, AggregateDataPtr * rhs, size_t size, Arena * arena) const;
    /// True when merging states in any order gives the bytes that adding everything to one gives. False where the order of the rows matters, as for
    /// a conservative sketch, or sums are rounded.
    [[nodiscard]] virtual bool isMergeExact() const noexcept { return false; }

    virtual void serialize(ConstAggregateDataPtr place, WriteBuffer & out, std::optional<size_t> version = std::nullopt) const = 0;
    /// States start .. start + size of `data`, back to back.
    virtual void serializeBatch(
        const TrackedVector<AggregateDataPtr> & data, size_t start, size_t size, WriteBuffer & out,
        std::optional<size_t> version = std::nullopt) const = 0;
    /// How many bytes serialize() writes.
    [[nodiscard]] virtual UInt64 serializedSize(ConstAggregateDataPtr place, std::optional<size_t> version = std::nullopt) const;
    /// The most bytes that any state of this function can take; nothing when that depends on the state.
    [[nodiscard]] virtual std::optional<size_t> getSerializedSizeBound(std::optional<size_t> /*version*/ = std::nullopt) const noexcept
    {
        return std::nullopt;
    }
    /// Reads exactly one state. Bytes that must outlive the call go to memory of their own or to the arena, which outlives the place.
    virtual void deserialize(
        AggregateDataPtr place, ReadBuffer & in, std::optional<size_t> version = std::nullopt, Arena * arena = nullptr) const = 0;
    /// Makes and reads up to `limit` states, state i at place + i * total_size_of_state, and appends their places to `data`. Stops at the
    /// end of the input. When a state cannot be read, all states of this call are destroyed and `data` is as it was.
    virtual void createAndDeserializeBatch(
        TrackedVector<AggregateDataPtr> & data, AggregateDataPtr place, size_t total_size_of_state, size_t limit, ReadBuffer & in,
        std::optional<size_t> version = std::nullopt, Arena * arena = nullptr) const = 0;
    /// Merges one serialized state into the place without building it first. Leaves nothing in an arena.
    virtual void deserializeAndMerge(AggregateDataPtr place, ReadBuffer & in, std::optional<size_t> version = std::nullopt) const = 0;

    /// Appends the result to a column of getResultType(). The state stays as it was.
    virtual void insertResultInto(AggregateDataPtr place, IColumn & to, Arena * arena) const = 0;
    /// Appends the results of places[i] + place_offset and destroys the states, also when it throws.
    virtual void insertResultIntoBatch(
        size_t row_begin, size_t row_end, AggregateDataPtr * places, size_t place_offset, IColumn & to, Arena * arena) const = 0;

protected:
    /// haveSameStateRepresentation of two base functions. The default compares names, argument types and parameters.
    [[nodiscard]] virtual bool haveSameStateRepresentationImpl(const IAggregateFunction & rhs) const;

    DataTypes argument_types;
    Array parameters;
    DataTypePtr result_type;
};

}
