#include "ColumnAggregateFunction.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

#include <algorithm>

namespace DB::inline statewire
{

ColumnAggregateFunction::ColumnAggregateFunction(AggregateFunctionPtr function_) : function(std::move(function_))
{
}

ColumnAggregateFunction::~ColumnAggregateFunction()
{
    for (AggregateDataPtr place : places)
        function->destroy(place);
}

template <typename Fill>
AggregateDataPtr ColumnAggregateFunction::append(Fill && fill)
{
    AggregateDataPtr place = arena.alignedAlloc(function->sizeOfData(), function->alignOfData());
    function->create(place);
    try
    {
        fill(place);
        adopt(place);
    }
    catch (...)
    {
        function->destroy(place);
        throw;
    }
    return place;
}

AggregateDataPtr ColumnAggregateFunction::insertDefault()
{
    return append([](AggregateDataPtr) { });
}

void ColumnAggregateFunction::insertMerged(ConstAggregateDataPtr source)
{
    append([&](AggregateDataPtr place) { function->merge(place, source, nullptr); });
}

void ColumnAggregateFunction::insertSerialized(ReadBuffer & in, size_t version)
{
    append([&](AggregateDataPtr place) { function->deserialize(place, in, version, nullptr); });
}

void ColumnAggregateFunction::keepAlive(std::shared_ptr<const void> owner)
{
    if (!owner)
        return;
    /// From the back, because the same owner comes many times in a row.
    if (std::find(owners.rbegin(), owners.rend(), owner) == owners.rend())
        owners.push_back(std::move(owner));
}

void ColumnAggregateFunction::popBack(size_t n) noexcept
{
    for (; n != 0; --n)
    {
        function->destroy(places.back());
        places.pop_back();
    }
}

int ColumnAggregateFunction::compareAt(size_t, const IColumn &, size_t) const
{
    throwError(ErrorCodes::NOT_IMPLEMENTED, concat("States of ", function->getName(), " have no order"));
}

size_t ColumnAggregateFunction::byteSize() const noexcept
{
    size_t total = arena.allocatedBytes() + places.capacity() * sizeof(AggregateDataPtr);
    for (ConstAggregateDataPtr place : places)
        total += function->heldBytes(place);
    return total;
}

std::string_view ColumnAggregateFunction::getDataAt(size_t) const
{
    throwError(ErrorCodes::NOT_IMPLEMENTED, concat("A state of ", function->getName(), " cannot be a key"));
}

}
