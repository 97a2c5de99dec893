#pragma once

#include "../base/unaligned.h"
#include "RoaringContainer.h"

namespace DB::inline statewire
{

/// One container with its key, the upper bits of its values: value = key * 65536 + low.
struct KeyedContainer
{
    UInt64 key = 0;
    ContainerView container;
};

/** Walks the containers of a bitmap in ascending order of keys, whatever holds them: an owner, a list, or serialized bytes of either width.
  * Every algorithm is written against this one class.
  *
  * Points into: what it was made from. Valid while: that lives and does not change. A small trivially copyable value; allocates nothing.
  */
class RoaringCursor
{
public:
    /// At the end.
    RoaringCursor() = default;

    /// Over an owner's arrays.
    RoaringCursor(const UInt64 * keys_, const RoaringContainer * containers_, size_t n) noexcept
        : source(Source::Owner), end(n), keys(keys_), containers(containers_)
    {
        load();
    }
    /// Over a list.
    RoaringCursor(const KeyedContainer * list_, size_t n) noexcept : source(Source::List), end(n), list(list_) { load(); }
    /// Over a portable 32-bit image whose structure was checked.
    [[nodiscard]] static RoaringCursor overPortable32(const char * image, bool trusted_) noexcept;
    /// Over a portable 64-bit image whose structure was checked.
    [[nodiscard]] static RoaringCursor overPortable64(const char * image, bool trusted_) noexcept;

    /// False at the end, where key and container must not be asked for.
    [[nodiscard]] bool valid() const noexcept { return index < end; }
    [[nodiscard]] UInt64 key() const noexcept { return current_key; }
    /// Looked up on demand, so that walking over keys alone is cheap.
    [[nodiscard]] ContainerView container() const noexcept
    {
        if (source == Source::Owner)
            return containers[index].view();
        return source == Source::List ? list[index].container : imageContainer();
    }
    [[nodiscard]] KeyedContainer keyed() const noexcept { return {current_key, container()}; }
    void next() noexcept
    {
        if (source == Source::Owner)
        {
            if (++index < end)
                current_key = keys[index];
            return;
        }
        step();
    }
    /// Moves forward to the first container whose key is not below `key`.
    void seek(UInt64 key) noexcept
    {
        if (valid() && current_key < key)
            seekFurther(key);
    }

    /// True when the contents are known to mean what they claim (an owner, or bytes after Full validation).
    [[nodiscard]] bool isTrusted() const noexcept { return trusted; }

    /// Calls f(container of a, container of b) for every key that both have, until f returns false.
    template <typename F>
    static void forCommonKeys(RoaringCursor & a, RoaringCursor & b, F && f)
    {
        if (a.isFlat() && b.isFlat())
        {
            a.withKeys([&](auto && keys_a) { b.withKeys([&](auto && keys_b) { walkCommonKeys(a, b, keys_a, keys_b, f); }); });
            return;
        }
        while (a.valid() && b.valid())
        {
            if (a.key() < b.key())
                a.seek(b.key());
            else if (b.key() < a.key())
                b.seek(a.key());
            else
            {
                if (!f(a.container(), b.container()))
                    return;
                a.next();
                b.next();
            }
        }
    }

private:
    /// True when all containers can be found by their index.
    [[nodiscard]] bool isFlat() const noexcept { return source == Source::Owner || (source == Source::Image && offsets && buckets_left == 0); }
    template <typename F>
    void withKeys(F && f) const
    {
        if (source == Source::Owner)
            f([this](size_t i) { return keys[i]; });
        else
            f([this](size_t i) { return imageKey(i); });
    }
    template <typename KeysA, typename KeysB, typename F>
    static void walkCommonKeys(RoaringCursor & a, RoaringCursor & b, KeysA && keys_a, KeysB && keys_b, F && f)
    {
        /// Step by step while sizes are alike: cheaper than searching, and nothing to guess.
        constexpr size_t ALIKE = 16;
        size_t i = a.index;
        size_t j = b.index;
        const bool search_a = a.end - i > ALIKE * (b.end - j);
        const bool search_b = b.end - j > ALIKE * (a.end - i);
        while (i < a.end && j < b.end)
        {
            const UInt64 key_a = keys_a(i);
            const UInt64 key_b = keys_b(j);
            if (key_a == key_b)
            {
                a.index = i;
                b.index = j;
                if (!f(a.container(), b.container()))
                    return;
            }
            i += key_a <= key_b;
            j += key_b <= key_a;
            if (search_a && key_a < key_b)
                i = gallop(i - 1, a.end, key_b, keys_a);
            else if (search_b && key_b < key_a)
                j = gallop(j - 1, b.end, key_a, keys_b);
        }
    }
    /// The first index in (from, last) whose key is not below the wanted one, in steps that double: it is near most of the time.
    template <typename KeyAt>
    [[nodiscard]] static size_t gallop(size_t from, size_t last, UInt64 key, KeyAt && key_at) noexcept
    {
        size_t distance = 1;
        while (from + distance < last && key_at(from + distance) < key)
        {
            from += distance;
            distance *= 2;
        }
        size_t behind = from + distance < last ? from + distance : last;
        while (behind - from > 1)
        {
            const size_t middle = from + (behind - from) / 2;
            (key_at(middle) < key ? from : behind) = middle;
        }
        return behind;
    }

    enum class Source : UInt8
    {
        Owner,
        List,
        Image
    };

    /// Fills `current_key` from `index`, passing over buckets that are empty or used up.
    void load() noexcept;
    void step() noexcept;
    void seekFurther(UInt64 key) noexcept;
    void openImage(const char * image) noexcept;
    void openBucket() noexcept;
    [[nodiscard]] UInt64 imageKey(size_t i) const noexcept
    {
        return key_prefix | unalignedLoadLittleEndian<UInt16>(descriptions + 4 * i);
    }
    [[nodiscard]] ContainerView imageContainer() const noexcept
    {
        const char * at = offsets ? image_begin + unalignedLoadLittleEndian<UInt32>(offsets + 4 * index) : payload;
        if (run_flags && (static_cast<UInt8>(run_flags[index / 8]) >> (index % 8) & 1))
            return {ContainerKind::Run, unalignedLoadLittleEndian<UInt16>(at), at + 2};
        const UInt32 cardinality = UInt32{unalignedLoadLittleEndian<UInt16>(descriptions + 4 * index + 2)} + 1;
        return {cardinality <= MAX_ARRAY_CARDINALITY ? ContainerKind::Array : ContainerKind::Bitset, cardinality, at};
    }
    [[nodiscard]] const char * payloadEnd() const noexcept
    {
        const ContainerView view = imageContainer();
        return view.data + view.payloadBytes();
    }

    Source source = Source::Owner;
    bool trusted = true;
    UInt64 current_key = 0;
    size_t index = 0;
    size_t end = 0;
    const UInt64 * keys = nullptr;
    const RoaringContainer * containers = nullptr;
    const KeyedContainer * list = nullptr;

    /// The image being walked: its start, run flags (or null), key/cardinality pairs, offsets (or null; then the current container's
    /// payload is kept), and the key's upper part.
    const char * image_begin = nullptr;
    const char * run_flags = nullptr;
    const char * descriptions = nullptr;
    const char * offsets = nullptr;
    const char * payload = nullptr;
    UInt64 key_prefix = 0;
    /// Where the next bucket begins, once the current one is used up.
    const char * next_bucket = nullptr;
    UInt64 buckets_left = 0;
};

}
