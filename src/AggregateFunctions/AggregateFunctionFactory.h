#pragma once

#include "IAggregateFunction.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace DB::inline statewire
{

/** Makes aggregate functions by name: `groupBitmap`, and with combinators `groupBitmapStateIf`.
  *
  * A plain object: what it knows is what was registered with it. A name is looked up as it is first; then its last combinator is split
  * off, and so on for the rest. Arguments that are Nullable are no matter of the functions: see addNullHandling().
  * Errors: UNKNOWN_AGGREGATE_FUNCTION with the nearest names, also for more than MAX_COMBINATORS; ILLEGAL_AGGREGATION for a combinator
  *     twice in a row; what a creator says of arguments and parameters.
  * Threads: after registration any number may call get().
  */
class AggregateFunctionFactory
{
public:
    using Creator
        = std::function<AggregateFunctionPtr(const std::string & name, const DataTypes & argument_types, const Array & parameters)>;
    /// Wraps the function called `nested_name`, which it gets from `factory`.
    using CombinatorCreator = std::function<AggregateFunctionPtr(
        const AggregateFunctionFactory & factory,
        std::string_view nested_name,
        const DataTypes & argument_types,
        const Array & parameters)>;

    /// Bounds recursion; ClickHouse users stack at most three.
    static constexpr size_t MAX_COMBINATORS = 8;

    /// LOGICAL_ERROR when the name is taken.
    void registerFunction(std::string name, Creator creator);
    /// `is_nestable`: may stand twice in a row.
    void registerCombinator(std::string suffix, CombinatorCreator creator, bool is_nestable = false);

    [[nodiscard]] AggregateFunctionPtr get(std::string_view name, const DataTypes & argument_types, const Array & parameters = {}) const;
    /// True when get() would find a function under this name, whatever its arguments.
    [[nodiscard]] bool isAggregateFunctionName(std::string_view name) const;
    /// The registered names without combinators, sorted.
    [[nodiscard]] std::vector<std::string> getNames() const;

private:
    struct Combinator
    {
        std::string suffix;
        CombinatorCreator creator;
        bool is_nestable;
    };

    /// The combinator that ends the name; null when there is none.
    [[nodiscard]] const Combinator * findCombinator(std::string_view name) const noexcept;
    [[noreturn]] void throwUnknown(std::string_view name) const;

    std::map<std::string, Creator, std::less<>> creators;
    std::vector<Combinator> combinators;
};

/// Everything this library has.
void registerAggregateFunctions(AggregateFunctionFactory & factory);

/// One factory with all of it, made at the first call and never changed.
[[nodiscard]] const AggregateFunctionFactory & defaultAggregateFunctionFactory();

}
