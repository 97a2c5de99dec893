#include "AggregateFunctionGroupBitmap.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeNumber.h"
#include "../DataTypes/StoredDataType.h"
#include "../DataTypes/dispatchNumber.h"
#include "../IO/VarInt.h"
#include "AggregateFunctionFactory.h"
#include "IAggregateFunctionHelper.h"
#include "RoaringBitmapState.h"
#include "forEachPlace.h"
#include "registerAggregateFunctions.h"

#include <algorithm>
#include <array>
#include <type_traits>

namespace DB::inline statewire
{

namespace
{
constexpr std::string_view NAME = "groupBitmap";
/// Rows that pass a condition are gathered in pieces of this many values, so that the state is fed in batches with a condition too.
constexpr size_t GATHERED_VALUES = 1024;
/// So many rows ahead states are brought nearer: with many groups, each is somewhere else.
constexpr size_t PREFETCH_ROWS = 16;

/** groupBitmap(x): the set of the values of an integer column, in ClickHouse's bytes.
  *
  * The result is the number of distinct values as UInt64. ClickHouse returns it in the type of the argument: a UInt8 bitmap of all 256
  * values counts 256 here and 0 there.
  */
template <typename T>
class AggregateFunctionGroupBitmap final : public IAggregateFunctionDataHelper<RoaringBitmapState<T>, AggregateFunctionGroupBitmap<T>>
{
    using Base = IAggregateFunctionDataHelper<RoaringBitmapState<T>, AggregateFunctionGroupBitmap<T>>;
    using Base::data;
    using Base::flagsOf;

public:
    explicit AggregateFunctionGroupBitmap(const DataTypes & argument_types_)
        : Base(argument_types_, {}, std::make_shared<DataTypeUInt64>())
    {
    }

    [[nodiscard]] std::string getName() const override { return std::string(NAME); }

    void create(AggregateDataPtr place) const override { new (place) RoaringBitmapState<T>; }

    void add(AggregateDataPtr place, const IColumn ** columns, size_t row, Arena *) const override
    {
        data(place).add(valuesOf(columns)[row]);
    }

    void addBatch(
        size_t row_begin, size_t row_end, AggregateDataPtr * places, size_t place_offset, const IColumn ** columns, Arena *,
        std::ptrdiff_t if_argument_pos) const override
    {
        const T * values = valuesOf(columns);
        if (const UInt8 * flags = flagsOf(columns, if_argument_pos))
        {
            for (size_t row = row_begin; row < row_end; ++row)
                if (places[row] && flags[row])
                    data(places[row] + place_offset).add(values[row]);
            return;
        }
        /// Sorted and clustered input has long runs of rows with one key.
        for (size_t row = row_begin; row < row_end;)
        {
            if (row + PREFETCH_ROWS < row_end && places[row + PREFETCH_ROWS])
                prefetch(places[row + PREFETCH_ROWS] + place_offset);
            AggregateDataPtr place = places[row];
            size_t next = row + 1;
            while (next < row_end && places[next] == place)
                ++next;
            if (place && next - row == 1)
                data(place + place_offset).add(values[row]);
            else if (place)
                data(place + place_offset).addBatch(values + row, next - row);
            row = next;
        }
    }

    void addBatchSinglePlace(
        size_t row_begin, size_t row_end, AggregateDataPtr place, const IColumn ** columns, Arena *,
        std::ptrdiff_t if_argument_pos) const override
    {
        if (const UInt8 * flags = flagsOf(columns, if_argument_pos))
            addSelected(row_begin, row_end, place, columns, [flags](size_t row) { return flags[row] != 0; });
        else
            data(place).addBatch(valuesOf(columns) + row_begin, row_end - row_begin);
    }

    void addBatchSinglePlaceNotNull(
        size_t row_begin, size_t row_end, AggregateDataPtr place, const IColumn ** columns, const UInt8 * null_map, Arena *,
        std::ptrdiff_t if_argument_pos) const override
    {
        if (const UInt8 * flags = flagsOf(columns, if_argument_pos))
            addSelected(row_begin, row_end, place, columns, [=](size_t row) { return flags[row] != 0 && null_map[row] == 0; });
        else
            addSelected(row_begin, row_end, place, columns, [null_map](size_t row) { return null_map[row] == 0; });
    }

    /// All values of a key in one call. Places are made in the order of the keys.
    void addBatchLookupTable8(
        size_t row_begin, size_t row_end, AggregateDataPtr * map, size_t place_offset, const std::function<void(AggregateDataPtr &)> & init,
        const UInt8 * key, const IColumn ** columns, Arena *) const override
    {
        constexpr size_t KEYS = 256;
        const T * values = valuesOf(columns);
        std::array<size_t, KEYS + 1> ends{};
        for (size_t row = row_begin; row < row_end; ++row)
            ++ends[key[row] + size_t{1}];
        for (size_t i = 1; i <= KEYS; ++i)
            ends[i] += ends[i - 1];
        TrackedVector<T> grouped(row_end - row_begin);
        for (size_t row = row_begin; row < row_end; ++row)
            grouped[ends[key[row]]++] = values[row];
        for (size_t i = 0; i < KEYS; ++i)
        {
            const size_t begin = i == 0 ? 0 : ends[i - 1];
            if (begin == ends[i])
                continue;
            if (!map[i])
                init(map[i]);
            data(map[i] + place_offset).addBatch(grouped.data() + begin, ends[i] - begin);
        }
    }

