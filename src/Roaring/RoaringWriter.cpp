#include "RoaringWriter.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

namespace DB::inline statewire
{

RoaringWriter::RoaringWriter(RoaringCursor source, RoaringFormat format_) : format(format_)
{
    const bool is_64 = format == RoaringFormat::Portable64;
    if (!is_64)
        images.push_back({0, 0, false});
    for (; source.valid(); source.next())
    {
        if (!is_64 && source.key() > 0xffff)
            throwKeyTooLarge(source.key());
        const ContainerCount count = countContainer(source.container());
        if (count.cardinality == 0)
            continue;
        const Entry entry{source.keyed(), count.cardinality, count.runs, canonicalKind(count)};
        if (is_64 && (images.empty() || entries.back().source.key >> 16 != source.key() >> 16))
            images.push_back({entries.size(), entries.size(), false});
        entries.push_back(entry);
        images.back().end = entries.size();
        images.back().has_runs = images.back().has_runs || entry.kind == ContainerKind::Run;
        total_size += entry.payloadSize();
    }
    if (is_64)
        total_size += 8 + 4 * images.size();
    for (const Image & image : images)
        total_size += image.headerSize();
}

void RoaringWriter::throwKeyTooLarge(UInt64 key)
{
    throwError(
        ErrorCodes::ARGUMENT_OUT_OF_BOUND,
        concat("Value does not fit a 32-bit Roaring bitmap: expected at most 4294967295, found at least ", key << 16));
}

}
