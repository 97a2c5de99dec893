#include "AggregateFunctionNull.h"

#include "../Columns/ColumnNullable.h"
#include "../DataTypes/DataTypeNullable.h"
#include "ArgumentColumns.h"
#include "IAggregateFunctionCombinator.h"
#include "StateFlag.h"

#include <algorithm>
#include <type_traits>

namespace DB::inline statewire
{

namespace
{
constexpr const char * FLAG_MEANING = "before a state of Nullable arguments";

/// The byte in front of the nested state that says whether a value was seen.
enum class NullFlag
{
    None, /// the state is the nested one
    Kept, /// in memory too, padded to the nested state's alignment
    AlwaysOne /// only where states are written
};

template <NullFlag kind>
class AggregateFunctionNull;
template <NullFlag kind>
using NullBase = std::conditional_t<
    kind == NullFlag::None, IAggregateFunctionAdapter<AggregateFunctionNull<kind>>, IAggregateFunctionCombinator<AggregateFunctionNull<kind>>>;

/** A batch that throws leaves the flag as it was. */
template <NullFlag kind>
class AggregateFunctionNull final : public NullBase<kind>
{
    static constexpr bool has_flag = kind == NullFlag::Kept;
    static constexpr bool writes_flag = kind != NullFlag::None;
    using Base = NullBase<kind>;
    using Base::flagsOf;
    using Base::nested;

public:
    AggregateFunctionNull(const AggregateFunctionPtr & nested_, const DataTypes & nullable_types, DataTypePtr result_type_)
        : Base(nested_, nullable_types, std::move(result_type_)), prefix_size(has_flag ? nested_->alignOfData() : 0)
    {
        for (size_t i = 0; i < nullable_types.size(); ++i)
            if (isNullable(nullable_types[i]))
                nullable_arguments.push_back(i);
    }

    [[nodiscard]] std::string getName() const override { return nested->getName(); }

    [[nodiscard]] size_t sizeOfData() const noexcept override { return prefix_size + nested->sizeOfData(); }
    void create(AggregateDataPtr place) const override
    {
        nested->create(place + prefix_size);
        if constexpr (has_flag)
            place[0] = 0;
    }
    void destroy(AggregateDataPtr place) const noexcept override { nested->destroy(place + prefix_size); }
    [[nodiscard]] size_t heldBytes(ConstAggregateDataPtr place) const noexcept override { return nested->heldBytes(place + prefix_size); }
    void seal(AggregateDataPtr place) const override { nested->seal(place + prefix_size); }

    void add(AggregateDataPtr place, const IColumn ** columns, size_t row, Arena * arena) const override
    {
        if (hasNull(columns, row))
            return;
        nested->add(place + prefix_size, innerColumns(columns), row, arena);
        setFlag(place);
    }

    void addManyDefaults(AggregateDataPtr place, const IColumn ** columns, size_t length, Arena * arena) const override
    {
        if (length == 0 || hasNull(columns, 0))
            return;
        nested->addManyDefaults(place + prefix_size, innerColumns(columns), length, arena);
        setFlag(place);
    }

    void addBatch(
        size_t row_begin, size_t row_end, AggregateDataPtr * places, size_t place_offset, const IColumn ** columns, Arena * arena,
        std::ptrdiff_t if_argument_pos) const override
    {
        /// Rows that do not count get no place.
        const UInt8 * flags = flagsOf(columns, if_argument_pos);
        const auto selected = Base::selectPlaces(
            row_begin, row_end, places, [&](size_t row) { return (!flags || flags[row]) && !hasNull(columns, row); });
        nested->addBatch(row_begin, row_end, selected.data(), place_offset + prefix_size, innerColumns(columns), arena, -1);
        if constexpr (has_flag)
            for (size_t row = row_begin; row < row_end; ++row)
                if (selected[row])
                    setFlag(selected[row] + place_offset);
    }

    void addBatchSinglePlace(
        size_t row_begin, size_t row_end, AggregateDataPtr place, const IColumn ** columns, Arena * arena,
        std::ptrdiff_t if_argument_pos) const override
    {
        if (nullable_arguments.size() != 1)
        {
            Base::Helper::addBatchSinglePlace(row_begin, row_end, place, columns, arena, if_argument_pos);
            return;
        }
        const UInt8 * null_map = static_cast<const ColumnNullable &>(*columns[nullable_arguments[0]]).getNullMap().data();
        nested->addBatchSinglePlaceNotNull(
            row_begin, row_end, place + prefix_size, innerColumns(columns, if_argument_pos), null_map, arena, if_argument_pos);
        if constexpr (has_flag)
        {
            const UInt8 * flags = flagsOf(columns, if_argument_pos);
            for (size_t row = row_begin; row < row_end && !place[0]; ++row)
                if (!null_map[row] && (!flags || flags[row]))
                    setFlag(place);
        }
    }

