/// engine_process: runs the real engine (libchdb.so) for tests, in a process of its own.
///
///     engine_process /path/to/libchdb.so [--setting=value ...]
///
/// Why a process: the library can't be loaded into a program built with AddressSanitizer or ThreadSanitizer, and a crash of the engine
/// must not take the tests with it. So this file is compiled without sanitizers and linked with libdl only.
///
/// Protocol, on stdin and stdout, binary safe:
///     request     <format> <length>\n    and length bytes of SQL
///     response    ok <length>\n          and length bytes of output, or
///                 error <length>\n       and length bytes of the engine's error text
/// One response comes unasked, at the start: `ok` with the engine's version, or `error` with the reason why it could not be started.
/// The process ends at the end of its input. Its data directory (pass --path) belongs to whoever started it.

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

namespace
{

/// The part of the library's C interface that is used here; no header comes with it.
struct EngineLibrary
{
    struct Connection;
    struct Result;

    Connection ** (*connect)(int, char **) = nullptr;
    Result * (*query)(Connection *, const char *, size_t, const char *, size_t) = nullptr;
    char * (*resultBuffer)(Result *) = nullptr;
    size_t (*resultLength)(Result *) = nullptr;
    const char * (*resultError)(Result *) = nullptr;
    void (*destroyResult)(Result *) = nullptr;
    void (*setSignalHandlersEnabled)(bool) = nullptr;

    /// Returns an empty string, or the reason why the library can't be used. It is never unloaded: its threads outlive any call.
    std::string load(const char * path)
    {
        void * handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!handle)
            return dlerror();

        std::string missing;
        auto find = [&](auto & function, const char * name) {
            void * symbol = dlsym(handle, name);
            if (!symbol)
                missing += std::string(" ") + name;
            std::memcpy(&function, &symbol, sizeof(symbol));
        };
        find(connect, "chdb_connect");
        find(query, "chdb_query_n");
        find(resultBuffer, "chdb_result_buffer");
        find(resultLength, "chdb_result_length");
        find(resultError, "chdb_result_error");
        find(destroyResult, "chdb_destroy_query_result");
        find(setSignalHandlersEnabled, "chdb_set_signal_handlers_enabled");
        return missing.empty() ? missing : std::string(path) + " lacks" + missing;
    }
};

struct Response
{
    bool ok = false;
    std::string bytes;
};

Response runQuery(const EngineLibrary & library, EngineLibrary::Connection * connection, std::string_view sql, std::string_view format)
{
    EngineLibrary::Result * result = library.query(connection, sql.data(), sql.size(), format.data(), format.size());
    if (!result)
        return { false, "the engine returned no result" };

    Response response;
    if (const char * error = library.resultError(result))
        response = { false, error };
    else
    {
        const size_t length = library.resultLength(result);
        response = { true, length ? std::string(library.resultBuffer(result), length) : std::string() };
    }
    library.destroyResult(result);
    return response;
}

void writeAll(int descriptor, std::string_view bytes)
{
    while (!bytes.empty())
    {
        const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written > 0)
            bytes.remove_prefix(static_cast<size_t>(written));
        else if (written == 0 || errno != EINTR)
            _exit(1); /// whoever asked is gone
    }
}

void respond(int descriptor, const Response & response)
{
    writeAll(descriptor, (response.ok ? "ok " : "error ") + std::to_string(response.bytes.size()) + "\n");
    writeAll(descriptor, response.bytes);
}

class RequestReader
{
public:
    explicit RequestReader(int descriptor_) : descriptor(descriptor_) { }

    /// False at the end of the input.
    bool next(std::string & format, std::string & sql)
    {
        std::string line;
        while (true)
        {
            if (position == filled && !refill())
            {
                if (!line.empty())
                    fail("the input ends inside a header line");
                return false;
            }
            const char c = buffer[position++];
            if (c == '\n')
                break;
            if (line.size() == sizeof(buffer))
                fail("the header line is too long");
            line += c;
        }

        const size_t space = line.find(' ');
        if (space == std::string::npos || space == 0)
            fail("the header line is not `<format> <length>`");
        size_t length = 0;
        const char * line_end = line.data() + line.size();
        const auto [stopped_at, error] = std::from_chars(line.data() + space + 1, line_end, length);
        if (error != std::errc() || stopped_at != line_end)
            fail("the header line has a wrong length");
        format = line.substr(0, space);

        /// What came along with the header line first, the rest straight into its place.
        sql.resize(length);
        size_t done = std::min(length, filled - position);
        std::memcpy(sql.data(), buffer + position, done);
        position += done;
        while (done < length)
        {
            const size_t got = readSome(sql.data() + done, length - done);
            if (got == 0)
                fail("the input ends inside a request");
            done += got;
        }
        return true;
    }

private:
    int descriptor;
    char buffer[4096];
    size_t position = 0;
    size_t filled = 0;

    [[noreturn]] static void fail(const char * reason)
    {
        std::fprintf(stderr, "engine_process: %s\n", reason);
        _exit(2);
    }

    size_t readSome(char * to, size_t size)
    {
        ssize_t got;
        do
            got = ::read(descriptor, to, size);
        while (got < 0 && errno == EINTR);
        if (got < 0)
            fail(std::strerror(errno));
        return static_cast<size_t>(got);
    }

    bool refill()
    {
        position = 0;
        filled = readSome(buffer, sizeof(buffer));
        return filled > 0;
    }
};

}

int main(int argc, char ** argv)
{
    if (argc < 2)
    {
        std::fprintf(stderr, "usage: engine_process LIBRARY [--setting=value ...]\n");
        return 2;
    }

    /// The protocol gets its own descriptors: what the engine prints by itself goes to stderr, and an INSERT without data finds no input
    /// instead of eating the next request.
    const int requests = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    const int responses = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    const int null_input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (requests < 0 || responses < 0 || null_input < 0 || dup2(null_input, STDIN_FILENO) < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    {
        std::fprintf(stderr, "engine_process: %s\n", std::strerror(errno));
        return 2;
    }

    EngineLibrary library;
    if (std::string reason = library.load(argv[1]); !reason.empty())
    {
        respond(responses, { false, std::move(reason) });
        _exit(1);
    }

    /// Before the connection is made: a crash must end the process, not wait in the engine's own handlers.
    library.setSignalHandlersEnabled(false);

    std::string name = "clickhouse";
    std::vector<char *> arguments { name.data() };
    arguments.insert(arguments.end(), argv + 2, argv + argc);
    EngineLibrary::Connection ** connection = library.connect(static_cast<int>(arguments.size()), arguments.data());
    if (!connection)
    {
        respond(responses, { false, "chdb_connect failed" });
        _exit(1);
    }
    respond(responses, runQuery(library, *connection, "SELECT version()", "TSVRaw"));

    RequestReader reader(requests);
    std::string format;
    std::string sql;
    while (reader.next(format, sql))
        respond(responses, runQuery(library, *connection, sql, format));

    /// The connection is not closed and no destructor runs: the data directory is thrown away, and nothing is left that could hang.
    _exit(0);
}
