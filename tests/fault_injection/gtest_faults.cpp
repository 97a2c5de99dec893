#include "../IOTestHelpers.h"
#include "../Vectors.h"
#include "SystemCalls.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/IO/MMapReadBufferFromFile.h>
#include <statewire/IO/ReadBufferFromFileDescriptor.h>
#include <statewire/IO/ReadBufferFromFilePRead.h>
#include <statewire/IO/WriteBufferFromFile.h>

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <optional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace DB;
using namespace statewire_tests;

namespace
{
/// More than two buffers, so that the write goes out in several calls, one of them with two parts.
constexpr size_t BUFFER_SIZE = 4096;
const std::string OLD = compressibleBytes(5000, 1);
const std::string NEW = compressibleBytes(20000, 2);

size_t openDescriptors()
{
    size_t result = 0;
    for (int fd = 0; fd < 256; ++fd)
        result += ::fcntl(fd, F_GETFD) != -1;
    return result;
}

void writeFile(const std::string & path, const std::string & bytes)
{
    WriteBufferFromFile out(path, BUFFER_SIZE);
    out.write(bytes.data(), bytes.size());
    out.finalize();
}

struct Outcome
{
    std::optional<Exception> error;
    bool canceled = false;
    bool second_finalize_threw = false;
    std::vector<std::string> calls;
};

/// One write of NEW over OLD, small pieces and large ones, under a plan.
Outcome writeUnder(const FaultPlan & plan, const std::string & path)
{
    Outcome outcome;
    const WatchedSystemCalls watched(plan);
    try
    {
        WriteBufferFromFile out(path, BUFFER_SIZE);
        try
        {
            out.write(NEW.data(), 100);
            out.write(NEW.data() + 100, 9000);
            for (size_t i = 9100; i < NEW.size(); i += 100)
                out.write(NEW.data() + i, 100);
            out.sync();
            out.finalize();
        }
        catch (const Exception &)
        {
            outcome.canceled = out.isCanceled();
            outcome.second_finalize_threw = codeOf([&] { out.finalize(); }) == ErrorCodes::LOGICAL_ERROR;
            throw;
        }
    }
    catch (const Exception & error)
    {
        outcome.error = error;
    }
    outcome.calls = watched.calls();
    return outcome;
}

/// A folder with an older file and what a dead writer left.
struct Scene
{
    TemporaryFolder folder;
    std::string path = folder.path("file");
    Scene()
    {
        writeFile(path, OLD);
        writeFile(path + ".1-2-3.tmp.moved", "rest");
        std::filesystem::rename(path + ".1-2-3.tmp.moved", path + ".1-2-3.tmp");
    }
};

size_t callsOfAWrite()
{
    Scene scene;
    return writeUnder({}, scene.path).calls.size();
}
}

TEST(FaultsOfAWrite, WithoutFaultsTheCallsAreTheExpectedOnes)
{
    Scene scene;
    const Outcome outcome = writeUnder({}, scene.path);
    ASSERT_FALSE(outcome.error) << outcome.error->what();
    EXPECT_EQ(readFile(scene.path), NEW);
    EXPECT_EQ(scene.folder.files(), 1u) << "the temporary of a dead writer is removed";
    std::string calls;
    for (const std::string & call : outcome.calls)
        if (call != "readdir")
            calls += call + " ";
    EXPECT_EQ(
        calls,
        "stat opendir open flock fstat lstat unlink close open flock fstat lstat writev writev writev writev fdatasync "
        "fsync open rename fsync close close ");
}

