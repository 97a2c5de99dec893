#pragma once

#include <statewire/base/types.h>

#include <string>
#include <string_view>

namespace statewire_udf
{

/** What is wrong with bytes that should be one state of groupBitmap(T), T UInt32 or UInt64, and nothing behind it: a sentence with the byte,
  * what was expected and what was found; empty for a valid state. It accepts what RoaringBitmapState::read accepts, but does not fail: where
  * there are no exceptions, reading could not go on with the next row.
  */
template <typename T>
[[nodiscard]] std::string groupBitmapStateError(std::string_view bytes);

extern template std::string groupBitmapStateError<DB::UInt32>(std::string_view bytes);
extern template std::string groupBitmapStateError<DB::UInt64>(std::string_view bytes);

}
