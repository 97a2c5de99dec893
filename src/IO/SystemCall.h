#pragma once

#include <cerrno>
#include <string>
#include <unistd.h>

/** What the file buffers share about system calls. Included by .cpp files only. */
namespace DB::inline statewire
{

/// Repeats a system call that a signal interrupted before it did anything. Not for close(), which has closed even then.
template <typename Call>
auto retryInterrupted(Call && call)
{
    auto result = call();
    while (result < 0 && errno == EINTR)
        result = call();
    return result;
}

/// Opens a file to read. FILE_DOESNT_EXIST or CANNOT_OPEN_FILE, with the path and the system's text.
[[nodiscard]] int openFileToRead(const std::string & path);

/// Throws `code` with "Cannot <action>: <the text of error_number>".
[[noreturn]] void throwSystemError(int code, const std::string & action, int error_number);

/// Closes a descriptor at the end of a scope.
class DescriptorCloser
{
public:
    explicit DescriptorCloser(int fd_) noexcept : fd(fd_) { }
    DescriptorCloser(const DescriptorCloser &) = delete;
    DescriptorCloser & operator=(const DescriptorCloser &) = delete;
    ~DescriptorCloser() { ::close(fd); }

private:
    int fd;
};

}
