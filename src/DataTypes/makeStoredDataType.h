#pragma once

#include "IDataType.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/** The types that are kept as others (StoredDataType.h), by ClickHouse's names. Texts are read strictly where ClickHouse wraps or cuts: a day
  * that no calendar has, a number beyond the type's range, anything behind the value is an error with ClickHouse's code.
  */
namespace DB::inline statewire
{

[[nodiscard]] DataTypePtr makeBool();
/// Days since 1970-01-01: UInt16 and Int32.
[[nodiscard]] DataTypePtr makeDate();
[[nodiscard]] DataTypePtr makeDate32();
/// Seconds since 1970-01-01 as UInt32. The text is that of the time zone, of UTC where `zone` is empty. BAD_ARGUMENTS for an unknown zone.
[[nodiscard]] DataTypePtr makeDateTime(std::string_view zone);
/// Int64 with `scale` decimal digits behind the second, 0 to 9 (ARGUMENT_OUT_OF_BOUND).
[[nodiscard]] DataTypePtr makeDateTime64(UInt64 scale, std::string_view zone);
/// Int32 up to a precision of 9, Int64 up to 18; NOT_IMPLEMENTED above, ARGUMENT_OUT_OF_BOUND above ClickHouse's 76.
[[nodiscard]] DataTypePtr makeDecimal(UInt64 precision, UInt64 scale);

using EnumElements = std::vector<std::pair<std::string, Int64>>;
/// Enum8 or Enum16 as Int8 or Int16; names and values are different ones and fit (SYNTAX_ERROR, ARGUMENT_OUT_OF_BOUND).
[[nodiscard]] DataTypePtr makeEnum(bool is_16, EnumElements elements);

/// As String, without the zero bytes at the end, which every text and every file has: so order and default are right.
[[nodiscard]] DataTypePtr makeFixedString(UInt64 size);
/// As a String of its bytes in ClickHouse's order, which compares second halves first.
[[nodiscard]] DataTypePtr makeUUID();
/// UInt32.
[[nodiscard]] DataTypePtr makeIPv4();
/// As a String of 16 bytes.
[[nodiscard]] DataTypePtr makeIPv6();

/// As T; in Native and in parts with dictionaries (DataTypeLowCardinality.h). ILLEGAL_TYPE_OF_ARGUMENT where ClickHouse has no LowCardinality(T).
[[nodiscard]] DataTypePtr makeLowCardinality(DataTypePtr nested);
/// As T everywhere; what merging rows does to it is the table's matter. `parameters` as they are printed: "(10)" or nothing. BAD_ARGUMENTS for a
/// function that ClickHouse does not have there.
[[nodiscard]] DataTypePtr makeSimpleAggregateFunction(std::string_view name, std::string_view parameters, DataTypePtr value);

}
