#include "AllocationCounter.h"
#include "IOTestHelpers.h"
#include "TornReadBuffer.h"
#include "Vectors.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Compression/CompressedReadBuffer.h>
#include <statewire/IO/ConcatReadBuffer.h>
#include <statewire/IO/CountingWriteBuffer.h>
#include <statewire/IO/HashingReadBuffer.h>
#include <statewire/IO/HashingWriteBuffer.h>
#include <statewire/IO/LimitReadBuffer.h>
#include <statewire/IO/MMapReadBufferFromFile.h>
#include <statewire/IO/ReadBufferFromFileDescriptor.h>
#include <statewire/IO/ReadBufferFromFilePRead.h>
#include <statewire/IO/ReadBufferFromMemory.h>
#include <statewire/IO/VarInt.h>
#include <statewire/IO/WriteBufferFromFile.h>
#include <statewire/IO/WriteBufferFromMemory.h>
#include <statewire/IO/WriteBufferFromOwnString.h>
#include <statewire/IO/WriteBufferSink.h>
#include <statewire/IO/WriteBufferToObject.h>
#include <statewire/base/unaligned.h>

#include <csignal>
#include <fcntl.h>
#include <type_traits>
#include <unistd.h>

using namespace DB;
using namespace statewire_tests;

namespace
{
const std::string LARGE = randomBytes(3 << 20, 1);

/// A library that wants something to call for its bytes, as DataSketches and others do.
template <typename Sink>
void writeThroughCallback(Sink & sink, std::string_view bytes)
{
    for (size_t at = 0; at < bytes.size(); at += 777)
        sink.write(bytes.data() + at, std::min<size_t>(777, bytes.size() - at));
}
}

static_assert(!std::is_copy_constructible_v<WriteBufferFromMemory> && !std::is_move_constructible_v<WriteBufferFromMemory>);
static_assert(!std::is_copy_constructible_v<ReadBufferFromMemory> && !std::is_move_constructible_v<ReadBufferFromMemory>);

TEST(LargeWrites, PassByTheBufferOfADescriptor)
{
    const TemporaryFolder folder;
    const int fd = ::open(folder.path("file").c_str(), O_RDWR | O_CREAT, 0666);
    WriteBufferFromFileDescriptor out(fd, "file", 65536);
    out.write("header", 6);
    out.write(LARGE.data(), LARGE.size());
    EXPECT_EQ(out.available(), 65536u) << "what was buffered went along";
    out.write("tail", 4);
    out.finalize();
    EXPECT_EQ(out.copiedBytes(), 10u);
    EXPECT_EQ(out.count(), LARGE.size() + 10);
    EXPECT_TRUE(readFile(folder.path("file")) == "header" + LARGE + "tail");
    ::close(fd);
}

TEST(LargeWrites, OfExactlyTheBuffersSizePassByToo)
{
    const int fd = ::open("/dev/null", O_WRONLY);
    WriteBufferFromFileDescriptor out(fd, "null", 65536);
    for (int i = 0; i < 10; ++i)
        out.write(LARGE.data(), 65536);
    out.finalize();
    EXPECT_EQ(out.copiedBytes(), 0u);
    EXPECT_EQ(out.count(), 655360u);
    ::close(fd);
}

TEST(LargeWrites, PassByEveryBuffer)
{
    const auto check = [](WriteBuffer & out, UInt64 copied) {
        out.write("header", 6);
        out.write(LARGE.data(), LARGE.size());
        out.write("tail", 4);
        EXPECT_EQ(out.copiedBytes(), copied);
        EXPECT_EQ(out.count(), LARGE.size() + 10);
        out.finalize();
        EXPECT_EQ(out.copiedBytes(), copied);
    };
    const TemporaryFolder folder;
    WriteBufferFromFile file(folder.path("file"));
    check(file, 10);
    EXPECT_TRUE(readFile(folder.path("file")) == "header" + LARGE + "tail");

    WriteBufferFromOwnString string;
    check(string, 10);
    EXPECT_TRUE(string.str() == "header" + LARGE + "tail");

    RecordingObject object;
    WriteBufferToObject<RecordingObject> to_object(object);
    check(to_object, 10);
    EXPECT_TRUE(object.received == "header" + LARGE + "tail");
    EXPECT_EQ(object.calls, 3);

    CountingWriteBuffer counting;
    check(counting, 10);

    RecordingObject below;
    HashingWriteBuffer hashing(std::make_unique<WriteBufferToObject<RecordingObject>>(below));
    check(hashing, 10);
    EXPECT_TRUE(below.received == "header" + LARGE + "tail");

    /// Memory is where the bytes stay, so one copy is all there is and it is counted.
    std::string memory(LARGE.size() + 10, '\0');
    WriteBufferFromMemory to_memory(memory.data(), memory.size());
    check(to_memory, LARGE.size() + 10);
}

