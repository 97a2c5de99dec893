#include "TemporaryFile.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../IO/SystemCall.h"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <unistd.h>

namespace DB::inline statewire
{

namespace
{
/// A template for mkostemps, which chooses unique names.
constexpr char NAME_TEMPLATE[] = "/statewire.XXXXXX.tmp";
constexpr int SUFFIX_LENGTH = 4;

int createNamed(const std::string & directory)
{
    std::string path = directory + NAME_TEMPLATE;
    const int fd = ::mkostemps(path.data(), SUFFIX_LENGTH, O_CLOEXEC);
    if (fd < 0)
        return -1;
    ::flock(fd, LOCK_EX | LOCK_NB);
    ::unlink(path.c_str());
    return fd;
}
}

TemporaryFile::TemporaryFile(const std::string & directory) : name("a temporary file in " + directory)
{
    fd = retryInterrupted([&] { return ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600); });
    if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
        fd = createNamed(directory);
    if (fd < 0)
        throwSystemError(ErrorCodes::CANNOT_OPEN_FILE, concat("create ", name), errno);
}

TemporaryFile::~TemporaryFile()
{
    ::close(fd);
}

}
