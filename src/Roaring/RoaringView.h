#pragma once

#include "../base/types.h"
#include "RoaringFormat.h"

#include <string_view>

namespace DB::inline statewire
{

class RoaringCursor;

/** A Roaring bitmap inside serialized bytes: queried, iterated and merged without building anything.
  *
  * Points into: the bytes given to parse(), at any alignment; from their first byte to sizeInBytes().
  * Valid while: those bytes live and do not change.
  * Invalidated by: nothing else. It is a small trivially copyable value.
  *
  * After Validation::Structure no call reads outside the bytes, whatever they say; answers are only as good as the contents. After
  * Validation::Full the contents are a set, and every answer is right. Point queries on the 64-bit form walk its buckets; what probes more
  * than once builds a RoaringDirectory.
  */
class RoaringView
{
public:
    /// The empty set.
    RoaringView() = default;

    /// INCORRECT_DATA with the reason and the byte offset (from the first byte of `bytes`) when the bytes are refused. Bytes behind the
    /// bitmap are not looked at: compare sizeInBytes() with what was given.
    [[nodiscard]] static RoaringView parse(std::string_view bytes, RoaringFormat format, Validation validation = Validation::Full);
    /// The same without exceptions: on success `view` is set.
    [[nodiscard]] static RoaringParseResult tryParse(
        std::string_view bytes, RoaringFormat format, Validation validation, RoaringView & view) noexcept;

    /// The same view over a byte-for-byte copy of its bytes.
    [[nodiscard]] RoaringView over(const char * copy) const noexcept
    {
        RoaringView result = *this;
        result.data = copy;
        return result;
    }

    /// Bytes the bitmap takes.
    [[nodiscard]] UInt64 sizeInBytes() const noexcept { return size; }
    [[nodiscard]] std::string_view bytes() const noexcept { return {data, static_cast<size_t>(size)}; }
    [[nodiscard]] RoaringFormat format() const noexcept { return is64() ? RoaringFormat::Portable64 : RoaringFormat::Portable32; }
    [[nodiscard]] Validation validation() const noexcept { return (flags & FULL) ? Validation::Full : Validation::Structure; }
    /// True when Full validation found that our writer would give the same bytes. Always false after Structure.
    [[nodiscard]] bool isCanonical() const noexcept { return flags & CANONICAL; }

    /// True for a set in the 32-bit form.
    [[nodiscard]] bool hasOneImage() const noexcept { return data && !is64(); }
    /// Containers of a 32-bit image, buckets of a 64-bit one, as its header counts them.
    [[nodiscard]] UInt32 headerCount() const noexcept;
    [[nodiscard]] bool empty() const noexcept;
    /// Known after Full validation, added up after Structure.
    [[nodiscard]] UInt64 cardinality() const noexcept { return flags & FULL ? values : countValues(); }
    [[nodiscard]] bool contains(UInt64 value) const noexcept;
    /// The containers in ascending order.
    [[nodiscard]] RoaringCursor cursor() const noexcept;

private:
    friend class RoaringCursor;

    static constexpr UInt64 IS64 = 1;
    static constexpr UInt64 FULL = 2;
    static constexpr UInt64 CANONICAL = 4;

    [[nodiscard]] bool is64() const noexcept { return flags & IS64; }
    [[nodiscard]] UInt64 countValues() const noexcept;

    const char * data = nullptr;
    UInt64 size = 0;
    /// Counted by Full validation; bytes that fit into memory cannot hold more.
    UInt64 values : 61 = 0;
    UInt64 flags : 3 = FULL | CANONICAL;
};

}
