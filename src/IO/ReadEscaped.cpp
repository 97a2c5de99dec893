#include "ReadEscaped.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../base/types.h"

#include <cstring>

namespace DB::inline statewire
{

namespace
{
/// The byte that a character behind a backslash stands for, or -1 where the backslash stands for itself.
constexpr int byteOfEscape(char escape) noexcept
{
    switch (escape)
    {
        case 'a': return '\a';
        case 'b': return '\b';
        case 'e': return 0x1b;
        case 'f': return '\f';
        case 'n': return '\n';
        case 'r': return '\r';
        case 't': return '\t';
        case 'v': return '\v';
        case '0': return 0;
        case '\\':
        case '\'':
        case '"':
        case '`':
        case '/':
        case '=': return escape;
        default: return static_cast<UInt8>(escape) < ' ' ? escape : -1;
    }
}

constexpr int hexDigit(char digit) noexcept
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if (digit >= 'a' && digit <= 'f')
        return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F')
        return digit - 'A' + 10;
    return -1;
}

/// Appends the byte of the escape sequence at `pos`, a backslash, and returns where the text goes on. `start` is where the text began.
const char * readEscape(std::string & to, const char * start, const char * pos, const char * end)
{
    const auto offset = pos - start;
    if (end - pos < 2)
        throwError(ErrorCodes::CANNOT_PARSE_ESCAPE_SEQUENCE, concat("The text ends with a backslash at offset ", offset));
    if (pos[1] == 'x')
    {
        const int high = end - pos >= 4 ? hexDigit(pos[2]) : -1;
        const int low = end - pos >= 4 ? hexDigit(pos[3]) : -1;
        if (high < 0 || low < 0)
            throwError(ErrorCodes::CANNOT_PARSE_ESCAPE_SEQUENCE, concat("Expected two hexadecimal digits behind \\x at offset ", offset));
        to.push_back(static_cast<char>(high * 16 + low));
        return pos + 4;
    }
    if (pos[1] == 'N')
        throwError(ErrorCodes::CANNOT_PARSE_ESCAPE_SEQUENCE, concat("NULL (\\N) at offset ", offset, " in a value that cannot be NULL"));
    const int byte = byteOfEscape(pos[1]);
    if (byte < 0)
        to.append(pos, 2);
    else
        to.push_back(static_cast<char>(byte));
    return pos + 2;
}
}

void readEscapedString(std::string & to, std::string_view field)
{
    const char * pos = field.data();
    const char * const end = pos + field.size();
    while (pos != end)
    {
        const auto * backslash = static_cast<const char *>(std::memchr(pos, '\\', static_cast<size_t>(end - pos)));
        if (!backslash)
        {
            to.append(pos, end);
            return;
        }
        to.append(pos, backslash);
        pos = readEscape(to, field.data(), backslash, end);
    }
}

void readQuotedString(std::string & to, const char *& pos, const char * end)
{
    const char * const start = pos;
    if (pos == end || *pos != '\'')
        throwError(ErrorCodes::CANNOT_PARSE_INPUT_ASSERTION_FAILED, "Expected a string in single quotes");
    const char * plain = start + 1;
    for (const char * at = plain; at != end;)
    {
        if (*at == '\'')
        {
            to.append(plain, at);
            if (end - at < 2 || at[1] != '\'')
            {
                pos = at + 1;
                return;
            }
            /// SQL's way to write a quote: the second one of two opens the plain text that goes on.
            plain = at + 1;
            at += 2;
            continue;
        }
        if (*at == '\\')
        {
            to.append(plain, at);
            at = readEscape(to, start, at, end);
            plain = at;
        }
        else
            ++at;
    }
    throwError(ErrorCodes::CANNOT_PARSE_INPUT_ASSERTION_FAILED, concat("No closing quote within ", end - start, " bytes"));
}

}
