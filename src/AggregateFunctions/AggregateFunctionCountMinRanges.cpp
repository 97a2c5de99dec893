#include "AggregateFunctionCountMinRanges.h"

#include "../Columns/ColumnVector.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeNumber.h"
#include "../DataTypes/dispatchNumber.h"
#include "AggregateFunctionFactory.h"
#include "CountMinFunctionArguments.h"
#include "CountMinKeyReader.h"
#include "CountMinRangesState.h"
#include "IAggregateFunctionHelper.h"
#include "registerAggregateFunctions.h"

#include <memory>
#include <string_view>

namespace DB::inline statewire
{

namespace
{
constexpr std::string_view NAME = "countMinRanges";

/** countMinRanges(num_hashes, num_buckets[, seed[, row_seeds[, option]]])(value[, weight]): how much weight lies in any range of an integer column,
  * and its quantiles, roughly. The result is the total weight; ranges and quantiles are asked of the state.
  *
  * The value is an integer of any type, the weight an unsigned one. A state that is not small holds a table for each bit of the value's type above
  * those that are counted exactly. The option may be 'conservative'.
  */
template <typename T>
class AggregateFunctionCountMinRanges final : public IAggregateFunctionDataHelper<CountMinRangesState, AggregateFunctionCountMinRanges<T>>
{
    using Helper = IAggregateFunctionDataHelper<CountMinRangesState, AggregateFunctionCountMinRanges<T>>;
    using Helper::data;

public:
    AggregateFunctionCountMinRanges(const DataTypes & argument_types_, const CountMinParameters & sketch_)
        : Helper(argument_types_, printCountMinParameters(sketch_), std::make_shared<DataTypeUInt64>()), sketch(sketch_)
    {
    }

    [[nodiscard]] std::string getName() const override { return std::string(NAME); }

    void create(AggregateDataPtr place) const override { new (place) CountMinRangesState(sketch, sizeof(T)); }

    void add(AggregateDataPtr place, const IColumn ** columns, size_t row, Arena *) const override
    {
        const DataTypes & types = this->getArgumentTypes();
        const UnsignedReader weights = types.size() == 2 ? UnsignedReader(*columns[1], types[1]->getTypeId()) : UnsignedReader();
        data(place).add(toRangesValue(static_cast<const ColumnVector<T> &>(*columns[0]).getData()[row]), weights[row]);
    }

    void merge(AggregateDataPtr place, ConstAggregateDataPtr rhs, Arena *) const override { data(place).merge(data(rhs)); }
    void serialize(ConstAggregateDataPtr place, WriteBuffer & out, std::optional<size_t>) const override { data(place).write(out); }
    void deserialize(AggregateDataPtr place, ReadBuffer & in, std::optional<size_t>, Arena *) const override { data(place).read(in); }
    void deserializeAndMerge(AggregateDataPtr place, ReadBuffer & in, std::optional<size_t>) const override
    {
        data(place).readAndMerge(in);
    }

    void insertResultInto(AggregateDataPtr place, IColumn & to, Arena *) const override
    {
        static_cast<ColumnUInt64 &>(to).getData().push_back(data(place).total());
    }

protected:
    [[nodiscard]] bool haveSameStateRepresentationImpl(const IAggregateFunction & rhs) const override
    {
        const auto * other = dynamic_cast<const AggregateFunctionCountMinRanges *>(&rhs);
        return other && sketch == other->sketch;
    }

private:
    CountMinParameters sketch;
};

AggregateFunctionPtr create(const std::string & name, const DataTypes & argument_types, const Array & parameters)
{
    if (argument_types.empty() || argument_types.size() > 2)
        throwError(
            ErrorCodes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
            concat("Aggregate function ", name, " takes one or two arguments (value[, weight]), not ", argument_types.size()));
    if (argument_types.size() == 2)
        requireUnsignedWeight(name, *argument_types[1]);
    const CountMinParameters sketch = readCountMinParameters(name, parameters, 0, CountMinOption::Conservative);
    AggregateFunctionPtr function;
    const bool is_integer = dispatchInteger(argument_types[0]->getTypeId(), [&]<typename T>() {
        /// Refuses more cells than there may be.
        static_cast<void>(CountMinRanges(sketch, sizeof(T) * 8));
        function = std::make_shared<AggregateFunctionCountMinRanges<T>>(argument_types, sketch);
    });
    if (!is_integer)
        throwError(
            ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT,
            concat("The value of aggregate function ", name, " must be an integer, not ", argument_types[0]->getName()));
    return function;
}
}

std::optional<TypeIndex> countMinRangesValueType(const IAggregateFunction & function)
{
    const IAggregateFunction & base = function.getBaseAggregateFunctionWithSameStateRepresentation();
    /// A function of this name over Nullable arguments has states of another layout.
    return base.getName() == NAME && !base.getNestedFunction() ? std::optional(base.getArgumentTypes().front()->getTypeId()) : std::nullopt;
}

void registerAggregateFunctionCountMinRanges(AggregateFunctionFactory & factory) { factory.registerFunction(std::string(NAME), create); }

}
