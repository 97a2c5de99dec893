#include "ContractTable.h"
#include "IOTestHelpers.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Compression/CompressedWriteBuffer.h>
#include <statewire/Compression/SeekableCompressedReadBuffer.h>
#include <statewire/Compression/StreamCompressingWriteBuffer.h>
#include <statewire/Compression/StreamDecompressingReadBuffer.h>
#include <statewire/IO/ConcatReadBuffer.h>
#include <statewire/IO/HashingReadBuffer.h>
#include <statewire/IO/LimitReadBuffer.h>
#include <statewire/IO/MMapReadBufferFromFile.h>
#include <statewire/IO/ReadBufferFromFileDescriptor.h>
#include <statewire/IO/ReadBufferFromFilePRead.h>
#include <statewire/IO/ReadBufferFromMemory.h>
#include <statewire/IO/WriteBufferFromFile.h>
#include <statewire/IO/WriteBufferFromOwnString.h>

#include <fcntl.h>
#include <functional>
#include <map>
#include <set>
#include <unistd.h>

using namespace DB;
using namespace statewire_tests;

namespace
{
const std::string CONTENT = compressibleBytes(1000, 2);
constexpr size_t PIECE = 64;
using ReadBufferPtr = std::unique_ptr<ReadBuffer>;

struct OnFile
{
    TemporaryFolder folder;
    std::string path = folder.path("file");
    OnFile()
    {
        WriteBufferFromFile out(path);
        out.write(CONTENT.data(), CONTENT.size());
        out.finalize();
    }
    static int failureCode() { return ErrorCodes::CANNOT_READ_FROM_FILE_DESCRIPTOR; }
};

struct MemoryFixture
{
    static constexpr const char * NAME = "Memory";
    static constexpr bool STABLE = true;
    ReadBufferPtr make() { return std::make_unique<ReadBufferFromMemory>(CONTENT); }
    ReadBufferPtr makeFailing() { return nullptr; }
    static int failureCode() { return 0; }
};

struct OwnStringFixture : MemoryFixture
{
    static constexpr const char * NAME = "OwnString";
    ReadBufferPtr make() { return std::make_unique<ReadBufferFromOwnString>(CONTENT); }
};

struct MMapFixture : OnFile
{
    static constexpr const char * NAME = "MMap";
    static constexpr bool STABLE = true;
    ReadBufferPtr make() { return std::make_unique<MMapReadBufferFromFile>(path); }
    ReadBufferPtr makeFailing() { return nullptr; }
};

struct DescriptorFixture : OnFile
{
    static constexpr const char * NAME = "FileDescriptor";
    static constexpr bool STABLE = false;
    int fd = -1;
    ReadBufferPtr make()
    {
        fd = ::open(path.c_str(), O_RDONLY);
        return std::make_unique<ReadBufferFromFileDescriptor>(fd, "file", PIECE);
    }
    /// Not open for reading.
    ReadBufferPtr makeFailing()
    {
        fd = ::open(path.c_str(), O_WRONLY);
        return std::make_unique<ReadBufferFromFileDescriptor>(fd, "file", PIECE);
    }
    ~DescriptorFixture() { ::close(fd); }
};

struct FileFixture : OnFile
{
    static constexpr const char * NAME = "File";
    static constexpr bool STABLE = false;
    ReadBufferPtr make() { return std::make_unique<ReadBufferFromFile>(path, PIECE); }
    /// A folder can be opened and not read.
    ReadBufferPtr makeFailing() { return std::make_unique<ReadBufferFromFile>(folder.get().string(), PIECE); }
};

struct PReadFixture : OnFile
{
    static constexpr const char * NAME = "FilePRead";
    static constexpr bool STABLE = false;
    ReadBufferPtr make() { return std::make_unique<ReadBufferFromFilePRead>(path, PIECE); }
    ReadBufferPtr makeFailing() { return std::make_unique<ReadBufferFromFilePRead>(folder.get().string(), PIECE); }
};

struct Decorated
{
    static constexpr bool STABLE = false;
    static int failureCode() { return 74; }
    static ReadBufferPtr failing(std::string_view good = "good") { return std::make_unique<FailingReadBuffer>(good, PIECE); }
};

struct LimitFixture : Decorated
{
    static constexpr const char * NAME = "Limit";
    const std::string longer = CONTENT + "more";
    ReadBufferPtr make()
    {
        return std::make_unique<LimitReadBuffer>(
            std::make_unique<TornReadBufferForContract>(longer), LimitReadBuffer::Limits{.no_more = CONTENT.size()});
    }
    ReadBufferPtr makeFailing() { return std::make_unique<LimitReadBuffer>(failing(), LimitReadBuffer::Limits{}); }

    class TornReadBufferForContract final : public ReadBuffer
    {
    public:
        explicit TornReadBufferForContract(std::string_view bytes_) : ReadBuffer(nullptr, 0), rest(bytes_) { }

    protected:
        bool nextImpl() override
        {
            piece = std::string(rest.substr(0, PIECE));
            rest.remove_prefix(piece.size());
            working_buffer = Buffer{piece.data(), piece.data() + piece.size()};
            return !piece.empty();
        }

