#include "../Columns/ColumnString.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "DataTypeString.h"
#include "StoredDataType.h"
#include "makeStoredDataType.h"

#include <algorithm>
#include <array>

#include <arpa/inet.h>

namespace DB::inline statewire
{

namespace
{
constexpr UInt64 LARGEST_FIXED_STRING = 0xFFFFFF;
constexpr size_t SIXTEEN = 16;
using SixteenBytes = std::array<char, SIXTEEN>;

void insertTrimmed(IColumn & column, std::string_view value)
{
    const size_t last = value.find_last_not_of('\0');
    static_cast<ColumnString &>(column).insert(value.substr(0, last == std::string_view::npos ? 0 : last + 1));
}

std::string_view trimmedAt(const IColumn & column, size_t row) noexcept { return static_cast<const ColumnString &>(column)[row]; }

class DataTypeFixedString final : public StoredDataType
{
public:
    explicit DataTypeFixedString(size_t size_) : StoredDataType(std::make_shared<DataTypeString>()), size(size_) { }

    [[nodiscard]] std::string getName() const override { return concat("FixedString(", size, ")"); }
    void print(const IColumn & column, size_t row, std::string & to) const override
    {
        const std::string_view value = trimmedAt(column, row);
        to += value;
        to.append(size - value.size(), '\0');
    }
    void parse(IColumn & column, std::string_view text) const override
    {
        if (text.size() > size)
            throwError(ErrorCodes::TOO_LARGE_STRING_SIZE, concat("Too large value for ", getName(), ": ", text.size(), " bytes"));
        insertTrimmed(column, text);
    }
    void serializeBinary(const IColumn & column, size_t row, WriteBuffer & out) const override
    {
        std::string value;
        print(column, row, value);
        out.write(value.data(), value.size());
    }
    /// Memory grows with the bytes that arrive.
    void deserializeBinary(IColumn & column, ReadBuffer & in) const override
    {
        std::string value;
        while (value.size() != size)
        {
            if (in.eof())
                throwError(
                    ErrorCodes::CANNOT_READ_ALL_DATA,
                    concat("Cannot read all data of a ", getName(), ". Bytes read: ", value.size(), ". Bytes expected: ", size, "."));
            const size_t piece = std::min(size - value.size(), in.available());
            value.append(in.position(), piece);
            in.position() += piece;
        }
        insertTrimmed(column, value);
    }
    void serializeBinaryBulk(const IColumn & column, WriteBuffer & out, size_t begin, size_t rows) const override
    {
        IDataType::serializeBinaryBulk(column, out, begin, rows);
    }
    void deserializeBinaryBulk(IColumn & column, ReadBuffer & in, size_t rows) const override
    {
        IDataType::deserializeBinaryBulk(column, in, rows);
    }

private:
    size_t size;
};

/// Sixteen bytes, kept in the order in which they compare.
class DataTypeSixteenBytes : public StoredDataType
{
public:
    DataTypeSixteenBytes() : StoredDataType(std::make_shared<DataTypeString>()) { }

    void serializeBinary(const IColumn & column, size_t row, WriteBuffer & out) const override
    {
        SixteenBytes bytes = bytesAt(column, row);
        turn(bytes);
        out.write(bytes.data(), SIXTEEN);
    }
    void deserializeBinary(IColumn & column, ReadBuffer & in) const override
    {
        SixteenBytes bytes;
        in.readStrict(bytes.data(), SIXTEEN);
        turn(bytes);
        insert(column, bytes);
    }
    void serializeBinaryBulk(const IColumn & column, WriteBuffer & out, size_t begin, size_t rows) const override
    {
        IDataType::serializeBinaryBulk(column, out, begin, rows);
    }
    void deserializeBinaryBulk(IColumn & column, ReadBuffer & in, size_t rows) const override
    {
        IDataType::deserializeBinaryBulk(column, in, rows);
    }

protected:
    /// From the order in files to the one in columns, and back.
    virtual void turn(SixteenBytes & bytes) const = 0;

