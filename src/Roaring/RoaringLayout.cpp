#include "RoaringLayout.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

namespace DB::inline statewire
{

RoaringLayout::RoaringLayout(RoaringFormat format_) : format(format_)
{
    if (format == RoaringFormat::Portable32)
        images.push_back({0, 0, false});
}

void RoaringLayout::add(UInt64 key, ContainerCount count)
{
    const bool is_64 = format == RoaringFormat::Portable64;
    if (!is_64 && key > 0xffff)
        throwError(
            ErrorCodes::ARGUMENT_OUT_OF_BOUND,
            concat("Value does not fit a 32-bit Roaring bitmap: expected at most 4294967295, found at least ", key << 16));
    if (count.cardinality == 0)
        return;
    const Entry entry{key, count.cardinality, static_cast<UInt16>(count.runs), canonicalKind(count)};
    if (is_64 && (images.empty() || entries.back().key >> 16 != key >> 16))
        images.push_back({entries.size(), entries.size(), false});
    entries.push_back(entry);
    images.back().end = entries.size();
    images.back().has_runs = images.back().has_runs || entry.kind == ContainerKind::Run;
    payload_size += entry.payloadSize();
    total_cardinality += entry.cardinality;
}

UInt64 RoaringLayout::size() const noexcept
{
    UInt64 result = payload_size;
    if (format == RoaringFormat::Portable64)
        result += 8 + 4 * images.size();
    for (const Image & image : images)
        result += image.headerSize();
    return result;
}

}
