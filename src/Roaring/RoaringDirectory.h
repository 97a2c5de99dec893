#pragma once

#include "../Common/TrackedAllocator.h"
#include "RoaringContainer.h"
#include "RoaringView.h"

#include <optional>

namespace DB::inline statewire
{

/** An index over a view: point queries in logarithmic time, whatever the format. What probes a view more than once builds one.
  *
  * Points into: the view's bytes. Valid while: they live and do not change. 24 bytes a container.
  * Cost: one walk over the headers (and the runs of run containers) to build; a binary search and a look into one container for each
  * question. Answers are those of the view; after Structure validation they are as good as the contents. Const calls may run together.
  */
class RoaringDirectory
{
public:
    explicit RoaringDirectory(RoaringView view);

    [[nodiscard]] UInt64 cardinality() const noexcept { return total; }
    [[nodiscard]] size_t containers() const noexcept { return entries.size(); }
    [[nodiscard]] bool contains(UInt64 value) const noexcept;
    /// Values that are at most `value`.
    [[nodiscard]] UInt64 rank(UInt64 value) const noexcept;
    /// The value that has `index` smaller ones.
    [[nodiscard]] std::optional<UInt64> select(UInt64 index) const noexcept;
    /// The smallest value not below `from`, the largest not above it.
    [[nodiscard]] std::optional<UInt64> next(UInt64 from) const noexcept;
    [[nodiscard]] std::optional<UInt64> previous(UInt64 from) const noexcept;
    [[nodiscard]] size_t heldBytes() const noexcept { return entries.capacity() * sizeof(Entry); }

private:
    struct Entry
    {
        /// Values in the containers before this one.
        UInt64 before;
        /// The key (48 bits), then the container's kind.
        UInt64 key_and_kind;
        /// Where the payload begins in the image (48 bits: no image is larger), then the container's size less one.
        UInt64 place;

        [[nodiscard]] UInt64 key() const noexcept { return key_and_kind >> 16; }
    };

    [[nodiscard]] ContainerView container(const Entry & entry) const noexcept;
    /// The first entry whose key is not below `key`.
    [[nodiscard]] TrackedVector<Entry>::const_iterator find(UInt64 key) const noexcept;

    const char * image = nullptr;
    UInt64 total = 0;
    TrackedVector<Entry> entries;
};

}
