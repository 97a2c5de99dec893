#include "RoaringCursor.h"

#include "../base/unaligned.h"

namespace DB::inline statewire
{

RoaringCursor RoaringCursor::overPortable32(const char * bytes, bool trusted_) noexcept
{
    RoaringCursor result(trusted_);
    result.openImage(bytes, 0);
    return result;
}

RoaringCursor RoaringCursor::overPortable64(const char * bytes, bool trusted_) noexcept
{
    RoaringCursor result(trusted_);
    result.image.buckets_left = unalignedLoadLittleEndian<UInt64>(bytes);
    result.image.next_bucket = bytes + 8;
    result.openBucket();
    return result;
}

/// The step that needs to look at a payload: in an image without offsets, and from one bucket to the next.
void RoaringCursor::stepImage() noexcept
{
    if (index + 1 >= end && image.buckets_left == 0)
    {
        index = end;
        return;
    }
    const ContainerView current = imageContainer();
    image.payload = current.data + current.payloadBytes();
    if (++index < end)
        current_key = keyAt(index);
    else
    {
        image.next_bucket = image.payload;
        openBucket();
    }
}

void RoaringCursor::openBucket() noexcept
{
    index = 0;
    end = 0;
    while (end == 0 && image.buckets_left != 0)
    {
        --image.buckets_left;
        openImage(image.next_bucket + 4, UInt64{unalignedLoadLittleEndian<UInt32>(image.next_bucket)} << 16);
        /// An empty bucket: two words of header and nothing else.
        if (end == 0)
            image.next_bucket += 4 + 8;
    }
}

void RoaringCursor::openImage(const char * bytes, UInt64 key_prefix) noexcept
{
    image.table = RoaringImageTable(bytes, key_prefix);
    image.payload = image.table.firstPayload();
    index = 0;
    end = image.table.size;
    if (end != 0)
        current_key = keyAt(0);
}

UInt64 RoaringCursor::remainingCardinality() const noexcept
{
    if (source == Source::Owner && index == 0)
        return owner.cardinality;
    UInt64 result = 0;
    if (source == Source::Image && image.table.offsets && image.buckets_left == 0)
    {
        const RoaringImageTable & table = image.table;
        for (size_t i = index; i < end; ++i)
            result += UInt64{unalignedLoadLittleEndian<UInt32>(table.descriptions + 4 * i) >> 16} + 1;
        /// Of run containers the runs are believed, not the header.
        for (size_t i = index; table.run_flags && i < end; ++i)
            if (table.isRun(i))
            {
                result += containerCardinality(table.container(i));
                result -= UInt64{unalignedLoadLittleEndian<UInt16>(table.descriptions + 4 * i + 2)} + 1;
            }
        return result;
    }
    for (RoaringCursor at = *this; at.valid(); at.next())
        result += at.cardinality();
    return result;
}

void RoaringCursor::seekFurther(UInt64 key) noexcept
{
    while (valid() && current_key < key)
    {
        /// With an index no payload is touched on the way; the last container of an image shows where the next bucket begins.
        if (isIndexed())
        {
            const size_t found = gallop(index, end, key, [this](size_t i) { return keyAt(i); });
            if (found < end)
            {
                moveTo(found);
                return;
            }
            index = end - 1;
        }
        next();
    }
}

}
