#include "Files.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/Exception.h>
#include <statewire/Common/throwError.h>
#include <statewire/Compression/CompressedFrame.h>
#include <statewire/Compression/CompressedReadBuffer.h>
#include <statewire/Compression/CompressedWriteBuffer.h>
#include <statewire/Compression/StreamCompressingWriteBuffer.h>
#include <statewire/Compression/StreamDecompressingReadBuffer.h>
#include <statewire/Formats/NamesAndTypes.h>
#include <statewire/IO/ReadBufferFromFileDescriptor.h>
#include <statewire/IO/WriteBufferFromFile.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace DB;

namespace statewire_program
{

namespace
{
/// The front of a source, taken out to look at it, and then the rest, which is handed on where it lies.
class HeadReadBuffer : public ReadBuffer
{
public:
    explicit HeadReadBuffer(ReadBuffer & rest_) : ReadBuffer(nullptr, 0), rest(rest_) { }

    /// At least n bytes of the front, or all there are. Before the first read only.
    std::string_view look(size_t n)
    {
        while (head.size() < n && !rest.eof())
        {
            head.append(rest.position(), rest.available());
            rest.position() += rest.available();
        }
        return head;
    }

protected:
    bool nextImpl() override
    {
        if (!head_given && !head.empty())
        {
            head_given = true;
            working_buffer = Buffer{head.data(), head.data() + head.size()};
            return true;
        }
        if (rest.eof())
            return false;
        working_buffer = Buffer{rest.position(), rest.position() + rest.available()};
        rest.position() += rest.available();
        return true;
    }

private:
    ReadBuffer & rest;
    std::string head;
    bool head_given = false;
};

/// Whether a file begins with a whole compressed frame: its checksum tells it from anything that only looks like one.
bool startsWithFrame(HeadReadBuffer & in)
{
    const FrameLimits limits{.max_bit_flip_search = 0};
    const std::string_view prefix = in.look(FRAME_PREFIX_SIZE);
    if (prefix.size() < FRAME_PREFIX_SIZE)
        return false;
    try
    {
        const FrameHeader header = parseFrameHeader(prefix.data(), 0, limits);
        const size_t size = FRAME_PREFIX_SIZE + header.payloadSize();
        const std::string_view frame = in.look(size);
        if (frame.size() < size)
            return false;
        checkFrame(header, frame.substr(FRAME_PREFIX_SIZE, header.payloadSize()), 0, limits);
        return true;
    }
    catch (const Exception &)
    {
        return false;
    }
}

std::unique_ptr<ReadBuffer> openInput(const std::string & path)
{
    if (path == "-")
        return std::make_unique<ReadBufferFromFileDescriptor>(STDIN_FILENO, "stdin");
    return std::make_unique<ReadBufferFromFile>(path);
}

/// Other tools' compressions, which are told from anything else by what they begin with.
std::string_view foreignCompression(std::string_view head)
{
    const auto byte = [&](size_t i) { return static_cast<UInt8>(head[i]); };
    /// A block of Native may begin with the same three bytes, but its first name does not hold gzip's flags and system.
    if (head.size() >= 10 && head.starts_with("\x1f\x8b\x08") && byte(3) < 32 && (byte(8) == 0 || byte(8) == 2 || byte(8) == 4)
        && (byte(9) <= 13 || byte(9) == 255))
        return "gzip";
    if (head.starts_with(std::string_view("\xfd" "7zXZ\0", 6)))
        return "xz";
    if (head.size() >= 10 && head.starts_with("BZh") && head.substr(4, 6) == "1AY&SY")
        return "bzip2";
    return {};
}

/// What an interrupted program removes: a signal handler must not look for it.
char temporary_file[PATH_MAX];

extern "C" void removeTemporaryFile(int signal)
{
    if (temporary_file[0])
        ::unlink(temporary_file);
    /// The handler is gone (SA_RESETHAND): this ends the program as the signal would have.
    ::raise(signal);
}

void removeWhenInterrupted(const std::string & path)
{
    if (path.size() >= sizeof(temporary_file))
        return;
    std::memcpy(temporary_file, path.c_str(), path.size() + 1);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    {
        struct sigaction action
        {
        };
        /// Who started us may have them ignored, as nohup does.
        if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL)
            continue;
        action.sa_handler = removeTemporaryFile;
        action.sa_flags = static_cast<int>(SA_RESETHAND);
        static_cast<void>(::sigaction(signal, &action, nullptr));
    }
}

/// The path behind all symbolic links, so that a link to a file is written through and not replaced.
std::string resolve(const std::string & path)
{
    char * const resolved = ::realpath(path.c_str(), nullptr);
    std::string result = resolved ? resolved : path;
    std::free(resolved);
    return result;
}
}

