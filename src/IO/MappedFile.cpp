#include "MappedFile.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "SystemCall.h"

#include <sys/mman.h>
#include <sys/stat.h>

namespace DB::inline statewire
{

std::shared_ptr<const MappedFile> MappedFile::open(const std::string & path)
{
    const int fd = openFileToRead(path);
    const DescriptorCloser closer(fd);
    struct stat status
    {
    };
    if (::fstat(fd, &status) != 0)
    {
        const int error = errno;
        throwSystemError(ErrorCodes::CANNOT_FSTAT, concat("look at file ", path), error);
    }
    const auto size = static_cast<size_t>(status.st_size);
    void * begin = nullptr;
    /// A mapping of no bytes is refused by the system, but an empty file is a file.
    if (size != 0 || !S_ISREG(status.st_mode))
        begin = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (begin == MAP_FAILED)
    {
        const int error = errno;
        throwSystemError(ErrorCodes::CANNOT_ALLOCATE_MEMORY, concat("map file ", path), error);
    }
    return std::shared_ptr<const MappedFile>(new MappedFile(static_cast<char *>(begin), size));
}

MappedFile::~MappedFile()
{
    if (size != 0)
        ::munmap(begin, size);
}

}