    private:
        std::string_view rest;
        std::string piece;
    };
};

struct ConcatFixture : Decorated
{
    static constexpr const char * NAME = "Concat";
    static constexpr bool STABLE = true;
    ReadBufferFromMemory borrowed{std::string_view(CONTENT).substr(100, 300)};
    ReadBufferPtr make()
    {
        std::vector<NestedBuffer<ReadBuffer>> parts;
        parts.emplace_back(std::make_unique<ReadBufferFromMemory>(std::string_view()));
        parts.emplace_back(std::make_unique<ReadBufferFromMemory>(std::string_view(CONTENT).substr(0, 100)));
        parts.emplace_back(borrowed);
        parts.emplace_back(std::make_unique<ReadBufferFromMemory>(std::string_view()));
        parts.emplace_back(std::make_unique<ReadBufferFromMemory>(std::string_view(CONTENT).substr(400)));
        return std::make_unique<ConcatReadBuffer>(std::move(parts));
    }
    ReadBufferPtr makeFailing()
    {
        std::vector<NestedBuffer<ReadBuffer>> parts;
        parts.emplace_back(failing());
        return std::make_unique<ConcatReadBuffer>(std::move(parts));
    }
};

struct HashingFixture : Decorated
{
    static constexpr const char * NAME = "Hashing";
    ReadBufferPtr make() { return std::make_unique<HashingReadBuffer>(std::make_unique<LimitFixture::TornReadBufferForContract>(CONTENT)); }
    ReadBufferPtr makeFailing() { return std::make_unique<HashingReadBuffer>(failing()); }
};

template <bool none>
struct CompressedFixture : Decorated
{
    static constexpr const char * NAME = none ? "CompressedNone" : "Compressed";
    std::string frames;
    CompressedFixture()
    {
        WriteBufferFromString out(frames);
        CompressedWriteBuffer compressed(out, createCompressionCodec(none ? "NONE" : "LZ4"), PIECE);
        compressed.write(CONTENT.data(), CONTENT.size());
        compressed.finalize();
        out.finalize();
    }
    ReadBufferPtr make()
    {
        return std::make_unique<CompressedReadBuffer>(std::make_unique<LimitFixture::TornReadBufferForContract>(frames));
    }
    ReadBufferPtr makeFailing() { return std::make_unique<CompressedReadBuffer>(failing(std::string_view(frames).substr(0, 100))); }
};

template <StreamFormat format>
struct StreamFixture : Decorated
{
    static constexpr const char * NAME = format == StreamFormat::ZSTD ? "StreamZSTD" : "StreamLZ4";
    std::string stream;
    StreamFixture()
    {
        WriteBufferFromString out(stream);
        StreamCompressingWriteBuffer compressed(out, format);
        compressed.write(CONTENT.data(), CONTENT.size());
        compressed.finalize();
        out.finalize();
    }
    ReadBufferPtr make()
    {
        return std::make_unique<StreamDecompressingReadBuffer>(
            std::make_unique<LimitFixture::TornReadBufferForContract>(stream), format, StreamOptions{}, PIECE);
    }
    ReadBufferPtr makeFailing()
    {
        return std::make_unique<StreamDecompressingReadBuffer>(
            failing(std::string_view(stream).substr(0, 20)), format, StreamOptions{}, PIECE);
    }
};

using Fixtures = ::testing::Types<
    MemoryFixture,
    OwnStringFixture,
    MMapFixture,
    DescriptorFixture,
    FileFixture,
    PReadFixture,
    LimitFixture,
    ConcatFixture,
    HashingFixture,
    CompressedFixture<false>,
    CompressedFixture<true>,
    StreamFixture<StreamFormat::ZSTD>,
    StreamFixture<StreamFormat::LZ4>>;

struct Names
{
    template <typename Fixture>
    static std::string GetName(int)
    {
        return Fixture::NAME;
    }
};
}

template <typename Fixture>
class ReadContract : public ::testing::Test
{
public:
    static constexpr size_t PASSED = 5;

