#include "../Columns/ColumnVector.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../IO/WriteBufferFromVector.h"
#include "../IO/WriteEscaped.h"
#include "DataTypeNumber.h"
#include "StoredDataType.h"
#include "civilTime.h"
#include "errorText.h"
#include "makeStoredDataType.h"

#include <absl/time/time.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace DB::inline statewire
{

namespace
{
constexpr Int64 DAY = 86400;
constexpr UInt64 LARGEST_SCALE = 9;
/// Times beyond these have the nearest text, as days do.
constexpr Int64 FIRST_PRINTED = FIRST_PRINTED_DAY * DAY;
constexpr Int64 LAST_PRINTED = (LAST_PRINTED_DAY + 1) * DAY - 1;
static_assert(FIRST_PRINTED == -62167219200 && LAST_PRINTED == 253402300799);
constexpr std::string_view EXPECTED = "expected a time as YYYY-MM-DD hh:mm:ss or as seconds since 1970";

/// Seconds since 1970-01-01 UTC, which are nine or ten digits where they are written as such, and what stands behind the point.
struct Instant
{
    Int64 seconds = 0;
    std::string_view fraction;
    bool is_negative = false;
};

class TimeZone
{
public:
    explicit TimeZone(std::string_view name_) : name(name_)
    {
        if (!name.empty() && !absl::LoadTimeZone(name, &zone))
            throwError(ErrorCodes::BAD_ARGUMENTS, concat("Cannot load time zone ", quoteForError(name), ": the system does not have it"));
    }

    [[nodiscard]] bool isGiven() const noexcept { return !name.empty(); }
    /// 'Europe/Berlin'
    [[nodiscard]] std::string quotedName() const
    {
        std::string text;
        WriteBufferFromString out(text);
        writeQuotedString(name, out);
        out.finalize();
        return text;
    }

    void print(Int64 seconds, std::string & to) const
    {
        /// No zone is two days off UTC.
        const Int64 near = std::clamp(seconds, FIRST_PRINTED - 2 * DAY, LAST_PRINTED + 2 * DAY);
        const Int64 local = std::clamp(near + (isGiven() ? zone.At(absl::FromUnixSeconds(near)).offset : 0), FIRST_PRINTED, LAST_PRINTED);
        const Int64 day = local / DAY - (local % DAY < 0 ? 1 : 0);
        printDay(day, to);
        to += ' ';
        printTimeOfDay(local - day * DAY, to);
    }

    /// A time that clocks show twice is the first, one that they skip is taken by the offset after.
    [[nodiscard]] Int64 toSeconds(Int64 local) const
    {
        if (!isGiven())
            return local;
        const absl::CivilSecond civil = absl::CivilSecond(1970, 1, 1) + local;
        const absl::TimeZone::TimeInfo info = zone.At(civil);
        return absl::ToUnixSeconds(info.kind == absl::TimeZone::TimeInfo::SKIPPED ? info.post : info.pre);
    }

    [[nodiscard]] std::optional<Instant> parse(std::string_view text) const
    {
        Instant instant;
        std::string_view rest = text;
        const bool is_negative = !rest.empty() && rest.front() == '-';
        rest.remove_prefix(is_negative ? 1 : 0);
        const std::string_view digits = rest.substr(0, rest.find_first_not_of("0123456789"));
        rest.remove_prefix(digits.size());
        if ((digits.size() == 9 || digits.size() == 10) && (rest.empty() || rest.front() == '.'))
        {
            std::string_view number = digits;
            instant.seconds = *takeDigits(number, 1, digits.size());
            instant.is_negative = is_negative;
            if (!rest.empty())
            {
                instant.fraction = rest.substr(1, rest.find_first_not_of("0123456789", 1) - 1);
                rest.remove_prefix(1 + instant.fraction.size());
            }
            return rest.empty() ? std::optional(instant) : std::nullopt;
        }
        rest = text;
        const std::optional<Int64> day = takeDay(rest);
        TimeOfDay time;
        if (day && !rest.empty())
        {
            const char separator = rest.front();
            rest.remove_prefix(1);
            const std::optional<TimeOfDay> given = takeTimeOfDay(rest);
            if ((separator != ' ' && separator != 'T') || !given)
                return std::nullopt;
            time = *given;
        }
        if (!day || !rest.empty())
            return std::nullopt;
        const Int64 local = *day * DAY + time.seconds;
        instant.seconds = time.offset ? local - *time.offset : toSeconds(local);
        instant.fraction = time.fraction;
        return instant;
    }

private:
    std::string name;
    absl::TimeZone zone;
};

class DataTypeDateTime final : public StoredDataType
{
public:
    explicit DataTypeDateTime(std::string_view zone_) : StoredDataType(std::make_shared<DataTypeUInt32>()), zone(zone_) { }

    [[nodiscard]] std::string getName() const override { return zone.isGiven() ? concat("DateTime(", zone.quotedName(), ")") : "DateTime"; }
    void print(const IColumn & column, size_t row, std::string & to) const override
    {
        zone.print(static_cast<const ColumnVector<UInt32> &>(column).getData()[row], to);
    }
    void parse(IColumn & column, std::string_view text) const override
    {
        const std::optional<Instant> instant = zone.parse(text);
        if (!instant)
            throwNotParsed(ErrorCodes::CANNOT_PARSE_DATETIME, text, EXPECTED);
        if (instant->is_negative || instant->seconds < 0 || instant->seconds > std::numeric_limits<UInt32>::max())
            throwNotParsed(
                ErrorCodes::CANNOT_PARSE_DATETIME, text, "out of range, which is 1970-01-01 00:00:00 .. 2106-02-07 06:28:15 in UTC");
        static_cast<ColumnVector<UInt32> &>(column).getData().push_back(static_cast<UInt32>(instant->seconds));
    }

private:
    TimeZone zone;
};

class DataTypeDateTime64 final : public StoredDataType
{
public:
    DataTypeDateTime64(UInt64 scale_, std::string_view zone_)
        : StoredDataType(std::make_shared<DataTypeInt64>()), scale(scale_), zone(zone_)
    {
        if (scale > LARGEST_SCALE)
            throwError(ErrorCodes::ARGUMENT_OUT_OF_BOUND, concat("Scale ", scale, " is too large for DateTime64: at most ", LARGEST_SCALE));
        for (UInt64 i = 0; i < scale; ++i)
            ticks *= 10;
    }

    [[nodiscard]] std::string getName() const override
    {
        return concat("DateTime64(", scale, zone.isGiven() ? ", " + zone.quotedName() : std::string(), ")");
    }
    void print(const IColumn & column, size_t row, std::string & to) const override
    {
        const Int64 value = static_cast<const ColumnVector<Int64> &>(column).getData()[row];
        const Int64 behind = value % ticks;
        const bool before = behind < 0;
        zone.print(value / ticks - (before ? 1 : 0), to);
        if (scale == 0)
            return;
        const std::string fraction = std::to_string(before ? behind + ticks : behind);
        to += '.';
        to.append(scale - fraction.size(), '0');
        to += fraction;
    }
    void parse(IColumn & column, std::string_view text) const override
    {
        const std::optional<Instant> instant = zone.parse(text);
        if (!instant)
            throwNotParsed(ErrorCodes::CANNOT_PARSE_DATETIME, text, EXPECTED);
        if (instant->seconds < std::numeric_limits<Int64>::min() / ticks + 1
            || instant->seconds > std::numeric_limits<Int64>::max() / ticks - 1)
            throwNotParsed(ErrorCodes::CANNOT_PARSE_DATETIME, text, "out of the type's range");
        Int64 value = instant->seconds * ticks;
        Int64 unit = ticks;
        for (size_t i = 0; i < instant->fraction.size() && unit > 1; ++i)
            value += (instant->fraction[i] - '0') * (unit /= 10);
        static_cast<ColumnVector<Int64> &>(column).getData().push_back(instant->is_negative ? -value : value);
    }

private:
    UInt64 scale;
    Int64 ticks = 1;
    TimeZone zone;
};
}

DataTypePtr makeDateTime(std::string_view zone) { return std::make_shared<DataTypeDateTime>(zone); }
DataTypePtr makeDateTime64(UInt64 scale, std::string_view zone) { return std::make_shared<DataTypeDateTime64>(scale, zone); }

}
