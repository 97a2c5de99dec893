#include "Bytes.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/throwError.h>

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

int base64Digit(char c) noexcept
{
    constexpr std::string_view ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const size_t position = ALPHABET.find(c);
    return position == std::string_view::npos ? -1 : static_cast<int>(position);
}
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
