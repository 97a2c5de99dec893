#include "../Columns/ColumnVector.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "DataTypeNumber.h"
#include "StoredDataType.h"
#include "makeStoredDataType.h"

#include <algorithm>
#include <charconv>

namespace DB::inline statewire
{

namespace
{
constexpr UInt64 LARGEST_PRECISION = 76;
constexpr UInt64 LARGEST_PRECISION_HERE = 18;
constexpr UInt64 LARGEST_PRECISION_OF_INT32 = 9;
/// Far beyond every number that a type here holds.
constexpr Int64 LARGEST_EXPONENT = 1000;

bool isDigit(char c) noexcept { return c >= '0' && c <= '9'; }

template <typename T>
class DataTypeDecimal final : public StoredDataType
{
public:
    DataTypeDecimal(UInt64 precision_, UInt64 scale_)
        : StoredDataType(std::make_shared<DataTypeNumber<T>>()), precision(precision_), scale(scale_)
    {
    }

    [[nodiscard]] std::string getName() const override { return concat("Decimal(", precision, ", ", scale, ")"); }
    [[nodiscard]] bool isBare() const noexcept override { return true; }
    [[nodiscard]] bool isAtTheRight() const noexcept override { return true; }

    /// Without zeros at the end of the fraction.
    void print(const IColumn & column, size_t row, std::string & to) const override
    {
        const Int64 value = static_cast<const ColumnVector<T> &>(column).getData()[row];
        std::string digits = std::to_string(value < 0 ? UInt64{0} - static_cast<UInt64>(value) : static_cast<UInt64>(value));
        if (digits.size() <= scale)
            digits.insert(0, scale + 1 - digits.size(), '0');
        const size_t whole = digits.size() - scale;
        if (value < 0)
            to += '-';
        to.append(digits, 0, whole);
        const size_t last = digits.find_last_not_of('0');
        if (last != std::string::npos && last >= whole)
        {
            to += '.';
            to.append(digits, whole, last + 1 - whole);
        }
    }

    /// Digits behind those that the type has are cut off, as ClickHouse does.
    void parse(IColumn & column, std::string_view text) const override
    {
        std::string_view rest = text;
        const bool is_negative = !rest.empty() && rest.front() == '-';
        if (is_negative || (!rest.empty() && rest.front() == '+'))
            rest.remove_prefix(1);
        const auto taken = [&] {
            const auto end = std::find_if_not(rest.begin(), rest.end(), isDigit);
            const std::string_view digits(rest.begin(), end);
            rest.remove_prefix(digits.size());
            return digits;
        };
        std::string digits(taken());
        Int64 exponent = static_cast<Int64>(scale);
        if (!rest.empty() && rest.front() == '.')
        {
            rest.remove_prefix(1);
            const std::string_view fraction = taken();
            digits += fraction;
            exponent -= static_cast<Int64>(fraction.size());
        }
        if (digits.empty())
            throwNotParsed(ErrorCodes::CANNOT_PARSE_NUMBER, text, text.empty() ? "the text is empty" : "not a number");
        if (!rest.empty() && (rest.front() == 'e' || rest.front() == 'E'))
        {
            rest.remove_prefix(rest.size() > 1 && rest[1] == '+' ? 2 : 1);
            Int64 given = 0;
            const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), given);
            if (error != std::errc() || given > LARGEST_EXPONENT || given < -LARGEST_EXPONENT)
                throwNotParsed(ErrorCodes::CANNOT_PARSE_NUMBER, text, "not a number");
            rest.remove_prefix(static_cast<size_t>(end - rest.data()));
            exponent += given;
        }
        if (!rest.empty())
            throwNotParsed(ErrorCodes::CANNOT_PARSE_NUMBER, text, concat("unexpected bytes at offset ", rest.data() - text.data()));
        digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
        if (exponent < 0)
            digits.resize(digits.size() - std::min(digits.size(), static_cast<size_t>(-exponent)));
        else if (!digits.empty())
            digits.append(static_cast<size_t>(exponent), '0');
        if (digits.size() > precision)
            throwError(ErrorCodes::ARGUMENT_OUT_OF_BOUND, concat("Decimal value is too big for ", getName(), ": ", text.substr(0, 64)));
        Int64 value = 0;
        for (const char digit : digits)
            value = 10 * value + (digit - '0');
        static_cast<ColumnVector<T> &>(column).getData().push_back(static_cast<T>(is_negative ? -value : value));
    }

private:
    UInt64 precision;
    UInt64 scale;
};
}

DataTypePtr makeDecimal(UInt64 precision, UInt64 scale)
{
    if (precision == 0 || precision > LARGEST_PRECISION)
        throwError(
            ErrorCodes::ARGUMENT_OUT_OF_BOUND,
            concat("Wrong precision: it must be between 1 and ", LARGEST_PRECISION, ", got ", precision));
    if (scale > precision)
        throwError(ErrorCodes::ARGUMENT_OUT_OF_BOUND, "Negative scales and scales larger than precision are not supported");
    if (precision > LARGEST_PRECISION_HERE)
        throwError(
            ErrorCodes::NOT_IMPLEMENTED,
            concat(
                "Decimals of more than ", LARGEST_PRECISION_HERE, " digits are not supported here: Decimal(", precision, ", ", scale, ")"));
    if (precision > LARGEST_PRECISION_OF_INT32)
        return std::make_shared<DataTypeDecimal<Int64>>(precision, scale);
    return std::make_shared<DataTypeDecimal<Int32>>(precision, scale);
}

}
