#pragma once

#include "../base/types.h"

#include <string>
#include <string_view>

/** Small files of a part, and names in it. */
namespace DB::inline statewire
{

/// The whole file: LIMIT_EXCEEDED above `limit` bytes, otherwise the errors of opening and reading it, with its path.
[[nodiscard]] std::string readSmallFile(const std::string & path, UInt64 limit);
[[nodiscard]] bool fileExists(const std::string & path);
[[nodiscard]] bool isFolder(const std::string & path);
/// CANNOT_STAT with the path.
[[nodiscard]] UInt64 fileSize(const std::string & path);
/// A buffer for reading a file of so many bytes: a part has many small ones.
[[nodiscard]] size_t bufferSizeFor(UInt64 file_size) noexcept;

/// ClickHouse's names of files and streams: letters, digits and underscores as they are, every other byte as %XX.
[[nodiscard]] std::string escapeForFileName(std::string_view name);

/** The lines of a text file of a part, with errors that say where. The text outlives the object. */
class PartText
{
public:
    /// Reading begins at a byte of the text.
    PartText(std::string_view text_, std::string_view file_, size_t begin = 0) : text(text_), file(file_), pos(begin) { }

    [[nodiscard]] bool atEnd() const noexcept { return pos == text.size(); }
    /// The byte at which the next one is read.
    [[nodiscard]] UInt64 offset() const noexcept { return pos; }
    /// The next bytes must be `expected`.
    void expect(std::string_view expected);
    [[nodiscard]] UInt64 readNumber();
    /// A name between backquotes, without escapes.
    [[nodiscard]] std::string readBackquoted();
    /// Up to the line feed, which is passed.
    [[nodiscard]] std::string_view readLine();
    [[noreturn]] void throwBad(std::string_view expected) const;

private:
    std::string_view text;
    std::string_view file;
    size_t pos;
};

}
