#include "AggregatedData.h"

namespace DB::inline statewire
{

AggregatedData::AggregatedData(std::shared_ptr<const States> states_, std::vector<MutableColumnPtr> key_columns_)
    : states(std::move(states_)), key_columns(std::move(key_columns_))
{
}

AggregatedData::~AggregatedData()
{
    for (size_t group = 0; group < places.size(); ++group)
    {
        if (!places[group])
            continue;
        for (size_t i = group == released_group ? released_functions : 0; i < states->functions.size(); ++i)
            states->functions[i]->destroy(places[group] + states->offsets[i]);
    }
}

size_t AggregatedData::allocatedBytes() const noexcept
{
    size_t bytes = arena->allocatedBytes() + places.capacity() * sizeof(places[0]) + row_places.capacity() * sizeof(row_places[0])
        + numbers.capacity() * sizeof(numbers[0]);
    for (const MutableColumnPtr & column : key_columns)
        bytes += column->byteSize();
    bytes += by_number.capacity() * (sizeof(decltype(by_number)::value_type) + 1);
    bytes += by_bytes.capacity() * (sizeof(decltype(by_bytes)::value_type) + 1);
    return bytes;
}

}
