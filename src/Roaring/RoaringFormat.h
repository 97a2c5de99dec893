#pragma once

#include "../Common/Validation.h"
#include "../base/types.h"

#include <string>

/** The portable Roaring layouts; field by field in docs/roaring_format.md. Source: RoaringFormatSpec and its 64-bit extension. */
namespace DB::inline statewire
{

enum class RoaringFormat : UInt8
{
    Portable32,
    Portable64
};

enum class ContainerKind : UInt8
{
    Array,
    Bitset,
    Run
};

/// "no run containers" form: the whole 32-bit word.
inline constexpr UInt32 COOKIE_WITHOUT_RUNS = 12346;
/// Run form: the low 16 bits; the high 16 are the number of containers less one.
inline constexpr UInt32 COOKIE_WITH_RUNS = 12347;
/// From this many containers on the run form carries offsets too; below, walking is as cheap.
inline constexpr UInt32 NO_OFFSET_THRESHOLD = 4;
inline constexpr UInt32 MAX_CONTAINERS_32 = 65536;
/// An array holds at most this many values: one more, and a bitset of 8 KiB is no larger.
inline constexpr UInt32 MAX_ARRAY_CARDINALITY = 4096;
inline constexpr UInt32 CONTAINER_VALUES = 65536;
inline constexpr UInt32 BITSET_BYTES = 8192;
inline constexpr UInt32 BITSET_WORDS = 1024;
/// Runs of at least one value with a gap between them: no container can hold more.
inline constexpr UInt32 MAX_RUNS = 32768;

/// Why bytes are no Roaring bitmap. Each reason has its row in docs/errors.md; all are INCORRECT_DATA.
enum class RoaringError : UInt8
{
    None,
    Truncated,
    BadCookie,
    TooManyContainers,
    KeysNotIncreasing,
    OffsetMismatch,
    ArrayNotIncreasing,
    BitsetCardinalityMismatch,
    NoRuns,
    TooManyRuns,
    RunsNotIncreasing,
    RunPastEnd,
    TooManyBuckets,
    BucketKeysNotIncreasing,
    JavaLegacyLayout
};

/// The outcome of parsing: success, or the first reason with the byte offset where it shows and the numbers that disagree.
struct RoaringParseResult
{
    RoaringError error = RoaringError::None;
    UInt64 offset = 0;
    UInt64 expected = 0;
    UInt64 found = 0;

    [[nodiscard]] bool ok() const noexcept { return error == RoaringError::None; }
    /// One sentence: what is wrong, at which byte (base_offset is added), what was expected and what was found.
    [[nodiscard]] std::string describe(UInt64 base_offset = 0) const;
};

}
