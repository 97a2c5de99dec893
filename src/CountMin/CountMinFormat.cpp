#include "CountMinFormat.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../base/unaligned.h"
#include "CountMinArithmetic.h"

#include <bit>
#include <charconv>

namespace DB::inline statewire
{

namespace
{
[[nodiscard]] CountMinParseResult failure(CountMinError error, UInt64 offset, UInt64 expected, UInt64 found) noexcept
{
    return {error, CountMinParseResult::Numbers::Unsigned, offset, expected, found};
}

[[nodiscard]] std::string numberText(CountMinParseResult::Numbers numbers, UInt64 bits)
{
    switch (numbers)
    {
        case CountMinParseResult::Numbers::Unsigned:
            break;
        case CountMinParseResult::Numbers::Signed:
            return concat(static_cast<Int64>(bits));
        case CountMinParseResult::Numbers::Floating:
        {
            /// The longest shortest form of a double has 24 characters.
            char text[32];
            const auto [end, error] = std::to_chars(text, text + sizeof(text), std::bit_cast<Float64>(bits));
            return {text, end};
        }
    }
    return concat(bits);
}

/// What is wrong, and what `expected` says of it.
struct ErrorText
{
    std::string_view what;
    std::string_view expected;
};

[[nodiscard]] ErrorText textOf(CountMinError error) noexcept
{
    switch (error)
    {
        case CountMinError::None:
            return {"nothing is wrong", ""};
        case CountMinError::Truncated:
            return {"the bytes end early", "a size of at least "};
        case CountMinError::BadPreambleLongs:
            return {"wrong number of preamble longs", ""};
        case CountMinError::BadSerialVersion:
            return {"unknown serial version", ""};
        case CountMinError::BadFamily:
            return {"not the count-min family", ""};
        case CountMinError::UnknownFlags:
            return {"unknown flag bits", "at most "};
        case CountMinError::ReservedNotZero:
            return {"a reserved field is used", ""};
        case CountMinError::NoHashes:
            return {"no rows", "at least "};
        case CountMinError::TooFewBuckets:
            return {"too few buckets", "at least "};
        case CountMinError::TooManyCells:
            return {"too many cells", "fewer than "};
        case CountMinError::EmptyTooLarge:
            return {"an empty image claims too large a table", "at most "};
        case CountMinError::NumHashesMismatch:
            return {"another number of rows", ""};
        case CountMinError::NumBucketsMismatch:
            return {"another number of buckets", ""};
        case CountMinError::SeedHashMismatch:
            return {"another seed (by its hash)", ""};
        case CountMinError::BytesAfterEmpty:
            return {"bytes follow an empty image", "a size of "};
        case CountMinError::TotalIsZero:
            return {"a total of 0 in an image that is not empty", "at least "};
        case CountMinError::TotalNotPositive:
            return {"the total is not positive and finite", "at least "};
        case CountMinError::CellAboveTotal:
            return {"a cell is larger than the total", "a magnitude of at most "};
        case CountMinError::NegativeZeroCell:
            return {"a cell is negative zero", ""};
        case CountMinError::RowSumMismatch:
            return {"a row does not sum to the total", ""};
        case CountMinError::RowSumAboveTotal:
            return {"a row sums to more than the total", "at most "};
    }
    return {"unknown reason", ""};
}
}

int CountMinParseResult::code() const noexcept
{
    return error == CountMinError::Truncated ? ErrorCodes::CANNOT_READ_ALL_DATA : ErrorCodes::INCORRECT_DATA;
}

std::string CountMinParseResult::describe(UInt64 base_offset) const
{
    const ErrorText text = textOf(error);
    if (ok())
        return std::string(text.what);
    return concat(
        "Incorrect count-min image: ",
        text.what,
        " at byte ",
        base_offset + offset,
        ": expected ",
        text.expected,
        numberText(numbers, expected),
        ", found ",
        numberText(numbers, found));
}

CountMinParseResult tryReadCountMinShape(std::string_view bytes, CountMinShape & shape, UInt64 max_empty_cells) noexcept
{
    if (bytes.size() < COUNT_MIN_HEADER_SIZE)
        return failure(CountMinError::Truncated, bytes.size(), COUNT_MIN_HEADER_SIZE, bytes.size());
    const auto byte_at = [&](size_t offset) { return static_cast<UInt8>(bytes[offset]); };
    if (byte_at(0) != COUNT_MIN_PREAMBLE_LONGS)
        return failure(CountMinError::BadPreambleLongs, 0, COUNT_MIN_PREAMBLE_LONGS, byte_at(0));
    if (byte_at(1) != COUNT_MIN_SERIAL_VERSION)
        return failure(CountMinError::BadSerialVersion, 1, COUNT_MIN_SERIAL_VERSION, byte_at(1));
    if (byte_at(2) != COUNT_MIN_FAMILY)
        return failure(CountMinError::BadFamily, 2, COUNT_MIN_FAMILY, byte_at(2));
    const UInt8 flags = byte_at(COUNT_MIN_FLAGS_OFFSET);
    if ((flags & ~COUNT_MIN_FLAG_EMPTY) != 0)
        return failure(CountMinError::UnknownFlags, COUNT_MIN_FLAGS_OFFSET, COUNT_MIN_FLAG_EMPTY, flags);
    const auto reserved = unalignedLoadLittleEndian<UInt32>(bytes.data() + COUNT_MIN_RESERVED_OFFSET);
    if (reserved != 0)
        return failure(CountMinError::ReservedNotZero, COUNT_MIN_RESERVED_OFFSET, 0, reserved);
    const CountMinShape read{
        byte_at(COUNT_MIN_NUM_HASHES_OFFSET),
        unalignedLoadLittleEndian<UInt32>(bytes.data() + COUNT_MIN_NUM_BUCKETS_OFFSET),
        unalignedLoadLittleEndian<UInt16>(bytes.data() + COUNT_MIN_SEED_HASH_OFFSET),
        (flags & COUNT_MIN_FLAG_EMPTY) != 0};
    if (read.num_buckets < COUNT_MIN_MIN_BUCKETS)
        return failure(CountMinError::TooFewBuckets, COUNT_MIN_NUM_BUCKETS_OFFSET, COUNT_MIN_MIN_BUCKETS, read.num_buckets);
    if (read.num_hashes == 0)
        return failure(CountMinError::NoHashes, COUNT_MIN_NUM_HASHES_OFFSET, 1, 0);
    if (read.cells() >= COUNT_MIN_CELLS_LIMIT)
        return failure(CountMinError::TooManyCells, COUNT_MIN_NUM_BUCKETS_OFFSET, COUNT_MIN_CELLS_LIMIT, read.cells());
    const UInt8 last_reserved = byte_at(COUNT_MIN_LAST_RESERVED_OFFSET);
    if (last_reserved != 0)
        return failure(CountMinError::ReservedNotZero, COUNT_MIN_LAST_RESERVED_OFFSET, 0, last_reserved);
    if (read.empty && read.cells() > max_empty_cells)
        return failure(CountMinError::EmptyTooLarge, COUNT_MIN_NUM_BUCKETS_OFFSET, max_empty_cells, read.cells());
    if (read.empty && bytes.size() != COUNT_MIN_HEADER_SIZE)
        return failure(CountMinError::BytesAfterEmpty, COUNT_MIN_HEADER_SIZE, COUNT_MIN_HEADER_SIZE, bytes.size());
    shape = read;
    return {};
}

namespace detail
{
void throwCountMinOverflow(std::string_view weight_name, std::string_view what)
{
    throwError(ErrorCodes::DECIMAL_OVERFLOW, concat("Count-min sketch: the ", what, " would leave the range of ", weight_name));
}

void throwCountMinWeightNotFinite()
{
    throwError(ErrorCodes::BAD_ARGUMENTS, "Count-min sketch: a weight must be finite, found an infinity or NaN");
}
}

}
