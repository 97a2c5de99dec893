#pragma once

#include <statewire/IO/ReadBuffer.h>
#include <statewire/IO/WriteBuffer.h>

#include <memory>
#include <optional>
#include <string>

namespace statewire_program
{

/// What is around the bytes of an input.
enum class InputCompression
{
    Auto, /// frames when the file begins with one, nothing otherwise
    None,
    Frames /// ClickHouse's compressed frames
};

/** A file that is read, or stdin for "-", through compressed frames where there are some.
 * Errors: FILE_DOESNT_EXIST, CANNOT_OPEN_FILE; what reading says.
 */
class InputFile
{
public:
    InputFile(const std::string & path, InputCompression compression);
    ~InputFile();
    InputFile(const InputFile &) = delete;
    InputFile & operator=(const InputFile &) = delete;

    /// The decompressed bytes.
    [[nodiscard]] DB::ReadBuffer & data() noexcept { return frames ? *frames : head ? *head : *file; }
    /// Bytes of the file itself that were read so far.
    [[nodiscard]] DB::UInt64 bytesRead() const noexcept { return file->count(); }

private:
    std::unique_ptr<DB::ReadBuffer> file;
    std::unique_ptr<DB::ReadBuffer> head;
    std::unique_ptr<DB::ReadBuffer> frames;
};

/// For error texts: 'path', or stdin.
[[nodiscard]] std::string inputName(const std::string & path);

/// The size of a regular file; nothing for pipes, terminals and what cannot be looked at.
[[nodiscard]] std::optional<DB::UInt64> fileSize(const std::string & path);

/** A file that is written, or stdout for "-". A regular file appears under its name only when finalize() succeeded; what is no regular file
 * (a pipe, a device) is written straight. With a codec the bytes are put into ClickHouse's compressed frames.
 * Dropped before finalize(): nothing more is written, and a file that was there before stays.
 * Errors: CANNOT_OPEN_FILE, UNKNOWN_CODEC, BAD_ARGUMENTS (the codec's level); what writing says.
 */
class OutputFile
{
public:
    /// An empty `codec` is none: the bytes are written as they are.
    OutputFile(const std::string & path, const std::string & codec);
    ~OutputFile();
    OutputFile(const OutputFile &) = delete;
    OutputFile & operator=(const OutputFile &) = delete;

    [[nodiscard]] DB::WriteBuffer & data() noexcept { return frames ? *frames : *file; }
    void finalize();

private:
    int descriptor = -1;
    std::unique_ptr<DB::WriteBuffer> file;
    std::unique_ptr<DB::WriteBuffer> frames;
};

}
