#include "../Columns/ColumnAggregateFunction.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeAggregateFunction.h"
#include "../DataTypes/DataTypeNumber.h"
#include "../DataTypes/dispatchNumber.h"
#include "AggregateFunctionFactory.h"
#include "AggregateFunctionGroupBitmap.h"
#include "IAggregateFunctionHelper.h"
#include "RoaringBitmapCombinedState.h"
#include "forEachPlace.h"
#include "registerAggregateFunctions.h"

namespace DB::inline statewire
{

namespace
{

template <SetOperation operation>
constexpr std::string_view NAME = operation == SetOperation::And ? "groupBitmapAnd"
    : operation == SetOperation::Or                              ? "groupBitmapOr"
                                                                 : "groupBitmapXor";

/** groupBitmapAnd, groupBitmapOr, groupBitmapXor over a column of groupBitmap states: how many values all of them, any of them, or an odd
  * number of them have.
  *
  * The result is UInt64, as for groupBitmap. States know whether they were fed, from version 1 of their bytes on (ClickHouse's default).
  */
template <typename T, SetOperation operation>
class AggregateFunctionGroupBitmapCombined final
    : public IAggregateFunctionDataHelper<RoaringBitmapCombinedState<T, operation>, AggregateFunctionGroupBitmapCombined<T, operation>>
{
    using State = RoaringBitmapCombinedState<T, operation>;
    using Set = RoaringBitmapState<T>;
    using Base = IAggregateFunctionDataHelper<State, AggregateFunctionGroupBitmapCombined<T, operation>>;
    using Base::data;
    using Base::flagsOf;

public:
    explicit AggregateFunctionGroupBitmapCombined(const DataTypes & argument_types_)
        : Base(argument_types_, {}, std::make_shared<DataTypeUInt64>())
    {
    }

    [[nodiscard]] std::string getName() const override { return std::string(NAME<operation>); }
    [[nodiscard]] bool isVersioned() const noexcept override { return true; }
    [[nodiscard]] size_t getVersionFromRevision(size_t revision) const noexcept override { return revision >= 54455 ? 1 : 0; }
    [[nodiscard]] size_t getDefaultVersion() const noexcept override { return State::DEFAULT_VERSION; }

    void create(AggregateDataPtr place) const override { new (place) State; }

    void add(AggregateDataPtr place, const IColumn ** columns, size_t row, Arena *) const override
    {
        data(place).add(*setAt(columns, row));
    }

    void addBatch(
        size_t row_begin, size_t row_end, AggregateDataPtr * places, size_t place_offset, const IColumn ** columns, Arena *,
        std::ptrdiff_t if_argument_pos) const override
    {
        const UInt8 * flags = flagsOf(columns, if_argument_pos);
        TrackedVector<const Set *> sets;
        forEachPlace(row_begin, row_end, places, [&](AggregateDataPtr place, std::span<const size_t> rows) {
            sets.clear();
            for (const size_t row : rows)
                if (!flags || flags[row])
                    sets.push_back(setAt(columns, row));
            data(place + place_offset).addMany(sets);
        });
    }

    void addBatchSinglePlace(
        size_t row_begin, size_t row_end, AggregateDataPtr place, const IColumn ** columns, Arena *,
        std::ptrdiff_t if_argument_pos) const override
    {
        const UInt8 * flags = flagsOf(columns, if_argument_pos);
        TrackedVector<const Set *> sets;
        for (size_t row = row_begin; row < row_end; ++row)
            if (!flags || flags[row])
                sets.push_back(setAt(columns, row));
        data(place).addMany(sets);
    }

    void merge(AggregateDataPtr place, ConstAggregateDataPtr rhs, Arena *) const override { data(place).merge(data(rhs)); }
    void mergeBatch(
        size_t row_begin, size_t row_end, AggregateDataPtr * places, size_t place_offset, const AggregateDataPtr * rhs,
        Arena *) const override
    {
        TrackedVector<const Set *> sets;
        forEachPlace(row_begin, row_end, places, [&](AggregateDataPtr place, std::span<const size_t> rows) {
            sets.clear();
            for (const size_t row : rows)
                if (const State & state = data(ConstAggregateDataPtr{rhs[row]}); state.wasFed())
                    sets.push_back(&state.set());
            data(place + place_offset).addMany(sets);
        });
    }

    [[nodiscard]] bool isMergeExact() const noexcept override { return true; }

    void serialize(ConstAggregateDataPtr place, WriteBuffer & out, std::optional<size_t> version) const override
    {
        data(place).write(out, version.value_or(State::DEFAULT_VERSION));
    }
    void deserialize(AggregateDataPtr place, ReadBuffer & in, std::optional<size_t> version, Arena * arena) const override
    {
        data(place).read(in, version.value_or(State::DEFAULT_VERSION), {}, arena);
    }
    void deserializeAndMerge(AggregateDataPtr place, ReadBuffer & in, std::optional<size_t> version) const override
    {
        data(place).readAndMerge(in, version.value_or(State::DEFAULT_VERSION));
    }

    void insertResultInto(AggregateDataPtr place, IColumn & to, Arena *) const override
    {
        static_cast<ColumnUInt64 &>(to).getData().push_back(data(ConstAggregateDataPtr{place}).set().cardinality());
    }

private:
    [[nodiscard]] static const Set * setAt(const IColumn ** columns, size_t row) noexcept
    {
        return std::launder(reinterpret_cast<const Set *>(static_cast<const ColumnAggregateFunction &>(*columns[0])[row]));
    }
};

template <SetOperation operation>
AggregateFunctionPtr create(const std::string & name, const DataTypes & argument_types, const Array & parameters)
{
    if (!parameters.empty())
        throwError(
            ErrorCodes::AGGREGATE_FUNCTION_DOESNT_ALLOW_PARAMETERS, concat("Aggregate function ", name, " takes no parameters"));
    if (argument_types.size() != 1)
        throwError(
            ErrorCodes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
            concat("Aggregate function ", name, " takes one argument, not ", argument_types.size()));
    AggregateFunctionPtr function;
    if (argument_types[0]->getTypeId() == TypeIndex::AggregateFunction)
        if (const auto element = groupBitmapElementType(*static_cast<const DataTypeAggregateFunction &>(*argument_types[0]).getFunction()))
            dispatchInteger(*element, [&]<typename T>() {
                function = std::make_shared<AggregateFunctionGroupBitmapCombined<T, operation>>(argument_types);
            });
    if (!function)
        throwError(
            ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT,
            concat("The argument of aggregate function ", name, " must be a bitmap, AggregateFunction(groupBitmap, T), not ",
                   argument_types[0]->getName()));
    return function;
}

}

std::optional<TypeIndex> bitmapStateElementType(const IAggregateFunction & function)
{
    const IAggregateFunction & base = function.getBaseAggregateFunctionWithSameStateRepresentation();
    const std::string name = base.getName();
    if (name != NAME<SetOperation::And> && name != NAME<SetOperation::Or> && name != NAME<SetOperation::Xor>)
        return groupBitmapElementType(function);
    return groupBitmapElementType(*static_cast<const DataTypeAggregateFunction &>(*base.getArgumentTypes().front()).getFunction());
}

void registerAggregateFunctionsGroupBitmapCombined(AggregateFunctionFactory & factory)
{
    factory.registerFunction(std::string(NAME<SetOperation::And>), create<SetOperation::And>);
    factory.registerFunction(std::string(NAME<SetOperation::Or>), create<SetOperation::Or>);
    factory.registerFunction(std::string(NAME<SetOperation::Xor>), create<SetOperation::Xor>);
}

}
