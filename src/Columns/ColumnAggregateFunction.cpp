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
    destruction.emplace(tracker);
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

AggregateDataPtr ColumnAggregateFunction::insertState()
{
    return append([](AggregateDataPtr) { });
}

void ColumnAggregateFunction::insertMerged(ConstAggregateDataPtr source)
{
    append([&](AggregateDataPtr place) { function->merge(place, source, nullptr); });
}

void ColumnAggregateFunction::insertSerialized(ReadBuffer & in, size_t version)
{
    append([&](AggregateDataPtr place) { function->deserialize(place, in, version, &arena); });
}

void ColumnAggregateFunction::insertSerializedBatch(ReadBuffer & in, size_t version, size_t limit)
{
    constexpr size_t FIRST_PIECE = 64;
    constexpr size_t LARGEST_PIECE = 8192;
    const size_t alignment = function->alignOfData();
    const size_t stride = (function->sizeOfData() + alignment - 1) / alignment * alignment;
    const size_t size_before = size();
    try
    {
        while (size() - size_before < limit && !in.eof())
        {
            const size_t done = size() - size_before;
            const size_t piece = std::min(limit - done, std::clamp(done, FIRST_PIECE, LARGEST_PIECE));
            function->createAndDeserializeBatch(
                places, arena.alignedAlloc(piece * stride, alignment), stride, piece, in, version, &arena);
        }
    }
    catch (...)
    {
        popBack(size() - size_before);
        throw;
    }
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
