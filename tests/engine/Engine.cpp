#include "Engine.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <ctime>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <system_error>

#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char ** environ;

namespace statewire_tests
{

namespace
{

[[noreturn]] void throwErrno(const std::string & what, int code) { throw std::runtime_error(what + ": " + std::strerror(code)); }

std::string makeTemporaryDirectory()
{
    std::string path = (std::filesystem::temp_directory_path() / "statewire-engine-XXXXXX").string();
    if (!mkdtemp(path.data()))
        throwErrno("cannot make a directory for the engine", errno);
    return path;
}

std::string describeEnd(int status)
{
    if (WIFSIGNALED(status))
        return "signal " + std::to_string(WTERMSIG(status));
    return "exit code " + std::to_string(WEXITSTATUS(status));
}

std::unique_ptr<Engine> startShared()
{
    try
    {
        const char * process_path = std::getenv("STATEWIRE_ENGINE_PROCESS");
        const char * library_path = std::getenv("STATEWIRE_ENGINE_LIB");
        if (!process_path || !*process_path)
            throw std::runtime_error("STATEWIRE_ENGINE_PROCESS is not set");
        if (!library_path || !*library_path)
            throw std::runtime_error("STATEWIRE_ENGINE_LIB is not set");
        return std::make_unique<Engine>(process_path, library_path);
    }
    catch (const std::exception & e)
    {
        std::printf("SKIPPED: the real engine is not available: %s\n", e.what());
        std::fflush(stdout);
        return nullptr;
    }
}

}

Engine::Engine(const std::string & process_path, const std::string & library_path, const std::vector<std::string> & options)
    : owner(getpid())
{
    try
    {
        start(process_path, library_path, options);
    }
    catch (...)
    {
        stop();
        throw;
    }
}

Engine::~Engine() { stop(); }

double Engine::processorSeconds() const
{
    clockid_t clock{};
    timespec time{};
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0)
        throw std::runtime_error("cannot read the clock of the engine's process");
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void Engine::start(const std::string & process_path, const std::string & library_path, const std::vector<std::string> & options)
{
    directory = makeTemporaryDirectory();

    /// The default limit of a query's length is 256 KiB: too small for states as literals. The caller's options come later and so win.
    std::vector<std::string> arguments { process_path, library_path, "--path=" + directory + "/data", "--max_query_size=4000000000" };
    arguments.insert(arguments.end(), options.begin(), options.end());
    std::vector<char *> argument_pointers;
    for (std::string & argument : arguments)
        argument_pointers.push_back(argument.data());
    argument_pointers.push_back(nullptr);

    /// A pair of sockets serves as both pipes: unlike a pipe it can be written to without the risk of SIGPIPE, which would end the tests.
    /// Closed on exec, so that no other child keeps the engine alive by holding our end open.
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        throwErrno("cannot make a socket pair for the engine", errno);
    channel = ends[0];

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    const int error = posix_spawn(&process, process_path.c_str(), &actions, nullptr, argument_pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error != 0)
    {
        process = -1;
        throwErrno("cannot start " + process_path, error);
    }

    version_text = receiveResponse();
    while (!version_text.empty() && version_text.back() == '\n')
        version_text.pop_back();
}

void Engine::stop() noexcept
{
    if (channel >= 0)
        close(channel); /// the process ends at the end of its input
    channel = -1;

    if (getpid() != owner)
        return;

    while (process > 0 && waitpid(process, nullptr, 0) < 0 && errno == EINTR)
    {
    }
    process = -1;

    if (!directory.empty())
    {
        std::error_code ignored;
        std::filesystem::remove_all(directory, ignored);
        directory.clear();
    }
}

std::string Engine::query(std::string_view sql, std::string_view format)
{
    if (format.empty() || format.size() > 100 || format.find_first_of(" \n") != std::string_view::npos)
        throw std::runtime_error("not a format name: '" + std::string(format) + "'");
    sendAll(std::string(format) + " " + std::to_string(sql.size()) + "\n");
    sendAll(sql);
    return receiveResponse();
}

std::string Engine::receiveResponse()
{
    constexpr size_t max_header_size = 64;
    std::string header;
    for (char c = 0; c != '\n'; header.push_back(c))
    {
        if (header.size() == max_header_size)
            throwProcessEnded();
        receiveAll(&c, 1);
    }

    const bool ok = header.starts_with("ok ");
    if (!ok && !header.starts_with("error "))
        throwProcessEnded();
    size_t length = 0;
    const char * end = header.data() + header.size() - 1;
    const auto [stopped_at, error] = std::from_chars(header.data() + header.find(' ') + 1, end, length);
    if (error != std::errc() || stopped_at != end)
        throwProcessEnded();

    std::string bytes(length, '\0');
    receiveAll(bytes.data(), bytes.size());
    if (!ok)
        throw std::runtime_error(bytes);
    return bytes;
}

void Engine::sendAll(std::string_view bytes)
{
    while (!bytes.empty())
    {
        const ssize_t sent = ::send(channel, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent >= 0)
            bytes.remove_prefix(static_cast<size_t>(sent));
        else if (errno != EINTR)
            throwProcessEnded();
    }
}

void Engine::receiveAll(char * to, size_t size)
{
    while (size > 0)
    {
        const ssize_t received = ::recv(channel, to, size, 0);
        if (received > 0)
        {
            to += received;
            size -= static_cast<size_t>(received);
        }
        else if (received == 0 || errno != EINTR)
            throwProcessEnded();
    }
}

/// Nothing sensible can be said to the process any more: it has crashed, or does not follow the protocol. Later calls end here too.
void Engine::throwProcessEnded()
{
    if (channel >= 0)
        close(channel);
    channel = -1;

    if (process > 0 && getpid() == owner)
    {
        /// A process that crashes closes its end first; it may take a while to be gone.
        int status = 0;
        pid_t ended = 0;
        for (int attempt = 0; attempt < 500 && (ended = waitpid(process, &status, WNOHANG)) == 0; ++attempt)
            usleep(10000);
        if (ended == 0)
        {
            kill(process, SIGKILL);
            while ((ended = waitpid(process, &status, 0)) < 0 && errno == EINTR)
            {
            }
        }
        process = -1;
        if (ended > 0)
            throw std::runtime_error("the engine's process has ended with " + describeEnd(status));
    }
    throw std::runtime_error("the engine's process has ended");
}

Engine * Engine::shared()
{
    static const std::unique_ptr<Engine> engine = startShared();
    return engine.get();
}

}