    void merge(AggregateDataPtr place, ConstAggregateDataPtr rhs, Arena * arena) const override
    {
        if (!flagOf(rhs))
            return;
        nested->merge(place + prefix_size, rhs + prefix_size, arena);
        setFlag(place);
    }

    void serialize(ConstAggregateDataPtr place, WriteBuffer & out, std::optional<size_t> version) const override
    {
        if constexpr (writes_flag)
            out.write(static_cast<char>(flagOf(place)));
        if (flagOf(place))
            nested->serialize(place + prefix_size, out, version);
    }
    [[nodiscard]] std::optional<size_t> getSerializedSizeBound(std::optional<size_t> version) const noexcept override
    {
        std::optional<size_t> bound = nested->getSerializedSizeBound(version);
        if (writes_flag && bound)
            ++*bound;
        return bound;
    }
    void deserialize(AggregateDataPtr place, ReadBuffer & in, std::optional<size_t> version, Arena * arena) const override
    {
        if (writes_flag && !readStateFlag(in, FLAG_MEANING))
            return;
        nested->deserialize(place + prefix_size, in, version, arena);
        setFlag(place);
    }
    void deserializeAndMerge(AggregateDataPtr place, ReadBuffer & in, std::optional<size_t> version) const override
    {
        if (writes_flag && !readStateFlag(in, FLAG_MEANING))
            return;
        nested->deserializeAndMerge(place + prefix_size, in, version);
        setFlag(place);
    }

    void insertResultInto(AggregateDataPtr place, IColumn & to, Arena * arena) const override
    {
        if constexpr (has_flag)
        {
            if (flagOf(place))
                static_cast<ColumnNullable &>(to).insertNotNull(
                    [&](IColumn & values) { nested->insertResultInto(place + prefix_size, values, arena); });
            else
                to.insertDefault();
        }
        else
            nested->insertResultInto(place, to, arena);
    }

private:
    [[nodiscard]] bool hasNull(const IColumn ** columns, size_t row) const noexcept
    {
        return std::any_of(nullable_arguments.begin(), nullable_arguments.end(), [&](size_t i) {
            return static_cast<const ColumnNullable &>(*columns[i]).isNullAt(row);
        });
    }
    /// The columns inside the Nullable ones, and behind the arguments the condition of an outer -If.
    [[nodiscard]] ArgumentColumns innerColumns(const IColumn ** columns, std::ptrdiff_t if_argument_pos = -1) const noexcept
    {
        ArgumentColumns inner(columns, std::max(this->argument_types.size(), static_cast<size_t>(if_argument_pos + 1)));
        for (const size_t i : nullable_arguments)
            inner[i] = &static_cast<const ColumnNullable &>(*columns[i]).getNestedColumn();
        return inner;
    }
    [[nodiscard]] static bool flagOf(ConstAggregateDataPtr place) noexcept { return !has_flag || place[0] != 0; }
    static void setFlag(AggregateDataPtr place) noexcept
    {
        if constexpr (has_flag)
            place[0] = 1;
    }

    std::vector<size_t> nullable_arguments;
    size_t prefix_size;
};
}

AggregateFunctionPtr addNullHandling(const AggregateFunctionPtr & nested, const DataTypes & nullable_types)
{
    if (!anyIsNullable(nullable_types))
        return nested;
    if (AggregateFunctionPtr own = nested->getOwnNullAdapter(nullable_types))
        return own;
    return addCommonNullHandling(nested, nullable_types);
}

AggregateFunctionPtr addCommonNullHandling(const AggregateFunctionPtr & nested, const DataTypes & nullable_types, bool always_with_byte)
{
    if (!anyIsNullable(nullable_types))
        return nested;
    const DataTypePtr & result = nested->getResultType();
    if (result->canBeInsideNullable())
        return std::make_shared<AggregateFunctionNull<NullFlag::Kept>>(nested, nullable_types, std::make_shared<DataTypeNullable>(result));
    if (always_with_byte)
        return std::make_shared<AggregateFunctionNull<NullFlag::AlwaysOne>>(nested, nullable_types, result);
    return std::make_shared<AggregateFunctionNull<NullFlag::None>>(nested, nullable_types, result);
}

}
