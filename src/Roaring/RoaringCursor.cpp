#include "RoaringCursor.h"

#include "../base/unaligned.h"

#include <algorithm>

namespace DB::inline statewire
{

RoaringCursor RoaringCursor::overPortable32(const char * bytes, bool trusted_) noexcept
{
    RoaringCursor result(trusted_);
    result.openImage(bytes);
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
        image.key_prefix = UInt64{unalignedLoadLittleEndian<UInt32>(image.next_bucket)} << 16;
        openImage(image.next_bucket + 4);
        /// An empty bucket: two words of header and nothing else.
        if (end == 0)
            image.next_bucket += 4 + 8;
    }
}

void RoaringCursor::openImage(const char * bytes) noexcept
{
    image.begin = bytes;
    index = 0;
    const UInt32 cookie = unalignedLoadLittleEndian<UInt32>(bytes);
    if (cookie == COOKIE_WITHOUT_RUNS)
    {
        end = unalignedLoadLittleEndian<UInt32>(bytes + 4);
        image.run_flags = nullptr;
        image.descriptions = bytes + 8;
    }
    else
    {
        end = (cookie >> 16) + 1;
        image.run_flags = bytes + 4;
        image.descriptions = image.run_flags + (end + 7) / 8;
    }
    const char * behind = image.descriptions + 4 * end;
    image.offsets = !image.run_flags || end >= NO_OFFSET_THRESHOLD ? behind : nullptr;
    image.payload = image.offsets ? behind + 4 * end : behind;
    if (end != 0)
        current_key = keyAt(0);
}

UInt64 RoaringCursor::remainingCardinality() const noexcept
{
    if (source == Source::Owner && index == 0)
        return owner.cardinality;
    UInt64 result = 0;
    if (source == Source::Image && image.offsets && image.buckets_left == 0)
    {
        for (size_t i = index; i < end; ++i)
            result += UInt64{unalignedLoadLittleEndian<UInt32>(image.descriptions + 4 * i) >> 16} + 1;
        /// Of run containers the runs are believed, not the header.
        for (size_t i = index; image.run_flags && i < end; ++i)
            if (isRun(i))
            {
                const char * runs = image.begin + unalignedLoadLittleEndian<UInt32>(image.offsets + 4 * i);
                result += containerCardinality({ContainerKind::Run, unalignedLoadLittleEndian<UInt16>(runs), runs + 2});
                result -= UInt64{unalignedLoadLittleEndian<UInt16>(image.descriptions + 4 * i + 2)} + 1;
            }
        return result;
    }
    for (RoaringCursor at = *this; at.valid(); at.next())
        result += at.cardinality();
    return result;
}

/// The first index behind `from` whose key is not below `key`, in steps that double: it is near most of the time.
size_t RoaringCursor::gallop(size_t from, UInt64 key) const noexcept
{
    size_t distance = 1;
    while (from + distance < end && keyAt(from + distance) < key)
    {
        from += distance;
        distance *= 2;
    }
    size_t behind = std::min(from + distance, end);
    while (behind - from > 1)
    {
        const size_t middle = from + (behind - from) / 2;
        (keyAt(middle) < key ? from : behind) = middle;
    }
    return behind;
}

void RoaringCursor::seekFurther(UInt64 key) noexcept
{
    while (valid() && current_key < key)
    {
        /// With an index no payload is touched on the way; the last container of an image shows where the next bucket begins.
        if (isIndexed())
        {
            const size_t found = gallop(index, key);
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