TEST(FaultsOfAWrite, EveryErrorAtEveryCallLeavesOneWholeFile)
{
    const size_t number = callsOfAWrite();
    ASSERT_GT(number, 20u);
    size_t failures = 0;
    for (const bool persistent : {false, true})
        for (const int error : {EINTR, ENOSPC, EIO, EPIPE, EACCES, ENOLCK, EAGAIN, EEXIST, EMFILE, EDQUOT})
            for (size_t index = 0; index < number; ++index)
            {
                /// A signal that never stops is a call that never ends.
                if (persistent && error == EINTR)
                    continue;
                Scene scene;
                const size_t descriptors = openDescriptors();
                const Outcome outcome = writeUnder({Fault::Error, index, error, persistent}, scene.path);
                const std::string & call = index < outcome.calls.size() ? outcome.calls[index] : outcome.calls.back();
                SCOPED_TRACE(
                    call + " is call " + std::to_string(index) + ", fails with " + errnoText(error) + (persistent ? ", for good" : ""));
                EXPECT_EQ(openDescriptors(), descriptors);
                const std::string content = readFile(scene.path);
                if (!outcome.error)
                {
                    EXPECT_TRUE(content == NEW);
                }
                else
                {
                    ++failures;
                    const auto before_rename = std::find(outcome.calls.begin(), outcome.calls.end(), "rename");
                    const bool renamed = before_rename != outcome.calls.end() && before_rename + 1 != outcome.calls.end()
                        && *(before_rename + 1) == "fsync";
                    EXPECT_TRUE(content == (renamed ? NEW : OLD));
                    EXPECT_NE(outcome.error->message().find(scene.path), std::string::npos) << outcome.error->what();
                    EXPECT_NE(outcome.error->message().find(errnoText(error)), std::string::npos) << outcome.error->what();
                    if (index > 0 && std::find(outcome.calls.begin(), outcome.calls.end(), "writev") != outcome.calls.end())
                    {
                        EXPECT_TRUE(outcome.canceled);
                        EXPECT_TRUE(outcome.second_finalize_threw);
                    }
                    /// Nothing is tried again: behind the failed call there is only the cleaning up.
                    if (call == "writev" && error != EINTR)
                    {
                        for (size_t i = index + 1; i < outcome.calls.size(); ++i)
                        {
                            EXPECT_TRUE(outcome.calls[i] == "unlink" || outcome.calls[i] == "close") << outcome.calls[i];
                        }
                    }
                }
                /// The calls about names are never interrupted by a signal.
                if (error == EINTR && call != "fstat" && call != "lstat")
                {
                    EXPECT_FALSE(outcome.error) << "an interrupted call is repeated: " << outcome.error->what();
                }
                for (const auto & entry : std::filesystem::directory_iterator(scene.folder.get()))
                    if (entry.path() != scene.path)
                    {
                        /// What could not be removed, or the dead writer's file when looking for it failed.
                        const bool excused
                            = call == "unlink" || call == "opendir" || call == "readdir" || entry.path() == scene.path + ".1-2-3.tmp";
                        EXPECT_TRUE(excused) << entry.path();
                    }
                /// The next writer cleans up and succeeds.
                writeFile(scene.path, "next");
                EXPECT_EQ(readFile(scene.path), "next");
                EXPECT_EQ(scene.folder.files(), 1u);
            }
    std::printf("%zu of the runs ended as an exception\n", failures);
    EXPECT_GT(failures, 100u);
}

TEST(FaultsOfAWrite, ShortWritesAreContinued)
{
    const size_t number = callsOfAWrite();
    for (const bool persistent : {false, true})
        for (size_t index = 0; index < number; ++index)
        {
            Scene scene;
            const Outcome outcome = writeUnder({Fault::Short, index, 0, persistent}, scene.path);
            EXPECT_FALSE(outcome.error);
            EXPECT_TRUE(readFile(scene.path) == NEW);
        }
}

TEST(FaultsOfAWrite, TheErrorNamesTheByte)
{
    Scene scene;
    const Outcome all = writeUnder({}, scene.path);
    const auto first = static_cast<size_t>(std::find(all.calls.begin(), all.calls.end(), "writev") - all.calls.begin());
    Scene again;
    const Outcome outcome = writeUnder({Fault::Error, first + 1, ENOSPC, false}, again.path);
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(outcome.error->code(), ErrorCodes::CANNOT_WRITE_TO_FILE_DESCRIPTOR);
    EXPECT_NE(outcome.error->message().find("at byte 9100: No space left on device"), std::string::npos) << outcome.error->what();
}

