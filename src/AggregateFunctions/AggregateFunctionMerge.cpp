#include "../Columns/ColumnAggregateFunction.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeAggregateFunction.h"
#include "AggregateFunctionFactory.h"
#include "IAggregateFunctionCombinator.h"
#include "registerAggregateFunctions.h"

namespace DB::inline statewire
{

namespace
{

/** -Merge: over a column of states, merged into one; the result is the nested function's.
  *
  * The states' own function does the work. The name before -Merge must be one with the same states: groupBitmapMerge and
  * groupBitmapIfMerge both take AggregateFunction(groupBitmap, T) and AggregateFunction(groupBitmapIf, T, UInt8), where ClickHouse takes
  * only the type whose function bears that name. Parameters may be left out, for they stand in the type; given ones must mean the same.
  * -MergeState needs nothing more: its state type is the nested function's.
  */
class AggregateFunctionMerge final : public IAggregateFunctionAdapter<AggregateFunctionMerge>
{
public:
    AggregateFunctionMerge(const AggregateFunctionPtr & nested_, const DataTypes & argument_types_, std::string nested_name_)
        : IAggregateFunctionAdapter(nested_, argument_types_, nested_->getResultType()), nested_name(std::move(nested_name_))
    {
    }

    [[nodiscard]] std::string getName() const override { return nested_name + "Merge"; }
    [[nodiscard]] DataTypePtr getStateType() const override { return nested->getStateType(); }

    void add(AggregateDataPtr place, const IColumn ** columns, size_t row, Arena * arena) const override
    {
        nested->merge(place, states(columns)[row], arena);
    }

    void addBatch(
        size_t row_begin, size_t row_end, AggregateDataPtr * places, size_t place_offset, const IColumn ** columns, Arena * arena,
        std::ptrdiff_t if_argument_pos) const override
    {
        if (const UInt8 * flags = flagsOf(columns, if_argument_pos))
            mergeRows(row_begin, row_end, place_offset, columns, arena, [=](size_t row) { return flags[row] ? places[row] : nullptr; });
        else
            nested->mergeBatch(row_begin, row_end, places, place_offset, states(columns).getPlaces().data(), arena);
    }

    void addBatchSinglePlace(
        size_t row_begin, size_t row_end, AggregateDataPtr place, const IColumn ** columns, Arena * arena,
        std::ptrdiff_t if_argument_pos) const override
    {
        const UInt8 * flags = flagsOf(columns, if_argument_pos);
        mergeRows(row_begin, row_end, 0, columns, arena, [=](size_t row) { return !flags || flags[row] ? place : nullptr; });
    }

private:
    /// All rows in one call: a function may merge many states faster than one after another.
    template <typename PlaceOf>
    void mergeRows(
        size_t row_begin, size_t row_end, size_t place_offset, const IColumn ** columns, Arena * arena, PlaceOf && place_of) const
    {
        TrackedVector<AggregateDataPtr> places;
        places.reserve(row_end - row_begin);
        for (size_t row = row_begin; row < row_end; ++row)
            places.push_back(place_of(row));
        nested->mergeBatch(0, places.size(), places.data(), place_offset, states(columns).getPlaces().data() + row_begin, arena);
    }

    [[nodiscard]] static const ColumnAggregateFunction & states(const IColumn ** columns) noexcept
    {
        return static_cast<const ColumnAggregateFunction &>(*columns[0]);
    }

    std::string nested_name;
};

/// `groupBitmap` for `groupBitmapIf` and `groupBitmapArray`: what does not change the states does not matter to what is merged.
std::string_view withoutAdapters(std::string_view name, const AggregateFunctionFactory & factory)
{
    for (bool found = true; found;)
    {
        found = false;
        for (const std::string_view suffix : {"If", "Array"})
            if (name.ends_with(suffix) && factory.isAggregateFunctionName(name.substr(0, name.size() - suffix.size())))
            {
                name.remove_suffix(suffix.size());
                found = true;
            }
    }
    return name;
}

AggregateFunctionPtr
create(const AggregateFunctionFactory & factory, std::string_view nested_name, const DataTypes & argument_types, const Array & parameters)
{
    if (argument_types.size() != 1)
        throwError(
            ErrorCodes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
            concat("Aggregate function ", nested_name, "Merge takes one argument, a state, not ", argument_types.size()));
    const DataTypePtr & argument = argument_types.front();
    if (argument->getTypeId() != TypeIndex::AggregateFunction)
        throwError(
            ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT,
            concat("Aggregate function ", nested_name, "Merge takes a state, not ", argument->getName()));

    AggregateFunctionPtr function = static_cast<const DataTypeAggregateFunction &>(*argument).getFunction();
    bool same = true;
    if (function->getName() != nested_name)
    {
        function = function->getBaseAggregateFunctionWithSameStateRepresentation().shared_from_this();
        same = function->getName() == withoutAdapters(nested_name, factory);
    }
    if (same && !parameters.empty())
        same = function->haveSameStateRepresentation(*factory.get(function->getName(), function->getArgumentTypes(), parameters));
    if (!same)
        throwError(
            ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT,
            concat("Aggregate function ", nested_name, "Merge cannot merge states of type ", argument->getName(),
                   parameters.empty() ? "" : " with the parameters given"));
    return std::make_shared<AggregateFunctionMerge>(function, argument_types, std::string(nested_name));
}

}

void registerAggregateFunctionCombinatorMerge(AggregateFunctionFactory & factory)
{
    factory.registerCombinator("Merge", create);
}

}
