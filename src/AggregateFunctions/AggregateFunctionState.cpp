#include "../Columns/ColumnAggregateFunction.h"
#include "AggregateFunctionFactory.h"
#include "IAggregateFunctionCombinator.h"
#include "registerAggregateFunctions.h"

namespace DB::inline statewire
{

namespace
{

/** -State: the nested function, whose result is its state.
  *
  * insertResultInto appends a copy, so that the place stays the caller's as with every other function. A caller that is done with its
  * places spares the copy: where isState() is true, ColumnAggregateFunction::adopt() takes the place itself.
  */
class AggregateFunctionState final : public IAggregateFunctionAdapter<AggregateFunctionState>
{
public:
    explicit AggregateFunctionState(const AggregateFunctionPtr & nested_)
        : IAggregateFunctionAdapter(nested_, nested_->getArgumentTypes(), nested_->getStateType())
    {
    }

    [[nodiscard]] std::string getName() const override { return nested->getName() + "State"; }
    [[nodiscard]] DataTypePtr getStateType() const override { return nested->getStateType(); }
    [[nodiscard]] bool isState() const noexcept override { return true; }

    void add(AggregateDataPtr place, const IColumn ** columns, size_t row, Arena * arena) const override
    {
        nested->add(place, columns, row, arena);
    }
    void addManyDefaults(AggregateDataPtr place, const IColumn ** columns, size_t length, Arena * arena) const override
    {
        nested->addManyDefaults(place, columns, length, arena);
    }
    void addBatch(
        size_t row_begin, size_t row_end, AggregateDataPtr * places, size_t place_offset, const IColumn ** columns, Arena * arena,
        std::ptrdiff_t if_argument_pos) const override
    {
        nested->addBatch(row_begin, row_end, places, place_offset, columns, arena, if_argument_pos);
    }
    void addBatchSinglePlace(
        size_t row_begin, size_t row_end, AggregateDataPtr place, const IColumn ** columns, Arena * arena,
        std::ptrdiff_t if_argument_pos) const override
    {
        nested->addBatchSinglePlace(row_begin, row_end, place, columns, arena, if_argument_pos);
    }
    void addBatchSinglePlaceNotNull(
        size_t row_begin, size_t row_end, AggregateDataPtr place, const IColumn ** columns, const UInt8 * null_map, Arena * arena,
        std::ptrdiff_t if_argument_pos) const override
    {
        nested->addBatchSinglePlaceNotNull(row_begin, row_end, place, columns, null_map, arena, if_argument_pos);
    }
    void addBatchArray(
        size_t row_begin, size_t row_end, AggregateDataPtr * places, size_t place_offset, const IColumn ** columns, const UInt64 * offsets,
        Arena * arena) const override
    {
        nested->addBatchArray(row_begin, row_end, places, place_offset, columns, offsets, arena);
    }
    void addBatchLookupTable8(
        size_t row_begin, size_t row_end, AggregateDataPtr * map, size_t place_offset, const std::function<void(AggregateDataPtr &)> & init,
        const UInt8 * key, const IColumn ** columns, Arena * arena) const override
    {
        nested->addBatchLookupTable8(row_begin, row_end, map, place_offset, init, key, columns, arena);
    }

    void insertResultInto(AggregateDataPtr place, IColumn & to, Arena *) const override
    {
        static_cast<ColumnAggregateFunction &>(to).insertMerged(place);
    }
};

AggregateFunctionPtr
create(const AggregateFunctionFactory & factory, std::string_view nested_name, const DataTypes & argument_types, const Array & parameters)
{
    return std::make_shared<AggregateFunctionState>(factory.get(nested_name, argument_types, parameters));
}

}

void registerAggregateFunctionCombinatorState(AggregateFunctionFactory & factory)
{
    factory.registerCombinator("State", create);
}

}
