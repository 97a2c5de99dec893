#include "../Columns/ColumnAggregateFunction.h"
#include "../Columns/ColumnVector.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeAggregateFunction.h"
#include "AggregateFunctionFactory.h"
#include "IAggregateFunctionAdapter.h"
#include "registerAggregateFunctions.h"

#include <algorithm>

namespace DB::inline statewire
{

namespace
{

/** -Merge: over a column of states, merged into one; the result is the nested function's.
  *
  * The states' own function does the work. The name before -Merge must be one with the same states: groupBitmapMerge and
  * groupBitmapIfMerge both take AggregateFunction(groupBitmap, T) and AggregateFunction(groupBitmapIf, T, UInt8). Parameters may be left
  * out, for they stand in the type; given ones must mean the same. -MergeState needs nothing more: its state type is the nested
  * function's.
  */
class AggregateFunctionMerge final : public IAggregateFunctionAdapter
{
public:
    AggregateFunctionMerge(const AggregateFunctionPtr & nested_, const DataTypes & argument_types_, std::string nested_name_)
        : IAggregateFunctionAdapter(nested_, argument_types_, nested_->getParameters(), nested_->getResultType()),
          nested_name(std::move(nested_name_))
    {
    }

    [[nodiscard]] std::string getName() const override { return nested_name + "Merge"; }

    void add(AggregateDataPtr place, const IColumn ** columns, size_t row, Arena * arena) const override
    {
        nested->merge(place, states(columns)[row], arena);
    }

    void addBatch(
        size_t row_begin, size_t row_end, AggregateDataPtr * places, size_t place_offset, const IColumn ** columns, Arena * arena,
        std::ptrdiff_t if_argument_pos) const override
    {
        if (if_argument_pos < 0)
        {
            mergeRows(row_begin, row_end, places, place_offset, columns, arena);
            return;
        }
        const UInt8 * flags = flagsOf(columns, if_argument_pos);
        std::vector<AggregateDataPtr> wanted(row_end);
        for (size_t row = row_begin; row < row_end; ++row)
            wanted[row] = flags[row] ? places[row] : nullptr;
        mergeRows(row_begin, row_end, wanted.data(), place_offset, columns, arena);
    }

    void addBatchSinglePlace(
        size_t row_begin, size_t row_end, AggregateDataPtr place, const IColumn ** columns, Arena * arena,
        std::ptrdiff_t if_argument_pos) const override
    {
        const UInt8 * flags = if_argument_pos < 0 ? nullptr : flagsOf(columns, if_argument_pos);
        std::vector<AggregateDataPtr> places(row_end);
        for (size_t row = row_begin; row < row_end; ++row)
            places[row] = !flags || flags[row] ? place : nullptr;
        mergeRows(row_begin, row_end, places.data(), 0, columns, arena);
    }

    void insertResultInto(AggregateDataPtr place, IColumn & to, Arena * arena) const override
    {
        nested->insertResultInto(place, to, arena);
    }

private:
    [[nodiscard]] static const ColumnAggregateFunction & states(const IColumn ** columns) noexcept
    {
        return static_cast<const ColumnAggregateFunction &>(*columns[0]);
    }

    [[nodiscard]] static const UInt8 * flagsOf(const IColumn ** columns, std::ptrdiff_t position) noexcept
    {
        return static_cast<const ColumnUInt8 &>(*columns[position]).getData().data();
    }
    /// All rows in one call: a function may merge many states faster than one after another.
    void mergeRows(
        size_t row_begin, size_t row_end, AggregateDataPtr * places, size_t place_offset, const IColumn ** columns, Arena * arena) const
    {
        nested->mergeBatch(row_begin, row_end, places, place_offset, states(columns).getPlaces().data(), arena);
    }

    std::string nested_name;
};

/// `groupBitmap` for `groupBitmapIf`: -If does not change what is merged.
std::string_view withoutIf(std::string_view name, const AggregateFunctionFactory & factory)
{
    constexpr std::string_view SUFFIX = "If";
    const std::string_view rest = name.substr(0, name.size() - std::min(name.size(), SUFFIX.size()));
    return name.ends_with(SUFFIX) && factory.isAggregateFunctionName(rest) ? rest : name;
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

    const AggregateFunctionPtr & function = static_cast<const DataTypeAggregateFunction &>(*argument).getFunction();
    const IAggregateFunction & base = function->getBaseAggregateFunctionWithSameStateRepresentation();
    const std::string_view name = withoutIf(nested_name, factory);
    bool same = name == base.getName();
    if (same && !parameters.empty())
        same = base.haveSameStateRepresentation(*factory.get(name, base.getArgumentTypes(), parameters));
    if (!same)
        throwError(
            ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT,
            concat("Aggregate function ", nested_name, "Merge cannot merge states of type ", argument->getName(),
                   parameters.empty() ? "" : " with the parameters given"));
    return std::make_shared<AggregateFunctionMerge>(base.shared_from_this(), argument_types, std::string(nested_name));
}

}

void registerAggregateFunctionCombinatorMerge(AggregateFunctionFactory & factory)
{
    factory.registerCombinator("Merge", create);
}

}
