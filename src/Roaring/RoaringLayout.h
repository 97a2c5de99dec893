#pragma once

#include "../Common/TrackedAllocator.h"
#include "../IO/WriteBufferSink.h"
#include "RoaringKernels.h"

#include <algorithm>

namespace DB::inline statewire
{

/** Counts the bytes of one canonical image, container by container, without keeping any of them.
  *
  * Errors: ARGUMENT_OUT_OF_BOUND from add when a key does not fit the 32-bit layout.
  */
class RoaringLayoutSize
{
public:
    explicit RoaringLayoutSize(RoaringFormat format_) noexcept : format(format_), images(format_ == RoaringFormat::Portable32 ? 1 : 0) { }

    /// Keys ascend, containers hold something. Returns the kind that is written.
    ContainerKind add(UInt64 key, ContainerCount count);
    [[nodiscard]] UInt64 bytes() const noexcept;
    /// 32-bit images so far; the container that was added last is in the last one.
    [[nodiscard]] size_t imageCount() const noexcept { return images; }

    [[nodiscard]] static UInt32 payloadSize(ContainerKind kind, ContainerCount count) noexcept
    {
        return kind == ContainerKind::Array ? 2 * count.cardinality : kind == ContainerKind::Run ? 2 + 4 * count.runs : BITSET_BYTES;
    }
    [[nodiscard]] static bool hasOffsets(UInt32 count, bool has_runs) noexcept { return !has_runs || count >= NO_OFFSET_THRESHOLD; }
    [[nodiscard]] static UInt32 headerSize(UInt32 count, bool has_runs) noexcept
    {
        return (has_runs ? 4 + (count + 7) / 8 : 8) + (hasOffsets(count, has_runs) ? 8 : 4) * count;
    }

private:
    RoaringFormat format;
    /// Payloads, and headers of the images that are complete.
    UInt64 complete = 0;
    size_t images;
    /// Of the last image.
    UInt64 upper = 0;
    UInt32 containers = 0;
    bool has_runs = false;
};

/** The plan of one canonical image: which containers, of which kind and size. 16 bytes a container.
  *
  * size() and write() follow this one plan, so they cannot disagree, and payloads are needed only while they are written: whoever can
  * produce the containers twice never has to hold them. Errors: ARGUMENT_OUT_OF_BOUND from add when a key does not fit the 32-bit layout.
  */
class RoaringLayout
{
public:
    explicit RoaringLayout(RoaringFormat format_) noexcept : format(format_), total(format_) { }

    /// Keys ascend. Empty containers are left out.
    void add(UInt64 key, ContainerCount count);
    [[nodiscard]] UInt64 size() const noexcept { return total.bytes(); }

    /// `next()` gives the view of each added container that was not empty, in order; it is valid until the next call.
    template <typename Sink, typename Next>
    void write(Sink & sink, Next && next) const;

private:
    struct Entry
    {
        UInt64 key;
        UInt32 cardinality;
        UInt16 runs;
        ContainerKind kind;

        [[nodiscard]] UInt32 payloadSize() const noexcept
        {
            return RoaringLayoutSize::payloadSize(kind, {cardinality, runs});
        }
    };
    static_assert(sizeof(Entry) == 16);

    /// One 32-bit image: entries [begin, end), which share the key's upper bits.
    struct Image
    {
        size_t begin = 0;
        size_t end = 0;
        bool has_runs = false;

        [[nodiscard]] UInt32 count() const noexcept { return static_cast<UInt32>(end - begin); }
        [[nodiscard]] bool hasOffsets() const noexcept { return RoaringLayoutSize::hasOffsets(count(), has_runs); }
        [[nodiscard]] UInt32 headerSize() const noexcept { return RoaringLayoutSize::headerSize(count(), has_runs); }
    };

    /// The image that begins with an entry; without entries an empty one. They are found while they are written: hashes have one for each value.
    [[nodiscard]] Image imageAt(size_t begin) const noexcept;
    template <typename Sink>
    void writeHeader(const Image & image, Sink & sink) const;
    template <typename Sink>
    static void writePayload(const Entry & entry, ContainerView container, Sink & sink);
    template <typename Sink>
    static void writeRuns(ContainerView container, Sink & sink);

