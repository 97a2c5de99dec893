#include "ReadBufferFromFileDescriptor.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "SystemCall.h"

#include <algorithm>

namespace DB::inline statewire
{

ReadBufferFromFileDescriptor::ReadBufferFromFileDescriptor(int fd_, std::string name_, size_t buffer_size)
    : ReadBuffer(nullptr, 0), fd(fd_), name(std::move(name_))
{
    /// A buffer of nothing would look like the end of the file.
    buffer_size = std::max<size_t>(buffer_size, 1);
    memory = std::make_unique_for_overwrite<char[]>(buffer_size);
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

std::ptrdiff_t ReadBufferFromFileDescriptor::readDirectImpl(char * to, size_t n) { return static_cast<std::ptrdiff_t>(readSome(to, n)); }

size_t ReadBufferFromFileDescriptor::readSome(char * to, size_t n)
{
    const ssize_t size = retryInterrupted([&] { return ::read(fd, to, n); });
    if (size < 0)
    {
        const int error = errno;
        throwSystemError(ErrorCodes::CANNOT_READ_FROM_FILE_DESCRIPTOR, concat("read from ", name, " at byte ", count()), error);
    }
    return static_cast<size_t>(size);
}

ReadBufferFromFile::ReadBufferFromFile(const std::string & path, size_t buffer_size) : ReadBufferFromFileDescriptor(-1, path, buffer_size)
{
    fd = openFileToRead(path);
}

ReadBufferFromFile::~ReadBufferFromFile() { ::close(fd); }

}
