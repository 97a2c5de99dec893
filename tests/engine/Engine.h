#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace statewire_tests
{

/// The real engine (ClickHouse as a library), to compare our bytes and answers with.
/// It runs in a process of its own (engine_process.cpp says why) over a temporary data directory, both gone with the object.
///
/// Give it no hostile bytes: the engine checks lengths only, and a bad state can crash it. After a crash every query throws.
/// One query at a time: not for use from several threads.
class Engine
{
public:
    /// Options are the engine's own, as `--name=value`. Throws std::runtime_error when the engine can't be started.
    Engine(const std::string & process_path, const std::string & library_path, const std::vector<std::string> & options = {});
    ~Engine();

    Engine(const Engine &) = delete;
    Engine & operator=(const Engine &) = delete;

    /// The output in the given format, byte for byte. Throws std::runtime_error with the engine's text.
    /// Data goes along inline: "INSERT INTO t FORMAT RowBinary\n" + bytes, with exactly one line feed between.
    std::string query(std::string_view sql, std::string_view format = "TSVRaw");

    const std::string & version() const { return version_text; }

    /// Processor time that the engine's process has used so far.
    double processorSeconds() const;

    /// The engine that all tests of a program share, started at the first call. It needs two environment variables:
    /// STATEWIRE_ENGINE_PROCESS, the path of the program engine_process, and STATEWIRE_ENGINE_LIB, the path of libchdb.so.
    /// Without them, or when the engine doesn't start, prints one SKIPPED line with the reason and returns nullptr, for the caller to skip
    /// its test.
    static Engine * shared();

private:
    pid_t owner; /// A forked copy of the test program leaves process and directory alone.
    std::string directory;
    int channel = -1;
    pid_t process = -1;
    std::string version_text;

    void start(const std::string & process_path, const std::string & library_path, const std::vector<std::string> & options);
    void stop() noexcept;
    [[noreturn]] void throwProcessEnded();
    void sendAll(std::string_view bytes);
    void receiveAll(char * to, size_t size);
    std::string receiveResponse();
};

}
