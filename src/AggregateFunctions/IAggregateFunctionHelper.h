#pragma once

#include "../Columns/ColumnVector.h"
#include "../Common/Exception.h"
#include "../Common/throwError.h"
#include "IAggregateFunction.h"

#include <new>
#include <type_traits>
#include <utility>

namespace DB::inline statewire
{

/** The batch calls over the single ones of Derived, a final class, so that the loops make no virtual calls. */
template <typename Derived>
class IAggregateFunctionHelper : public IAggregateFunction
{
public:
    using IAggregateFunction::IAggregateFunction;

    [[nodiscard]] bool hasTrivialDestructor() const noexcept override { return false; }

    void destroyBatch(size_t row_begin, size_t row_end, AggregateDataPtr * places, size_t place_offset) const noexcept override
    {
        if (derived().hasTrivialDestructor())
            return;
        for (size_t row = row_begin; row < row_end; ++row)
            if (places[row])
                derived().destroy(places[row] + place_offset);
    }

    void addManyDefaults(AggregateDataPtr place, const IColumn ** columns, size_t length, Arena * arena) const override
    {
        for (size_t i = 0; i < length; ++i)
            derived().add(place, columns, 0, arena);
    }

    void addBatch(
        size_t row_begin, size_t row_end, AggregateDataPtr * places, size_t place_offset, const IColumn ** columns, Arena * arena,
        std::ptrdiff_t if_argument_pos = -1) const override
    {
        const UInt8 * flags = flagsOf(columns, if_argument_pos);
        for (size_t row = row_begin; row < row_end; ++row)
            if (places[row] && (!flags || flags[row]))
                derived().add(places[row] + place_offset, columns, row, arena);
    }

    void addBatchSinglePlace(
        size_t row_begin, size_t row_end, AggregateDataPtr place, const IColumn ** columns, Arena * arena,
        std::ptrdiff_t if_argument_pos = -1) const override
    {
        const UInt8 * flags = flagsOf(columns, if_argument_pos);
        for (size_t row = row_begin; row < row_end; ++row)
            if (!flags || flags[row])
                derived().add(place, columns, row, arena);
    }

    void addBatchSinglePlaceNotNull(
        size_t row_begin, size_t row_end, AggregateDataPtr place, const IColumn ** columns, const UInt8 * null_map, Arena * arena,
        std::ptrdiff_t if_argument_pos = -1) const override
    {
        const UInt8 * flags = flagsOf(columns, if_argument_pos);
        for (size_t row = row_begin; row < row_end; ++row)
            if (!null_map[row] && (!flags || flags[row]))
                derived().add(place, columns, row, arena);
    }

    /// Elements of one array lie together, so a function with a fast addBatchSinglePlace needs no override.
    void addBatchArray(
        size_t row_begin, size_t row_end, AggregateDataPtr * places, size_t place_offset, const IColumn ** columns, const UInt64 * offsets,
        Arena * arena) const override
    {
        size_t begin = row_begin == 0 ? 0 : offsets[row_begin - 1];
        for (size_t row = row_begin; row < row_end; ++row)
        {
            const size_t end = offsets[row];
            if (places[row] && begin != end)
                derived().addBatchSinglePlace(begin, end, places[row] + place_offset, columns, arena, -1);
            begin = end;
        }
    }

    void addBatchLookupTable8(
        size_t row_begin, size_t row_end, AggregateDataPtr * map, size_t place_offset, const std::function<void(AggregateDataPtr &)> & init,
        const UInt8 * key, const IColumn ** columns, Arena * arena) const override
    {
        for (size_t row = row_begin; row < row_end; ++row)
        {
            AggregateDataPtr & place = map[key[row]];
            if (!place)
                init(place);
            derived().add(place + place_offset, columns, row, arena);
        }
    }

