#include "RoaringCursor.h"

#include "../base/unaligned.h"

#include <algorithm>

namespace DB::inline statewire
{

RoaringCursor RoaringCursor::overPortable32(const char * image, bool trusted_) noexcept
{
    RoaringCursor result;
    result.source = Source::Image;
    result.trusted = trusted_;
    result.openImage(image);
    return result;
}

RoaringCursor RoaringCursor::overPortable64(const char * image, bool trusted_) noexcept
{
    RoaringCursor result;
    result.source = Source::Image;
    result.trusted = trusted_;
    result.buckets_left = unalignedLoadLittleEndian<UInt64>(image);
    result.next_bucket = image + 8;
    result.openBucket();
    return result;
}

void RoaringCursor::load() noexcept
{
    if (index < end)
        current_key = source == Source::Owner ? keys[index] : source == Source::List ? list[index].key : imageKey(index);
}

void RoaringCursor::step() noexcept
{
    if (source == Source::Image)
    {
        if (!offsets || index + 1 == end)
            payload = payloadEnd();
        if (++index < end)
            current_key = imageKey(index);
        else
        {
            next_bucket = payload;
            openBucket();
        }
        return;
    }
    ++index;
    load();
}

void RoaringCursor::openBucket() noexcept
{
    index = 0;
    end = 0;
    while (end == 0 && buckets_left != 0)
    {
        --buckets_left;
        key_prefix = UInt64{unalignedLoadLittleEndian<UInt32>(next_bucket)} << 16;
        openImage(next_bucket + 4);
        /// An empty bucket: two words of header and nothing else.
        if (end == 0)
            next_bucket += 4 + 8;
    }
}

void RoaringCursor::openImage(const char * image) noexcept
{
    image_begin = image;
    index = 0;
    const UInt32 cookie = unalignedLoadLittleEndian<UInt32>(image);
    if (cookie == COOKIE_WITHOUT_RUNS)
    {
        end = unalignedLoadLittleEndian<UInt32>(image + 4);
        run_flags = nullptr;
        descriptions = image + 8;
    }
    else
    {
        end = (cookie >> 16) + 1;
        run_flags = image + 4;
        descriptions = run_flags + (end + 7) / 8;
    }
    const char * behind = descriptions + 4 * end;
    offsets = !run_flags || end >= NO_OFFSET_THRESHOLD ? behind : nullptr;
    payload = offsets ? behind + 4 * end : behind;
    load();
}

void RoaringCursor::seekFurther(UInt64 key) noexcept
{
    if (source != Source::Image)
    {
        index = source == Source::Owner ? gallop(index, end, key, [this](size_t i) { return keys[i]; }) : gallop(index, end, key, [this](size_t i) { return list[i].key; });
        load();
        return;
    }
    while (valid() && current_key < key)
    {
        /// With offsets no payload is touched on the way; the last container of an image shows where the next bucket begins.
        if (offsets)
        {
            const size_t found = gallop(index, end, key, [this](size_t i) { return imageKey(i); });
            index = std::min(found, end - 1);
            current_key = imageKey(index);
            if (found < end)
                return;
        }
        step();
    }
}

}