TEST(LargeWrites, AllocateNothingAndZeroNothing)
{
    std::string reused;
    reused.reserve(LARGE.size() + 100);
    const AllocationCounter counter;
    WriteBufferFromString out(reused);
    out.write(LARGE.data(), LARGE.size());
    out.finalize();
    EXPECT_EQ(counter.allocations(), 0u);
}

TEST(LargeReads, PassByTheBuffer)
{
    const TemporaryFolder folder;
    WriteBufferFromFile out(folder.path("file"));
    out.write(LARGE.data(), LARGE.size());
    out.finalize();
    std::string to(LARGE.size(), '\0');
    const auto check = [&](ReadBuffer & in) {
        std::fill(to.begin(), to.end(), '\0');
        char byte = 0;
        ASSERT_TRUE(in.peek(byte));
        const size_t buffered = in.available();
        ASSERT_EQ(in.readBig(to.data(), to.size()), to.size());
        EXPECT_TRUE(to == LARGE);
        EXPECT_EQ(in.count(), LARGE.size());
        EXPECT_EQ(in.available(), 0u) << "the buffer was filled";
        EXPECT_LE(buffered, 65536u);
        EXPECT_TRUE(in.eof());
    };
    ReadBufferFromFile file(folder.path("file"), 65536);
    check(file);
    ReadBufferFromFilePRead pread(folder.path("file"), 65536);
    check(pread);
    LimitReadBuffer limited(std::make_unique<ReadBufferFromFile>(folder.path("file"), 65536), {.no_more = LARGE.size()});
    check(limited);
    HashingReadBuffer hashing(std::make_unique<ReadBufferFromFile>(folder.path("file"), 65536));
    check(hashing);
    ChainedCityHash128 hash;
    hash.append(LARGE);
    EXPECT_EQ(hashing.getHash(), hash.get());
}

TEST(WriteBufferFromMemory, KeepsWhatFits)
{
    char memory[8] = {};
    WriteBufferFromMemory out(memory, 5);
    out.write("abc", 3);
    out.next();
    out.sync();
    EXPECT_EQ(out.available(), 2u);
    EXPECT_EQ(codeOf([&] { out.write("defg", 4); }), ErrorCodes::CANNOT_WRITE_AFTER_END_OF_BUFFER);
    EXPECT_TRUE(out.isCanceled());
    EXPECT_EQ(std::string(memory, 8), std::string("abcde\0\0\0", 8)) << "nothing behind the end";
    WriteBufferFromMemory exact(memory, 4);
    exact.write("wxyz", 4);
    exact.finalize();
    EXPECT_EQ(exact.count(), 4u);
}

TEST(WriteBufferFromVector, IsTheSameForEveryCut)
{
    std::mt19937_64 random(7);
    for (int round = 0; round < 200; ++round)
    {
        std::string result = round % 2 ? "prefix" : "to be overwritten";
        std::string expected = round % 2 ? "prefix" : "";
        WriteBufferFromString out(result, round % 2 ? WriteBufferFromString::Mode::Append : WriteBufferFromString::Mode::Overwrite);
        for (int i = 0; i < 20; ++i)
        {
            const std::string piece = randomBytes(random() % 4 ? random() % 50 : random() % 3000, static_cast<unsigned>(random()));
            out.write(piece.data(), piece.size());
            expected += piece;
            if (random() % 5 == 0)
                out.next();
        }
        out.finalize();
        ASSERT_TRUE(result == expected);
    }
}

TEST(WriteBufferToObject, CarriesACallbackStyleLibraryBothWays)
{
    RecordingObject object;
    {
        WriteBufferToObject<RecordingObject> out(object, 1000);
        writeThroughCallback(out, LARGE);
        out.finalize();
    }
    EXPECT_TRUE(object.received == LARGE);
    EXPECT_LT(object.calls, 4000);
    /// Without a buffer every write is handed on as it comes, and a sink takes its scratch.
    RecordingObject direct;
    WriteBufferToObject<RecordingObject> unbuffered(direct, 0);
    WriteBufferSink sink(unbuffered);
    char * to = sink.reserve(2);
    to[0] = 'a';
    to[1] = 'b';
    sink.commit(2);
    unbuffered.write('c');
    EXPECT_EQ(direct.received, "abc");
    EXPECT_EQ(unbuffered.copiedBytes(), 0u);
    unbuffered.finalize();
}

