#include "ReadBufferFromFilePRead.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "SystemCall.h"

#include <algorithm>

namespace DB::inline statewire
{

ReadBufferFromFilePRead::ReadBufferFromFilePRead(int fd_, std::string name_, size_t buffer_size)
    : SeekableReadBuffer(nullptr, 0), fd(fd_), owns_descriptor(false), name(std::move(name_))
{
    buffer_size = std::max<size_t>(buffer_size, 1);
    memory = std::make_unique_for_overwrite<char[]>(buffer_size);
    set(memory.get(), buffer_size);
    working_buffer.resize(0);
}

ReadBufferFromFilePRead::ReadBufferFromFilePRead(const std::string & path, size_t buffer_size)
    : ReadBufferFromFilePRead(-1, path, buffer_size)
{
    fd = openFileToRead(path);
    owns_descriptor = true;
}

ReadBufferFromFilePRead::~ReadBufferFromFilePRead()
{
    if (owns_descriptor)
        ::close(fd);
}

void ReadBufferFromFilePRead::seek(UInt64 position)
{
    if (position >= memory_position && position <= memory_position + memory_filled)
    {
        bytes = memory_position;
        working_buffer = Buffer{internal_buffer.begin(), internal_buffer.begin() + memory_filled};
        pos = working_buffer.begin() + (position - memory_position);
        return;
    }
    bytes = position;
    working_buffer = Buffer{internal_buffer.begin(), internal_buffer.begin()};
    pos = working_buffer.begin();
}

bool ReadBufferFromFilePRead::nextImpl()
{
    memory_filled = 0;
    memory_position = bytes;
    memory_filled = readSome(internal_buffer.begin(), internal_buffer.size(), bytes);
    working_buffer = Buffer{internal_buffer.begin(), internal_buffer.begin() + memory_filled};
    return memory_filled != 0;
}

std::ptrdiff_t ReadBufferFromFilePRead::readDirectImpl(char * to, size_t n) { return static_cast<std::ptrdiff_t>(readSome(to, n, bytes)); }

size_t ReadBufferFromFilePRead::readSome(char * to, size_t n, UInt64 position)
{
    const ssize_t size = retryInterrupted([&] { return ::pread(fd, to, n, static_cast<off_t>(position)); });
    if (size < 0)
    {
        const int error = errno;
        throwSystemError(ErrorCodes::CANNOT_READ_FROM_FILE_DESCRIPTOR, concat("read from ", name, " at byte ", position), error);
    }
    return static_cast<size_t>(size);
}

}
