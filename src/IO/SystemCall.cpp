#include "SystemCall.h"

#include "../Common/ErrorCodes.h"
#include "../Common/Exception.h"
#include "../Common/throwError.h"

#include <fcntl.h>

namespace DB::inline statewire
{

void throwSystemError(int code, const std::string & action, int error_number)
{
    throwError(code, concat("Cannot ", action, ": ", errnoText(error_number)));
}

int openFileToRead(const std::string & path)
{
    const int fd = retryInterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); });
    if (fd < 0)
    {
        const int error = errno;
        throwSystemError(error == ENOENT ? ErrorCodes::FILE_DOESNT_EXIST : ErrorCodes::CANNOT_OPEN_FILE, concat("open file ", path), error);
    }
    return fd;
}

}
