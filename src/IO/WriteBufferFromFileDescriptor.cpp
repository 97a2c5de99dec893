#include "WriteBufferFromFileDescriptor.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "SystemCall.h"

#include <algorithm>
#include <sys/uio.h>

namespace DB::inline statewire
{

WriteBufferFromFileDescriptor::WriteBufferFromFileDescriptor(int fd_, std::string name_, size_t buffer_size)
    : WriteBuffer(nullptr, 0), fd(fd_), name(std::move(name_)), memory(std::make_unique_for_overwrite<char[]>(buffer_size))
{
    set(memory.get(), buffer_size);
}

void WriteBufferFromFileDescriptor::nextImpl() { writeAll(working_buffer.begin(), offset(), nullptr, 0); }

size_t WriteBufferFromFileDescriptor::writeDirectImpl(const char * from, size_t n)
{
    if (n < internal_buffer.size())
        return 0;
    writeAll(working_buffer.begin(), offset(), from, n);
    return n;
}

void WriteBufferFromFileDescriptor::writeAll(const char * first, size_t first_size, const char * second, size_t second_size)
{
    iovec parts[2] = {{const_cast<char *>(first), first_size}, {const_cast<char *>(second), second_size}};
    UInt64 done = bytes;
    while (parts[0].iov_len != 0 || parts[1].iov_len != 0)
    {
        const bool first_is_done = parts[0].iov_len == 0;
        const int number = first_is_done || parts[1].iov_len == 0 ? 1 : 2;
        const ssize_t written = retryInterrupted([&] { return ::writev(fd, parts + first_is_done, number); });
        if (written <= 0)
        {
            /// A device that takes nothing and gives no reason would be asked for ever.
            const int error = written < 0 ? errno : EIO;
            throwSystemError(ErrorCodes::CANNOT_WRITE_TO_FILE_DESCRIPTOR, concat("write to ", name, " at byte ", done), error);
        }
        auto rest = static_cast<size_t>(written);
        done += rest;
        for (iovec & part : parts)
        {
            const size_t taken = std::min(rest, part.iov_len);
            part.iov_base = static_cast<char *>(part.iov_base) + taken;
            part.iov_len -= taken;
            rest -= taken;
        }
    }
}

void WriteBufferFromFileDescriptor::syncImpl()
{
    /// EINVAL and EROFS: the descriptor has nothing to make durable.
    if (retryInterrupted([&] { return ::fdatasync(fd); }) != 0 && errno != EINVAL && errno != EROFS)
    {
        const int error = errno;
        throwSystemError(ErrorCodes::CANNOT_FSYNC, concat("fsync ", name), error);
    }
}

}
