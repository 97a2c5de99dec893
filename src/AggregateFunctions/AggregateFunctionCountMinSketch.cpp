#include "AggregateFunctionCountMinSketch.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../CountMin/CountMinParameters.h"
#include "../DataTypes/DataTypeNumber.h"
#include "../DataTypes/dispatchNumber.h"
#include "AggregateFunctionFactory.h"
#include "CountMinFunctionArguments.h"
#include "CountMinKeyReader.h"
#include "CountMinSketchState.h"
#include "IAggregateFunctionHelper.h"
#include "registerAggregateFunctions.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <memory>
#include <span>

namespace DB::inline statewire
{

namespace
{
constexpr std::string_view NAME = "countMinSketch";

/** The rows that go into one call of a state: few enough that their keys and weights stay in the first caches. */
template <typename W>
class RowBatch
{
public:
    static constexpr size_t SIZE = 1024;

    /// Takes rows from `row` on that are selected, until it is full; returns the row to go on with.
    template <typename Selected>
    size_t select(size_t row, size_t row_end, Selected && selected)
    {
        count = 0;
        has_weights = false;
        for (; row < row_end && count < SIZE; ++row)
        {
            rows[count] = row;
            count += selected(row) ? 1 : 0;
        }
        return row;
    }

    [[nodiscard]] size_t size() const noexcept { return count; }
    [[nodiscard]] size_t row(size_t index) const noexcept { return rows[index]; }
    [[nodiscard]] const CountMinKeys & keys() const noexcept { return batch_keys; }
    /// Empty where every row weighs 1.
    [[nodiscard]] std::span<const W> weights() const noexcept { return {batch_weights, has_weights ? count : 0}; }

    /// Strings and neighbouring numbers stay where they are.
    void readKeys(CountMinKeyReader reader) noexcept
    {
        const UInt32 key_size = reader.keySize();
        const bool are_neighbours = rows[count - 1] - rows[0] + 1 == count;
        if (key_size == 0)
        {
            for (size_t i = 0; i < count; ++i)
                views[i] = reader[rows[i]];
            batch_keys = CountMinKeys::strings({views, count});
        }
        else if (are_neighbours && std::endian::native == std::endian::little)
            batch_keys = CountMinKeys::fixed(reader.numbersFrom(rows[0]), key_size, count);
        else
        {
            for (size_t i = 0; i < count; ++i)
                std::memcpy(bytes + i * key_size, reader[rows[i]].data(), key_size);
            batch_keys = CountMinKeys::fixed(bytes, key_size, count);
        }
    }

    template <typename T>
    void readWeights(const T * from) noexcept
    {
        for (size_t i = 0; i < count; ++i)
            batch_weights[i] = static_cast<W>(from[rows[i]]);
        has_weights = true;
    }

private:
    size_t count = 0;
    bool has_weights = false;
    CountMinKeys batch_keys = CountMinKeys::strings({});
    size_t rows[SIZE];
    W batch_weights[SIZE];
    std::string_view views[SIZE];
    char bytes[SIZE * sizeof(UInt64)];
};

/** countMinSketch(num_hashes, num_buckets[, seed[, row_seeds[, option]]])(key[, weight]): how often each key came, or its summed weight, roughly.
  *
  * The key is any number or a String and is hashed as the column's raw little-endian bytes, so UInt8 7 and UInt64 7 are different keys.
  * Weights are UInt64, Int64 or Float64 after the weight column's kind; without one every row weighs 1 as UInt64.
  * The result is the total weight (the sum of magnitudes) in the weights' type; what keys weigh is asked of the state.
  * States are the same for every weight column of one kind: countMinSketch(5, 272)(String), (String, UInt8) and (String, UInt64) merge.
  * Parameters are kept as they are printed, without defaults. The option is 'conservative' (unsigned weights), 'decayed' or 'conservative_decayed'.
  */
template <typename W>
class AggregateFunctionCountMinSketch final : public IAggregateFunctionDataHelper<CountMinSketchState<W>, AggregateFunctionCountMinSketch<W>>
{
    using State = CountMinSketchState<W>;
    using Helper = IAggregateFunctionDataHelper<State, AggregateFunctionCountMinSketch<W>>;
    using Helper::data;
    using Helper::flagsOf;
    using Batch = RowBatch<W>;
    /// A weight column's type of W's kind.
    template <typename T>
    static constexpr bool isWeight
        = std::is_floating_point_v<T> == std::is_floating_point_v<W> && std::is_signed_v<T> == std::is_signed_v<W>;

public:
    AggregateFunctionCountMinSketch(const DataTypes & argument_types_, const CountMinParameters & sketch_, Array printed_parameters)
        : Helper(argument_types_, std::move(printed_parameters), std::make_shared<DataTypeNumber<W>>()),
          sketch(sketch_), key_size(sizeOfNumber(argument_types_[0]->getTypeId()))
    {
    }

