#include "AggregateFunctionCountMinTopK.h"

#include "../Columns/ColumnArray.h"
#include "../Columns/ColumnString.h"
#include "../Columns/ColumnTuple.h"
#include "../Columns/ColumnVector.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeArray.h"
#include "../DataTypes/DataTypeNumber.h"
#include "../DataTypes/DataTypeTuple.h"
#include "../DataTypes/dispatchNumber.h"
#include "AggregateFunctionFactory.h"
#include "CountMinFunctionArguments.h"
#include "CountMinKeyReader.h"
#include "IAggregateFunctionHelper.h"
#include "registerAggregateFunctions.h"

#include <memory>
#include <string_view>

namespace DB::inline statewire
{

namespace
{
constexpr std::string_view NAME = "countMinTopK";
/// Candidates for each key of the answer: the more, the lighter a key that is found for certain (a weight above total / candidates, and the error).
constexpr UInt32 CANDIDATES_A_KEY = 4;
constexpr UInt64 MAX_K = 65536;

DataTypePtr resultType(const DataTypePtr & key)
{
    const DataTypePtr number = std::make_shared<DataTypeUInt64>();
    return std::make_shared<DataTypeArray>(
        std::make_shared<DataTypeTuple>(DataTypes{key, number, number}, std::vector<std::string>{"key", "estimate", "lower_bound"}));
}

/** countMinTopK(k, num_hashes, num_buckets[, seed[, row_seeds[, option]]])(key[, weight]): the k keys that weigh most, roughly, each with its
  * estimate (at least its weight) and a lower bound (at most its weight, with the sketch's confidence), the heaviest first, ties by the key's bytes.
  *
  * The key is as in countMinSketch, the weight an unsigned integer. 4 * k candidates are kept beside the sketch. The option may be 'conservative'.
  */
class AggregateFunctionCountMinTopK final : public IAggregateFunctionDataHelper<CountMinTopKState, AggregateFunctionCountMinTopK>
{
public:
    AggregateFunctionCountMinTopK(
        const DataTypes & argument_types_, UInt64 k_, const CountMinParameters & sketch_, Array printed_parameters)
        : IAggregateFunctionDataHelper(argument_types_, std::move(printed_parameters), resultType(argument_types_[0])),
          sketch(sketch_),
          k(k_),
          key_size(sizeOfNumber(argument_types_[0]->getTypeId()))
    {
    }

    [[nodiscard]] std::string getName() const override { return std::string(NAME); }
    [[nodiscard]] UInt64 answers() const noexcept { return k; }

    void create(AggregateDataPtr place) const override
    {
        new (place) CountMinTopKState(sketch, static_cast<UInt32>(k) * CANDIDATES_A_KEY, key_size);
    }

    void add(AggregateDataPtr place, const IColumn ** columns, size_t row, Arena *) const override
    {
        CountMinKeyReader keys(*columns[0], key_size);
        const UnsignedReader weights
            = argument_types.size() == 2 ? UnsignedReader(*columns[1], argument_types[1]->getTypeId()) : UnsignedReader();
        data(place).add(keys[row], weights[row]);
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
        insertCountMinTopK(data(place).top(static_cast<size_t>(k)), *argument_types[0], to);
    }

protected:
    [[nodiscard]] bool haveSameStateRepresentationImpl(const IAggregateFunction & rhs) const override
    {
        const auto * other = dynamic_cast<const AggregateFunctionCountMinTopK *>(&rhs);
        return other && k == other->k && sketch == other->sketch && argument_types[0]->equals(*other->argument_types[0]);
    }

private:
    CountMinParameters sketch;
    UInt64 k;
    UInt32 key_size;
};

AggregateFunctionPtr create(const std::string & name, const DataTypes & argument_types, const Array & parameters)
{
    if (argument_types.empty() || argument_types.size() > 2)
        throwError(
            ErrorCodes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
            concat("Aggregate function ", name, " takes one or two arguments (key[, weight]), not ", argument_types.size()));
    requireCountMinKey(name, *argument_types[0]);
    if (argument_types.size() == 2)
        requireUnsignedWeight(name, *argument_types[1]);
    const CountMinParameters sketch = readCountMinParameters(name, parameters, 1, CountMinOption::Conservative);
    const UInt64 k = wholeParameter(name, parameters, 0, "k", MAX_K);
    if (k == 0)
        throwError(ErrorCodes::BAD_ARGUMENTS, concat("Parameter 1 of aggregate function ", name, ", k, must be at least 1"));
    Array printed{k};
    for (Field & parameter : printCountMinParameters(sketch))
        printed.push_back(std::move(parameter));
    return std::make_shared<AggregateFunctionCountMinTopK>(argument_types, k, sketch, std::move(printed));
}
}

std::optional<CountMinTopKArguments> countMinTopKArguments(const IAggregateFunction & function)
{
    const IAggregateFunction & base = function.getBaseAggregateFunctionWithSameStateRepresentation();
    if (base.getName() != NAME)
        return std::nullopt;
    return CountMinTopKArguments{
        base.getArgumentTypes().front(), static_cast<const AggregateFunctionCountMinTopK &>(base).answers(), base.getResultType()};
}

void insertCountMinTopK(const std::vector<CountMinTopKState::Hitter> & hitters, const IDataType & key_type, IColumn & to)
{
    auto & arrays = static_cast<ColumnArray &>(to);
    auto & tuples = static_cast<ColumnTuple &>(arrays.getData());
    const size_t size_before = tuples.size();
    try
    {
        for (const auto & hitter : hitters)
        {
            if (key_type.getTypeId() == TypeIndex::String)
                static_cast<ColumnString &>(tuples.element(0)).insert(hitter.key);
            else
                dispatchNumber(key_type.getTypeId(), [&]<typename T>() {
                    static_cast<ColumnVector<T> &>(tuples.element(0)).getData().push_back(unalignedLoadLittleEndian<T>(hitter.key.data()));
                });
            static_cast<ColumnUInt64 &>(tuples.element(1)).getData().push_back(hitter.estimate);
            static_cast<ColumnUInt64 &>(tuples.element(2)).getData().push_back(hitter.lower_bound);
        }
        arrays.closeRow();
    }
    catch (...)
    {
        tuples.truncate(size_before);
        throw;
    }
}

void registerAggregateFunctionCountMinTopK(AggregateFunctionFactory & factory) { factory.registerFunction(std::string(NAME), create); }

}
