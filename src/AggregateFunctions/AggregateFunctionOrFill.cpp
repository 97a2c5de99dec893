#include "../Columns/ColumnNullable.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeAggregateFunction.h"
#include "../DataTypes/DataTypeNullable.h"
#include "AggregateFunctionFactory.h"
#include "AggregateFunctionNull.h"
#include "IAggregateFunctionCombinator.h"
#include "StateFlag.h"
#include "registerAggregateFunctions.h"

namespace DB::inline statewire
{

namespace
{
constexpr const char * FLAG_MEANING = "behind a state of -OrNull or -OrDefault";
constexpr std::string_view MERGE = "Merge";

/** -OrNull and -OrDefault: the nested function, whose result is NULL or the type's default when no row was added.
  *
  * A byte behind the nested state says whether a row was added, in memory as in the state's bytes. Where the result cannot be Nullable
  * (arrays, states), -OrNull gives the type's default too. A batch that throws leaves the byte as it was.
  */
template <bool use_null>
class AggregateFunctionOrFill final : public IAggregateFunctionCombinator<AggregateFunctionOrFill<use_null>>
{
    using Base = IAggregateFunctionCombinator<AggregateFunctionOrFill<use_null>>;
    using Base::flagsOf;
    using Base::nested;

public:
    explicit AggregateFunctionOrFill(const AggregateFunctionPtr & nested_)
        : Base(nested_, nested_->getArgumentTypes(), resultType(nested_->getResultType())),
          flag_offset(nested_->sizeOfData()),
          makes_nullable(this->result_type != nested_->getResultType())
    {
    }

    [[nodiscard]] std::string getName() const override { return nested->getName() + (use_null ? "OrNull" : "OrDefault"); }

    /// Around -If, with or without others of these between, NULLs are handled here and not inside: a row with a NULL counts as none, not even where
    /// only the condition is Nullable.
    [[nodiscard]] AggregateFunctionPtr getOwnNullAdapter(const DataTypes & nullable_types) const override
    {
        if (!nested->getOwnNullAdapter(nullable_types))
            return nullptr;
        return addCommonNullHandling(std::make_shared<AggregateFunctionOrFill>(nested), nullable_types, true);
    }

    [[nodiscard]] size_t sizeOfData() const noexcept override { return flag_offset + 1; }
    void create(AggregateDataPtr place) const override
    {
        nested->create(place);
        place[flag_offset] = 0;
    }
    void destroy(AggregateDataPtr place) const noexcept override { nested->destroy(place); }
    [[nodiscard]] size_t heldBytes(ConstAggregateDataPtr place) const noexcept override { return nested->heldBytes(place); }
    void seal(AggregateDataPtr place) const override { nested->seal(place); }

    void add(AggregateDataPtr place, const IColumn ** columns, size_t row, Arena * arena) const override
    {
        nested->add(place, columns, row, arena);
        place[flag_offset] = 1;
    }

    void addManyDefaults(AggregateDataPtr place, const IColumn ** columns, size_t length, Arena * arena) const override
    {
        nested->addManyDefaults(place, columns, length, arena);
        place[flag_offset] |= static_cast<char>(length != 0);
    }

    void addBatch(
        size_t row_begin, size_t row_end, AggregateDataPtr * places, size_t place_offset, const IColumn ** columns, Arena * arena,
        std::ptrdiff_t if_argument_pos) const override
    {
        nested->addBatch(row_begin, row_end, places, place_offset, columns, arena, if_argument_pos);
        const UInt8 * flags = flagsOf(columns, if_argument_pos);
        for (size_t row = row_begin; row < row_end; ++row)
            if (places[row] && (!flags || flags[row]))
                places[row][place_offset + flag_offset] = 1;
    }

    void addBatchSinglePlace(
        size_t row_begin, size_t row_end, AggregateDataPtr place, const IColumn ** columns, Arena * arena,
        std::ptrdiff_t if_argument_pos) const override
    {
        nested->addBatchSinglePlace(row_begin, row_end, place, columns, arena, if_argument_pos);
        const UInt8 * flags = flagsOf(columns, if_argument_pos);
        setFlagIfAny(row_begin, row_end, place, [flags](size_t row) { return !flags || flags[row]; });
    }

    void addBatchSinglePlaceNotNull(
        size_t row_begin, size_t row_end, AggregateDataPtr place, const IColumn ** columns, const UInt8 * null_map, Arena * arena,
        std::ptrdiff_t if_argument_pos) const override
    {
        nested->addBatchSinglePlaceNotNull(row_begin, row_end, place, columns, null_map, arena, if_argument_pos);
        const UInt8 * flags = flagsOf(columns, if_argument_pos);
        setFlagIfAny(row_begin, row_end, place, [=](size_t row) { return !null_map[row] && (!flags || flags[row]); });
    }

