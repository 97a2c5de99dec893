#pragma once

#include "RoaringBitmap.h"

#include <string_view>

/** Layouts of other systems that are read and never written: docs/roaring_format.md has them field by field. Nothing is guessed from the
  * bytes: the caller says which layout it has.
  *
  * All of them check everything (bounds, order, cardinalities) and copy. `consumed`, where given, is set to the bytes the bitmap took;
  * without it, bytes behind the bitmap are refused. Errors: INCORRECT_DATA with the byte offset; memory grows with the input only.
  */
namespace DB::inline statewire
{

/// CRoaring's and Go's frozen 32-bit layout, at any alignment. It is read from its end, so `bytes` is exactly the image.
[[nodiscard]] RoaringBitmap readRoaringFrozen32(std::string_view bytes);

/// The legacy layout of Java's Roaring64NavigableMap: a flag, a big-endian count, then big-endian keys with portable 32-bit images.
[[nodiscard]] RoaringBitmap readRoaringJavaLegacy64(std::string_view bytes, UInt64 * consumed = nullptr);

/// A BitmapValue differs between the two systems where a set of few values is meant.
enum class BitmapValueDialect : UInt8
{
    Doris,
    StarRocks
};

/// BitmapValue of Doris and StarRocks: types 0 to 4, Doris' 5, 10 to 13. In CRoaring's native form (the V2 types) too.
[[nodiscard]] RoaringBitmap readRoaringBitmapValue(std::string_view bytes, BitmapValueDialect dialect, UInt64 * consumed = nullptr);

}
