#pragma once

#include "../CountMin/CountMinParameters.h"
#include "IAggregateFunction.h"

#include <string_view>

/** What the aggregate functions over count-min sketches ask of their parameters and arguments. `function` is the name for error texts. */
namespace DB::inline statewire
{

/// Parameter `index` as a whole number of at most `largest`: BAD_ARGUMENTS, with `what` it is.
[[nodiscard]] UInt64
wholeParameter(std::string_view function, const Array & parameters, size_t index, std::string_view what, UInt64 largest);

/// (num_hashes, num_buckets[, seed[, row_seeds[, option]]]) from parameter `first` on to the last one. Options up to `last_option` are taken.
/// BAD_ARGUMENTS, NUMBER_OF_ARGUMENTS_DOESNT_MATCH.
[[nodiscard]] CountMinParameters
readCountMinParameters(std::string_view function, const Array & parameters, size_t first, CountMinOption last_option);
/// The same list without the defaults at its end.
[[nodiscard]] Array printCountMinParameters(const CountMinParameters & sketch);

/// ILLEGAL_TYPE_OF_ARGUMENT unless it is a number or a String.
void requireCountMinKey(std::string_view function, const IDataType & type);
/// UInt64, Int64 or Float64 after the kind of a weight column; ILLEGAL_TYPE_OF_ARGUMENT for types that are no numbers.
[[nodiscard]] TypeIndex requireCountMinWeight(std::string_view function, const IDataType & type);
/// ILLEGAL_TYPE_OF_ARGUMENT unless it is an unsigned integer.
void requireUnsignedWeight(std::string_view function, const IDataType & type);

}