    RoaringFormat format;
    RoaringLayoutSize total;
    TrackedVector<Entry> entries;
};

// Implementation details follow.

template <typename Sink, typename Next>
void RoaringLayout::write(Sink & sink, Next && next) const
{
    const bool is_64 = format == RoaringFormat::Portable64;
    if (is_64)
    {
        unalignedStoreLittleEndian<UInt64>(sink.reserve(8), total.imageCount());
        sink.commit(8);
    }
    Image image;
    for (size_t n = 0; n < total.imageCount(); ++n)
    {
        image = imageAt(image.end);
        if (is_64)
        {
            unalignedStoreLittleEndian<UInt32>(sink.reserve(4), static_cast<UInt32>(entries[image.begin].key >> 16));
            sink.commit(4);
        }
        writeHeader(image, sink);
        for (size_t i = image.begin; i < image.end; ++i)
            writePayload(entries[i], next(), sink);
    }
}

template <typename Sink>
void RoaringLayout::writeHeader(const Image & image, Sink & sink) const
{
    /// Elements that are put together before they are committed.
    constexpr size_t AT_ONCE = MAX_SINK_RESERVE / 4;
    char * head = sink.reserve(8);
    if (image.has_runs)
    {
        unalignedStoreLittleEndian<UInt32>(head, COOKIE_WITH_RUNS | (image.count() - 1) << 16);
        sink.commit(4);
        for (size_t i = image.begin; i < image.end; i += 8)
        {
            UInt32 flags = 0;
            for (size_t j = i; j < std::min(i + 8, image.end); ++j)
                flags |= (entries[j].kind == ContainerKind::Run ? 1u : 0u) << (j - i);
            *sink.reserve(1) = static_cast<char>(flags);
            sink.commit(1);
        }
    }
    else
    {
        unalignedStoreLittleEndian<UInt32>(head, COOKIE_WITHOUT_RUNS);
        unalignedStoreLittleEndian<UInt32>(head + 4, image.count());
        sink.commit(8);
    }
    for (size_t i = image.begin; i < image.end; i += AT_ONCE)
    {
        const size_t n = std::min(AT_ONCE, image.end - i);
        char * descriptions = sink.reserve(4 * n);
        for (size_t j = 0; j < n; ++j)
        {
            unalignedStoreLittleEndian<UInt16>(descriptions + 4 * j, static_cast<UInt16>(entries[i + j].key));
            unalignedStoreLittleEndian<UInt16>(descriptions + 4 * j + 2, static_cast<UInt16>(entries[i + j].cardinality - 1));
        }
        sink.commit(4 * n);
    }
    if (!image.hasOffsets())
        return;
    UInt32 offset = image.headerSize();
    for (size_t i = image.begin; i < image.end; i += AT_ONCE)
    {
        const size_t n = std::min(AT_ONCE, image.end - i);
        char * offsets = sink.reserve(4 * n);
        for (size_t j = 0; j < n; ++j)
        {
            unalignedStoreLittleEndian<UInt32>(offsets + 4 * j, offset);
            offset += entries[i + j].payloadSize();
        }
        sink.commit(4 * n);
    }
}

template <typename Sink>
void RoaringLayout::writePayload(const Entry & entry, ContainerView container, Sink & sink)
{
    if (entry.kind == ContainerKind::Run)
    {
        unalignedStoreLittleEndian<UInt16>(sink.reserve(2), entry.runs);
        sink.commit(2);
    }
    if (entry.kind == container.kind)
    {
        sink.append(container.data, container.payloadBytes());
        return;
    }
    if (entry.kind == ContainerKind::Run)
    {
        writeRuns(container, sink);
        return;
    }
    if (entry.kind == ContainerKind::Bitset)
    {
        char words[BITSET_BYTES] = {};
        addToBitset(words, container);
        sink.append(words, sizeof(words));
        return;
    }
    forEachValue(container, [&](UInt16 value) {
        unalignedStoreLittleEndian<UInt16>(sink.reserve(2), value);
        sink.commit(2);
    });
}

template <typename Sink>
void RoaringLayout::writeRuns(ContainerView container, Sink & sink)
{
    UInt32 start = 0;
    UInt32 behind = CONTAINER_VALUES + 1;
    const auto emit = [&] {
        if (behind > CONTAINER_VALUES)
            return;
        storeRun(sink.reserve(4), 0, start, behind - 1);
        sink.commit(4);
    };
    forEachValue(container, [&](UInt16 value) {
        if (value != behind)
        {
            emit();
            start = value;
        }
        behind = UInt32{value} + 1;
    });
    emit();
}

}