TEST(Decorators, FinalizeWhatTheyOwnAndLeaveWhatTheyBorrow)
{
    std::string result;
    auto owned = std::make_unique<WriteBufferFromString>(result);
    HashingWriteBuffer owning(std::move(owned));
    owning.write("abc", 3);
    owning.finalize();
    EXPECT_EQ(result, "abc");

    std::string other;
    WriteBufferFromString borrowed(other);
    borrowed.write("head ", 5);
    {
        HashingWriteBuffer hashing(borrowed);
        hashing.write("body ", 5);
        hashing.finalize();
    }
    EXPECT_FALSE(borrowed.isFinalized());
    {
        HashingWriteBuffer dropped(borrowed);
        dropped.write("dropped ", 8);
        dropped.cancel();
    }
    EXPECT_FALSE(borrowed.isCanceled());
    borrowed.write("tail", 4);
    borrowed.finalize();
    EXPECT_EQ(other, "head body tail");
}

TEST(Hashing, IsThatOfChecksumsTxt)
{
    REQUIRE_VECTORS(parts, "clickhouse/parts");
    size_t files = 0;
    for (const auto & part : std::filesystem::directory_iterator(parts))
    {
        if (!std::filesystem::exists(part.path() / "checksums.txt"))
            continue;
        ReadBufferFromFile file((part.path() / "checksums.txt").string());
        const std::string_view title = "checksums format version: 4\n";
        std::string first(title.size(), '\0');
        file.readStrict(first.data(), first.size());
        ASSERT_EQ(first, title);
        CompressedReadBuffer in(file);
        UInt64 number = 0;
        readVarUInt(number, in);
        for (; number != 0; --number)
        {
            UInt64 size = 0;
            readVarUInt(size, in);
            std::string name(size, '\0');
            in.readStrict(name.data(), size);
            UInt64 file_size = 0;
            readVarUInt(file_size, in);
            char hash[16];
            in.readStrict(hash, sizeof(hash));
            char is_compressed = 0;
            in.readStrict(is_compressed);
            if (is_compressed)
            {
                readVarUInt(size, in);
                in.ignore(sizeof(hash));
            }
            const UInt128Hash expected{unalignedLoadLittleEndian<UInt64>(hash), unalignedLoadLittleEndian<UInt64>(hash + 8)};
            /// A projection's folder has a line of its own, which says something else.
            if (std::filesystem::is_directory(part.path() / name))
                continue;
            const std::string content = readFile(part.path() / name);
            ASSERT_EQ(content.size(), file_size) << name;
            for (const size_t piece : {size_t{1}, size_t{3}, size_t{2047}, size_t{2048}, size_t{5000}})
            {
                HashingReadBuffer reading(std::make_unique<TornReadBuffer>(content, piece));
                EXPECT_TRUE(readAll(reading) == content);
                EXPECT_EQ(reading.getHash(), expected) << name;
                std::string written;
                HashingWriteBuffer writing(std::make_unique<WriteBufferFromString>(written));
                for (size_t at = 0; at < content.size(); at += piece)
                    writing.write(content.data() + at, std::min(piece, content.size() - at));
                EXPECT_EQ(writing.getHash(), expected) << name;
                writing.finalize();
                EXPECT_EQ(writing.getHash(), expected) << name;
                EXPECT_TRUE(written == content);
            }
            ++files;
        }
        EXPECT_TRUE(in.eof());
    }
    EXPECT_GE(files, 48u);
}

TEST(Hashing, IsOfWhatWasReadAndNotOfWhatIsBuffered)
{
    const std::string text = compressibleBytes(10000, 3);
    ReadBufferFromMemory in(text);
    {
        HashingReadBuffer hashing(in);
        hashing.ignore(100);
        ChainedCityHash128 hash;
        hash.append(std::string_view(text).substr(0, 100));
        EXPECT_EQ(hashing.getHash(), hash.get());
        hashing.ignore(5000);
        hash.append(std::string_view(text).substr(100, 5000));
        EXPECT_EQ(hashing.getHash(), hash.get());
    }
    EXPECT_EQ(in.count(), 5100u) << "the nested buffer goes on behind what was read";
}

TEST(LimitReadBuffer, GivesTheRestBack)
{
    const std::string text = compressibleBytes(1000, 4);
    for (const size_t piece : TORN_SIZES)
    {
        TornReadBuffer in(text, piece);
        {
            LimitReadBuffer limited(in, {.no_more = 300});
            limited.ignore(100);
        }
        EXPECT_EQ(in.count(), 100u);
        {
            LimitReadBuffer limited(in, {.no_more = 300});
            EXPECT_EQ(readAll(limited), text.substr(100, 300));
        }
        EXPECT_EQ(readAll(in), text.substr(400));
    }
}

