#pragma once

#include "../base/types.h"
#include "../base/unaligned.h"

#include <concepts>
#include <string>
#include <string_view>

/** The Apache DataSketches count-min image; field by field in docs/count_min_format.md. Nothing in it is aligned. */
namespace DB::inline statewire
{

/// The weight types an image can have. The image does not say which: whoever reads it must know.
template <typename W>
concept CountMinWeight = std::same_as<W, UInt8> || std::same_as<W, UInt16> || std::same_as<W, UInt32> || std::same_as<W, UInt64>
    || std::same_as<W, Int8> || std::same_as<W, Int16> || std::same_as<W, Int32> || std::same_as<W, Int64> || std::same_as<W, Float32>
    || std::same_as<W, Float64>;

inline constexpr UInt8 COUNT_MIN_PREAMBLE_LONGS = 2;
inline constexpr UInt8 COUNT_MIN_SERIAL_VERSION = 1;
inline constexpr UInt8 COUNT_MIN_FAMILY = 18;
/// The only flag. An empty image is the header alone.
inline constexpr UInt8 COUNT_MIN_FLAG_EMPTY = 1;
inline constexpr size_t COUNT_MIN_HEADER_SIZE = 16;
/// Where the fields of the header start.
inline constexpr size_t COUNT_MIN_FLAGS_OFFSET = 3;
inline constexpr size_t COUNT_MIN_RESERVED_OFFSET = 4;
inline constexpr size_t COUNT_MIN_NUM_BUCKETS_OFFSET = 8;
inline constexpr size_t COUNT_MIN_NUM_HASHES_OFFSET = 12;
inline constexpr size_t COUNT_MIN_SEED_HASH_OFFSET = 13;
inline constexpr size_t COUNT_MIN_LAST_RESERVED_OFFSET = 15;

/// The count of rows is one byte.
inline constexpr UInt32 COUNT_MIN_MAX_HASHES = 255;
/// With fewer, the relative error e / num_buckets is above 1 and the sketch says nothing.
inline constexpr UInt32 COUNT_MIN_MIN_BUCKETS = 3;
/// A table has fewer cells than this. DataSketches' limit; the product is compared in 64 bits.
inline constexpr UInt64 COUNT_MIN_CELLS_LIMIT = UInt64{1} << 30;
/// What an *empty* image may claim where its shape is all that is known of it: 16 bytes must not demand a table of gigabytes.
inline constexpr UInt64 COUNT_MIN_EMPTY_CELLS_LIMIT = UInt64{1} << 27;

/// What the header says, without knowing seed, scheme or weight type.
struct CountMinShape
{
    UInt32 num_hashes = 0;
    UInt32 num_buckets = 0;
    UInt16 seed_hash = 0;
    bool empty = true;

    bool operator==(const CountMinShape &) const = default;
    [[nodiscard]] UInt64 cells() const noexcept { return UInt64{num_hashes} * num_buckets; }
};

/// Why bytes are no count-min image, or not the one that was asked for. Each reason has its row in docs/count_min_format.md.
enum class CountMinError : UInt8
{
    None,
    Truncated,
    BadPreambleLongs,
    BadSerialVersion,
    BadFamily,
    UnknownFlags,
    ReservedNotZero,
    NoHashes,
    TooFewBuckets,
    TooManyCells,
    EmptyTooLarge,
    NumHashesMismatch,
    NumBucketsMismatch,
    SeedHashMismatch,
    BytesAfterEmpty,
    TotalIsZero,
    TotalNotPositive,
    CellAboveTotal,
    NegativeZeroCell,
    RowSumMismatch,
    RowSumAboveTotal
};

/// The outcome of parsing: success, or the first reason with the byte offset where it shows and the numbers that disagree.
struct CountMinParseResult
{
    enum class Numbers : UInt8
    {
        Unsigned,
        Signed,
        Floating /// the bits of a Float64
    };

    CountMinError error = CountMinError::None;
    /// How `expected` and `found` are to be read.
    Numbers numbers = Numbers::Unsigned;
    UInt64 offset = 0;
    UInt64 expected = 0;
    UInt64 found = 0;

    [[nodiscard]] bool ok() const noexcept { return error == CountMinError::None; }
    /// CANNOT_READ_ALL_DATA for bytes that end early, INCORRECT_DATA otherwise.
    [[nodiscard]] int code() const noexcept;
    /// One sentence: what is wrong, at which byte (base_offset is added), what was expected and what was found.
    [[nodiscard]] std::string describe(UInt64 base_offset = 0) const;
};

/// Reads and checks the 16 bytes of a header, by themselves. On success `shape` is set. An empty image that claims more than
/// `max_empty_cells` cells is refused; one that is not empty brings its table along and needs no such limit.
[[nodiscard]] CountMinParseResult
tryReadCountMinShape(std::string_view bytes, CountMinShape & shape, UInt64 max_empty_cells = COUNT_MIN_EMPTY_CELLS_LIMIT) noexcept;

/// Writes the 16 bytes of a header. Here, so that counting an image's size costs nothing.
inline void writeCountMinHeader(char * to, const CountMinShape & shape) noexcept
{
    to[0] = static_cast<char>(COUNT_MIN_PREAMBLE_LONGS);
    to[1] = static_cast<char>(COUNT_MIN_SERIAL_VERSION);
    to[2] = static_cast<char>(COUNT_MIN_FAMILY);
    to[COUNT_MIN_FLAGS_OFFSET] = static_cast<char>(shape.empty ? COUNT_MIN_FLAG_EMPTY : 0);
    unalignedStoreLittleEndian<UInt32>(to + COUNT_MIN_RESERVED_OFFSET, 0);
    unalignedStoreLittleEndian<UInt32>(to + COUNT_MIN_NUM_BUCKETS_OFFSET, shape.num_buckets);
    to[COUNT_MIN_NUM_HASHES_OFFSET] = static_cast<char>(shape.num_hashes);
    unalignedStoreLittleEndian<UInt16>(to + COUNT_MIN_SEED_HASH_OFFSET, shape.seed_hash);
    to[COUNT_MIN_LAST_RESERVED_OFFSET] = 0;
}

/// Bytes of an image: 16 when empty, otherwise the header, the total and the table. The shape is a legal one.
template <CountMinWeight W>
[[nodiscard]] constexpr UInt64 countMinImageSize(UInt64 cells, bool empty = false) noexcept
{
    return empty ? COUNT_MIN_HEADER_SIZE : COUNT_MIN_HEADER_SIZE + sizeof(W) * (1 + cells);
}

}