    [[nodiscard]] std::string getName() const override { return std::string(NAME); }
    [[nodiscard]] const CountMinParameters & sketchParameters() const noexcept { return sketch; }

    void create(AggregateDataPtr place) const override { new (place) State(sketch, key_size); }

    void add(AggregateDataPtr place, const IColumn ** columns, size_t row, Arena *) const override
    {
        forEachRow(columns, row, row + 1, [&](size_t, std::string_view key, W weight) { data(place).add(key, weight); });
    }

    void addBatch(
        size_t row_begin, size_t row_end, AggregateDataPtr * places, size_t place_offset, const IColumn ** columns, Arena *,
        std::ptrdiff_t if_argument_pos) const override
    {
        const UInt8 * flags = flagsOf(columns, if_argument_pos);
        State * states[Batch::SIZE];
        forEachBatch(
            columns, row_begin, row_end, [&](size_t row) { return places[row] && (!flags || flags[row]); },
            [&](const Batch & batch) {
                for (size_t i = 0; i < batch.size(); ++i)
                    states[i] = &data(places[batch.row(i)] + place_offset);
                State::addToEach(states, batch.keys(), batch.weights());
            });
    }

    /// An error leaves the state with some of the rows before the one that failed, as row by row.
    void addBatchSinglePlace(
        size_t row_begin, size_t row_end, AggregateDataPtr place, const IColumn ** columns, Arena *,
        std::ptrdiff_t if_argument_pos) const override
    {
        const UInt8 * flags = flagsOf(columns, if_argument_pos);
        forEachBatch(
            columns, row_begin, row_end, [&](size_t row) { return !flags || flags[row]; },
            [&](const Batch & batch) { data(place).addBatch(batch.keys(), batch.weights()); });
    }

    void merge(AggregateDataPtr place, ConstAggregateDataPtr rhs, Arena *) const override { data(place).merge(data(rhs)); }
    [[nodiscard]] bool isMergeExact() const noexcept override
    {
        return !std::is_floating_point_v<W> && sketch.option() == CountMinOption::Plain;
    }

    void serialize(ConstAggregateDataPtr place, WriteBuffer & out, std::optional<size_t>) const override { data(place).write(out); }
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
        static_cast<ColumnVector<W> &>(to).getData().push_back(data(place).total());
    }

protected:
    [[nodiscard]] bool haveSameStateRepresentationImpl(const IAggregateFunction & rhs) const override
    {
        const auto * other = dynamic_cast<const AggregateFunctionCountMinSketch *>(&rhs);
        return other && sketch == other->sketch && this->getArgumentTypes()[0]->equals(*other->getArgumentTypes()[0]);
    }

private:
    /// Calls f(batch) for the selected rows, as many at a time as a batch holds.
    template <typename Selected, typename F>
    void forEachBatch(const IColumn ** columns, size_t row_begin, size_t row_end, Selected && selected, F && f) const
    {
        const CountMinKeyReader keys(*columns[0], key_size);
        const TrackedArray<Batch> memory(1);
        Batch & batch = memory[0];
        while (row_begin < row_end)
        {
            row_begin = batch.select(row_begin, row_end, selected);
            if (batch.size() == 0)
                continue;
            batch.readKeys(keys);
            if (this->getArgumentTypes().size() == 2)
                dispatchNumber(this->getArgumentTypes()[1]->getTypeId(), [&]<typename T>() {
                    if constexpr (isWeight<T>)
                        batch.readWeights(static_cast<const ColumnVector<T> &>(*columns[1]).getData().data());
                });
            f(static_cast<const Batch &>(batch));
        }
    }