    void check(const ContractRow & row)
    {
        Fixture fixture;
        const bool fails = row.state == "Failed" || row.call == "failing refill";
        ReadBufferPtr buffer = fails ? fixture.makeFailing() : fixture.make();
        if (!buffer)
            return;
        EXPECT_EQ(buffer->isStable(), Fixture::STABLE && !fails);
        in = buffer.get();
        std::string before(PASSED, '\0');
        if (fails)
        {
            EXPECT_EQ(codeOf([&] { in->ignore(1000000); }), fixture.failureCode());
            passed = in->count();
            EXPECT_EQ(in->available(), 0u);
        }
        else if (row.state == "End")
        {
            in->ignore(CONTENT.size());
            passed = CONTENT.size();
        }
        else
        {
            in->readStrict(before.data(), PASSED);
            EXPECT_EQ(before, CONTENT.substr(0, PASSED));
            passed = PASSED;
        }
        if (row.call != "failing refill")
            call(row);
        EXPECT_EQ(in->count(), passed);
        if (row.state_after == "Data")
        {
            ASSERT_FALSE(in->eof());
            EXPECT_EQ(readAll(*in), CONTENT.substr(passed)) << "the rest";
        }
        else if (row.state_after == "End")
        {
            EXPECT_TRUE(in->eof());
        }
        else
        {
            EXPECT_EQ(codeOf([&] { static_cast<void>(in->eof()); }), ErrorCodes::LOGICAL_ERROR);
        }
    }

private:
    void call(const ContractRow & row)
    {
        char to[4096];
        char byte = 0;
        UInt64 got = 0;
        bool answer = false;
        const size_t left = CONTENT.size() - std::min<size_t>(passed, CONTENT.size());
        const std::map<std::string, std::function<void()>> calls{
            {"eof", [&] { answer = in->eof(); }},
            {"next",
             [&] {
                 in->position() += in->available();
                 passed = in->count();
                 answer = in->next();
             }},
            {"read", [&] { got = in->read(to, 100); }},
            {"read too much", [&] { got = in->read(to, sizeof(to)); }},
            {"readBig", [&] { got = in->readBig(to, 100); }},
            {"readBig too much", [&] { got = in->readBig(to, sizeof(to)); }},
            {"readStrict",
             [&] {
                 in->readStrict(to, 100);
                 got = 100;
             }},
            {"readStrict too much", [&] { in->readStrict(to, sizeof(to)); }},
            {"readStrict byte",
             [&] {
                 in->readStrict(to[0]);
                 got = 1;
             }},
            {"peek", [&] { answer = in->peek(byte); }},
            {"ignore",
             [&] {
                 in->ignore(100);
                 got = 100;
             }},
            {"ignore too much", [&] { in->ignore(sizeof(to)); }},
            {"tryIgnore too much", [&] { got = in->tryIgnore(sizeof(to)); }},
            {"count", [&] { EXPECT_EQ(in->count(), passed); }}};
        ASSERT_TRUE(calls.contains(row.call)) << "no test knows this call";
        const auto & perform = calls.at(row.call);
        if (row.effect.starts_with("throws "))
        {
            static const std::map<std::string, int> CODES{
                {"LOGICAL_ERROR", ErrorCodes::LOGICAL_ERROR},
                {"CANNOT_READ_ALL_DATA", ErrorCodes::CANNOT_READ_ALL_DATA},
                {"ATTEMPT_TO_READ_AFTER_EOF", ErrorCodes::ATTEMPT_TO_READ_AFTER_EOF}};
            ASSERT_TRUE(CODES.contains(row.effect.substr(7)));
            EXPECT_EQ(codeOf(perform), CODES.at(row.effect.substr(7)));
            if (row.state_after == "End")
                passed = CONTENT.size();
            return;
        }
        perform();
        const std::string rest = CONTENT.substr(CONTENT.size() - left);
        if (row.effect == "is false" || row.effect == "is true")
        {
            EXPECT_EQ(answer, row.effect == "is true");
        }
        else if (row.effect == "refills")
        {
            /// A source that had everything in its window is at its end now, and is begun anew for the state.
            EXPECT_EQ(answer, passed < CONTENT.size());
            if (auto * seekable = dynamic_cast<SeekableReadBuffer *>(in); seekable && passed == CONTENT.size())
            {
                seekable->seek(PASSED);
                passed = PASSED;
            }
        }
        else if (row.effect == "gives bytes")
        {
            EXPECT_EQ(std::string(to, got), rest.substr(0, row.call == "readStrict byte" ? 1 : 100));
            passed += got;
        }
        else if (row.effect == "gives what is left")
        {
            EXPECT_EQ(std::string(to, got), rest);
            passed += got;
        }
        else if (row.effect == "gives nothing")
        {
            EXPECT_EQ(got, 0u);
        }
        else if (row.effect == "gives the byte and stays")
        {
            EXPECT_TRUE(answer);
            EXPECT_EQ(byte, rest[0]);
        }
        else if (row.effect == "passes" || row.effect == "passes what is left")
        {
            EXPECT_EQ(got, row.effect == "passes" ? 100 : left);
            passed += got;
        }
        else
        {
            EXPECT_EQ(row.effect, "is the number of bytes passed") << "no test knows this effect";
        }
    }

    ReadBuffer * in = nullptr;
    UInt64 passed = 0;
};

TYPED_TEST_SUITE(ReadContract, Fixtures, Names);

TYPED_TEST(ReadContract, HoldsInEveryRow)
{
    const std::vector<ContractRow> rows = readContract("Reading");
    std::set<std::string> seen;
    for (const ContractRow & row : rows)
    {
        SCOPED_TRACE(row.text());
        EXPECT_TRUE(seen.insert(row.state + "/" + row.call).second) << "two rows for one thing";
        this->check(row);
    }
    for (const char * state : {"Data", "End", "Failed"})
        for (const char * call :
             {"eof", "next", "read", "readBig", "readStrict", "readStrict byte", "peek", "ignore", "tryIgnore too much", "count"})
            EXPECT_TRUE(seen.contains(std::string(state) + "/" + call)) << "no row for " << state << " | " << call;
}
