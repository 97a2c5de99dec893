#pragma once

#include "../Columns/IColumn.h"
#include "../Common/TrackedAllocator.h"
#include "../DataTypes/IDataType.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace DB::inline statewire
{

/** The encoded keys of some rows, and their hashes. Made by GroupKeys; reused from piece to piece.
 *
 * Points into: the key column, when the key is one String, else into its own memory. Valid while: that column lives unchanged.
 */
struct EncodedKeys
{
    /// For numbers: every key as one number.
    TrackedVector<UInt64> numbers;
    /// For bytes: every key's bytes.
    TrackedVector<std::string_view> views;
    TrackedVector<UInt64> hashes;
    TrackedString memory;
};

/** Key columns as one number or one string of bytes a row, in the order of the key columns: comparing two keys' numbers, or their bytes as
 * unsigned, is comparing the rows key by key in their types' order, NULL last; and keys are equal exactly where all values have the same
 * bytes. So grouping, sorting, merging and spilling know bytes only.
 *
 * Keys of one fixed size of at most 8 bytes in all are numbers (kind Number), anything else is Bytes; both have the same bytes: numbers
 * big-endian with the sign turned, floats in the total order of IColumn::compareAt; a String ends by 00 00 and has 00 as 00 FF inside,
 * unless it is the only key; an array's elements stand behind a 01 each and end by 00; a Nullable value stands behind a 00, NULL is a 01; the
 * elements of a tuple stand side by side.
 * The hash is our own: it decides which thread a group belongs to, and nothing else that is seen.
 * Errors: ILLEGAL_TYPE_OF_ARGUMENT for a type that is no key.
 * Threads: const calls may run together.
 */
class GroupKeys
{
public:
    enum class Kind : UInt8
    {
        None, /// no keys: one group
        Number,
        Bytes
    };

    explicit GroupKeys(DataTypes types_);

    [[nodiscard]] Kind kind() const noexcept { return key_kind; }
    /// Bytes of every key; 0 where they differ.
    [[nodiscard]] size_t fixedSize() const noexcept { return fixed_size; }
    /// Whether a type may be a key, or part of one.
    [[nodiscard]] static bool isKey(const IDataType & type) noexcept;

    /// Encodes rows [begin, end) of the key columns.
    void encode(std::span<const IColumn * const> columns, size_t begin, size_t end, EncodedKeys & to) const;

    /// Fills in the hashes of to.numbers or to.views.
    void hash(EncodedKeys & to) const;

    /// The bytes of a key of kind Number, at `to` of 8 bytes.
    [[nodiscard]] std::string_view bytesOfNumber(UInt64 number, char * to) const noexcept;
    /// Key `i` of those that encode() made, as bytes; of kind Number they are put at `to` of 8 bytes. Empty without keys.
    [[nodiscard]] std::string_view bytesAt(
        std::span<const UInt64> numbers, std::span<const std::string_view> views, size_t i, char * to) const noexcept;
    /// The first eight bytes as a number in the same order.
    [[nodiscard]] static UInt64 prefixOf(std::string_view key) noexcept;
    /// -1, 0 or 1.
    [[nodiscard]] static int compare(std::string_view left, std::string_view right) noexcept;

    /// Appends the values of a key's bytes to columns of the key types. CORRUPTED_DATA when they are no key, with nothing appended.
    void decode(std::string_view key, std::span<const MutableColumnPtr> columns) const;
    /// For error texts: "('a', 5)", and one value alone without parentheses.
    [[nodiscard]] std::string describe(std::string_view key) const;

private:
    void encodeFixed(std::span<const IColumn * const> columns, size_t begin, size_t end, EncodedKeys & to) const;
    void encodeNumbers(std::span<const IColumn * const> columns, size_t begin, size_t end, TrackedVector<UInt64> & numbers) const;

    DataTypes types;
    size_t fixed_size = 0;
    Kind key_kind = Kind::None;
    bool is_one_string = false;
};

/// A permutation of the bits of a number in which every bit depends on all.
[[nodiscard]] inline UInt64 hashOfNumber(UInt64 number) noexcept
{
    number ^= number >> 32;
    number *= 0xd6e8feb86659fd93;
    number ^= number >> 32;
    number *= 0xd6e8feb86659fd93;
    return number ^ number >> 32;
}

}
