#pragma once

#include <statewire/IO/ReadBuffer.h>
#include <statewire/IO/WriteBuffer.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace statewire_program
{

/// What is around the bytes of an input.
enum class InputCompression
{
    Auto, /// what the file begins with: a frame, a .zst or an .lz4 stream; otherwise nothing
    None,
    Frames, /// ClickHouse's compressed frames
    ZST, /// the plain files of the zstd and lz4 programs
    LZ4
};

/** A file that is read, or stdin for "-", through compressed frames or a .zst or .lz4 stream where there is one.
 * Errors: FILE_DOESNT_EXIST, CANNOT_OPEN_FILE, UNKNOWN_COMPRESSION_METHOD (Auto: gzip, xz, bzip2); what reading says.
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

/// All of a text that is no table. Errors: what writing says.
void printToStdout(std::string_view text);

/// For error texts: 'path', or stdin.
[[nodiscard]] std::string inputName(const std::string & path);

/// The size of a regular file; nothing for pipes, terminals and what cannot be looked at.
[[nodiscard]] std::optional<DB::UInt64> fileSize(const std::string & path);
/// Of all files together, when each is known.
[[nodiscard]] std::optional<DB::UInt64> totalSize(const std::vector<std::string> & paths);

/** A file that is written, or stdout for "-". A regular file appears under its name only when finalize() succeeded; what is no regular file
 * (a pipe, a device) is written straight. With a codec the bytes are put into ClickHouse's compressed frames.
 * Dropped before finalize(), or interrupted (SIGINT, SIGTERM, SIGHUP): nothing more is written, and a file that was there before stays.
 * Errors: CANNOT_OPEN_FILE, UNKNOWN_COMPRESSION_METHOD (a name that ends in .gz or the like), UNKNOWN_CODEC, BAD_ARGUMENTS (the codec's level); what writing says.
 */
class OutputFile
{
public:
    /// `codec` is one of frames, or ".zst" or ".lz4" for a plain file of these programs. Without one the path's end chooses such a file, when
    /// `by_name` is set; otherwise the bytes are written as they are.
    OutputFile(const std::string & path, const std::string & codec, bool by_name = true);
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
