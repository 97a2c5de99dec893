#include "RoaringLayout.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

namespace DB::inline statewire
{

ContainerKind RoaringLayoutSize::add(UInt64 key, ContainerCount count)
{
    const bool is_64 = format == RoaringFormat::Portable64;
    if (!is_64 && key > 0xffff)
        throwError(
            ErrorCodes::ARGUMENT_OUT_OF_BOUND,
            concat("Value does not fit a 32-bit Roaring bitmap: expected at most 4294967295, found at least ", key << 16));
    if (is_64 && (images == 0 || upper != key >> 16))
    {
        if (images != 0)
            complete += headerSize(containers, has_runs);
        ++images;
        upper = key >> 16;
        containers = 0;
        has_runs = false;
    }
    const ContainerKind kind = canonicalKind(count);
    ++containers;
    has_runs = has_runs || kind == ContainerKind::Run;
    complete += payloadSize(kind, count);
    return kind;
}

UInt64 RoaringLayoutSize::bytes() const noexcept
{
    const UInt64 last = images != 0 ? headerSize(containers, has_runs) : 0;
    return complete + last + (format == RoaringFormat::Portable64 ? 8 + 4 * images : 0);
}

void RoaringLayout::add(UInt64 key, ContainerCount count)
{
    if (count.cardinality == 0)
        return;
    const ContainerKind kind = total.add(key, count);
    entries.push_back({key, count.cardinality, static_cast<UInt16>(count.runs), kind});
}

RoaringLayout::Image RoaringLayout::imageAt(size_t begin) const noexcept
{
    Image image{begin, begin, false};
    while (image.end < entries.size() && entries[image.end].key >> 16 == entries[begin].key >> 16)
        image.has_runs |= entries[image.end++].kind == ContainerKind::Run;
    return image;
}

}
