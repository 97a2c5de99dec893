#include "ReadBufferFromFileDescriptor.h"

#include "../Common/ErrorCodes.h"
#include "../Common/Exception.h"
#include "../Common/throwError.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace DB::inline statewire
{

ReadBufferFromFileDescriptor::ReadBufferFromFileDescriptor(int fd_, std::string name_, size_t buffer_size)
    : ReadBuffer(nullptr, 0), fd(fd_), name(std::move(name_)), memory(std::make_unique_for_overwrite<char[]>(buffer_size))
{
    set(memory.get(), buffer_size);
    working_buffer.resize(0);
}

bool ReadBufferFromFileDescriptor::nextImpl()
{
    const size_t size = readSome(internal_buffer.begin(), internal_buffer.size());
    working_buffer = internal_buffer;
    working_buffer.resize(size);
    return size != 0;
}

std::ptrdiff_t ReadBufferFromFileDescriptor::readDirectImpl(char * to, size_t n)
{
    return static_cast<std::ptrdiff_t>(readSome(to, n));
}

size_t ReadBufferFromFileDescriptor::readSome(char * to, size_t n)
{
    while (true)
    {
        const ssize_t size = ::read(fd, to, n);
        if (size >= 0)
            return static_cast<size_t>(size);
        if (errno != EINTR)
            throwError(
                ErrorCodes::CANNOT_READ_FROM_FILE_DESCRIPTOR,
                concat("Cannot read from ", name, " at byte ", count(), ": ", errnoText(errno)));
    }
}

namespace
{
int openToRead(const std::string & path)
{
    int fd = -1;
    do
        fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    if (fd < 0)
        throwError(
            errno == ENOENT ? ErrorCodes::FILE_DOESNT_EXIST : ErrorCodes::CANNOT_OPEN_FILE,
            concat("Cannot open file ", path, ": ", errnoText(errno)));
    return fd;
}
}

ReadBufferFromFile::ReadBufferFromFile(const std::string & path, size_t buffer_size)
    : ReadBufferFromFileDescriptor(openToRead(path), path, buffer_size)
{
}

ReadBufferFromFile::~ReadBufferFromFile()
{
    ::close(fd);
}

}