    /// Calls f(row, key, weight) for the rows [row_begin, row_end), in one loop a type of weight column.
    template <typename F>
    void forEachRow(const IColumn ** columns, size_t row_begin, size_t row_end, F && f) const
    {
        CountMinKeyReader keys(*columns[0], key_size);
        if (this->getArgumentTypes().size() == 1)
        {
            for (size_t row = row_begin; row < row_end; ++row)
                f(row, keys[row], W{1});
            return;
        }
        dispatchNumber(this->getArgumentTypes()[1]->getTypeId(), [&]<typename T>() {
            if constexpr (isWeight<T>)
            {
                const T * weights = static_cast<const ColumnVector<T> &>(*columns[1]).getData().data();
                for (size_t row = row_begin; row < row_end; ++row)
                    f(row, keys[row], static_cast<W>(weights[row]));
            }
        });
    }

    CountMinParameters sketch;
    UInt32 key_size;
};

AggregateFunctionPtr create(const std::string & name, const DataTypes & argument_types, const Array & parameters)
{
    if (argument_types.empty() || argument_types.size() > 2)
        throwError(
            ErrorCodes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
            concat("Aggregate function ", name, " takes one or two arguments (key[, weight]), not ", argument_types.size()));
    requireCountMinKey(name, *argument_types[0]);
    const TypeIndex weight = argument_types.size() == 1 ? TypeIndex::UInt64 : requireCountMinWeight(name, *argument_types[1]);
    const CountMinParameters sketch = readCountMinParameters(name, parameters, 0, CountMinOption::ConservativeDecayed);
    if (sketch.isConservative() && argument_types.size() == 2)
        requireUnsignedWeight(name, *argument_types[1]);
    AggregateFunctionPtr function;
    dispatchCountMinWeight(weight, [&]<typename W>() {
        function = std::make_shared<AggregateFunctionCountMinSketch<W>>(argument_types, sketch, printCountMinParameters(sketch));
    });
    return function;
}

}

std::optional<CountMinSketchArguments> countMinSketchArguments(const IAggregateFunction & function)
{
    const IAggregateFunction & base = function.getBaseAggregateFunctionWithSameStateRepresentation();
    /// A function of this name over Nullable arguments has states of another layout.
    if (base.getName() != NAME || base.getNestedFunction())
        return std::nullopt;
    const TypeIndex weight = base.getResultType()->getTypeId();
    const CountMinParameters * sketch = nullptr;
    dispatchCountMinWeight(
        weight, [&]<typename W>() { sketch = &static_cast<const AggregateFunctionCountMinSketch<W> &>(base).sketchParameters(); });
    return CountMinSketchArguments{base.getArgumentTypes().front(), weight, sketch};
}

AggregateFunctionPtr decayedCountMinSketch(const IAggregateFunction & base)
{
    const CountMinSketchArguments arguments = countMinSketchArguments(base).value();
    return create(base.getName(), base.getArgumentTypes(), printCountMinParameters(arguments.sketch->decayed()));
}

void registerAggregateFunctionCountMinSketch(AggregateFunctionFactory & factory)
{
    factory.registerFunction(std::string(NAME), create);
}

}
