#include "Bytes.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/throwError.h>
#include <statewire/Formats/NamesAndTypes.h>
#include <statewire/IO/ReadEscaped.h>
#include <statewire/IO/WriteBufferFromVector.h>
#include <statewire/IO/WriteEscaped.h>

#include <algorithm>

using namespace DB;

namespace statewire_program
{

namespace
{
int hexDigit(char c) noexcept
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

constexpr std::string_view BASE64_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int base64Digit(char c) noexcept
{
    const size_t position = BASE64_ALPHABET.find(c);
    return position == std::string_view::npos ? -1 : static_cast<int>(position);
}

std::string encodeHex(std::string_view bytes)
{
    constexpr std::string_view DIGITS = "0123456789ABCDEF";
    std::string text;
    text.reserve(2 * bytes.size());
    for (const char byte : bytes)
    {
        text += DIGITS[static_cast<unsigned char>(byte) >> 4];
        text += DIGITS[static_cast<unsigned char>(byte) & 15];
    }
    return text;
}

std::string encodeBase64(std::string_view bytes)
{
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (size_t i = 0; i < bytes.size(); i += 3)
    {
        unsigned bits = 0;
        const size_t size = std::min<size_t>(3, bytes.size() - i);
        for (size_t k = 0; k < 3; ++k)
            bits = bits << 8 | (k < size ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        for (size_t k = 0; k < 4; ++k)
            text += k <= size ? BASE64_ALPHABET[bits >> (18 - 6 * k) & 63] : '=';
    }
    return text;
}
}

Encoding parseEncoding(std::string_view name)
{
    if (name == "raw")
        return Encoding::Raw;
    if (name == "hex")
        return Encoding::Hex;
    if (name == "base64")
        return Encoding::Base64;
    if (name == "escaped")
        return Encoding::Escaped;
    throwError(ErrorCodes::BAD_ARGUMENTS, concat("Unknown encoding ", quoteName(name), ", known are ", std::string_view(ENCODING_NAMES)));
}

std::string decode(Encoding encoding, std::string_view text)
{
    switch (encoding)
    {
        case Encoding::Raw:
            return std::string(text);
        case Encoding::Hex:
            return decodeHex(text);
        case Encoding::Base64:
            return decodeBase64(text);
        case Encoding::Escaped:
            break;
    }
    std::string bytes;
    readEscapedString(bytes, text);
    return bytes;
}

std::string encode(Encoding encoding, std::string_view bytes)
{
    switch (encoding)
    {
        case Encoding::Raw:
            return std::string(bytes);
        case Encoding::Hex:
            return encodeHex(bytes);
        case Encoding::Base64:
            return encodeBase64(bytes);
        case Encoding::Escaped:
            break;
    }
    std::string text;
    WriteBufferFromString out(text);
    writeEscapedString(bytes, out);
    out.finalize();
    return text;
}

std::string decodeHex(std::string_view digits)
{
    if (digits.size() % 2 != 0)
        throwError(ErrorCodes::BAD_ARGUMENTS, concat("Bad hex: ", digits.size(), " digits, expected an even number"));
    std::string bytes;
    bytes.reserve(digits.size() / 2);
    for (size_t i = 0; i < digits.size(); i += 2)
    {
        const int high = hexDigit(digits[i]);
        const int low = hexDigit(digits[i + 1]);
        if (high < 0 || low < 0)
            throwError(ErrorCodes::BAD_ARGUMENTS, concat("Bad hex: no hexadecimal digit at position ", i + (high < 0 ? 1 : 2)));
        bytes += static_cast<char>(high * 16 + low);
    }
    return bytes;
}

std::string decodeBase64(std::string_view text)
{
    if (text.size() % 4 != 0)
        throwError(ErrorCodes::BAD_ARGUMENTS, concat("Bad base64: ", text.size(), " characters, expected a multiple of 4"));
    size_t padding = 0;
    while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=')
        ++padding;
    const size_t digits = text.size() - padding;
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3);
    unsigned bits = 0;
    for (size_t i = 0; i < digits; ++i)
    {
        const int digit = base64Digit(text[i]);
        if (digit < 0)
            throwError(ErrorCodes::BAD_ARGUMENTS, concat("Bad base64: no digit at position ", i + 1));
        bits = bits << 6 | static_cast<unsigned>(digit);
        /// Every digit but the first of four completes a byte.
        const unsigned rest = 6 - 2 * (i % 4);
        if (i % 4 != 0)
            bytes += static_cast<char>(bits >> rest);
        bits &= (1U << rest) - 1;
    }
    if (bits != 0)
        throwError(ErrorCodes::BAD_ARGUMENTS, "Bad base64: the last digit has bits that belong to no byte");
    return bytes;
}

}
