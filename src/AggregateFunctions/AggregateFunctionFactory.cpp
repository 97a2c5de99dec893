#include "AggregateFunctionFactory.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeNullable.h"
#include "../DataTypes/StoredDataType.h"
#include "../DataTypes/errorText.h"
#include "AggregateFunctionNull.h"
#include "ArgumentColumns.h"
#include "registerAggregateFunctions.h"

#include <algorithm>

namespace DB::inline statewire
{

namespace
{
constexpr std::string_view STATE = "State";
constexpr std::string_view STATE_OR_NULL = "StateOrNull";
}

void AggregateFunctionFactory::registerFunction(std::string name, Creator creator)
{
    if (creators.contains(name))
        throwError(ErrorCodes::LOGICAL_ERROR, concat("The aggregate function ", name, " is registered already"));
    creators.emplace(std::move(name), std::move(creator));
}

void AggregateFunctionFactory::registerCombinator(std::string suffix, CombinatorCreator creator, bool is_nestable)
{
    if (findCombinator(suffix))
        throwError(ErrorCodes::LOGICAL_ERROR, concat("The combinator ", suffix, " is registered already"));
    combinators.push_back({std::move(suffix), std::move(creator), is_nestable});
}

AggregateFunctionPtr
AggregateFunctionFactory::get(std::string_view name, const DataTypes & argument_types, const Array & parameters) const
{
    if (!isAggregateFunctionName(name))
        throwUnknown(name);
    if (argument_types.size() > MAX_AGGREGATE_FUNCTION_ARGUMENTS)
        throwError(
            ErrorCodes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
            concat("Aggregate function ", name, " takes at most ", MAX_AGGREGATE_FUNCTION_ARGUMENTS, " arguments, not ",
                   argument_types.size()));

    /// groupBitmapStateOrNull is groupBitmapOrNullState, as in ClickHouse: what may be missing is the value, for there is no NULL state.
    if (name.ends_with(STATE_OR_NULL))
        return get(concat(name.substr(0, name.size() - STATE_OR_NULL.size()), "OrNull", STATE), argument_types, parameters);

    /// States know nothing of dictionaries, nor do their types.
    if (std::any_of(
            argument_types.begin(), argument_types.end(), [](const DataTypePtr & type) { return withoutLowCardinality(type) != type; }))
    {
        DataTypes full_types = argument_types;
        for (DataTypePtr & type : full_types)
            type = withoutLowCardinality(type);
        return get(name, full_types, parameters);
    }

    /// NULLs are handled right inside the last -State, whose type then shows them: AggregateFunction(groupBitmap, Nullable(UInt32)).
    const auto found = creators.find(name);
    const Combinator * combinator = found == creators.end() ? findCombinator(name) : nullptr;
    if (!(combinator && combinator->suffix == STATE) && anyIsNullable(argument_types))
    {
        DataTypes nested_types = argument_types;
        for (DataTypePtr & type : nested_types)
            type = removeNullable(type);
        return addNullHandling(get(name, nested_types, parameters), argument_types);
    }

    if (!combinator)
        return found->second(found->first, argument_types, parameters);
    const std::string_view nested_name = name.substr(0, name.size() - combinator->suffix.size());
    const Combinator * nested_combinator = creators.contains(nested_name) ? nullptr : findCombinator(nested_name);
    if (combinator == nested_combinator && !combinator->is_nestable)
        throwError(
            ErrorCodes::ILLEGAL_AGGREGATION, concat("The combinator ", combinator->suffix, " stands twice in a row in ", quoteForError(name)));
    return combinator->creator(*this, nested_name, argument_types, parameters);
}

bool AggregateFunctionFactory::isAggregateFunctionName(std::string_view name) const
{
    for (size_t i = 0; i <= MAX_COMBINATORS; ++i)
    {
        if (creators.contains(name))
            return true;
        const Combinator * combinator = findCombinator(name);
        if (!combinator)
            return false;
        name.remove_suffix(combinator->suffix.size());
    }
    return false;
}

std::vector<std::string> AggregateFunctionFactory::getNames() const
{
    std::vector<std::string> names;
    for (const auto & [name, creator] : creators)
        names.push_back(name);
    return names;
}

const AggregateFunctionFactory::Combinator * AggregateFunctionFactory::findCombinator(std::string_view name) const noexcept
{
    for (const Combinator & combinator : combinators)
        if (name.ends_with(combinator.suffix))
            return &combinator;
    return nullptr;
}

void AggregateFunctionFactory::throwUnknown(std::string_view name) const
{
    size_t stacked = 0;
    std::string suffixes;
    std::string_view rest = name;
    for (const Combinator * combinator = findCombinator(rest); combinator; combinator = findCombinator(rest))
    {
        rest.remove_suffix(combinator->suffix.size());
        if (++stacked > MAX_COMBINATORS)
            throwError(
                ErrorCodes::UNKNOWN_AGGREGATE_FUNCTION,
                concat("The name ", quoteForError(name), " has more than ", MAX_COMBINATORS, " combinators"));
        suffixes.insert(0, combinator->suffix);
    }
    std::vector<std::string> candidates = getNames();
    for (std::string & candidate : candidates)
        candidate += suffixes;
    throwError(
        ErrorCodes::UNKNOWN_AGGREGATE_FUNCTION,
        concat("Unknown aggregate function ", quoteForError(name), nearNamesHint(name, candidates)));
}

void registerAggregateFunctions(AggregateFunctionFactory & factory)
{
    registerAggregateFunctionGroupBitmap(factory);
    registerAggregateFunctionsGroupBitmapCombined(factory);
    registerAggregateFunctionCountMinRanges(factory);
    registerAggregateFunctionCountMinSketch(factory);
    registerAggregateFunctionCountMinTopK(factory);
    registerAggregateFunctionCombinatorArray(factory);
    registerAggregateFunctionCombinatorForEach(factory);
    registerAggregateFunctionCombinatorIf(factory);
    registerAggregateFunctionCombinatorState(factory);
    registerAggregateFunctionCombinatorMerge(factory);
    registerAggregateFunctionCombinatorsOrFill(factory);
}

const AggregateFunctionFactory & defaultAggregateFunctionFactory()
{
    static const AggregateFunctionFactory factory = [] {
        AggregateFunctionFactory made;
        registerAggregateFunctions(made);
        return made;
    }();
    return factory;
}

}
