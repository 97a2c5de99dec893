#pragma once

#include "RoaringBitmap.h"

#include <array>
#include <cstddef>
#include <iterator>

/** Ways to walk a set, an owner or a view. Each iterator points into what the snapshot points into, and is valid as long as that. */
namespace DB::inline statewire
{

/** Values in ascending order, many at a time: the fastest way out of a set.
  *
  * Allocates nothing.
  */
class RoaringBatchIterator
{
public:
    explicit RoaringBatchIterator(const RoaringSnapshot & set) noexcept : at(set.cursor()) { }

    /// Writes at most n values and returns how many; 0 only at the end (or when n is 0).
    size_t read(UInt64 * to, size_t n) noexcept;
    /// Moves forward so that the next value is the first one not below `value`. Never moves back.
    void seek(UInt64 value) noexcept;

private:
    /// Decodes bits of the current bitset into `decoded`; false when it has none left.
    bool decodeBits() noexcept;
    size_t readContainer(UInt64 * to, size_t n) noexcept;

    /// Words that are decoded at once; 64 values each at most.
    static constexpr size_t DECODED_WORDS = 16;

    RoaringCursor at;
    /// Array: index of the next value. Bitset: the next word to decode. Run: index of the current run.
    UInt32 position = 0;
    /// Run: values of the current run that are behind us. Bitset: decoded values that are behind us.
    UInt32 used = 0;
    UInt32 decoded_size = 0;
    std::array<char, 2 * 64 * DECODED_WORDS + 128> decoded;
};

/** A range over all values in ascending order: `for (const UInt64 value : RoaringValues(view))`. An input range: one walk at a time. */
class RoaringValues
{
public:
    explicit RoaringValues(const RoaringSnapshot & set) noexcept : source(set) { }
    RoaringValues(const RoaringValues &) = delete;
    RoaringValues & operator=(const RoaringValues &) = delete;

    class Iterator
    {
    public:
        using value_type = UInt64;
        using difference_type = std::ptrdiff_t;
        using iterator_concept = std::input_iterator_tag;

        Iterator() = default;
        explicit Iterator(RoaringValues & values_) noexcept : values(&values_) { }
        [[nodiscard]] UInt64 operator*() const noexcept { return values->buffer[values->used]; }
        Iterator & operator++() noexcept
        {
            if (++values->used == values->filled)
                values->fill();
            return *this;
        }
        void operator++(int) noexcept { ++*this; }
        [[nodiscard]] bool operator==(std::default_sentinel_t) const noexcept { return values->filled == 0; }

    private:
        RoaringValues * values = nullptr;
    };

    [[nodiscard]] Iterator begin() noexcept
    {
        fill();
        return Iterator(*this);
    }
    [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }
    /// Moves a walk that has not begun to the first value not below `value`.
    void seek(UInt64 value) noexcept { source.seek(value); }

private:
    void fill() noexcept
    {
        used = 0;
        filled = source.read(buffer.data(), buffer.size());
    }

    RoaringBatchIterator source;
    size_t used = 0;
    size_t filled = 0;
    std::array<UInt64, 128> buffer;
};

/** Values in descending order. Serialized bytes can only be walked forward, so the containers are listed first: 24 bytes a container. */
class RoaringBackwardIterator
{
public:
    explicit RoaringBackwardIterator(const RoaringSnapshot & set);

    /// False at the end.
    bool next(UInt64 & value) noexcept;
    /// Moves so that the next value is the first one not above `value`. Never moves back.
    void seek(UInt64 value) noexcept;

private:
    TrackedVector<KeyedContainer> containers;
    /// The largest value that may still come, inside the last container; CONTAINER_VALUES - 1 when it has not begun.
    UInt32 bound;
};

/** The maximal runs of consecutive values, ascending, across containers. */
class RoaringRangeIterator
{
public:
    explicit RoaringRangeIterator(const RoaringSnapshot & set) noexcept : at(set.cursor()) { }

    /// False at the end; else the closed range [first, last].
    bool next(UInt64 & first, UInt64 & last) noexcept;

private:
    RoaringCursor at;
    UInt32 from = 0;
};

}
