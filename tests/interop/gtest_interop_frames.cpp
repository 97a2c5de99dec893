#include "CompressionTestHelpers.h"
#include "RequireEngine.h"
#include "Vectors.h"
#include "engine/Engine.h"

#include <statewire/Compression/CompressedFrameIndex.h>
#include <statewire/IO/ReadBufferFromFilePRead.h>
#include <statewire/IO/WriteBufferFromFile.h>
#include <statewire/base/unaligned.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include <sys/wait.h>

/** Frames between this library, its program, the real engine and Debian's old clickhouse-compressor, in every direction. */

using namespace DB;
using namespace statewire_tests;

namespace
{
void writeWholeFile(const std::filesystem::path & path, const std::string & bytes)
{
    WriteBufferFromFile out(path.string());
    out.write(bytes.data(), bytes.size());
    out.finalize();
}

template <typename... Numbers>
std::string littleEndian(Numbers... numbers)
{
    std::string result;
    const auto append = [&](auto number) {
        char bytes[sizeof(number)];
        unalignedStoreLittleEndian<decltype(number)>(bytes, number);
        result.append(bytes, sizeof(bytes));
    };
    (append(numbers), ...);
    return result;
}

std::string dataPath(Engine & engine, const std::string & table)
{
    std::string path
        = engine.query("SELECT data_paths[1] FROM system.tables WHERE database = currentDatabase() AND name = '" + table + "'");
    while (!path.empty() && path.back() == '\n')
        path.pop_back();
    return path;
}

/// The old compressor, where it is installed (package clickhouse-tools) or named by STATEWIRE_CLICKHOUSE_COMPRESSOR.
std::string oldCompressor()
{
    if (const char * named = std::getenv("STATEWIRE_CLICKHOUSE_COMPRESSOR"))
        return named;
    return std::system("command -v clickhouse-compressor > /dev/null 2>&1") == 0 ? "clickhouse-compressor" : "";
}

int run(const std::string & command)
{
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
}

TEST(EngineFrames, APartOfOurFramesIsAttachedAndRead)
{
    REQUIRE_ENGINE(engine);
    constexpr UInt32 ROWS = 8000;
    std::string keys;
    std::string values;
    UInt64 sum = 0;
    for (UInt32 i = 0; i < ROWS; ++i)
    {
        keys += littleEndian(i);
        const UInt64 value = UInt64{i} * i % 10007;
        values += littleEndian(value);
        sum += value;
    }
    engine->query("DROP TABLE IF EXISTS frames");
    engine->query("CREATE TABLE frames (k UInt32, v UInt64) ENGINE = MergeTree ORDER BY k "
                  "SETTINGS min_bytes_for_wide_part = 0, min_rows_for_wide_part = 0");
    const std::filesystem::path detached = std::filesystem::path(dataPath(*engine, "frames")) / "detached";
    int number = 0;
    const auto attach = [&](const std::string & value_frames) {
        ++number;
        const std::string name = "all_" + std::to_string(number) + "_" + std::to_string(number) + "_0";
        const std::filesystem::path part = detached / name;
        std::filesystem::create_directories(part);
        const std::string key_frames = compressFrames(keys, "LZ4", 7777);
        writeWholeFile(part / "columns.txt", "columns format version: 1\n2 columns:\n`k` UInt32\n`v` UInt64\n");
        writeWholeFile(part / "count.txt", std::to_string(ROWS));
        writeWholeFile(part / "primary.idx", littleEndian(UInt32{0}, ROWS - 1));
        writeWholeFile(part / "k.bin", key_frames);
        writeWholeFile(part / "v.bin", value_frames);
        const auto marks = [&](UInt64 end) { return littleEndian(UInt64{0}, UInt64{0}, UInt64{ROWS}, end, UInt64{0}, UInt64{0}); };
        writeWholeFile(part / "k.mrk2", marks(key_frames.size()));
        writeWholeFile(part / "v.mrk2", marks(value_frames.size()));
        engine->query("ALTER TABLE frames ATTACH PART '" + name + "'");
        EXPECT_EQ(
            engine->query("SELECT count(), sum(v), max(k) FROM frames"),
            std::to_string(ROWS) + "\t" + std::to_string(sum) + "\t" + std::to_string(ROWS - 1) + "\n");
        EXPECT_EQ(engine->query("CHECK TABLE frames SETTINGS check_query_single_value_result = 1"), "1\n");
        engine->query("TRUNCATE TABLE frames");
    };
    for (const char * codec : {"NONE", "LZ4", "LZ4HC(1)", "LZ4HC(9)", "LZ4HC(12)", "ZSTD(1)", "ZSTD(3)", "ZSTD(22)"})
        for (const size_t block : {size_t{1000}, DEFAULT_COMPRESS_BLOCK_SIZE})
        {
            SCOPED_TRACE(codec);
            attach(compressFrames(values, codec, block));
        }
    /// Several methods in one file, frames that end in the middle of a value.
    attach(
        compressFrames(values.substr(0, 10001), "ZSTD(3)", 999) + compressFrames(values.substr(10001, 20000), "NONE", 3001)
        + compressFrames(values.substr(30001), "LZ4", 5003));
    engine->query("DROP TABLE frames");
}

TEST(EngineFrames, TheEnginesColumnsAreReadWithEveryCodec)
{
    REQUIRE_ENGINE(engine);
    for (const char * codec : {"NONE", "LZ4", "LZ4HC(9)", "ZSTD(1)", "ZSTD(12)"})
    {
        SCOPED_TRACE(codec);
        engine->query("DROP TABLE IF EXISTS theirs");
        engine->query(
            std::string("CREATE TABLE theirs (k UInt32, v UInt64 CODEC(") + codec
            + ")) ENGINE = MergeTree ORDER BY k SETTINGS min_bytes_for_wide_part = 0, min_rows_for_wide_part = 0");
        engine->query("INSERT INTO theirs SELECT number, number * number % 10007 FROM numbers(300000)");
        std::string expected;
        for (UInt64 i = 0; i < 300000; ++i)
            expected += littleEndian(i * i % 10007);
        size_t files = 0;
        for (const auto & entry : std::filesystem::recursive_directory_iterator(dataPath(*engine, "theirs")))
            if (entry.path().filename() == "v.bin")
            {
                ++files;
                const std::string bytes = readFile(entry.path());
                EXPECT_TRUE(decompressFrames(bytes) == expected);
                ReadBufferFromFilePRead in(entry.path().string(), 4096);
                EXPECT_EQ(CompressedFrameIndex::build(in).decompressedSize(), expected.size());
            }
        EXPECT_EQ(files, 1u);
        engine->query("DROP TABLE theirs");
    }
}

class OldCompressor : public ::testing::TestWithParam<const char *>
{
};

TEST_P(OldCompressor, AndOursWriteTheSameAndReadEachOther)
{
    const std::string theirs = oldCompressor();
    const char * const program = STATEWIRE_PROGRAM;
    if (theirs.empty())
        GTEST_SKIP() << "SKIPPED: clickhouse-compressor (package clickhouse-tools) is not installed";
    const TemporaryFolder folder;
    const std::string ours = std::string("'") + program + "' compressor ";
    const std::string options = GetParam();
    const std::string text = compressibleBytes(3000000, 1) + randomBytes(100000, 2);
    writeWholeFile(folder.path("plain"), text);
    ASSERT_EQ(run(ours + options + " " + folder.path("plain") + " " + folder.path("ours")), 0);
    ASSERT_EQ(run(theirs + " " + options + " < " + folder.path("plain") + " > " + folder.path("theirs")), 0);
    EXPECT_EQ(run(theirs + " -d < " + folder.path("ours") + " > " + folder.path("back")), 0);
    EXPECT_TRUE(readFile(folder.path("back")) == text);
    EXPECT_EQ(run(ours + "-d < " + folder.path("theirs") + " > " + folder.path("back")), 0);
    EXPECT_TRUE(readFile(folder.path("back")) == text);
    EXPECT_EQ(run(ours + "--verify " + folder.path("theirs")), 0);
    EXPECT_EQ(run(ours + "--stat " + folder.path("theirs") + " > " + folder.path("our_stat")), 0);
    EXPECT_EQ(run(theirs + " --stat < " + folder.path("theirs") + " > " + folder.path("their_stat")), 0);
    EXPECT_EQ(readFile(folder.path("our_stat")), readFile(folder.path("their_stat")));
    EXPECT_TRUE(readFile(folder.path("ours")) == readFile(folder.path("theirs"))) << "both use the system's lz4 and zstd";
}

INSTANTIATE_TEST_SUITE_P(
    Options, OldCompressor, ::testing::Values("", "--hc", "--zstd", "--none", "-b 1000", "--zstd -b 100000"), [](const auto & info) {
        return "Option" + std::to_string(info.index);
    });

TEST(CompressorCommand, DoesWhatItsHelpSays)
{
    const char * const program = STATEWIRE_PROGRAM;
    const TemporaryFolder folder;
    const std::string ours = std::string("'") + program + "' compressor ";
    const std::string errors = " 2> " + folder.path("errors");
    const std::string text = compressibleBytes(200000, 3);
    const std::string plain = folder.path("plain");
    const std::string packed = folder.path("packed");
    const std::string back = folder.path("back");
    writeWholeFile(plain, text);

    for (const char * options : {"--codec NONE", "--codec 'ZSTD(3)'", "--codec zstd --level 7", "--hc --level 12", "--threads 3"})
    {
        SCOPED_TRACE(options);
        ASSERT_EQ(run(ours + options + " -b 30000 " + plain + " " + packed), 0);
        ASSERT_EQ(run(ours + "-d " + packed + " " + back), 0);
        EXPECT_TRUE(readFile(back) == text);
    }
    EXPECT_EQ(run(ours + "-b 30000 < " + plain + " | " + ours + "-d | cmp - " + plain), 0);

    std::string frames = compressFrames(text, "LZ4", 30000);
    writeWholeFile(packed, frames);
    ReadBufferFromMemory in(frames);
    const CompressedFrameIndex index = CompressedFrameIndex::build(in);
    const std::string offsets
        = "--offset-in-compressed-file " + std::to_string(index.frames()[2].offset_in_file) + " --offset-in-decompressed-block 123 ";
    for (const std::string & source : {packed, "< " + packed})
    {
        ASSERT_EQ(run(ours + "-d " + offsets + source + " > " + back), 0);
        EXPECT_TRUE(readFile(back) == text.substr(60123));
        EXPECT_EQ(run(ours + "-d --offset-in-decompressed-block 30001 " + source + errors), 69);
    }

    /// Two frames are damaged, one of them beyond what a checksum can make good.
    const size_t edited = index.frames()[1].offset_in_file;
    std::string damaged = frames;
    damaged[edited] = static_cast<char>(damaged[edited] ^ 1);
    writeWholeFile(packed, damaged);
    EXPECT_EQ(run(ours + "--verify " + packed + " > " + back + errors), 40);
    const std::string lines = readFile(back);
    EXPECT_TRUE(lines.starts_with(std::to_string(edited) + "\tCode: 40. DB::Exception: Checksum doesn't match")) << lines;
    EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1) << lines;
    EXPECT_EQ(run(ours + "--fix-checksum " + packed + " " + packed + errors), 0) << "also in place";
    EXPECT_TRUE(readFile(packed) == frames);
    EXPECT_EQ(readFile(folder.path("errors")), "1 of 7 checksums were wrong\n");