TEST(FaultsOfARead, EveryErrorEndsAsOneExceptionOrIsRepeated)
{
    const TemporaryFolder folder;
    const std::string path = folder.path("file");
    writeFile(path, NEW);
    const auto read = [&](int kind, const FaultPlan & plan, std::vector<std::string> & calls) {
        std::string result;
        const WatchedSystemCalls watched(plan);
        const auto in = [&]() -> std::unique_ptr<ReadBuffer> {
            if (kind == 0)
                return std::make_unique<ReadBufferFromFile>(path, BUFFER_SIZE);
            if (kind == 1)
                return std::make_unique<ReadBufferFromFilePRead>(path, BUFFER_SIZE);
            return std::make_unique<MMapReadBufferFromFile>(path);
        }();
        try
        {
            result = readAll(*in);
        }
        catch (const Exception &)
        {
            calls = watched.calls();
            EXPECT_EQ(codeOf([&] { static_cast<void>(in->eof()); }), ErrorCodes::LOGICAL_ERROR);
            EXPECT_EQ(watched.calls().size(), calls.size()) << "the device was asked again";
            throw;
        }
        calls = watched.calls();
        return result;
    };
    for (int kind = 0; kind < 3; ++kind)
        for (const int error : {EINTR, EIO, EACCES})
            for (size_t index = 0; index < 8; ++index)
            {
                SCOPED_TRACE(std::to_string(kind) + " " + errnoText(error) + " " + std::to_string(index));
                const size_t descriptors = openDescriptors();
                std::vector<std::string> calls;
                try
                {
                    EXPECT_TRUE(read(kind, {Fault::Error, index, error, false}, calls) == NEW);
                }
                catch (const Exception & exception)
                {
                    const std::string call = index < calls.size() ? calls[index] : "";
                    EXPECT_TRUE(error != EINTR || call == "") << exception.what();
                    EXPECT_NE(exception.message().find(path), std::string::npos) << exception.what();
                    EXPECT_NE(exception.message().find(errnoText(error)), std::string::npos) << exception.what();
                }
                EXPECT_EQ(openDescriptors(), descriptors);
                EXPECT_TRUE(read(kind, {Fault::Short, index, 0, true}, calls) == NEW) << "short reads are continued";
            }
}

TEST(TwoWriters, OfOneNameBothEndWell)
{
    const TemporaryFolder folder;
    const std::string path = folder.path("file");
    WriteBufferFromFile first(path, BUFFER_SIZE);
    first.write(OLD.data(), OLD.size());
    first.next();
    /// The second looks for what dead writers left, and finds a living one.
    WriteBufferFromFile second(path, BUFFER_SIZE);
    second.write(NEW.data(), NEW.size());
    EXPECT_EQ(folder.files(), 2u);
    second.finalize();
    EXPECT_TRUE(readFile(path) == NEW);
    first.finalize();
    EXPECT_TRUE(readFile(path) == OLD);
    EXPECT_EQ(folder.files(), 1u);
}

TEST(TwoWriters, ManyAtOnceLeaveOneWholeFile)
{
    const TemporaryFolder folder;
    const std::string path = folder.path("file");
    constexpr int ROUNDS = 200;
    std::vector<std::thread> threads;
    for (int writer = 0; writer < 4; ++writer)
        threads.emplace_back([&, writer] {
            for (int round = 0; round < ROUNDS; ++round)
                writeFile(path, std::string(10000 + static_cast<size_t>(writer), static_cast<char>('a' + writer)));
        });
    for (int look = 0; look < ROUNDS; ++look)
        if (std::filesystem::exists(path))
        {
            const std::string content = readFile(path);
            ASSERT_GE(content.size(), 10000u);
            ASSERT_TRUE(content == std::string(content.size(), static_cast<char>('a' + content.size() - 10000)));
        }
    for (std::thread & thread : threads)
        thread.join();
    EXPECT_EQ(folder.files(), 1u);
}

TEST(WriteBufferFromFile, TakesTheLongestNameAndNoFolder)
{
    const TemporaryFolder folder;
    const std::string path = folder.path(std::string(255, 'n'));
    writeFile(path, OLD);
    EXPECT_TRUE(readFile(path) == OLD);
    EXPECT_EQ(folder.files(), 1u);
    const std::string message = messageOf([&] { writeFile(folder.get().string(), OLD); });
    EXPECT_NE(message.find("Is a directory"), std::string::npos) << message;
    EXPECT_EQ(codeOf([&] { writeFile(folder.path("none/file"), OLD); }), ErrorCodes::CANNOT_OPEN_FILE);
    EXPECT_EQ(folder.files(), 1u);
}
