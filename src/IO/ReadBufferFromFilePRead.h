#pragma once

#include "ReadBufferFromFileDescriptor.h"
#include "SeekableReadBuffer.h"

namespace DB::inline statewire
{

/** Reads a file at positions of its own (pread): several of these, in several threads, may share one descriptor.
  *
  * Errors as ReadBufferFromFileDescriptor. readBig reads past the buffer, straight into the caller's memory.
  */
class ReadBufferFromFilePRead final : public SeekableReadBuffer
{
public:
    /// Opens the file and closes it at the end.
    explicit ReadBufferFromFilePRead(const std::string & path, size_t buffer_size = DEFAULT_FILE_BUFFER_SIZE);
    /// Borrows a descriptor; `name_` is for error texts.
    ReadBufferFromFilePRead(int fd_, std::string name_, size_t buffer_size = DEFAULT_FILE_BUFFER_SIZE);
    ~ReadBufferFromFilePRead() override;

    void seek(UInt64 position) override;

protected:
    bool nextImpl() override;
    std::ptrdiff_t readDirectImpl(char * to, size_t n) override;

private:
    size_t readSome(char * to, size_t n, UInt64 position);

    int fd;
    bool owns_descriptor;
    std::string name;
    std::unique_ptr<char[]> memory;
    /// What lies in `memory`: [memory_position, memory_position + memory_filled) of the file.
    UInt64 memory_position = 0;
    size_t memory_filled = 0;
};

}
