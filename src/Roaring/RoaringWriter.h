#pragma once

#include "../IO/WriteBufferSink.h"
#include "RoaringCursor.h"
#include "RoaringKernels.h"

#include <algorithm>
#include <vector>

namespace DB::inline statewire
{

/** The encoder of both portable layouts, canonical and run-optimizing, without touching or copying the source.
  *
  * Construction decides every container's kind and size; size() and write() follow that one plan, so they cannot disagree. Payloads that
  * keep their kind leave in one append each.
  * Points into: the cursor's source. Valid while: that lives unchanged. Errors: ARGUMENT_OUT_OF_BOUND from the constructor when a key does
  * not fit the 32-bit layout; std::bad_alloc; whatever the sink throws.
  */
class RoaringWriter
{
public:
    RoaringWriter(RoaringCursor source, RoaringFormat format_);

    [[nodiscard]] UInt64 size() const noexcept { return total_size; }

    template <typename Sink>
    void write(Sink & sink) const;

private:
    struct Entry
    {
        KeyedContainer source;
        UInt32 cardinality;
        UInt32 runs;
        ContainerKind kind;

        [[nodiscard]] UInt32 payloadSize() const noexcept
        {
            return kind == ContainerKind::Array ? 2 * cardinality : kind == ContainerKind::Run ? 2 + 4 * runs : BITSET_BYTES;
        }
    };

    /// One 32-bit image: entries [begin, end), which share the key's upper bits.
    struct Image
    {
        size_t begin;
        size_t end;
        bool has_runs;

        [[nodiscard]] UInt32 count() const noexcept { return static_cast<UInt32>(end - begin); }
        [[nodiscard]] bool hasOffsets() const noexcept { return !has_runs || count() >= NO_OFFSET_THRESHOLD; }
        [[nodiscard]] UInt32 headerSize() const noexcept
        {
            return (has_runs ? 4 + (count() + 7) / 8 : 8) + (hasOffsets() ? 8 : 4) * count();
        }
    };

    [[noreturn]] static void throwKeyTooLarge(UInt64 key);

    template <typename Sink>
    void writeImage(const Image & image, Sink & sink) const;
    template <typename Sink>
    static void writePayload(const Entry & entry, Sink & sink);

    RoaringFormat format;
    UInt64 total_size = 0;
    std::vector<Entry> entries;
    std::vector<Image> images;
};

// Implementation details follow.

template <typename Sink>
void RoaringWriter::write(Sink & sink) const
{
    if (format == RoaringFormat::Portable32)
    {
        writeImage(images.front(), sink);
        return;
    }
    unalignedStoreLittleEndian<UInt64>(sink.reserve(8), images.size());
    sink.commit(8);
    for (const Image & image : images)
    {
        unalignedStoreLittleEndian<UInt32>(sink.reserve(4), static_cast<UInt32>(entries[image.begin].source.key >> 16));
        sink.commit(4);
        writeImage(image, sink);
    }
}

template <typename Sink>
void RoaringWriter::writeImage(const Image & image, Sink & sink) const
{
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
    for (size_t i = image.begin; i < image.end; ++i)
    {
        char * description = sink.reserve(4);
        unalignedStoreLittleEndian<UInt16>(description, static_cast<UInt16>(entries[i].source.key));
        unalignedStoreLittleEndian<UInt16>(description + 2, static_cast<UInt16>(entries[i].cardinality - 1));
        sink.commit(4);
    }
    if (image.hasOffsets())
    {
        UInt32 offset = image.headerSize();
        for (size_t i = image.begin; i < image.end; ++i)
        {
            unalignedStoreLittleEndian<UInt32>(sink.reserve(4), offset);
            sink.commit(4);
            offset += entries[i].payloadSize();
        }
    }
    for (size_t i = image.begin; i < image.end; ++i)
        writePayload(entries[i], sink);
}

template <typename Sink>
void RoaringWriter::writePayload(const Entry & entry, Sink & sink)
{
    const ContainerView & container = entry.source.container;
    if (entry.kind == ContainerKind::Run)
    {
        unalignedStoreLittleEndian<UInt16>(sink.reserve(2), static_cast<UInt16>(entry.runs));
        sink.commit(2);
    }
    if (entry.kind == container.kind)
    {
        sink.append(container.data, container.payloadBytes());
        return;
    }
    if (entry.kind == ContainerKind::Bitset)
    {
        char words[BITSET_BYTES] = {};
        addToBitset(words, container);
        sink.append(words, sizeof(words));
        return;
    }
    if (entry.kind == ContainerKind::Array)
    {
        forEachValue(container, [&](UInt16 value) {
            unalignedStoreLittleEndian<UInt16>(sink.reserve(2), value);
            sink.commit(2);
        });
        return;
    }
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
