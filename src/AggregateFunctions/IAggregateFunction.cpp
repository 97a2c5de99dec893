#include "IAggregateFunction.h"

#include "../DataTypes/DataTypeAggregateFunction.h"
#include "../IO/CountingWriteBuffer.h"

#include <algorithm>

namespace DB::inline statewire
{

DataTypePtr IAggregateFunction::getStateType() const
{
    return std::make_shared<DataTypeAggregateFunction>(shared_from_this());
}

void IAggregateFunction::mergeAndDestroyBatch(AggregateDataPtr place, AggregateDataPtr * rhs, size_t size, Arena * arena) const
{
    try
    {
        TrackedVector<AggregateDataPtr> places(size, place);
        mergeBatch(0, size, places.data(), 0, rhs, arena);
    }
    catch (...)
    {
        destroyBatch(0, size, rhs, 0);
        throw;
    }
    destroyBatch(0, size, rhs, 0);
}

UInt64 IAggregateFunction::serializedSize(ConstAggregateDataPtr place, std::optional<size_t> version) const
{
    CountingWriteBuffer counter;
    serialize(place, counter, version);
    counter.finalize();
    return counter.count();
}

bool IAggregateFunction::haveSameStateRepresentation(const IAggregateFunction & rhs) const
{
    const IAggregateFunction & left_base = getBaseAggregateFunctionWithSameStateRepresentation();
    const IAggregateFunction & right_base = rhs.getBaseAggregateFunctionWithSameStateRepresentation();
    return &left_base == &right_base || left_base.haveSameStateRepresentationImpl(right_base);
}

bool IAggregateFunction::haveSameStateRepresentationImpl(const IAggregateFunction & rhs) const
{
    const auto equal_types = [](const DataTypePtr & left, const DataTypePtr & right) { return left->equals(*right); };
    return getName() == rhs.getName() && parameters == rhs.parameters
        && std::equal(argument_types.begin(), argument_types.end(), rhs.argument_types.begin(), rhs.argument_types.end(), equal_types);
}

}
