#include "Files.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/Exception.h>
#include <statewire/Common/throwError.h>
#include <statewire/Compression/CompressedFrame.h>
#include <statewire/Compression/CompressedReadBuffer.h>
#include <statewire/Compression/CompressedWriteBuffer.h>
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
/// Whether the bytes at the front of a file are a compressed frame. A frame that lies in the buffer as a whole is known by its checksum,
/// a larger one by its header.
bool looksLikeFrame(ReadBuffer & in)
{
    if (in.eof() || in.available() < FRAME_PREFIX_SIZE)
        return false;
    try
    {
        const FrameLimits limits { .max_bit_flip_search = 0 };
        const FrameHeader header = parseFrameHeader(in.position(), 0, limits);
        if (header.payloadSize() <= in.available() - FRAME_PREFIX_SIZE)
            checkFrame(header, { in.position() + FRAME_PREFIX_SIZE, header.payloadSize() }, 0, limits);
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
    if (compression == InputCompression::Frames || (compression == InputCompression::Auto && looksLikeFrame(*file)))
        frames = std::make_unique<CompressedReadBuffer>(*file);
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

OutputFile::OutputFile(const std::string & path, const std::string & codec)
{
    CompressionCodecPtr compression;
    if (!codec.empty())
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

}
