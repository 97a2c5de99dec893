#pragma once

#include "ReadBufferFromFileDescriptor.h"
#include "WriteBuffer.h"

namespace DB::inline statewire
{

/** Writes to a file descriptor. The descriptor is borrowed; `name` is for error texts.
  *
  * A write at least as large as the buffer goes out with what was buffered in one writev, without passing through the buffer. EINTR and
  * short writes are continued; any other error throws CANNOT_WRITE_TO_FILE_DESCRIPTOR with the name and the system's text, and the
  * buffer is Canceled. sync() is fdatasync; descriptors that know no durability (pipes, terminals) are left alone.
  */
class WriteBufferFromFileDescriptor : public WriteBuffer
{
public:
    WriteBufferFromFileDescriptor(int fd_, std::string name_, size_t buffer_size = DEFAULT_FILE_BUFFER_SIZE);

protected:
    void nextImpl() override;
    size_t writeDirectImpl(const char * from, size_t n) override;
    void syncImpl() override;

    int fd;
    std::string name;

private:
    void writeAll(const char * first, size_t first_size, const char * second, size_t second_size);

    std::unique_ptr<char[]> memory;
};

}
