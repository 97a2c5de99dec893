#pragma once

#include "../Columns/ColumnVector.h"
#include "IAggregateFunction.h"

#include <new>
#include <utility>

namespace DB::inline statewire
{

/** The batch calls over the single ones of Derived, a final class, so that the loops make no virtual calls. */
template <typename Derived>
class IAggregateFunctionHelper : public IAggregateFunction
{
public:
    using IAggregateFunction::IAggregateFunction;

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

    void mergeBatch(
        size_t row_begin, size_t row_end, AggregateDataPtr * places, size_t place_offset, const AggregateDataPtr * rhs,
        Arena * arena) const override
    {
        for (size_t row = row_begin; row < row_end; ++row)
            if (places[row])
                derived().merge(places[row] + place_offset, rhs[row], arena);
    }

protected:
    /// The UInt8 values of the condition column; null when there is no condition.
    [[nodiscard]] static const UInt8 * flagsOf(const IColumn ** columns, std::ptrdiff_t if_argument_pos) noexcept
    {
        return if_argument_pos < 0 ? nullptr : static_cast<const ColumnUInt8 &>(*columns[if_argument_pos]).getData().data();
    }

private:
    [[nodiscard]] const Derived & derived() const noexcept { return static_cast<const Derived &>(*this); }
};

/** The same for a function whose place holds one object of type Data. */
template <typename Data, typename Derived>
class IAggregateFunctionDataHelper : public IAggregateFunctionHelper<Derived>
{
public:
    using IAggregateFunctionHelper<Derived>::IAggregateFunctionHelper;

    [[nodiscard]] size_t sizeOfData() const noexcept override { return sizeof(Data); }
    [[nodiscard]] size_t alignOfData() const noexcept override { return alignof(Data); }
    void create(AggregateDataPtr place) const override { new (place) Data; }
    void destroy(AggregateDataPtr place) const noexcept override { data(place).~Data(); }

protected:
    [[nodiscard]] static Data & data(AggregateDataPtr place) noexcept { return *std::launder(reinterpret_cast<Data *>(place)); }
    [[nodiscard]] static const Data & data(ConstAggregateDataPtr place) noexcept
    {
        return *std::launder(reinterpret_cast<const Data *>(place));
    }
};

}
