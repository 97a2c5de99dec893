#pragma once

#include "ReadBuffer.h"

#include <memory>
#include <string>

namespace DB::inline statewire
{

/// Large enough that the system call does not show, small enough for the second-level cache.
inline constexpr size_t DEFAULT_FILE_BUFFER_SIZE = size_t{1} << 20;

/** Reads a file descriptor: a file, a pipe, a terminal. The descriptor is borrowed; `name` is for error texts.
  *
  * EINTR is retried. A read error throws CANNOT_READ_FROM_FILE_DESCRIPTOR with the name and the system's text. readBig reads past the
  * buffer, straight into the caller's memory.
  */
class ReadBufferFromFileDescriptor : public ReadBuffer
{
public:
    ReadBufferFromFileDescriptor(int fd_, std::string name_, size_t buffer_size = DEFAULT_FILE_BUFFER_SIZE);

protected:
    bool nextImpl() override;
    std::ptrdiff_t readDirectImpl(char * to, size_t n) override;

    int fd;

private:
    size_t readSome(char * to, size_t n);

    std::string name;
    std::unique_ptr<char[]> memory;
};

/// Opens a file for reading and closes it at the end. FILE_DOESNT_EXIST or CANNOT_OPEN_FILE when it cannot be opened.
class ReadBufferFromFile final : public ReadBufferFromFileDescriptor
{
public:
    explicit ReadBufferFromFile(const std::string & path, size_t buffer_size = DEFAULT_FILE_BUFFER_SIZE);
    ~ReadBufferFromFile() override;
};

}
