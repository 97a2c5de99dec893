#pragma once

#include "../Common/trackedNew.h"
#include "../IO/VarInt.h"
#include "../base/types.h"
#include "../base/unaligned.h"
#include "CountMinFormat.h"
#include "CountMinParameters.h"

#include <string_view>

namespace DB::inline statewire
{

class ZeroCopyReader;

/** The exact content of a small state: keys in ascending order (memcmp, shorter first) with their weights, kept as the bytes they are written
  * as (VarUInt length, key, weight little-endian), so that writing them is one append.
  *
  * Keys of one fixed length are found by their distance; others by a table of 16-bit offsets at the other end of the same allocation.
  * Invariants: keys ascend strictly; every weight's magnitude is at most total(). Both are the caller's to keep.
  * Allocates nothing until the first entry. Copied by clone() only. Threads: const calls never write.
  */
template <CountMinWeight W>
class CountMinEntries
{
public:
    /// 16-bit offsets and two-byte lengths reach this far; two full small states put together need half of it.
    static constexpr size_t MAX_BYTES = 16383;

    struct Place
    {
        UInt32 index; /// of the entry, or of the one to insert before
        bool found;
    };

    /// Every key has `key_size_` bytes; 0: any number of bytes.
    explicit CountMinEntries(UInt32 key_size_ = 0) noexcept : key_size(key_size_) { }
    /// Leaves `other` without entries.
    CountMinEntries(CountMinEntries && other) noexcept;
    CountMinEntries & operator=(CountMinEntries && other) noexcept;
    CountMinEntries(const CountMinEntries &) = delete;
    CountMinEntries & operator=(const CountMinEntries &) = delete;
    ~CountMinEntries() { trackedDelete(block, capacity); }
    [[nodiscard]] CountMinEntries clone() const;

    /// The bytes that an entry with such a key takes.
    [[nodiscard]] static UInt64 entrySize(UInt64 key_length) noexcept;

    [[nodiscard]] UInt32 count() const noexcept { return entries; }
    /// 0: keys of any length.
    [[nodiscard]] UInt32 keySize() const noexcept { return key_size; }
    /// All entries as they are written.
    [[nodiscard]] std::string_view bytes() const noexcept { return {block, size}; }
    [[nodiscard]] size_t heldBytes() const noexcept { return capacity; }
    /// The sum of the weights' magnitudes as they were added: at least the sum over the entries (for floats: up to rounding).
    [[nodiscard]] W total() const noexcept { return weight_total; }
    void setTotal(W total_) noexcept { weight_total = total_; }

    /// Of entry `index` < count().
    [[nodiscard]] std::string_view key(UInt32 index) const noexcept;
    [[nodiscard]] W weight(UInt32 index) const noexcept;
    void setWeight(UInt32 index, W weight) noexcept;

    /// Adds to the weight of a key and to the total. False, and nothing has changed, when the entries would take more than `limit` bytes.
    /// DECIMAL_OVERFLOW when the total leaves W. Strong: on failure nothing has changed.
    [[nodiscard]] bool tryAdd(std::string_view key, W weight, UInt64 limit);

    [[nodiscard]] Place find(std::string_view key) const noexcept;
    /// `index` is where find(key) said; the result stays within MAX_BYTES. Strong: on failure nothing has changed.
    void insert(UInt32 index, std::string_view key, W weight);
    /// The key is above all others.
    void append(std::string_view key, W weight) { insert(entries, key, weight); }

    /// The entries of both, weights and totals added without a check: the caller knows that the totals fit. Commutative in bytes.
    [[nodiscard]] static CountMinEntries merged(const CountMinEntries & a, const CountMinEntries & b, W total);

    /// Writes the small form of a state behind its kind, as read() takes it; sinks as in WriteBufferSink.h.
    template <typename Sink>
    void write(Sink & sink) const;
    /// Reads the small form of a state behind its kind: VarUInt count and, unless that is 0, the total and entries of at most `limit` bytes.
    /// Checks everything that can be: INCORRECT_DATA with the byte offset, CANNOT_READ_ALL_DATA, ATTEMPT_TO_READ_AFTER_EOF.
    /// Unless `total_may_exceed`, the total of unsigned weights must be their sum; otherwise at least that.
    [[nodiscard]] static CountMinEntries read(ZeroCopyReader & reader, UInt32 key_size, UInt64 limit, bool total_may_exceed = false);

    /// A copy whose weights are weight_of(weight), and whose total is `total`; with `drop_zeros` without the keys that have none left.
    template <typename WeightOf>
    [[nodiscard]] CountMinEntries scaled(W total, bool drop_zeros, WeightOf && weight_of) const
    {
        CountMinEntries result(key_size);
        if (total == 0)
            return result;
        for (UInt32 i = 0; i < entries; ++i)
            if (const W scaled_weight = weight_of(weight(i)); scaled_weight != 0 || !drop_zeros)
                result.append(key(i), scaled_weight);
        if (result.count() != 0)
            result.weight_total = total;
        return result;
    }

    /// Cells that are not 0 in the table that these entries fill.
    [[nodiscard]] UInt64 filledCells(const CountMinParameters & parameters) const;

private:
    [[nodiscard]] size_t entryOffset(UInt32 index) const noexcept;
    /// Bytes at the end of the block that `n` offsets take.
    [[nodiscard]] size_t offsetBytes(size_t n) const noexcept { return key_size == 0 ? n * sizeof(UInt16) : 0; }
    void reserve(size_t bytes, size_t count);

    /// [entries ... room ... offset 1, offset 0]
    char * block = nullptr;
    W weight_total = 0;
    UInt32 size = 0;
    UInt32 capacity = 0;
    UInt32 entries = 0;
    UInt32 key_size;
};

template <CountMinWeight W>
template <typename Sink>
void CountMinEntries<W>::write(Sink & sink) const
{
    char * const prefix = sink.reserve(VAR_UINT_MAX_SIZE + sizeof(W));
    char * pos = writeVarUInt(entries, prefix);
    if (entries != 0)
    {
        unalignedStoreLittleEndian<W>(pos, weight_total);
        pos += sizeof(W);
    }
    sink.commit(static_cast<size_t>(pos - prefix));
    if (entries != 0)
        sink.append(block, size);
}

}
