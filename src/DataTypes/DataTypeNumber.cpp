#include "DataTypeNumber.h"

#include "../Columns/ColumnVector.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../base/unaligned.h"
#include "errorText.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

namespace DB::inline statewire
{

namespace
{
/// Numbers are read in pieces as large as what arrived before or is in the buffer, within these bounds in bytes, so that a row count from a file
/// allocates nothing to speak of ahead of the data.
constexpr size_t FIRST_PIECE = size_t{16} << 10;
constexpr size_t LARGEST_PIECE = size_t{1} << 20;
/// The decimal exponents of the shortest forms without `e`, as double-conversion and so ClickHouse set them.
constexpr int LOWEST_PLAIN_EXPONENT = -6;
constexpr int HIGHEST_PLAIN_EXPONENT = 20;
/// Sign, 17 digits, point, exponent; or sign, "0.00000" and 17 digits; or 21 digits.
constexpr size_t LONGEST_NUMBER = 48;

template <typename T>
constexpr std::pair<TypeIndex, const char *> describe() noexcept
{
    if constexpr (std::is_same_v<T, UInt8>)
        return {TypeIndex::UInt8, "UInt8"};
    else if constexpr (std::is_same_v<T, UInt16>)
        return {TypeIndex::UInt16, "UInt16"};
    else if constexpr (std::is_same_v<T, UInt32>)
        return {TypeIndex::UInt32, "UInt32"};
    else if constexpr (std::is_same_v<T, UInt64>)
        return {TypeIndex::UInt64, "UInt64"};
    else if constexpr (std::is_same_v<T, Int8>)
        return {TypeIndex::Int8, "Int8"};
    else if constexpr (std::is_same_v<T, Int16>)
        return {TypeIndex::Int16, "Int16"};
    else if constexpr (std::is_same_v<T, Int32>)
        return {TypeIndex::Int32, "Int32"};
    else if constexpr (std::is_same_v<T, Int64>)
        return {TypeIndex::Int64, "Int64"};
    else if constexpr (std::is_same_v<T, Float32>)
        return {TypeIndex::Float32, "Float32"};
    else
        return {TypeIndex::Float64, "Float64"};
}

template <typename T>
[[noreturn]] void throwNotParsed(std::string_view text, std::string_view reason)
{
    throwError(ErrorCodes::CANNOT_PARSE_NUMBER, concat("Cannot parse ", describe<T>().second, " from ", quoteForError(text), ": ", reason));
}

template <typename T>
[[noreturn]] void throwOutOfRange(std::string_view text)
{
    if constexpr (std::is_integral_v<T>)
        throwNotParsed<T>(
            text, concat("out of range, which is ", +std::numeric_limits<T>::min(), " .. ", +std::numeric_limits<T>::max()));
    else
        throwNotParsed<T>(text, "out of range");
}

/// Writes the shortest digits of a finite value as ClickHouse lays them out. Returns the end.
template <typename T>
char * printFinite(T value, char * to)
{
    /// d.ddde[+-]xx
    char scientific[LONGEST_NUMBER];
    const char * end = std::to_chars(scientific, scientific + sizeof(scientific), value, std::chars_format::scientific).ptr;
    const char * pos = scientific;
    if (*pos == '-')
        *to++ = *pos++;

    const char * mark = std::find(pos, end, 'e');
    int exponent = 0;
    std::from_chars(mark[1] == '+' ? mark + 2 : mark + 1, end, exponent);
    char digits[LONGEST_NUMBER];
    char * digits_end = std::remove_copy(pos, mark, digits, '.');
    const auto count = static_cast<int>(digits_end - digits);

    if (exponent < LOWEST_PLAIN_EXPONENT || exponent > HIGHEST_PLAIN_EXPONENT)
    {
        to = std::copy(pos, mark, to);
        *to++ = 'e';
        return std::to_chars(to, to + 8, exponent).ptr;
    }
    if (exponent < 0)
    {
        *to++ = '0';
        *to++ = '.';
        to = std::fill_n(to, -exponent - 1, '0');
        return std::copy(digits, digits_end, to);
    }
    const int whole = exponent + 1;
    to = std::copy_n(digits, std::min(count, whole), to);
    if (count <= whole)
        return std::fill_n(to, whole - count, '0');
    *to++ = '.';
    return std::copy(digits + whole, digits_end, to);
}

constexpr bool isTokenEnd(char c) noexcept
{
    return c == ',' || c == ']' || c == ')' || c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
}

template <typename T>
std::string DataTypeNumber<T>::getName() const
{
    return describe<T>().second;
}

template <typename T>
TypeIndex DataTypeNumber<T>::getTypeId() const noexcept
{
    return describe<T>().first;
}

template <typename T>
MutableColumnPtr DataTypeNumber<T>::createColumn() const
{
    return std::make_unique<ColumnVector<T>>();
}

template <typename T>
void DataTypeNumber<T>::serializeBinary(const IColumn & column, size_t row, WriteBuffer & out) const
{
    char bytes[sizeof(T)];
    unalignedStoreLittleEndian<T>(bytes, static_cast<const ColumnVector<T> &>(column).getData()[row]);
    out.write(bytes, sizeof(T));
}

template <typename T>
void DataTypeNumber<T>::deserializeBinary(IColumn & column, ReadBuffer & in) const
{
    char bytes[sizeof(T)];
    in.readStrict(bytes, sizeof(T));
    static_cast<ColumnVector<T> &>(column).getData().push_back(unalignedLoadLittleEndian<T>(bytes));
}

template <typename T>
void DataTypeNumber<T>::serializeBinaryBulk(const IColumn & column, WriteBuffer & out, size_t begin, size_t rows) const
{
    if constexpr (std::endian::native == std::endian::little)
    {
        const T * data = static_cast<const ColumnVector<T> &>(column).getData().data();
        out.write(reinterpret_cast<const char *>(data + begin), rows * sizeof(T));
    }
    else
        IDataType::serializeBinaryBulk(column, out, begin, rows);
}

template <typename T>
void DataTypeNumber<T>::deserializeBinaryBulk(IColumn & column, ReadBuffer & in, size_t rows) const
{
    auto & data = static_cast<ColumnVector<T> &>(column).getData();
    const size_t size_before = data.size();
    try
    {
        while (rows != 0)
        {
            const size_t old_size = data.size();
            const size_t arrived = std::max((old_size - size_before) * sizeof(T), in.available());
            const size_t piece = std::min(rows, std::clamp(arrived, FIRST_PIECE, LARGEST_PIECE) / sizeof(T));
            data.resize(old_size + piece);
            const size_t got = in.readBig(reinterpret_cast<char *>(data.data() + old_size), piece * sizeof(T));
            if (got != piece * sizeof(T))
                throwError(
                    ErrorCodes::CANNOT_READ_ALL_DATA,
                    concat(
                        "Cannot read all data of a column of ", getName(), ": the source ends behind ",
                        old_size - size_before + got / sizeof(T), " rows"));
            rows -= piece;
        }
    }
    catch (...)
    {
        data.resize(size_before);
        throw;
    }
    if constexpr (std::endian::native == std::endian::big)
        for (size_t i = size_before; i < data.size(); ++i)
            data[i] = unalignedLoadLittleEndian<T>(&data[i]);
}

template <typename T>
void DataTypeNumber<T>::serializeTextEscaped(const IColumn & column, size_t row, WriteBuffer & out) const
{
    print(static_cast<const ColumnVector<T> &>(column).getData()[row], out);
}

template <typename T>
void DataTypeNumber<T>::deserializeTextEscaped(IColumn & column, std::string_view text) const
{
    static_cast<ColumnVector<T> &>(column).getData().push_back(parse(text));
}

template <typename T>
void DataTypeNumber<T>::deserializeTextQuoted(IColumn & column, const char *& pos, const char * end) const
{
    const char * token_end = std::find_if(pos, end, isTokenEnd);
    deserializeTextEscaped(column, {pos, static_cast<size_t>(token_end - pos)});
    pos = token_end;
}

template <typename T>
T DataTypeNumber<T>::parse(std::string_view text)
{
    std::string_view number = text;
    /// std::from_chars knows no plus sign; ClickHouse does.
    if (number.size() > 1 && number[0] == '+' && number[1] != '-')
        number.remove_prefix(1);
    T value{};
    const char * const end = number.data() + number.size();
    const auto result = std::from_chars(number.data(), end, value);
    if (result.ec == std::errc::invalid_argument)
        throwNotParsed<T>(text, text.empty() ? "the text is empty" : "not a number");
    if (result.ptr != end)
        throwNotParsed<T>(text, concat("unexpected bytes at offset ", result.ptr - text.data()));
    if (result.ec == std::errc::result_out_of_range)
        throwOutOfRange<T>(text);
    if constexpr (std::is_floating_point_v<T>)
        if (number.back() == ')')
            throwNotParsed<T>(text, "not a number");
    return value;
}

template <typename T>
void DataTypeNumber<T>::print(T value, WriteBuffer & out)
{
    char text[LONGEST_NUMBER];
    if constexpr (std::is_integral_v<T>)
    {
        out.write(text, static_cast<size_t>(std::to_chars(text, text + sizeof(text), value).ptr - text));
    }
    else
    {
        std::string_view word;
        if (std::isnan(value))
            word = "nan";
        else if (std::isinf(value))
            word = value < 0 ? "-inf" : "inf";
        else
            word = {text, static_cast<size_t>(printFinite(value, text) - text)};
        out.write(word.data(), word.size());
    }
}

template class DataTypeNumber<UInt8>;
template class DataTypeNumber<UInt16>;
template class DataTypeNumber<UInt32>;
template class DataTypeNumber<UInt64>;
template class DataTypeNumber<Int8>;
template class DataTypeNumber<Int16>;
template class DataTypeNumber<Int32>;
template class DataTypeNumber<Int64>;
template class DataTypeNumber<Float32>;
template class DataTypeNumber<Float64>;

}
