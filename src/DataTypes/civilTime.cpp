#include "civilTime.h"

#include <algorithm>
#include <chrono>

namespace DB::inline statewire
{

namespace
{
constexpr Int64 MINUTE = 60;
constexpr Int64 HOUR = 60 * MINUTE;

bool take(std::string_view & text, char c) noexcept
{
    if (text.empty() || text.front() != c)
        return false;
    text.remove_prefix(1);
    return true;
}

void printPadded(Int64 number, size_t digits, std::string & to)
{
    const std::string text = std::to_string(number);
    to.append(digits - std::min(digits, text.size()), '0');
    to += text;
}
}

std::optional<Int64> takeDigits(std::string_view & text, size_t least, size_t most) noexcept
{
    size_t size = 0;
    Int64 value = 0;
    for (; size < std::min(most, text.size()) && text[size] >= '0' && text[size] <= '9'; ++size)
        value = 10 * value + (text[size] - '0');
    if (size < least)
        return std::nullopt;
    text.remove_prefix(size);
    return value;
}

std::optional<Int64> takeDay(std::string_view & text) noexcept
{
    const auto year = takeDigits(text, 4, 4);
    if (!year || text.empty())
        return std::nullopt;
    const char separator = text.front();
    const bool separated = separator == '-' || separator == '/';
    const size_t least = separated ? 1 : 2;
    if (separated)
        text.remove_prefix(1);
    const auto month = takeDigits(text, least, 2);
    if (!month || (separated && !take(text, separator)))
        return std::nullopt;
    const auto day = takeDigits(text, least, 2);
    if (!day)
        return std::nullopt;
    const std::chrono::year_month_day date{
        std::chrono::year(static_cast<int>(*year)),
        std::chrono::month(static_cast<unsigned>(*month)),
        std::chrono::day(static_cast<unsigned>(*day))};
    if (!date.ok())
        return std::nullopt;
    return std::chrono::sys_days(date).time_since_epoch().count();
}

void printDay(Int64 day, std::string & to)
{
    const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(std::clamp(day, FIRST_PRINTED_DAY, LAST_PRINTED_DAY)))};
    printPadded(static_cast<int>(date.year()), 4, to);
    to += '-';
    printPadded(static_cast<unsigned>(date.month()), 2, to);
    to += '-';
    printPadded(static_cast<unsigned>(date.day()), 2, to);
}

std::optional<TimeOfDay> takeTimeOfDay(std::string_view & text) noexcept
{
    TimeOfDay time;
    const auto hour = takeDigits(text, 1, 2);
    if (!hour || *hour > 23 || !take(text, ':'))
        return std::nullopt;
    const auto minute = takeDigits(text, 1, 2);
    if (!minute || *minute > 59)
        return std::nullopt;
    time.seconds = *hour * HOUR + *minute * MINUTE;
    if (take(text, ':'))
    {
        const auto second = takeDigits(text, 1, 2);
        if (!second || *second > 59)
            return std::nullopt;
        time.seconds += *second;
        if (take(text, '.'))
        {
            time.fraction = text.substr(0, text.find_first_not_of("0123456789"));
            text.remove_prefix(time.fraction.size());
        }
    }
    if (take(text, 'Z'))
        time.offset = 0;
    else if (!text.empty() && (text.front() == '+' || text.front() == '-'))
    {
        const Int64 sign = text.front() == '-' ? -1 : 1;
        text.remove_prefix(1);
        const auto hours = takeDigits(text, 2, 2);
        take(text, ':');
        const auto minutes = takeDigits(text, 2, 2);
        if (!hours || !minutes || *hours > 23 || *minutes > 59)
            return std::nullopt;
        time.offset = sign * (*hours * HOUR + *minutes * MINUTE);
    }
    return time;
}

void printTimeOfDay(Int64 seconds, std::string & to)
{
    printPadded(seconds / HOUR, 2, to);
    to += ':';
    printPadded(seconds / MINUTE % 60, 2, to);
    to += ':';
    printPadded(seconds % 60, 2, to);
}

}
