#include "WriteBufferFromFile.h"

#include "../Common/ErrorCodes.h"
#include "../Common/Exception.h"
#include "../Common/throwError.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace DB::inline statewire
{

namespace
{
constexpr std::string_view TEMPORARY_SUFFIX = ".tmp";

struct PathParts
{
    std::string directory;
    std::string name;
};

PathParts splitPath(const std::string & path)
{
    const size_t slash = path.rfind('/');
    if (slash == std::string::npos)
        return {".", path};
    return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

/// Whether a locked descriptor still is the file that its name says: a remover may have unlinked it between open and lock.
bool isStillNamed(int fd, const std::string & path)
{
    struct stat by_descriptor{};
    struct stat by_name{};
    return ::fstat(fd, &by_descriptor) == 0 && ::stat(path.c_str(), &by_name) == 0 && by_descriptor.st_ino == by_name.st_ino
        && by_descriptor.st_dev == by_name.st_dev;
}

/// Removes what writers that died left behind. A temporary whose lock is taken has a living writer and is left alone.
void removeAbandonedTemporaries(const PathParts & target)
{
    DIR * directory = ::opendir(target.directory.c_str());
    if (!directory)
        return;
    const std::string prefix = target.name + ".";
    while (const dirent * entry = ::readdir(directory))
    {
        const std::string_view name = entry->d_name;
        if (name.size() <= prefix.size() + TEMPORARY_SUFFIX.size() || !name.starts_with(prefix) || !name.ends_with(TEMPORARY_SUFFIX))
            continue;
        const std::string_view unique = name.substr(prefix.size(), name.size() - prefix.size() - TEMPORARY_SUFFIX.size());
        if (unique.find_first_not_of("0123456789abcdef-") != std::string_view::npos)
            continue;
        const std::string full_name = concat(target.directory, '/', name);
        const int fd = ::open(full_name.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (fd < 0)
            continue;
        if (::flock(fd, LOCK_EX | LOCK_NB) == 0 && isStillNamed(fd, full_name))
            ::unlink(full_name.c_str());
        ::close(fd);
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
    removeAbandonedTemporaries(splitPath(path));
    while (fd < 0)
    {
        temporary_path = concat(path, '.', uniquePart(), TEMPORARY_SUFFIX);
        const int created = ::open(temporary_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (created < 0)
        {
            if (errno == EEXIST || errno == EINTR)
                continue;
            const int error = errno;
            cancel();
            throwError(ErrorCodes::CANNOT_OPEN_FILE, concat("Cannot create file ", temporary_path, ": ", errnoText(error)));
        }
        fd = created;
        /// Another writer may take the lock first, to see whether we are dead, and remove the file: then begin again.
        if (::flock(fd, LOCK_EX | LOCK_NB) != 0 || !isStillNamed(fd, temporary_path))
        {
            ::unlink(temporary_path.c_str());
            closeDescriptor();
        }
    }
}

WriteBufferFromFile::~WriteBufferFromFile()
{
    closeInDestructor();
}

void WriteBufferFromFile::finalizeImpl()
{
    next();
    if (::fsync(fd) != 0)
        throwError(ErrorCodes::CANNOT_FSYNC, concat("Cannot fsync ", name, ": ", errnoText(errno)));
    if (::rename(temporary_path.c_str(), path.c_str()) != 0)
        throwError(ErrorCodes::SYSTEM_ERROR, concat("Cannot rename ", temporary_path, " to ", path, ": ", errnoText(errno)));
    temporary_path.clear();
    const std::string directory_path = splitPath(path).directory;
    const int directory = ::open(directory_path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool synced = directory >= 0 && (::fsync(directory) == 0 || errno == EINVAL);
    const int error = errno;
    if (directory >= 0)
        ::close(directory);
    if (!synced)
        throwError(ErrorCodes::CANNOT_FSYNC, concat("Cannot fsync the directory of ", path, ": ", errnoText(error)));
    closeDescriptor();
}

void WriteBufferFromFile::cancelImpl() noexcept
{
    if (!temporary_path.empty() && fd >= 0)
        ::unlink(temporary_path.c_str());
    closeDescriptor();
}

void WriteBufferFromFile::closeDescriptor() noexcept
{
    if (fd >= 0)
        ::close(fd);
    fd = -1;
}

}
