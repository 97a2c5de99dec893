#include "AggregateFunctionFactory.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/errorText.h"
#include "registerAggregateFunctions.h"

namespace DB::inline statewire
{

void AggregateFunctionFactory::registerFunction(std::string name, Creator creator)
{
    if (creators.contains(name))
        throwError(ErrorCodes::LOGICAL_ERROR, concat("The aggregate function ", name, " is registered already"));
    creators.emplace(std::move(name), std::move(creator));
}

void AggregateFunctionFactory::registerCombinator(std::string suffix, CombinatorCreator creator)
{
    if (findCombinator(suffix))
        throwError(ErrorCodes::LOGICAL_ERROR, concat("The combinator ", suffix, " is registered already"));
    combinators.push_back({std::move(suffix), std::move(creator)});
}

AggregateFunctionPtr
AggregateFunctionFactory::get(std::string_view name, const DataTypes & argument_types, const Array & parameters) const
{
    if (const auto found = creators.find(name); found != creators.end())
        return found->second(found->first, argument_types, parameters);
    if (!isAggregateFunctionName(name))
        throwUnknown(name);

    const Combinator & combinator = *findCombinator(name);
    const std::string_view nested_name = name.substr(0, name.size() - combinator.suffix.size());
    if (!creators.contains(nested_name) && nested_name.ends_with(combinator.suffix))
        throwError(
            ErrorCodes::BAD_ARGUMENTS, concat("The combinator ", combinator.suffix, " stands twice in a row in ", quoteForError(name)));
    return combinator.creator(*this, nested_name, argument_types, parameters);
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
    registerAggregateFunctionCountMinSketch(factory);
    registerAggregateFunctionCombinatorIf(factory);
    registerAggregateFunctionCombinatorState(factory);
    registerAggregateFunctionCombinatorMerge(factory);
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
