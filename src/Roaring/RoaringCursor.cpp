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
    if (source == Source::Image)
    {
        if (index < end)
            loadFromImage(payloadEnd());
        else if (end != 0)
        {
            next_bucket = payloadEnd();
            openBucket();
        }
        return;
    }
    if (index >= end)
        return;
    if (source == Source::Owner)
        current = {keys[index], containers[index].view()};
    else
        current = list[index];
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
    if (end != 0)
        loadFromImage(offsets ? behind + 4 * end : behind);
}

void RoaringCursor::seek(UInt64 key) noexcept
{
    if (source == Source::Owner)
    {
        const UInt64 * found = std::lower_bound(keys + std::min(index, end), keys + end, key);
        index = static_cast<size_t>(found - keys);
        load();
        return;
    }
    if (source == Source::List)
    {
        const auto * found = std::lower_bound(
            list + std::min(index, end), list + end, key, [](const KeyedContainer & element, UInt64 wanted) { return element.key < wanted; });
        index = static_cast<size_t>(found - list);
        load();
        return;
    }
    while (valid() && current.key < key)
    {
        /// With offsets the last container below the key is found without touching the payloads before it; then one step ahead.
        if (offsets)
        {
            size_t first = index;
            size_t n = end - index;
            while (n != 0)
            {
                const size_t half = n / 2;
                if ((key_prefix | unalignedLoadLittleEndian<UInt16>(descriptions + 4 * (first + half))) < key)
                {
                    first += half + 1;
                    n -= half + 1;
                }
                else
                    n = half;
            }
            if (first - 1 != index)
            {
                index = first - 1;
                loadFromImage(image_begin + unalignedLoadLittleEndian<UInt32>(offsets + 4 * index));
            }
        }
        next();
    }
}

}