    [[nodiscard]] static SixteenBytes bytesAt(const IColumn & column, size_t row) noexcept
    {
        const std::string_view value = trimmedAt(column, row);
        SixteenBytes bytes{};
        std::copy(value.begin(), value.end(), bytes.begin());
        return bytes;
    }
    static void insert(IColumn & column, const SixteenBytes & bytes) { insertTrimmed(column, {bytes.data(), SIXTEEN}); }
};

class DataTypeUUID final : public DataTypeSixteenBytes
{
public:
    [[nodiscard]] std::string getName() const override { return "UUID"; }
    void print(const IColumn & column, size_t row, std::string & to) const override
    {
        static constexpr char DIGITS[] = "0123456789abcdef";
        SixteenBytes bytes = bytesAt(column, row);
        swapHalves(bytes);
        for (size_t i = 0; i < SIXTEEN; ++i)
        {
            if (i == 4 || i == 6 || i == 8 || i == 10)
                to += '-';
            to += DIGITS[static_cast<UInt8>(bytes[i]) >> 4];
            to += DIGITS[static_cast<UInt8>(bytes[i]) & 15];
        }
    }
    /// With all four dashes or with none.
    void parse(IColumn & column, std::string_view text) const override
    {
        SixteenBytes bytes{};
        const bool dashes = text.size() == 36;
        if (!dashes && text.size() != 32)
            throwNotUUID(text);
        size_t pos = 0;
        for (size_t digit = 0; digit < 2 * SIXTEEN; ++digit, ++pos)
        {
            if (dashes && (digit == 8 || digit == 12 || digit == 16 || digit == 20) && text[pos++] != '-')
                throwNotUUID(text);
            bytes[digit / 2] = static_cast<char>(static_cast<UInt8>(bytes[digit / 2]) << 4 | digitAt(text, pos));
        }
        swapHalves(bytes);
        insert(column, bytes);
    }

protected:
    /// In files the halves are little-endian numbers, and the first one stands first.
    void turn(SixteenBytes & bytes) const override { std::reverse(bytes.begin(), bytes.end()); }

private:
    static void swapHalves(SixteenBytes & bytes) { std::rotate(bytes.begin(), bytes.begin() + SIXTEEN / 2, bytes.end()); }

    [[nodiscard]] int digitAt(std::string_view text, size_t pos) const
    {
        const char c = text[pos];
        if (c >= '0' && c <= '9')
            return c - '0';
        const char lower = static_cast<char>(c | 0x20);
        if (lower < 'a' || lower > 'f')
            throwNotUUID(text);
        return lower - 'a' + 10;
    }

    [[noreturn]] void throwNotUUID(std::string_view text) const
    {
        throwNotParsed(
            ErrorCodes::CANNOT_PARSE_UUID, text, "expected 32 hexadecimal digits, with dashes behind 8, 12, 16 and 20 or without any");
    }
};

class DataTypeIPv6 final : public DataTypeSixteenBytes
{
public:
    [[nodiscard]] std::string getName() const override { return "IPv6"; }
    void print(const IColumn & column, size_t row, std::string & to) const override
    {
        char text[INET6_ADDRSTRLEN];
        to += inet_ntop(AF_INET6, bytesAt(column, row).data(), text, sizeof(text));
    }
    /// An IPv4 address is the IPv6 one that stands for it.
    void parse(IColumn & column, std::string_view text) const override
    {
        SixteenBytes bytes{};
        std::string address(text);
        if (text.find(':') == std::string_view::npos)
            address.insert(0, "::ffff:");
        if (text.find('\0') != std::string_view::npos || inet_pton(AF_INET6, address.c_str(), bytes.data()) != 1)
            throwNotParsed(ErrorCodes::CANNOT_PARSE_IPV6, text, "expected an address such as 2001:db8::1");
        insert(column, bytes);
    }

protected:
    void turn(SixteenBytes &) const override { }
};
}

DataTypePtr makeFixedString(UInt64 size)
{
    if (size == 0)
        throwError(
            ErrorCodes::UNEXPECTED_AST_STRUCTURE, "FixedString data type family must have a number (positive integer) as its argument");
    if (size > LARGEST_FIXED_STRING)
        throwError(ErrorCodes::ARGUMENT_OUT_OF_BOUND, concat("FixedString size is too large: ", size, ", at most ", LARGEST_FIXED_STRING));
    return std::make_shared<DataTypeFixedString>(static_cast<size_t>(size));
}

DataTypePtr makeUUID() { return std::make_shared<DataTypeUUID>(); }
DataTypePtr makeIPv6() { return std::make_shared<DataTypeIPv6>(); }

}
