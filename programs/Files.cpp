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
#include <cstdlib>
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
        stream = streamFormatOfName(path);
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
        file = std::make_unique<WriteBufferFromFile>(resolve(path));
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
