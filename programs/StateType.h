#pragma once

#include <statewire/CountMin/CountMinParameters.h>
#include <statewire/DataTypes/IDataType.h>
#include <statewire/Roaring/RoaringBitmap.h>

#include <string>
#include <string_view>

namespace statewire_program
{

/// What the bytes of one object are laid out as.
enum class StateLayout
{
    BitmapState, /// AggregateFunction(groupBitmap, T)
    Portable32, /// RoaringPortable32
    Portable64, /// RoaringPortable64
    Frozen32, /// RoaringFrozen32, read only
    JavaLegacy64, /// RoaringJavaLegacy64, read only
    DorisBitmapValue, /// read only
    StarRocksBitmapValue, /// read only
    IntegerList, /// integers as text
    SketchState, /// AggregateFunction(countMinSketch(h, b[, seed[, row_seeds]]), K[, W])
    SketchImage, /// CountMinImage(W[, seed[, scheme]])
    TopKState, /// AggregateFunction(countMinTopK(k, h, b[, seed[, row_seeds]]), K[, W])
    RangesState, /// AggregateFunction(countMinRanges(h, b[, seed[, row_seeds]]), T[, W])
    OtherState /// another AggregateFunction: known by its name, looked into by its function alone
};

/** What a user said an object is: the options --type, --from and --to. A value. */
struct StateType
{
    /// As it was given.
    std::string name;
    StateLayout layout = StateLayout::OtherState;
    /// Of states.
    DB::DataTypePtr data_type;
    /// T of a bitmap's state.
    DB::TypeIndex element = DB::TypeIndex::UInt64;
    /// Of sketches.
    DB::TypeIndex weight = DB::TypeIndex::UInt64;
    DB::UInt64 seed = DB::COUNT_MIN_DEFAULT_SEED;
    DB::RowSeeds row_seeds = DB::RowSeeds::LibStdCxx;
    DB::CountMinOption option = DB::CountMinOption::Plain;
    /// Of states of sketches and top keys; of ranges the type of their values.
    DB::TypeIndex key = DB::TypeIndex::String;
    DB::UInt32 num_hashes = 0;
    DB::UInt32 num_buckets = 0;

    [[nodiscard]] bool isBitmap() const noexcept { return layout <= StateLayout::IntegerList; }
    [[nodiscard]] bool isSketch() const noexcept { return layout == StateLayout::SketchState || layout == StateLayout::SketchImage; }
    [[nodiscard]] DB::CountMinParameters parameters() const { return {num_hashes, num_buckets, seed, row_seeds, option}; }
};

/// All names that there are, for help texts and errors.
inline constexpr const char * STATE_TYPE_NAMES
    = "AggregateFunction(groupBitmap, T), AggregateFunction(countMinSketch(h, b[, seed[, row_seeds]]), K[, W]), of countMinTopK or "
      "countMinRanges, RoaringPortable32, RoaringPortable64, RoaringFrozen32, RoaringJavaLegacy64, DorisBitmapValue, StarRocksBitmapValue, or CountMinImage(W[, seed[, "
      "scheme]]) "
      "with scheme libstdcxx or libcxx";

/// Errors: BAD_ARGUMENTS for a name that is none of these; what the type's name is refused for.
[[nodiscard]] StateType parseStateType(std::string_view name);
/// The type of a column's states.
[[nodiscard]] StateType stateTypeOf(const DB::DataTypePtr & type);

/// Reads a Roaring layout from the front of `bytes` with all checks and says how many bytes it took. Not for states and lists.
[[nodiscard]] DB::RoaringBitmap readRoaringLayout(StateLayout layout, std::string_view bytes, DB::UInt64 & consumed);
/// UInt32 or UInt64: what a Roaring layout holds.
[[nodiscard]] DB::TypeIndex elementOfLayout(StateLayout layout) noexcept;

}
