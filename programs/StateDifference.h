#pragma once

#include <nlohmann/json.hpp>

#include <statewire/Columns/IColumn.h>
#include <statewire/DataTypes/IDataType.h>

#include <optional>
#include <string>

namespace statewire_program
{

/// How two values of a column differ: for a person, and member by member.
struct StateDifference
{
    std::string text;
    nlohmann::ordered_json members;
};

/** Compares two values of one type; nothing when they are equal.
 *
 * Bitmaps: how many values only one of them has (left_only, right_only), and how many each has. Sketches: the totals, how many cells differ
 * and the largest difference of a cell. Other states: their sizes. Everything else: the values. Numbers are strings, as in inspect.
 */
[[nodiscard]] std::optional<StateDifference>
findDifference(const DB::IDataType & type, const DB::IColumn & left, size_t left_row, const DB::IColumn & right, size_t right_row);

}