    void addBatchArray(
        size_t row_begin, size_t row_end, AggregateDataPtr * places, size_t place_offset, const IColumn ** columns, const UInt64 * offsets,
        Arena * arena) const override
    {
        nested->addBatchArray(row_begin, row_end, places, place_offset, columns, offsets, arena);
        for (size_t row = row_begin; row < row_end; ++row)
            if (places[row] && offsets[row] != (row == 0 ? 0 : offsets[row - 1]))
                places[row][place_offset + flag_offset] = 1;
    }

    void merge(AggregateDataPtr place, ConstAggregateDataPtr rhs, Arena * arena) const override
    {
        nested->merge(place, rhs, arena);
        place[flag_offset] |= rhs[flag_offset];
    }
    void mergeBatch(
        size_t row_begin, size_t row_end, AggregateDataPtr * places, size_t place_offset, const AggregateDataPtr * rhs,
        Arena * arena) const override
    {
        nested->mergeBatch(row_begin, row_end, places, place_offset, rhs, arena);
        for (size_t row = row_begin; row < row_end; ++row)
            if (places[row])
                places[row][place_offset + flag_offset] |= rhs[row][flag_offset];
    }

    void serialize(ConstAggregateDataPtr place, WriteBuffer & out, std::optional<size_t> version) const override
    {
        nested->serialize(place, out, version);
        out.write(place[flag_offset]);
    }
    [[nodiscard]] std::optional<size_t> getSerializedSizeBound(std::optional<size_t> version) const noexcept override
    {
        std::optional<size_t> bound = nested->getSerializedSizeBound(version);
        if (bound)
            ++*bound;
        return bound;
    }
    void deserialize(AggregateDataPtr place, ReadBuffer & in, std::optional<size_t> version, Arena * arena) const override
    {
        nested->deserialize(place, in, version, arena);
        place[flag_offset] = static_cast<char>(readStateFlag(in, FLAG_MEANING));
    }
    void deserializeAndMerge(AggregateDataPtr place, ReadBuffer & in, std::optional<size_t> version) const override
    {
        this->deserializeWholeAndMerge(place, in, version);
    }

    void insertResultInto(AggregateDataPtr place, IColumn & to, Arena * arena) const override
    {
        if (!place[flag_offset])
            to.insertDefault();
        else if (makes_nullable)
            static_cast<ColumnNullable &>(to).insertNotNull([&](IColumn & values) { nested->insertResultInto(place, values, arena); });
        else
            nested->insertResultInto(place, to, arena);
    }

private:
    [[nodiscard]] static DataTypePtr resultType(const DataTypePtr & type)
    {
        return use_null && type->canBeInsideNullable() ? std::make_shared<DataTypeNullable>(type) : type;
    }

    template <typename Selected>
    void setFlagIfAny(size_t row_begin, size_t row_end, AggregateDataPtr place, Selected && selected) const
    {
        for (size_t row = row_begin; row < row_end && !place[flag_offset]; ++row)
            place[flag_offset] = static_cast<char>(selected(row) ? 1 : 0);
    }

    size_t flag_offset;
    bool makes_nullable;
};

/// groupBitmapMergeOrNull merges states of groupBitmapOrNull, as in ClickHouse, and here states of groupBitmap too.
template <bool use_null>
bool isMergeOfOrNull(std::string_view nested_name, const DataTypes & argument_types)
{
    if (!use_null || !nested_name.ends_with(MERGE) || argument_types.size() != 1
        || argument_types[0]->getTypeId() != TypeIndex::AggregateFunction)
        return false;
    const std::string given = static_cast<const DataTypeAggregateFunction &>(*argument_types[0]).getFunction()->getName();
    return given == concat(nested_name.substr(0, nested_name.size() - MERGE.size()), "OrNull");
}

template <bool use_null>
AggregateFunctionPtr
create(const AggregateFunctionFactory & factory, std::string_view nested_name, const DataTypes & argument_types, const Array & parameters)
{
    if (isMergeOfOrNull<use_null>(nested_name, argument_types))
        return factory.get(concat(nested_name.substr(0, nested_name.size() - MERGE.size()), "OrNull", MERGE), argument_types, parameters);
    return std::make_shared<AggregateFunctionOrFill<use_null>>(factory.get(nested_name, argument_types, parameters));
}

}

void registerAggregateFunctionCombinatorsOrFill(AggregateFunctionFactory & factory)
{
    factory.registerCombinator("OrNull", create<true>, true);
    factory.registerCombinator("OrDefault", create<false>, true);
}

}