    void addManyDefaults(AggregateDataPtr place, const IColumn ** columns, size_t length, Arena *) const override
    {
        if (length != 0)
            data(place).add(valuesOf(columns)[0]);
    }

    void merge(AggregateDataPtr place, ConstAggregateDataPtr rhs, Arena *) const override { data(place).merge(data(rhs)); }
    void mergeBatch(
        size_t row_begin, size_t row_end, AggregateDataPtr * places, size_t place_offset, const AggregateDataPtr * rhs,
        Arena *) const override
    {
        TrackedVector<const RoaringBitmapState<T> *> states;
        forEachPlace(row_begin, row_end, places, [&](AggregateDataPtr place, std::span<const size_t> rows) {
            states.clear();
            for (const size_t row : rows)
                states.push_back(&data(ConstAggregateDataPtr{rhs[row]}));
            data(place + place_offset).mergeMany(states);
        });
    }
    void mergeAndDestroyBatch(AggregateDataPtr place, AggregateDataPtr * rhs, size_t size, Arena *) const override
    {
        size_t done = 0;
        try
        {
            for (; done < size; ++done)
            {
                data(place).merge(std::move(data(rhs[done])));
                this->destroy(rhs[done]);
            }
        }
        catch (...)
        {
            this->destroyBatch(done, size, rhs, 0);
            throw;
        }
    }
    [[nodiscard]] bool isMergeExact() const noexcept override { return true; }

    void serialize(ConstAggregateDataPtr place, WriteBuffer & out, std::optional<size_t>) const override { data(place).write(out); }
    [[nodiscard]] UInt64 serializedSize(ConstAggregateDataPtr place, std::optional<size_t>) const override
    {
        return data(place).serializedSize();
    }
    /// Types of one and two bytes fill one container, or two when they are signed.
    [[nodiscard]] std::optional<size_t> getSerializedSizeBound(std::optional<size_t>) const noexcept override
    {
        if constexpr (sizeof(T) > 2)
            return std::nullopt;
        constexpr size_t CONTAINERS = std::is_signed_v<T> ? 2 : 1;
        constexpr size_t LARGEST_CONTENT = sizeof(T) == 1 ? 512 : CONTAINERS * 8192;
        constexpr size_t BITMAP = 8 + CONTAINERS * 8 + LARGEST_CONTENT;
        return 1 + getLengthOfVarUInt(BITMAP) + BITMAP;
    }
    void deserialize(AggregateDataPtr place, ReadBuffer & in, std::optional<size_t>, Arena * arena) const override
    {
        data(place).read(in, {}, arena);
    }
    void deserializeAndMerge(AggregateDataPtr place, ReadBuffer & in, std::optional<size_t>) const override
    {
        data(place).readAndMerge(in);
    }

    void insertResultInto(AggregateDataPtr place, IColumn & to, Arena *) const override
    {
        static_cast<ColumnUInt64 &>(to).getData().push_back(data(ConstAggregateDataPtr{place}).cardinality());
    }

    void seal(AggregateDataPtr place) const override { data(place).seal(); }

private:
    template <typename Selected>
    static void addSelected(size_t row_begin, size_t row_end, AggregateDataPtr place, const IColumn ** columns, Selected && selected)
    {
        const T * values = valuesOf(columns);
        T gathered[GATHERED_VALUES];
        for (size_t row = row_begin; row < row_end;)
        {
            size_t n = 0;
            for (const size_t end = std::min(row_end, row + GATHERED_VALUES); row < end; ++row)
            {
                gathered[n] = values[row];
                n += selected(row) ? 1 : 0;
            }
            data(place).addBatch(gathered, n);
        }
    }

    /// A state may lie in two lines.
    static void prefetch(ConstAggregateDataPtr place) noexcept
    {
        __builtin_prefetch(place, 1);
        __builtin_prefetch(place + sizeof(RoaringBitmapState<T>) - 1, 1);
    }

    [[nodiscard]] static const T * valuesOf(const IColumn ** columns) noexcept
    {
        return static_cast<const ColumnVector<T> &>(*columns[0]).getData().data();
    }
};

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
    dispatchInteger(boolAsNumber(*argument_types[0]).getTypeId(), [&]<typename T>() {
        function = std::make_shared<AggregateFunctionGroupBitmap<T>>(argument_types);
    });
    if (!function)
        throwError(
            ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT,
            concat("The argument of aggregate function ", name, " must be an integer of 8 to 64 bits, not ", argument_types[0]->getName()));
    return function;
}

}

std::optional<TypeIndex> groupBitmapElementType(const IAggregateFunction & function)
{
    const IAggregateFunction & base = function.getBaseAggregateFunctionWithSameStateRepresentation();
    std::optional<TypeIndex> element;
    /// A function of this name over a Nullable argument has states of another layout.
    if (base.getName() == NAME && !base.getNestedFunction())
        element = boolAsNumber(*base.getArgumentTypes().front()).getTypeId();
    return element;
}

void registerAggregateFunctionGroupBitmap(AggregateFunctionFactory & factory)
{
    factory.registerFunction(std::string(NAME), create);
}

}
