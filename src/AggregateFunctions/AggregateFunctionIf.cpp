#include "../Columns/ColumnVector.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "AggregateFunctionFactory.h"
#include "IAggregateFunctionAdapter.h"
#include "registerAggregateFunctions.h"

namespace DB::inline statewire
{

namespace
{

/** -If: the nested function over the rows whose last argument, a UInt8, is not 0.
  *
  * The state is the nested function's, byte for byte, and its type is printed as the nested function's: groupBitmapIfState(x, c) is an
  * AggregateFunction(groupBitmap, UInt32). ClickHouse prints AggregateFunction(groupBitmapIf, UInt32, UInt8), and then its own bitmap
  * functions refuse that column, because they look for the name groupBitmap. The nested name is what every consumer takes, and rows
  * made with and without a condition land in one column. The longer name is read as well, prints as it was written, and is equal.
  */
class AggregateFunctionIf final : public IAggregateFunctionAdapter
{
public:
    AggregateFunctionIf(const AggregateFunctionPtr & nested_, const DataTypes & argument_types_)
        : IAggregateFunctionAdapter(nested_, argument_types_, nested_->getParameters(), nested_->getResultType()),
          condition_pos(argument_types_.size() - 1)
    {
    }

    [[nodiscard]] std::string getName() const override { return nested->getName() + "If"; }
    [[nodiscard]] bool isState() const noexcept override { return nested->isState(); }

    void add(AggregateDataPtr place, const IColumn ** columns, size_t row, Arena * arena) const override
    {
        if (flags(columns)[row])
            nested->add(place, columns, row, arena);
    }

    void addBatch(
        size_t row_begin, size_t row_end, AggregateDataPtr * places, size_t place_offset, const IColumn ** columns, Arena * arena,
        std::ptrdiff_t if_argument_pos) const override
    {
        if (if_argument_pos < 0)
        {
            nested->addBatch(row_begin, row_end, places, place_offset, columns, arena, static_cast<std::ptrdiff_t>(condition_pos));
            return;
        }
        const UInt8 * outer = static_cast<const ColumnUInt8 &>(*columns[if_argument_pos]).getData().data();
        for (size_t row = row_begin; row < row_end; ++row)
            if (places[row] && outer[row])
                add(places[row] + place_offset, columns, row, arena);
    }

    void addBatchSinglePlace(
        size_t row_begin, size_t row_end, AggregateDataPtr place, const IColumn ** columns, Arena * arena,
        std::ptrdiff_t if_argument_pos) const override
    {
        if (if_argument_pos < 0)
        {
            nested->addBatchSinglePlace(row_begin, row_end, place, columns, arena, static_cast<std::ptrdiff_t>(condition_pos));
            return;
        }
        const UInt8 * outer = static_cast<const ColumnUInt8 &>(*columns[if_argument_pos]).getData().data();
        for (size_t row = row_begin; row < row_end; ++row)
            if (outer[row])
                add(place, columns, row, arena);
    }

    void insertResultInto(AggregateDataPtr place, IColumn & to, Arena * arena) const override
    {
        nested->insertResultInto(place, to, arena);
    }

private:
    [[nodiscard]] const UInt8 * flags(const IColumn ** columns) const noexcept
    {
        return static_cast<const ColumnUInt8 &>(*columns[condition_pos]).getData().data();
    }

    size_t condition_pos;
};

AggregateFunctionPtr
create(const AggregateFunctionFactory & factory, std::string_view nested_name, const DataTypes & argument_types, const Array & parameters)
{
    if (argument_types.empty())
        throwError(
            ErrorCodes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
            concat("Aggregate function ", nested_name, "If requires a condition, its last argument"));
    if (argument_types.back()->getTypeId() != TypeIndex::UInt8)
        throwError(
            ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT,
            concat("The last argument of aggregate function ", nested_name, "If must be UInt8, not ", argument_types.back()->getName()));
    const DataTypes nested_types(argument_types.begin(), argument_types.end() - 1);
    return std::make_shared<AggregateFunctionIf>(factory.get(nested_name, nested_types, parameters), argument_types);
}

}

void registerAggregateFunctionCombinatorIf(AggregateFunctionFactory & factory)
{
    factory.registerCombinator("If", create);
}

}
