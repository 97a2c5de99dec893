#include "WriteBufferFromFile.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "SystemCall.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>

namespace DB::inline statewire
{

namespace
{
constexpr std::string_view TEMPORARY_SUFFIX = ".tmp";
/// A file name has at most 255 bytes; with the unique part and the suffix a temporary stays within them.
constexpr size_t MAX_NAME_IN_TEMPORARY = 200;
/// Somebody who looks whether we are dead takes our lock for a moment, and then we begin again. This often in a row it is something else.
constexpr int MAX_ATTEMPTS = 100;

std::string directoryOf(const std::string & path)
{
    const size_t slash = path.rfind('/');
    if (slash == std::string::npos)
        return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

/// What the names of all temporaries of `path` begin with.
std::string temporaryPrefix(const std::string & path)
{
    const size_t slash = path.rfind('/');
    const size_t name_start = slash == std::string::npos ? 0 : slash + 1;
    return concat(std::string_view(path).substr(name_start, MAX_NAME_IN_TEMPORARY), '.');
}

/// Whether a locked descriptor still is the file that its name says: a remover may have unlinked it between open and lock. False with
/// ENOENT in errno when it is not, with another number when that could not be found out.
bool isStillNamed(int fd, const std::string & path)
{
    struct stat by_descriptor
    {
    };
    struct stat by_name
    {
    };
    if (::fstat(fd, &by_descriptor) != 0 || ::lstat(path.c_str(), &by_name) != 0)
        return false;
    errno = ENOENT;
    return by_descriptor.st_ino == by_name.st_ino && by_descriptor.st_dev == by_name.st_dev;
}

void removeIfAbandoned(const std::string & temporary)
{
    const int fd = ::open(temporary.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return;
    const DescriptorCloser closer(fd);
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0 && isStillNamed(fd, temporary))
        ::unlink(temporary.c_str());
}

/// Whether it looks as what uniquePart() makes: somebody else's file `data.1.tmp` does not.
bool isUniquePart(std::string_view text)
{
    return text.find_first_not_of("0123456789abcdef-") == std::string_view::npos && std::count(text.begin(), text.end(), '-') == 2
        && text.front() != '-' && text.back() != '-';
}

/// Removes what writers of `path` that died left behind. A temporary whose lock is taken has a living writer and is left alone. Whatever
/// fails here concerns nobody: the next writer tries again.
void removeAbandonedTemporaries(const std::string & path)
{
    const std::string directory_path = directoryOf(path);
    DIR * directory = ::opendir(directory_path.c_str());
    if (!directory)
        return;
    const std::string prefix = temporaryPrefix(path);
    while (const dirent * entry = ::readdir(directory))
    {
        std::string_view name = entry->d_name;
        if (name.size() <= prefix.size() + TEMPORARY_SUFFIX.size() || !name.starts_with(prefix) || !name.ends_with(TEMPORARY_SUFFIX))
            continue;
        name.remove_prefix(prefix.size());
        name.remove_suffix(TEMPORARY_SUFFIX.size());
        if (isUniquePart(name))
            removeIfAbandoned(concat(directory_path, '/', entry->d_name));
    }
    ::closedir(directory);
}

/// Process id, time and a counter: unique enough that O_EXCL rarely has to decline one, and it decides in the end.
std::string uniquePart()
{
    static std::atomic<UInt32> counter{0};
    char text[64];
    const auto ticks = std::chrono::steady_clock::now().time_since_epoch().count();
    const int size = std::snprintf(
        text, sizeof(text), "%x-%llx-%x", static_cast<unsigned>(::getpid()), static_cast<unsigned long long>(ticks), counter.fetch_add(1));
    return std::string(text, static_cast<size_t>(size));
}
}

WriteBufferFromFile::WriteBufferFromFile(std::string path_, size_t buffer_size)
    : WriteBufferFromFileDescriptor(-1, path_, buffer_size), path(std::move(path_))
{
    /// The rename would find out, after all the work.
    struct stat existing
    {
    };
    if (::stat(path.c_str(), &existing) == 0 && S_ISDIR(existing.st_mode))
        throwSystemError(ErrorCodes::CANNOT_OPEN_FILE, concat("write file ", path), EISDIR);
    removeAbandonedTemporaries(path);
    int attempts = 0;
    while (const int error = tryCreateTemporary())
        if (++attempts == MAX_ATTEMPTS)
            throwSystemError(ErrorCodes::CANNOT_OPEN_FILE, concat("create and lock file ", temporary_path), error);
}

WriteBufferFromFile::~WriteBufferFromFile() { closeInDestructor(); }

int WriteBufferFromFile::tryCreateTemporary()
{
    temporary_path = concat(directoryOf(path), '/', temporaryPrefix(path), uniquePart(), TEMPORARY_SUFFIX);
    const int created = retryInterrupted([&] { return ::open(temporary_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); });
    if (created < 0)
    {
        const int error = errno;
        if (error == EEXIST)
            return error;
        throwSystemError(ErrorCodes::CANNOT_OPEN_FILE, concat("create file ", temporary_path), error);
    }
    if (retryInterrupted([&] { return ::flock(created, LOCK_EX | LOCK_NB); }) == 0 && isStillNamed(created, temporary_path))
    {
        fd = created;
        return 0;
    }
    const int error = errno;
    ::unlink(temporary_path.c_str());
    ::close(created);
    /// A lock that is taken, or a name that is gone: another writer took this temporary for an abandoned one in the moment before the lock.
    if (error != EWOULDBLOCK && error != ENOENT)
        throwSystemError(ErrorCodes::CANNOT_OPEN_FILE, concat("lock file ", temporary_path), error);
    return error;
}

void WriteBufferFromFile::finalizeImpl()
{
    next();
    if (retryInterrupted([&] { return ::fsync(fd); }) != 0)
    {
        const int error = errno;
        throwSystemError(ErrorCodes::CANNOT_FSYNC, concat("fsync ", path), error);
    }
    /// Opened before the rename, so that as little as possible can fail behind it.
    const int directory = retryInterrupted([&] { return ::open(directoryOf(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
    if (directory < 0)
    {
        const int error = errno;
        throwSystemError(ErrorCodes::CANNOT_OPEN_FILE, concat("open the directory of ", path), error);
    }
    const DescriptorCloser closer(directory);
    if (retryInterrupted([&] { return ::rename(temporary_path.c_str(), path.c_str()); }) != 0)
    {
        const int error = errno;
        throwSystemError(ErrorCodes::SYSTEM_ERROR, concat("rename ", temporary_path, " to ", path), error);
    }
    temporary_path.clear();
    /// EINVAL: a file system whose directories need no fsync.
    if (retryInterrupted([&] { return ::fsync(directory); }) != 0 && errno != EINVAL)
    {
        const int error = errno;
        throwSystemError(ErrorCodes::CANNOT_FSYNC, concat("fsync the directory of ", path), error);
    }
    const int closing = fd;
    fd = -1;
    if (::close(closing) != 0 && errno != EINTR)
    {
        const int error = errno;
        throwSystemError(ErrorCodes::CANNOT_CLOSE_FILE, concat("close ", path), error);
    }
}

void WriteBufferFromFile::cancelImpl() noexcept
{
    if (!temporary_path.empty() && fd >= 0)
        ::unlink(temporary_path.c_str());
    closeDescriptor();
}

void WriteBufferFromFile::syncImpl()
{
    /// After finalize() everything is durable already.
    if (fd >= 0)
        WriteBufferFromFileDescriptor::syncImpl();
}

void WriteBufferFromFile::closeDescriptor() noexcept
{
    if (fd >= 0)
        ::close(fd);
    fd = -1;
}

}
