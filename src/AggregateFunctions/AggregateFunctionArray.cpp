#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "AggregateFunctionFactory.h"
#include "ArrayArguments.h"
#include "IAggregateFunctionCombinator.h"
#include "registerAggregateFunctions.h"

namespace DB::inline statewire
{

namespace
{

/** -Array: the nested function over all elements of its arguments, which are arrays of one size in each row. The state is the nested
  * function's. When an element cannot be added, those of its row before it may stay.
  */
class AggregateFunctionArray final : public IAggregateFunctionAdapter<AggregateFunctionArray>
{
public:
    AggregateFunctionArray(const AggregateFunctionPtr & nested_, const DataTypes & argument_types_)
        : IAggregateFunctionAdapter(nested_, argument_types_, nested_->getResultType())
    {
    }

    [[nodiscard]] std::string getName() const override { return nested->getName() + "Array"; }

    void add(AggregateDataPtr place, const IColumn ** columns, size_t row, Arena * arena) const override
    {
        ArrayArguments arrays(*this, columns, row, row + 1);
        nested->addBatchSinglePlace(arrays.begin(row), arrays.end(row), place, arrays.elements(), arena);
    }

    void addBatch(
        size_t row_begin, size_t row_end, AggregateDataPtr * places, size_t place_offset, const IColumn ** columns, Arena * arena,
        std::ptrdiff_t if_argument_pos) const override
    {
        ArrayArguments arrays(*this, columns, row_begin, row_end);
        TrackedArray<AggregateDataPtr> selected;
        if (const UInt8 * flags = flagsOf(columns, if_argument_pos))
        {
            selected = selectPlaces(row_begin, row_end, places, [flags](size_t row) { return flags[row] != 0; });
            places = selected.data();
        }
        nested->addBatchArray(row_begin, row_end, places, place_offset, arrays.elements(), arrays.offsets(), arena);
    }

    void addBatchSinglePlace(
        size_t row_begin, size_t row_end, AggregateDataPtr place, const IColumn ** columns, Arena * arena,
        std::ptrdiff_t if_argument_pos) const override
    {
        const UInt8 * flags = flagsOf(columns, if_argument_pos);
        addRuns(row_begin, row_end, place, columns, arena, [flags](size_t row) { return !flags || flags[row]; });
    }

    void addBatchSinglePlaceNotNull(
        size_t row_begin, size_t row_end, AggregateDataPtr place, const IColumn ** columns, const UInt8 * null_map, Arena * arena,
        std::ptrdiff_t if_argument_pos) const override
    {
        const UInt8 * flags = flagsOf(columns, if_argument_pos);
        addRuns(row_begin, row_end, place, columns, arena, [=](size_t row) { return !null_map[row] && (!flags || flags[row]); });
    }

private:
    /// Elements of neighbouring rows lie together.
    template <typename Selected>
    void addRuns(
        size_t row_begin, size_t row_end, AggregateDataPtr place, const IColumn ** columns, Arena * arena, Selected && selected) const
    {
        ArrayArguments arrays(*this, columns, row_begin, row_end);
        for (size_t row = row_begin; row < row_end;)
        {
            size_t next = row;
            while (next < row_end && selected(next))
                ++next;
            if (next != row)
                nested->addBatchSinglePlace(arrays.begin(row), arrays.end(next - 1), place, arrays.elements(), arena);
            row = next + 1;
        }
    }
};

AggregateFunctionPtr
create(const AggregateFunctionFactory & factory, std::string_view nested_name, const DataTypes & argument_types, const Array & parameters)
{
    const std::string name = concat(nested_name, "Array");
    if (argument_types.empty())
        throwError(ErrorCodes::TOO_FEW_ARGUMENTS_FOR_FUNCTION, concat("Aggregate function ", name, " requires at least one array"));
    const DataTypes nested_types = elementTypes(argument_types, name);
    return std::make_shared<AggregateFunctionArray>(factory.get(nested_name, nested_types, parameters), argument_types);
}

}

void registerAggregateFunctionCombinatorArray(AggregateFunctionFactory & factory)
{
    factory.registerCombinator("Array", create, true);
}

}
