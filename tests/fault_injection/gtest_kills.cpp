#include "../CaseSample.h"
#include "../IOTestHelpers.h"
#include "../Vectors.h"
#include "SystemCalls.h"

#include <statewire/IO/WriteBufferFromFile.h>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace DB;
using namespace statewire_tests;

namespace
{
/// A file's content tells its version; a prefix or a mixture of two is none.
std::string contentOf(unsigned version)
{
    return std::to_string(version) + "\n" + compressibleBytes(1000 + version * 7919 % 60000, version) + "\nend " + std::to_string(version);
}

void writeVersion(const std::string & path, unsigned version, size_t buffer_size, size_t piece)
{
    const std::string content = contentOf(version);
    WriteBufferFromFile out(path, buffer_size);
    for (size_t at = 0; at < content.size(); at += piece)
        out.write(content.data() + at, std::min(piece, content.size() - at));
    out.finalize();
}

/// Runs `body` in a process of its own; returns the signal that ended it, 0 for none.
template <typename Body>
pid_t start(Body && body)
{
    const pid_t child = ::fork();
    if (child == 0)
    {
        body();
        ::_exit(0);
    }
    return child;
}

int signalOf(pid_t child)
{
    int status = 0;
    while (::waitpid(child, &status, 0) < 0)
    {
    }
    EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}
}

TEST(KilledWriter, AtAnySystemCallLeavesTheOldFileOrTheNewOne)
{
    constexpr int KILLS = 300 / SAMPLED_ONE_IN;
    std::mt19937_64 random(chosenSeed());
    const TemporaryFolder folder;
    const std::string path = folder.path("file");
    unsigned version = 0;
    writeVersion(path, version, 4096, 1000);
    int kills = 0;
    int new_files = 0;
    for (int run = 0; kills < KILLS; ++run)
    {
        const Fault faults[] = {Fault::KillBefore, Fault::KillInside, Fault::KillAfter};
        const FaultPlan plan{faults[random() % 3], random() % 60, 0, false};
        const size_t buffer_size = 1 + random() % 10000;
        const size_t piece = 500 + random() % 20000;
        const pid_t child = start([&] {
            const WatchedSystemCalls watched(plan);
            writeVersion(path, version + 1, buffer_size, piece);
        });
        const int signal = signalOf(child);
        EXPECT_TRUE(signal == 0 || signal == SIGKILL);
        kills += signal == SIGKILL;
        const std::string content = readFile(path);
        const bool is_new = content == contentOf(version + 1);
        ASSERT_TRUE(is_new || (signal != 0 && content == contentOf(version)))
            << "call " << plan.index << ", " << content.size() << " bytes";
        new_files += is_new && signal != 0;
        version += is_new;
        if (run % 10 == 9)
        {
            writeVersion(path, ++version, 4096, 1000);
            ASSERT_EQ(folder.files(), 1u) << "what the killed ones left is still there";
        }
    }
    std::printf("%d kills, behind %d of them the new file\n", kills, new_files);
}

TEST(KilledWriter, AtAnyMomentLeavesTheOldFileOrTheNewOne)
{
    constexpr int KILLS = 100;
    std::mt19937_64 random(chosenSeed());
    const TemporaryFolder folder;
    const std::string path = folder.path("file");
    unsigned version = 0;
    writeVersion(path, version, 4096, 1000);
    unsigned progress = 0;
    for (int kill = 0; kill < KILLS; ++kill)
    {
        /// It writes version after version until it is ended. When that is does not matter: every moment must be a good one.
        const pid_t child = start([&] {
            for (unsigned next = version + 1;; ++next)
                writeVersion(path, next, 4096, 3000);
        });
        ::usleep(static_cast<useconds_t>(random() % 4000));
        ::kill(child, SIGKILL);
        EXPECT_EQ(signalOf(child), SIGKILL);
        const std::string content = readFile(path);
        const auto found = static_cast<unsigned>(std::strtoul(content.c_str(), nullptr, 10));
        ASSERT_GE(found, version);
        ASSERT_TRUE(content == contentOf(found)) << "version " << found << ", " << content.size() << " bytes";
        progress += found - version;
        version = found;
    }
    writeVersion(path, ++version, 4096, 1000);
    EXPECT_EQ(folder.files(), 1u) << "what the killed ones left is still there";
    std::printf("%d kills, %u versions were written meanwhile\n", KILLS, progress);
}