InputFile::InputFile(const std::string & path, InputCompression compression) : file(openInput(path))
{
    bool has_frames = compression == InputCompression::Frames;
    if (compression == InputCompression::Auto)
    {
        auto looked_at = std::make_unique<HeadReadBuffer>(*file);
        const std::optional<StreamFormat> stream = streamFormatOfBytes(looked_at->look(4));
        if (const std::string_view kind = foreignCompression(looked_at->look(10)); !kind.empty())
            throwError(
                ErrorCodes::UNKNOWN_COMPRESSION_METHOD,
                concat(
                    "The input is compressed by ",
                    kind,
                    ", which is not read; .zst and .lz4 are. Decompress it in a pipe, as ",
                    kind,
                    " -dc FILE | statewire ..."));
        has_frames = !stream && startsWithFrame(*looked_at);
        head = std::move(looked_at);
        if (stream)
            frames = std::make_unique<StreamDecompressingReadBuffer>(*head, *stream);
    }
    if (compression == InputCompression::ZST || compression == InputCompression::LZ4)
        frames = std::make_unique<StreamDecompressingReadBuffer>(
            *file, compression == InputCompression::ZST ? StreamFormat::ZSTD : StreamFormat::LZ4);
    if (has_frames)
        frames = std::make_unique<CompressedReadBuffer>(head ? *head : *file);
}

InputFile::~InputFile() = default;

std::string inputName(const std::string & path) { return path == "-" ? "stdin" : quoteName(path); }

std::optional<UInt64> fileSize(const std::string & path)
{
    struct stat status
    {
    };
    if (path == "-" ? ::fstat(STDIN_FILENO, &status) != 0 : ::stat(path.c_str(), &status) != 0)
        return std::nullopt;
    if (!S_ISREG(status.st_mode))
        return std::nullopt;
    return static_cast<UInt64>(status.st_size);
}

std::optional<UInt64> totalSize(const std::vector<std::string> & paths)
{
    UInt64 total = 0;
    for (const std::string & path : paths)
    {
        const auto size = fileSize(path);
        if (!size)
            return std::nullopt;
        total += *size;
    }
    return total;
}

OutputFile::OutputFile(const std::string & path, const std::string & codec, bool by_name)
{
    CompressionCodecPtr compression;
    std::optional<StreamFormat> stream;
    if (codec == ".zst" || codec == ".lz4")
        stream = streamFormatOfName(codec);
    else if (codec.empty() && by_name)
    {
        for (const std::string_view suffix : {".gz", ".xz", ".bz2", ".br"})
            if (path.size() > suffix.size() && path.ends_with(suffix))
                throwError(
                    ErrorCodes::UNKNOWN_COMPRESSION_METHOD,
                    concat("The name of the output ends in ", suffix, ", which is not written; .zst and .lz4 are, or write to a pipe"));
        stream = streamFormatOfName(path);
    }
    else if (!codec.empty())
        compression = createCompressionCodec(codec);
    struct stat status
    {
    };
    if (path.empty() || path == "-")
        file = std::make_unique<WriteBufferFromFileDescriptor>(STDOUT_FILENO, "stdout");
    else if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    {
        descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
        if (descriptor < 0)
            throwError(ErrorCodes::CANNOT_OPEN_FILE, concat("Cannot open file ", path, ": ", errnoText(errno)));
        file = std::make_unique<WriteBufferFromFileDescriptor>(descriptor, path);
    }
    else
    {
        auto new_file = std::make_unique<WriteBufferFromFile>(resolve(path));
        removeWhenInterrupted(new_file->temporaryPath());
        file = std::move(new_file);
    }
    if (compression)
        frames = std::make_unique<CompressedWriteBuffer>(*file, std::move(compression));
    if (stream)
        frames = std::make_unique<StreamCompressingWriteBuffer>(*file, *stream);
}

OutputFile::~OutputFile()
{
    if (frames)
        frames->cancel();
    file->cancel();
    file.reset();
    if (descriptor >= 0)
        ::close(descriptor);
}

void OutputFile::finalize()
{
    if (frames)
        frames->finalize();
    file->finalize();
}

void printToStdout(std::string_view text)
{
    OutputFile output("-", "");
    output.data().write(text.data(), text.size());
    output.finalize();
}

}
