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
        : source(Source::Owner), keys(keys_), containers(containers_), end(n)
    {
        load();
    }
    /// Over a list.
    RoaringCursor(const KeyedContainer * list_, size_t n) noexcept : source(Source::List), list(list_), end(n) { load(); }
    /// Over a portable 32-bit image whose structure was checked.
    [[nodiscard]] static RoaringCursor overPortable32(const char * image, bool trusted_) noexcept;
    /// Over a portable 64-bit image whose structure was checked.
    [[nodiscard]] static RoaringCursor overPortable64(const char * image, bool trusted_) noexcept;

    /// False at the end, where key and container must not be asked for.
    [[nodiscard]] bool valid() const noexcept { return index < end; }
    [[nodiscard]] UInt64 key() const noexcept { return current.key; }
    [[nodiscard]] ContainerView container() const noexcept { return current.container; }
    [[nodiscard]] const KeyedContainer & keyed() const noexcept { return current; }
    void next() noexcept
    {
        ++index;
        if (source == Source::Image && index < end)
            loadFromImage(payloadEnd());
        else
            load();
    }
    /// Moves forward to the first container whose key is not below `key`.
    void seek(UInt64 key) noexcept;

    /// True when the contents are known to mean what they claim (an owner, or bytes after Full validation).
    [[nodiscard]] bool isTrusted() const noexcept { return trusted; }
    /// The position in a 32-bit image behind the current container's payload.
    [[nodiscard]] const char * payloadEnd() const noexcept { return current.container.data + current.container.payloadBytes(); }

private:
    enum class Source : UInt8
    {
        Owner,
        List,
        Image
    };

    /// Fills `current` from `index`, passing over buckets that are empty or used up.
    void load() noexcept;
    void openImage(const char * image) noexcept;
    void openBucket() noexcept;
    void loadFromImage(const char * payload) noexcept
    {
        const auto description = unalignedLoadLittleEndian<UInt32>(descriptions + 4 * index);
        current.key = key_prefix | (description & 0xffff);
        const bool is_run = run_flags && static_cast<UInt8>(run_flags[index / 8]) >> (index % 8) & 1;
        if (is_run)
        {
            current.container = {ContainerKind::Run, unalignedLoadLittleEndian<UInt16>(payload), payload + 2};
            return;
        }
        const UInt32 cardinality = (description >> 16) + 1;
        current.container = {cardinality <= MAX_ARRAY_CARDINALITY ? ContainerKind::Array : ContainerKind::Bitset, cardinality, payload};
    }

    Source source = Source::Owner;
    bool trusted = true;
    KeyedContainer current;
    const UInt64 * keys = nullptr;
    const RoaringContainer * containers = nullptr;
    const KeyedContainer * list = nullptr;
    size_t index = 0;
    size_t end = 0;

    /// The image being walked: its start, run flags (or null), key/cardinality pairs, offsets (or null), and the key's upper part.
    const char * image_begin = nullptr;
    const char * run_flags = nullptr;
    const char * descriptions = nullptr;
    const char * offsets = nullptr;
    UInt64 key_prefix = 0;
    /// Behind the current 32-bit image, where the next bucket begins.
    const char * next_bucket = nullptr;
    UInt64 buckets_left = 0;
};

}