TEST(LimitReadBuffer, KnowsTooMuchAndTooLittle)
{
    const auto read = [](LimitReadBuffer::Limits limits) {
        const std::string text(100, 'x');
        LimitReadBuffer in(std::make_unique<TornReadBuffer>(text, 7), limits);
        EXPECT_EQ(readAll(in).size(), std::min<UInt64>(limits.no_more, 100));
    };
    EXPECT_EQ(codeOf([&] { read({.no_more = 99, .expect_end = true}); }), ErrorCodes::LIMIT_EXCEEDED);
    EXPECT_EQ(codeOf([&] { read({.no_more = 100, .expect_end = true}); }), 0);
    EXPECT_EQ(codeOf([&] { read({.no_more = 101, .no_less = 100, .expect_end = true}); }), 0);
    EXPECT_EQ(codeOf([&] { read({.no_less = 101}); }), ErrorCodes::CANNOT_READ_ALL_DATA);
    EXPECT_EQ(codeOf([&] { read({.no_more = 0}); }), 0);
}

TEST(Seeking, FindsEveryPosition)
{
    const std::string text = compressibleBytes(5000, 5);
    const TemporaryFolder folder;
    WriteBufferFromFile out(folder.path("file"));
    out.write(text.data(), text.size());
    out.finalize();
    std::mt19937_64 random(8);
    const auto check = [&](SeekableReadBuffer & in) {
        for (int i = 0; i < 500; ++i)
        {
            const UInt64 position = random() % (text.size() + 1);
            in.seek(position);
            EXPECT_EQ(in.count(), position);
            const size_t size = std::min<size_t>(random() % 700, text.size() - position);
            std::string piece(size, '\0');
            in.readStrict(piece.data(), size);
            ASSERT_EQ(piece, text.substr(position, size));
            EXPECT_EQ(in.count(), position + size);
        }
        in.seek(0);
        EXPECT_TRUE(readAll(in) == text);
        EXPECT_TRUE(in.eof());
        in.seek(text.size());
        EXPECT_TRUE(in.eof());
    };
    ReadBufferFromMemory memory(text);
    check(memory);
    EXPECT_EQ(codeOf([&] { memory.seek(text.size() + 1); }), ErrorCodes::CANNOT_SEEK_THROUGH_FILE);
    MMapReadBufferFromFile mapped(folder.path("file"));
    check(mapped);
    ReadBufferFromFilePRead pread(folder.path("file"), 100);
    check(pread);
    pread.seek(1000000);
    EXPECT_TRUE(pread.eof());
    const int fd = ::open(folder.path("file").c_str(), O_RDONLY);
    {
        ReadBufferFromFilePRead first(fd, "shared", 64);
        ReadBufferFromFilePRead second(fd, "shared", 100);
        second.seek(1000);
        std::string piece(500, '\0');
        for (size_t at = 0; at < 4000; at += 500)
        {
            first.readStrict(piece.data(), 500);
            EXPECT_EQ(piece, text.substr(at, 500));
            second.readStrict(piece.data(), 500);
            EXPECT_EQ(piece, text.substr(at + 1000, 500));
        }
    }
    ::close(fd);
}

TEST(MMapReadBufferFromFile, ReadsEmptyFilesAndNamesMissingOnes)
{
    const TemporaryFolder folder;
    WriteBufferFromFile(folder.path("empty")).finalize();
    MMapReadBufferFromFile in(folder.path("empty"));
    EXPECT_TRUE(in.eof());
    const std::string message = messageOf([&] { MMapReadBufferFromFile missing(folder.path("missing")); });
    EXPECT_NE(message.find(folder.path("missing") + ": No such file"), std::string::npos) << message;
    EXPECT_EQ(codeOf([&] { ReadBufferFromFile missing(folder.path("missing")); }), ErrorCodes::FILE_DOESNT_EXIST);
}

TEST(Pipes, ABrokenOneIsOneError)
{
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ::close(ends[0]);
    const auto handler = std::signal(SIGPIPE, SIG_IGN);
    WriteBufferFromFileDescriptor out(ends[1], "the pipe", 16);
    const std::string message = messageOf([&] { out.write(LARGE.data(), 1000); });
    EXPECT_EQ(message, "Cannot write to the pipe at byte 0: Broken pipe");
    EXPECT_TRUE(out.isCanceled());
    std::signal(SIGPIPE, handler);
    ::close(ends[1]);
}
