#include "SystemCalls.h"

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

namespace statewire_tests
{

namespace
{
struct Watch
{
    FaultPlan plan;
    std::vector<std::string> calls;
    std::string failing_name;
};

thread_local Watch * watch = nullptr;

template <typename Function>
Function * original(const char * name)
{
    return reinterpret_cast<Function *>(::dlsym(RTLD_NEXT, name));
}

[[noreturn]] void die()
{
    ::kill(::getpid(), SIGKILL);
    std::abort();
}

Fault faultOf(const char * name)
{
    if (!watch)
        return Fault::None;
    Watch & current = *watch;
    /// What the bookkeeping itself calls is not watched.
    watch = nullptr;
    const size_t index = current.calls.size();
    current.calls.emplace_back(name);
    Fault result = Fault::None;
    if (index == current.plan.index)
        current.failing_name = name;
    if (index == current.plan.index || (current.plan.persistent && current.failing_name == name))
        result = current.plan.fault;
    watch = &current;
    return result;
}

/// Carries out a call that does everything or nothing.
template <typename Call>
auto run(const char * name, Call && call) -> decltype(call())
{
    switch (faultOf(name))
    {
        case Fault::Error:
            errno = watch->plan.error;
            if constexpr (std::is_pointer_v<decltype(call())>)
                return nullptr;
            else
                return -1;
        case Fault::KillBefore:
        case Fault::KillInside:
            die();
        case Fault::KillAfter:
            static_cast<void>(call());
            die();
        default:
            return call();
    }
}

/// Carries out a call that moves up to `size` bytes; `call` gets the number it may move.
template <typename Call>
ssize_t runTransfer(const char * name, size_t size, Call && call)
{
    switch (faultOf(name))
    {
        case Fault::Error:
            errno = watch->plan.error;
            return -1;
        case Fault::Short:
            return call(size == 0 ? size : 1);
        case Fault::KillBefore:
            die();
        case Fault::KillInside:
            static_cast<void>(call(size / 2));
            die();
        case Fault::KillAfter:
            static_cast<void>(call(size));
            die();
        default:
            return call(size);
    }
}
}

WatchedSystemCalls::WatchedSystemCalls(const FaultPlan & plan) { watch = new Watch{plan, {}, {}}; }

WatchedSystemCalls::~WatchedSystemCalls()
{
    delete watch;
    watch = nullptr;
}

const std::vector<std::string> & WatchedSystemCalls::calls() const { return watch->calls; }

}

using namespace statewire_tests;

extern "C"
{
    int open(const char * path, int flags, ...)
    {
        mode_t mode = 0;
        if (flags & (O_CREAT | O_TMPFILE))
        {
            va_list arguments;
            va_start(arguments, flags);
            mode = va_arg(arguments, mode_t);
            va_end(arguments);
        }
        return run("open", [&] { return original<int(const char *, int, mode_t)>("open")(path, flags, mode); });
    }

    int close(int fd)
    {
        const auto real = original<int(int)>("close");
        if (faultOf("close") != Fault::Error)
            return real(fd);
        real(fd);
        errno = watch->plan.error;
        return -1;
    }

    ssize_t read(int fd, void * to, size_t size)
    {
        return runTransfer("read", size, [&](size_t n) { return original<ssize_t(int, void *, size_t)>("read")(fd, to, n); });
    }

    ssize_t pread(int fd, void * to, size_t size, off_t offset)
    {
        return runTransfer(
            "pread", size, [&](size_t n) { return original<ssize_t(int, void *, size_t, off_t)>("pread")(fd, to, n, offset); });
    }

    ssize_t writev(int fd, const iovec * parts, int number)
    {
        size_t size = 0;
        for (int i = 0; i < number; ++i)
            size += parts[i].iov_len;
        return runTransfer("writev", size, [&](size_t n) {
            if (n == size)
                return original<ssize_t(int, const iovec *, int)>("writev")(fd, parts, number);
            /// A part of the first part with bytes is short enough.
            const int first = number > 1 && parts[0].iov_len == 0 ? 1 : 0;
            return original<ssize_t(int, const void *, size_t)>("write")(fd, parts[first].iov_base, std::min(n, parts[first].iov_len));
        });
    }

    int fsync(int)
    {
        return run("fsync", [] { return 0; });
    }

    int fdatasync(int)
    {
        return run("fdatasync", [] { return 0; });
    }

    int flock(int fd, int operation) noexcept
    {
        return run("flock", [&] { return original<int(int, int)>("flock")(fd, operation); });
    }

    int unlink(const char * path) noexcept
    {
        return run("unlink", [&] { return original<int(const char *)>("unlink")(path); });
    }

    int rename(const char * from, const char * to) noexcept
    {
        return run("rename", [&] { return original<int(const char *, const char *)>("rename")(from, to); });
    }

    int fstat(int fd, struct stat * to) noexcept
    {
        return run("fstat", [&] { return original<int(int, struct stat *)>("fstat")(fd, to); });
    }

    int stat(const char * path, struct stat * to) noexcept
    {
        return run("stat", [&] { return original<int(const char *, struct stat *)>("stat")(path, to); });
    }

    int lstat(const char * path, struct stat * to) noexcept
    {
        return run("lstat", [&] { return original<int(const char *, struct stat *)>("lstat")(path, to); });
    }

    DIR * opendir(const char * path)
    {
        return run("opendir", [&] { return original<DIR *(const char *)>("opendir")(path); });
    }

    dirent * readdir(DIR * directory)
    {
        return run("readdir", [&] { return original<dirent *(DIR *)>("readdir")(directory); });
    }

    void * mmap(void * at, size_t size, int protection, int flags, int fd, off_t offset) noexcept
    {
        const auto real = [&] {
            using Function = void *(void *, size_t, int, int, int, off_t);
            return original<Function>("mmap")(at, size, protection, flags, fd, offset);
        };
        /// The allocator's mappings are not ours.
        if (fd < 0 || faultOf("mmap") != Fault::Error)
            return real();
        errno = watch->plan.error;
        return MAP_FAILED;
    }
}