    std::string hopeless = frames;
    std::fill_n(hopeless.begin() + static_cast<std::ptrdiff_t>(edited + FRAME_PREFIX_SIZE), 100, '\xff');
    writeWholeFile(packed, hopeless);
    writeWholeFile(back, "old");
    EXPECT_EQ(run(ours + "--fix-checksum " + packed + " " + back + errors), 271 & 255);
    EXPECT_EQ(readFile(back), "old") << "a file that cannot be made good is not written";
    writeWholeFile(packed, frames.substr(0, frames.size() - 1));
    EXPECT_EQ(run(ours + "--verify " + packed + " > " + back + errors), 33);

    for (const char * conflict :
         {"-d --stat",
          "--hc --zstd",
          "--codec LZ4 --none",
          "-d --zstd",
          "--verify --level 3",
          "--codec 'ZSTD(3)' --level 3",
          "--offset-in-compressed-file 5",
          "-b 0",
          "--threads 0 -b 1000",
          "--codec 'ZSTD(23)'"})
        EXPECT_EQ(run(ours + conflict + " " + plain + " " + back + errors), 36) << conflict;
    EXPECT_EQ(run(ours + "--codec T64 " + plain + " " + back + errors), 432 & 255);
    EXPECT_EQ(run(ours + folder.path("missing") + errors), 107);
}
