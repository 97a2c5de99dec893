#pragma once

#include "IAggregateFunction.h"

#include <optional>

namespace DB::inline statewire
{

/// The element type T of a function whose places hold a RoaringBitmapState<T>: groupBitmap(T), with or without combinators. Nothing for
/// other functions.
[[nodiscard]] std::optional<TypeIndex> groupBitmapElementType(const IAggregateFunction & function);

}
