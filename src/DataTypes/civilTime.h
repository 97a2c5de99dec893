#pragma once

#include "../base/types.h"

#include <optional>
#include <string>
#include <string_view>

/** Days and times of day as texts, without time zones. */
namespace DB::inline statewire
{

/// Takes a day from the front of `text`, as 2026-11-02, 2026-1-2, 2026/11/02 or 20261102. Days since 1970-01-01, or nothing where it is no day.
[[nodiscard]] std::optional<Int64> takeDay(std::string_view & text) noexcept;
/// 0000-01-01 and 9999-12-31, in days since 1970-01-01: what has a text of four digits for the year.
inline constexpr Int64 FIRST_PRINTED_DAY = -719528;
inline constexpr Int64 LAST_PRINTED_DAY = 2932896;
/// Days beyond these have the nearest text, as in ClickHouse.
void printDay(Int64 day, std::string & to);

/// What stands behind a day.
struct TimeOfDay
{
    Int64 seconds = 0;
    /// Digits behind the point.
    std::string_view fraction;
    /// Seconds to the east of UTC; nothing where the text does not say it.
    std::optional<Int64> offset;
};

/// Takes hh:mm, hh:mm:ss or hh:mm:ss.digits, then Z or +hh:mm or nothing, from the front of `text`.
[[nodiscard]] std::optional<TimeOfDay> takeTimeOfDay(std::string_view & text) noexcept;
void printTimeOfDay(Int64 seconds, std::string & to);

/// Takes `least` to `most` decimal digits from the front of `text`.
[[nodiscard]] std::optional<Int64> takeDigits(std::string_view & text, size_t least, size_t most) noexcept;

}
