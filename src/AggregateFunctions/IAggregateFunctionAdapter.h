#pragma once

#include "IAggregateFunction.h"

namespace DB::inline statewire
{

/** A combinator: a function around another one whose state it uses as it is. Everything about states is the nested function's. */
class IAggregateFunctionAdapter : public IAggregateFunction
{
public:
    IAggregateFunctionAdapter(AggregateFunctionPtr nested_, DataTypes argument_types_, Array parameters_, DataTypePtr result_type_)
        : IAggregateFunction(std::move(argument_types_), std::move(parameters_), std::move(result_type_)), nested(std::move(nested_))
    {
    }

    [[nodiscard]] DataTypePtr getStateType() const override { return nested->getStateType(); }
    [[nodiscard]] const IAggregateFunction & getBaseAggregateFunctionWithSameStateRepresentation() const noexcept override
    {
        return nested->getBaseAggregateFunctionWithSameStateRepresentation();
    }
    [[nodiscard]] bool isVersioned() const noexcept override { return nested->isVersioned(); }
    [[nodiscard]] size_t getDefaultVersion() const noexcept override { return nested->getDefaultVersion(); }

    [[nodiscard]] size_t sizeOfData() const noexcept override { return nested->sizeOfData(); }
    [[nodiscard]] size_t alignOfData() const noexcept override { return nested->alignOfData(); }
    void create(AggregateDataPtr place) const override { nested->create(place); }
    void destroy(AggregateDataPtr place) const noexcept override { nested->destroy(place); }
    [[nodiscard]] size_t heldBytes(ConstAggregateDataPtr place) const noexcept override { return nested->heldBytes(place); }

    void merge(AggregateDataPtr place, ConstAggregateDataPtr rhs, Arena * arena) const override { nested->merge(place, rhs, arena); }
    void mergeBatch(
        size_t row_begin, size_t row_end, AggregateDataPtr * places, size_t place_offset, const AggregateDataPtr * rhs,
        Arena * arena) const override
    {
        nested->mergeBatch(row_begin, row_end, places, place_offset, rhs, arena);
    }

    void serialize(ConstAggregateDataPtr place, WriteBuffer & out, std::optional<size_t> version = std::nullopt) const override
    {
        nested->serialize(place, out, version);
    }
    void deserialize(
        AggregateDataPtr place, ReadBuffer & in, std::optional<size_t> version = std::nullopt, Arena * arena = nullptr) const override
    {
        nested->deserialize(place, in, version, arena);
    }
    void deserializeAndMerge(AggregateDataPtr place, ReadBuffer & in, std::optional<size_t> version = std::nullopt) const override
    {
        nested->deserializeAndMerge(place, in, version);
    }

protected:
    AggregateFunctionPtr nested;
};

}