    void mergeBatch(
        size_t row_begin, size_t row_end, AggregateDataPtr * places, size_t place_offset, const AggregateDataPtr * rhs,
        Arena * arena) const override
    {
        for (size_t row = row_begin; row < row_end; ++row)
            if (places[row])
                derived().merge(places[row] + place_offset, rhs[row], arena);
    }

    void serializeBatch(
        const TrackedVector<AggregateDataPtr> & data, size_t start, size_t size, WriteBuffer & out,
        std::optional<size_t> version = std::nullopt) const override
    {
        for (size_t i = start; i < start + size; ++i)
            derived().serialize(data[i], out, version);
    }

    void createAndDeserializeBatch(
        TrackedVector<AggregateDataPtr> & data, AggregateDataPtr place, size_t total_size_of_state, size_t limit, ReadBuffer & in,
        std::optional<size_t> version = std::nullopt, Arena * arena = nullptr) const override
    {
        const size_t size_before = data.size();
        try
        {
            for (size_t i = 0; i < limit && !in.eof(); ++i, place += total_size_of_state)
            {
                derived().create(place);
                try
                {
                    derived().deserialize(place, in, version, arena);
                    data.push_back(place);
                }
                catch (...)
                {
                    derived().destroy(place);
                    throw;
                }
            }
        }
        catch (Exception & exception)
        {
            exception.addMessage(concat("while reading state ", data.size() - size_before + 1, " of a batch"));
            destroyFrom(data, size_before);
            throw;
        }
        catch (...)
        {
            destroyFrom(data, size_before);
            throw;
        }
    }

    void insertResultIntoBatch(
        size_t row_begin, size_t row_end, AggregateDataPtr * places, size_t place_offset, IColumn & to, Arena * arena) const override
    {
        size_t row = row_begin;
        try
        {
            for (; row < row_end; ++row)
            {
                derived().insertResultInto(places[row] + place_offset, to, arena);
                derived().destroy(places[row] + place_offset);
            }
        }
        catch (...)
        {
            destroyBatch(row, row_end, places, place_offset);
            throw;
        }
    }

protected:
    /// The UInt8 values of the condition column; null when there is no condition.
    [[nodiscard]] static const UInt8 * flagsOf(const IColumn ** columns, std::ptrdiff_t if_argument_pos) noexcept
    {
        return if_argument_pos < 0 ? nullptr : static_cast<const ColumnUInt8 &>(*columns[if_argument_pos]).getData().data();
    }

private:
    [[nodiscard]] const Derived & derived() const noexcept { return static_cast<const Derived &>(*this); }

    void destroyFrom(TrackedVector<AggregateDataPtr> & data, size_t size) const noexcept
    {
        for (; data.size() > size; data.pop_back())
            derived().destroy(data.back());
    }
};

/** The same for a function whose place holds one object of type Data, which says what it holds on the heap. Derived creates it. */
template <typename Data, typename Derived>
class IAggregateFunctionDataHelper : public IAggregateFunctionHelper<Derived>
{
public:
    using IAggregateFunctionHelper<Derived>::IAggregateFunctionHelper;

    [[nodiscard]] size_t sizeOfData() const noexcept override { return sizeof(Data); }
    [[nodiscard]] size_t alignOfData() const noexcept override { return alignof(Data); }
    void destroy(AggregateDataPtr place) const noexcept override { data(place).~Data(); }
    [[nodiscard]] bool hasTrivialDestructor() const noexcept override { return std::is_trivially_destructible_v<Data>; }
    [[nodiscard]] size_t heldBytes(ConstAggregateDataPtr place) const noexcept override { return data(place).heldBytes(); }

protected:
    [[nodiscard]] static Data & data(AggregateDataPtr place) noexcept { return *std::launder(reinterpret_cast<Data *>(place)); }
    [[nodiscard]] static const Data & data(ConstAggregateDataPtr place) noexcept
    {
        return *std::launder(reinterpret_cast<const Data *>(place));
    }
};

}
