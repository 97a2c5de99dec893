#pragma once

#include "RoaringTables.h"

namespace DB::inline statewire
{

/// The highest that a container of 64-bit values can have.
inline constexpr UInt64 LAST_CONTAINER_KEY = ~UInt64{0} >> 16;

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
    RoaringCursor() noexcept : RoaringCursor(nullptr, nullptr, 0, 0) { }

    /// Over an owner's arrays, which have `cardinality` values together.
    RoaringCursor(const UInt64 * keys, const RoaringContainer * containers, size_t n, UInt64 cardinality) noexcept
        : current_key(n != 0 ? keys[0] : 0), end(n), source(Source::Owner), owner{keys, containers, cardinality}
    {
    }
    /// Over a list.
    RoaringCursor(const KeyedContainer * list_, size_t n) noexcept
        : current_key(n != 0 ? list_[0].key : 0), end(n), source(Source::List), list(list_)
    {
    }
    /// Over a portable 32-bit image whose structure was checked.
    [[nodiscard]] static RoaringCursor overPortable32(const char * bytes, bool trusted_) noexcept;
    /// Over a portable 64-bit image whose structure was checked.
    [[nodiscard]] static RoaringCursor overPortable64(const char * bytes, bool trusted_) noexcept;

    /// False at the end, where key and container must not be asked for.
    [[nodiscard]] bool valid() const noexcept { return index < end; }
    [[nodiscard]] UInt64 key() const noexcept { return current_key; }
    /// Looked up on demand, so that walking over keys alone is cheap.
    [[nodiscard]] ContainerView container() const noexcept
    {
        if (source == Source::Owner)
            return owner.containers[index].view();
        return source == Source::List ? list[index].container : imageContainer();
    }
    [[nodiscard]] KeyedContainer keyed() const noexcept { return {current_key, container()}; }
    /// Values of the current container, as far as its header is to be believed; runs in bytes are added up.
    [[nodiscard]] UInt64 cardinality() const noexcept
    {
        return source == Source::Owner ? owner.containers[index].cardinality() : containerCardinality(container());
    }
    /// Of this container and all that follow.
    [[nodiscard]] UInt64 remainingCardinality() const noexcept;
    /// An owned copy of the current container; what unchecked bytes claim about a bitset is recounted.
    [[nodiscard]] RoaringContainer copy() const
    {
        return source == Source::Owner ? owner.containers[index] : copyContainer(container(), trusted);
    }
    void next() noexcept
    {
        if (index + 1 < end && isIndexed())
            moveTo(index + 1);
        else if (source == Source::Image)
            stepImage();
        else
            ++index;
    }
    /// Calls f(key, container) for this container and all that follow, and ends behind them.
    template <typename F>
    void forEach(F && f)
    {
        while (valid())
        {
            for (const size_t last = isIndexed() ? end - 1 : index; index < last; ++index)
                f(keyAt(index), container());
            current_key = keyAt(index);
            f(current_key, container());
            next();
        }
    }
    /// Moves forward to the first container whose key is not below `key`.
    void seek(UInt64 key) noexcept
    {
        if (!valid() || current_key >= key)
            return;
        /// It is the next one most of the time.
        next();
        if (valid() && current_key < key)
            seekFurther(key);
    }
    /// Containers that are known to follow, with the current one: all of them, but for a 64-bit image those of the current bucket.
    [[nodiscard]] size_t knownSize() const noexcept { return end - index; }

    /// True when the contents are known to mean what they claim (an owner, or bytes after Full validation).
    [[nodiscard]] bool isTrusted() const noexcept { return trusted; }

private:
    enum class Source : UInt8
    {
        Owner,
        List,
        Image
    };

    struct Owner
    {
        const UInt64 * keys;
        const RoaringContainer * containers;
        UInt64 cardinality;
    };
    struct Image
    {
        RoaringImageTable table;
        /// Of the current container, where there are no offsets.
        const char * payload;
        /// Where the next bucket begins, once the current one is used up.
        const char * next_bucket;
        UInt64 buckets_left;
    };

    explicit RoaringCursor(bool trusted_) noexcept : source(Source::Image), trusted(trusted_), image{} { }

    /// True when containers are found by their index.
    [[nodiscard]] bool isIndexed() const noexcept { return source != Source::Image || image.table.offsets; }
    [[nodiscard]] UInt64 keyAt(size_t i) const noexcept
    {
        if (source == Source::Owner)
            return owner.keys[i];
        return source == Source::List ? list[i].key : image.table.key(i);
    }
    void moveTo(size_t i) noexcept
    {
        index = i;
        current_key = keyAt(i);
    }
    void stepImage() noexcept;
    void seekFurther(UInt64 key) noexcept;
    void openImage(const char * bytes, UInt64 key_prefix) noexcept;
    void openBucket() noexcept;
    [[nodiscard]] ContainerView imageContainer() const noexcept
    {
        return image.table.offsets ? image.table.container(index) : image.table.containerAt(index, image.payload);
    }

    UInt64 current_key = 0;
    size_t index = 0;
    size_t end = 0;
    Source source;
    bool trusted = true;
    union
    {
        Owner owner;
        const KeyedContainer * list;
        Image image;
    };
};

}
