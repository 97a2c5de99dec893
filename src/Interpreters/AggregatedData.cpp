#include "AggregatedData.h"

#include <algorithm>

namespace DB::inline statewire
{

namespace
{
/// Numbers of at most this many bytes index a table of all of them.
constexpr size_t MAX_DIRECT_SIZE = 2;
}

void GroupStates::add(AggregateFunctionPtr function)
{
    const size_t function_alignment = function->alignOfData();
    size = (size + function_alignment - 1) / function_alignment * function_alignment;
    alignment = std::max(alignment, function_alignment);
    offsets.push_back(size);
    size += function->sizeOfData();
    functions.push_back(std::move(function));
}

void GroupStates::create(AggregateDataPtr place) const
{
    size_t created = 0;
    try
    {
        for (; created < functions.size(); ++created)
            functions[created]->create(place + offsets[created]);
    }
    catch (...)
    {
        while (created-- != 0)
            functions[created]->destroy(place + offsets[created]);
        throw;
    }
}

void GroupStates::destroy(AggregateDataPtr place, size_t first) const noexcept
{
    for (size_t i = first; i < functions.size(); ++i)
        functions[i]->destroy(place + offsets[i]);
}

void GroupStates::seal(AggregateDataPtr place) const
{
    for (size_t i = 0; i < functions.size(); ++i)
        functions[i]->seal(place + offsets[i]);
}

UInt64 GroupStates::serializedSize(ConstAggregateDataPtr place) const
{
    UInt64 bytes = 0;
    for (size_t i = 0; i < functions.size(); ++i)
        bytes += functions[i]->serializedSize(place + offsets[i]);
    return bytes;
}

AggregatedData::AggregatedData(std::shared_ptr<const GroupStates> states_, std::shared_ptr<const GroupKeys> keys_)
    : states(std::move(states_)), keys(std::move(keys_))
{
    switch (keys->kind())
    {
        case GroupKeys::Kind::None:
            method = Method::Single;
            break;
        case GroupKeys::Kind::Number:
            method = keys->fixedSize() <= MAX_DIRECT_SIZE ? Method::Direct : Method::Number;
            break;
        case GroupKeys::Kind::Bytes:
            method = Method::Bytes;
            break;
    }
    if (method == Method::Direct)
        direct.resize(size_t{1} << (8 * keys->fixedSize()));
}

AggregatedData::~AggregatedData()
{
    destruction.emplace(tracker);
    for (AggregateDataPtr place : places)
        if (place)
            states->destroy(place);
}

}
