#include "../Columns/ColumnNullable.h"
#include "../Columns/ColumnVector.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeNullable.h"
#include "../DataTypes/StoredDataType.h"
#include "AggregateFunctionFactory.h"
#include "AggregateFunctionNull.h"
#include "ArgumentColumns.h"
#include "IAggregateFunctionCombinator.h"
#include "registerAggregateFunctions.h"

namespace DB::inline statewire
{

namespace
{

/** -If: the nested function over the rows whose last argument, a UInt8, is not 0. A condition of Nullable(UInt8) that is NULL is false.
  *
  * The state is the nested function's, byte for byte, and its type is equal to the nested function's. It is printed with -If and the
  * condition, as ClickHouse does; groupBitmapStateIf(x, c) gives a column of the plain AggregateFunction(groupBitmap, UInt32).
  */
class AggregateFunctionIf final : public IAggregateFunctionAdapter<AggregateFunctionIf>
{
public:
    AggregateFunctionIf(const AggregateFunctionPtr & nested_, const DataTypes & argument_types_)
        : IAggregateFunctionAdapter(nested_, argument_types_, nested_->getResultType()),
          condition_pos(argument_types_.size() - 1),
          nullable_condition(isNullable(argument_types_.back()))
    {
    }

    [[nodiscard]] std::string getName() const override { return nested->getName() + "If"; }

    /// NULLs of the other arguments are the nested function's matter: no row of a false condition counts as a value seen.
    [[nodiscard]] AggregateFunctionPtr getOwnNullAdapter(const DataTypes & nullable_types) const override
    {
        const DataTypes nested_types(nullable_types.begin(), nullable_types.end() - 1);
        return std::make_shared<AggregateFunctionIf>(addCommonNullHandling(nested, nested_types), nullable_types);
    }

    void add(AggregateDataPtr place, const IColumn ** columns, size_t row, Arena * arena) const override
    {
        if (isSelected(columns, row))
            nested->add(place, columns, row, arena);
    }

    void addManyDefaults(AggregateDataPtr place, const IColumn ** columns, size_t length, Arena * arena) const override
    {
        if (length != 0 && isSelected(columns, 0))
            nested->addManyDefaults(place, columns, length, arena);
    }

    void addBatch(
        size_t row_begin, size_t row_end, AggregateDataPtr * places, size_t place_offset, const IColumn ** columns, Arena * arena,
        std::ptrdiff_t if_argument_pos) const override
    {
        if (!nullable_condition && if_argument_pos < 0)
        {
            nested->addBatch(row_begin, row_end, places, place_offset, columns, arena, static_cast<std::ptrdiff_t>(condition_pos));
            return;
        }
        /// Rows that a second condition or a NULL excludes get no place.
        const UInt8 * outer = flagsOf(columns, if_argument_pos);
        const auto selected
            = selectPlaces(row_begin, row_end, places, [&](size_t row) { return (!outer || outer[row]) && isSelected(columns, row); });
        nested->addBatch(row_begin, row_end, selected.data(), place_offset, columns, arena, -1);
    }

    void addBatchSinglePlace(
        size_t row_begin, size_t row_end, AggregateDataPtr place, const IColumn ** columns, Arena * arena,
        std::ptrdiff_t if_argument_pos) const override
    {
        if (if_argument_pos >= 0)
            Helper::addBatchSinglePlace(row_begin, row_end, place, columns, arena, if_argument_pos);
        else if (!nullable_condition)
            nested->addBatchSinglePlace(row_begin, row_end, place, columns, arena, static_cast<std::ptrdiff_t>(condition_pos));
        else
        {
            const auto & condition = static_cast<const ColumnNullable &>(*columns[condition_pos]);
            ArgumentColumns nested_columns(columns, condition_pos + 1);
            nested_columns[condition_pos] = &condition.getNestedColumn();
            nested->addBatchSinglePlaceNotNull(
                row_begin, row_end, place, nested_columns, condition.getNullMap().data(), arena, static_cast<std::ptrdiff_t>(condition_pos));
        }
    }

    void addBatchSinglePlaceNotNull(
        size_t row_begin, size_t row_end, AggregateDataPtr place, const IColumn ** columns, const UInt8 * null_map, Arena * arena,
        std::ptrdiff_t if_argument_pos) const override
    {
        if (nullable_condition || if_argument_pos >= 0)
            Helper::addBatchSinglePlaceNotNull(row_begin, row_end, place, columns, null_map, arena, if_argument_pos);
        else
            nested->addBatchSinglePlaceNotNull(
                row_begin, row_end, place, columns, null_map, arena, static_cast<std::ptrdiff_t>(condition_pos));
    }

private:
    [[nodiscard]] bool isSelected(const IColumn ** columns, size_t row) const noexcept
    {
        const IColumn * condition = columns[condition_pos];
        if (nullable_condition)
        {
            const auto & nullable = static_cast<const ColumnNullable &>(*condition);
            if (nullable.isNullAt(row))
                return false;
            condition = &nullable.getNestedColumn();
        }
        return static_cast<const ColumnUInt8 &>(*condition).getData()[row] != 0;
    }

    size_t condition_pos;
    bool nullable_condition;
};

AggregateFunctionPtr
create(const AggregateFunctionFactory & factory, std::string_view nested_name, const DataTypes & argument_types, const Array & parameters)
{
    if (argument_types.empty())
        throwError(
            ErrorCodes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
            concat("Aggregate function ", nested_name, "If requires a condition, its last argument"));
    if (boolAsNumber(*argument_types.back()).getTypeId() != TypeIndex::UInt8)
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
