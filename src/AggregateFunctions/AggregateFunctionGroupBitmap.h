#pragma once

#include "IAggregateFunction.h"

#include <optional>

namespace DB::inline statewire
{

/// The element type T of a function whose places hold a RoaringBitmapState<T>: groupBitmap(T), with or without combinators. Nothing for
/// other functions.
[[nodiscard]] std::optional<TypeIndex> groupBitmapElementType(const IAggregateFunction & function);

/// The same also for groupBitmapAnd, Or and Xor: T of a function whose places can be read as a RoaringBitmapState<T>.
[[nodiscard]] std::optional<TypeIndex> bitmapStateElementType(const IAggregateFunction & function);

}
