#pragma once

#include "IAggregateFunctionHelper.h"

#include <memory>
#include <optional>
#include <utility>

namespace DB::inline statewire
{

/** A combinator: a function around another one, with a state of its own around the nested state. Derived is a final class. */
template <typename Derived>
class IAggregateFunctionCombinator : public IAggregateFunctionHelper<Derived>
{
public:
    using Helper = IAggregateFunctionHelper<Derived>;

    IAggregateFunctionCombinator(AggregateFunctionPtr nested_, DataTypes argument_types_, DataTypePtr result_type_)
        : Helper(std::move(argument_types_), nested_->getParameters(), std::move(result_type_)), nested(std::move(nested_))
    {
    }

    [[nodiscard]] AggregateFunctionPtr getNestedFunction() const noexcept override { return nested; }
    [[nodiscard]] bool isState() const noexcept override { return nested->isState(); }
    [[nodiscard]] bool isVersioned() const noexcept override { return nested->isVersioned(); }
    [[nodiscard]] size_t getVersionFromRevision(size_t revision) const noexcept override { return nested->getVersionFromRevision(revision); }
    [[nodiscard]] size_t getDefaultVersion() const noexcept override { return nested->getDefaultVersion(); }
    [[nodiscard]] bool isMergeExact() const noexcept override { return nested->isMergeExact(); }
    [[nodiscard]] size_t alignOfData() const noexcept override { return nested->alignOfData(); }
    [[nodiscard]] bool hasTrivialDestructor() const noexcept override { return nested->hasTrivialDestructor(); }

protected:
    /// The same combinator around functions with the same states.
    [[nodiscard]] bool haveSameStateRepresentationImpl(const IAggregateFunction & rhs) const override
    {
        return dynamic_cast<const Derived *>(&rhs) && nested->haveSameStateRepresentation(*rhs.getNestedFunction());
    }

    /// Places for a batch of the nested function: null for the rows of [row_begin, row_end) that are not selected. Those before are not set.
    template <typename Selected>
    [[nodiscard]] static TrackedArray<AggregateDataPtr>
    selectPlaces(size_t row_begin, size_t row_end, const AggregateDataPtr * places, Selected && selected)
    {
        TrackedArray<AggregateDataPtr> result(row_end);
        for (size_t row = row_begin; row < row_end; ++row)
            result[row] = selected(row) ? places[row] : nullptr;
        return result;
    }

    /// deserializeAndMerge() for states that may turn out to be bad at their last byte: all of it is read before anything is merged.
    void deserializeWholeAndMerge(AggregateDataPtr place, ReadBuffer & in, std::optional<size_t> version) const
    {
        const auto & self = static_cast<const Derived &>(*this);
        Arena arena;
        AggregateDataPtr read = arena.alignedAlloc(self.sizeOfData(), self.alignOfData());
        self.create(read);
        try
        {
            self.deserialize(read, in, version, &arena);
            self.merge(place, read, nullptr);
        }
        catch (...)
        {
            self.destroy(read);
            throw;
        }
        self.destroy(read);
    }

    AggregateFunctionPtr nested;
};

/** A combinator that uses the nested function's state as it is. Everything about states is the nested function's; Derived adds getName() and
  * add(), and the batch calls that it can hand on.
  */
template <typename Derived>
class IAggregateFunctionAdapter : public IAggregateFunctionCombinator<Derived>
{
protected:
    using IAggregateFunctionCombinator<Derived>::nested;

public:
    using IAggregateFunctionCombinator<Derived>::IAggregateFunctionCombinator;

    [[nodiscard]] const IAggregateFunction & getBaseAggregateFunctionWithSameStateRepresentation() const noexcept override
    {
        return nested->getBaseAggregateFunctionWithSameStateRepresentation();
    }

    [[nodiscard]] size_t sizeOfData() const noexcept override { return nested->sizeOfData(); }
    void create(AggregateDataPtr place) const override { nested->create(place); }
    void destroy(AggregateDataPtr place) const noexcept override { nested->destroy(place); }
    void destroyBatch(size_t row_begin, size_t row_end, AggregateDataPtr * places, size_t place_offset) const noexcept override
    {
        nested->destroyBatch(row_begin, row_end, places, place_offset);
    }
    [[nodiscard]] size_t heldBytes(ConstAggregateDataPtr place) const noexcept override { return nested->heldBytes(place); }
    void seal(AggregateDataPtr place) const override { nested->seal(place); }

    void merge(AggregateDataPtr place, ConstAggregateDataPtr rhs, Arena * arena) const override { nested->merge(place, rhs, arena); }
    void mergeBatch(
        size_t row_begin, size_t row_end, AggregateDataPtr * places, size_t place_offset, const AggregateDataPtr * rhs,
        Arena * arena) const override
    {
        nested->mergeBatch(row_begin, row_end, places, place_offset, rhs, arena);
    }

    void mergeAndDestroyBatch(AggregateDataPtr place, AggregateDataPtr * rhs, size_t size, Arena * arena) const override
    {
        nested->mergeAndDestroyBatch(place, rhs, size, arena);
    }

    void serialize(ConstAggregateDataPtr place, WriteBuffer & out, std::optional<size_t> version = std::nullopt) const override
    {
        nested->serialize(place, out, version);
    }
    void serializeBatch(
        const TrackedVector<AggregateDataPtr> & data, size_t start, size_t size, WriteBuffer & out,
        std::optional<size_t> version = std::nullopt) const override
    {
        nested->serializeBatch(data, start, size, out, version);
    }
    [[nodiscard]] UInt64 serializedSize(ConstAggregateDataPtr place, std::optional<size_t> version = std::nullopt) const override
    {
        return nested->serializedSize(place, version);
    }
    [[nodiscard]] std::optional<size_t> getSerializedSizeBound(std::optional<size_t> version = std::nullopt) const noexcept override
    {
        return nested->getSerializedSizeBound(version);
    }
    void deserialize(
        AggregateDataPtr place, ReadBuffer & in, std::optional<size_t> version = std::nullopt, Arena * arena = nullptr) const override
    {
        nested->deserialize(place, in, version, arena);
    }
    void createAndDeserializeBatch(
        TrackedVector<AggregateDataPtr> & data, AggregateDataPtr place, size_t total_size_of_state, size_t limit, ReadBuffer & in,
        std::optional<size_t> version = std::nullopt, Arena * arena = nullptr) const override
    {
        nested->createAndDeserializeBatch(data, place, total_size_of_state, limit, in, version, arena);
    }
    void deserializeAndMerge(AggregateDataPtr place, ReadBuffer & in, std::optional<size_t> version = std::nullopt) const override
    {
        nested->deserializeAndMerge(place, in, version);
    }

    void insertResultInto(AggregateDataPtr place, IColumn & to, Arena * arena) const override
    {
        nested->insertResultInto(place, to, arena);
    }
};

}
