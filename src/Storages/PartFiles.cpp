#include "PartFiles.h"

#include "../Common/ErrorCodes.h"
#include "../Common/Exception.h"
#include "../Common/throwError.h"
#include "../DataTypes/errorText.h"
#include "../IO/ReadBufferFromFileDescriptor.h"
#include "../IO/ReadEscaped.h"

#include <algorithm>
#include <cerrno>
#include <charconv>

#include <sys/stat.h>

namespace DB::inline statewire
{

namespace
{
/// One read of a small frame, and little that is read ahead for one granule.
constexpr UInt64 MAX_BUFFER_SIZE = 65536;
}

size_t bufferSizeFor(UInt64 file_size) noexcept
{
    return static_cast<size_t>(std::clamp<UInt64>(file_size, 1, MAX_BUFFER_SIZE));
}

std::string readSmallFile(const std::string & path, UInt64 limit)
{
    ReadBufferFromFile in(path, bufferSizeFor(limit));
    std::string bytes;
    while (!in.eof())
    {
        if (bytes.size() + in.available() > limit)
            throwError(ErrorCodes::LIMIT_EXCEEDED, concat("The file ", path, " is larger than ", limit, " bytes"));
        bytes.append(in.position(), in.available());
        in.position() += in.available();
    }
    return bytes;
}

bool fileExists(const std::string & path)
{
    struct stat status
    {
    };
    return ::stat(path.c_str(), &status) == 0;
}

bool isFolder(const std::string & path)
{
    struct stat status
    {
    };
    return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

UInt64 fileSize(const std::string & path)
{
    struct stat status
    {
    };
    if (::stat(path.c_str(), &status) != 0)
        throwError(
            errno == ENOENT ? ErrorCodes::FILE_DOESNT_EXIST : ErrorCodes::CANNOT_STAT,
            concat("Cannot look at file ", path, ": ", errnoText(errno)));
    return static_cast<UInt64>(status.st_size);
}

std::string escapeForFileName(std::string_view name)
{
    constexpr char HEX[] = "0123456789ABCDEF";
    std::string result;
    for (const char c : name)
    {
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_')
        {
            result += c;
            continue;
        }
        result += '%';
        result += HEX[static_cast<UInt8>(c) >> 4];
        result += HEX[static_cast<UInt8>(c) & 15];
    }
    return result;
}

void PartText::throwBad(std::string_view expected) const
{
    throwError(
        ErrorCodes::CANNOT_PARSE_INPUT_ASSERTION_FAILED,
        concat(
            "Cannot read the file ",
            file,
            ": expected ",
            expected,
            " at byte ",
            pos,
            ", found ",
            atEnd() ? "the end" : quoteForError(text.substr(pos))));
}

void PartText::expect(std::string_view expected)
{
    if (!text.substr(pos).starts_with(expected))
        throwBad(quoteForError(expected));
    pos += expected.size();
}

UInt64 PartText::readNumber()
{
    UInt64 value = 0;
    const auto result = std::from_chars(text.data() + pos, text.data() + text.size(), value);
    if (result.ec != std::errc())
        throwBad("a number");
    pos = static_cast<size_t>(result.ptr - text.data());
    return value;
}

std::string PartText::readBackquoted()
{
    expect("`");
    const size_t begin = pos;
    while (!atEnd() && text[pos] != '`')
        pos += text[pos] == '\\' && pos + 1 < text.size() ? 2 : 1;
    if (atEnd())
        throwBad("'`'");
    std::string name;
    readEscapedString(name, text.substr(begin, pos - begin));
    ++pos;
    return name;
}

std::string_view PartText::readLine()
{
    const size_t end = text.find('\n', pos);
    if (end == std::string_view::npos)
    {
        pos = text.size();
        throwBad("a line feed");
    }
    const std::string_view line = text.substr(pos, end - pos);
    pos = end + 1;
    return line;
}

}
