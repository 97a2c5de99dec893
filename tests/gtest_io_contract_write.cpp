#include "ContractTable.h"
#include "IOTestHelpers.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Compression/CompressedReadBuffer.h>
#include <statewire/Compression/CompressedWriteBuffer.h>
#include <statewire/Compression/ParallelCompressedWriteBuffer.h>
#include <statewire/Compression/StreamCompressingWriteBuffer.h>
#include <statewire/Compression/StreamDecompressingReadBuffer.h>
#include <statewire/IO/CountingWriteBuffer.h>
#include <statewire/IO/HashingWriteBuffer.h>
#include <statewire/IO/ReadBufferFromMemory.h>
#include <statewire/IO/WriteBufferFromFile.h>
#include <statewire/IO/WriteBufferFromMemory.h>
#include <statewire/IO/WriteBufferFromOwnString.h>
#include <statewire/IO/WriteBufferFromVector.h>
#include <statewire/IO/WriteBufferToObject.h>

#include <fcntl.h>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unistd.h>

using namespace DB;
using namespace statewire_tests;

namespace
{
/// Larger than every window below, so that it takes the way past the buffer.
const std::string LARGE = compressibleBytes(300000, 1);

struct MemoryFixture
{
    static constexpr const char * NAME = "Memory";
    std::string memory = std::string(1 << 20, '\xdb');
    std::unique_ptr<WriteBuffer> make() { return std::make_unique<WriteBufferFromMemory>(memory.data(), memory.size()); }
    std::unique_ptr<WriteBuffer> makeFailing() { return std::make_unique<WriteBufferFromMemory>(memory.data(), 5); }
    int failureCode() const { return ErrorCodes::CANNOT_WRITE_AFTER_END_OF_BUFFER; }
    std::optional<std::string> delivered(size_t size) { return memory.substr(0, size); }
    void checkCanceled() { }
};

template <typename Container, bool append>
struct ContainerFixture
{
    static constexpr const char * NAME
        = std::is_same_v<Container, std::string> ? (append ? "StringAppend" : "String") : (append ? "VectorAppend" : "Vector");
    Container container = Container(append ? 3 : 100, 'x');
    std::unique_ptr<WriteBuffer> make()
    {
        using Buffer = WriteBufferFromVector<Container>;
        return std::make_unique<Buffer>(container, append ? Buffer::Mode::Append : Buffer::Mode::Overwrite);
    }
    std::unique_ptr<WriteBuffer> makeFailing() { return nullptr; }
    int failureCode() const { return 0; }
    std::optional<std::string> delivered(size_t size)
    {
        const std::string all(container.begin(), container.end());
        EXPECT_EQ(all.substr(0, append ? 3 : 0), std::string(append ? 3 : 0, 'x'));
        return all.substr(append ? 3 : 0, size);
    }
    void checkCanceled() { EXPECT_EQ(container.size(), append ? 3u : 0u); }
    void checkFinal(size_t size) { EXPECT_EQ(container.size(), size + (append ? 3 : 0)); }
};

struct OwnStringFixture
{
    static constexpr const char * NAME = "OwnString";
    WriteBufferFromOwnString * buffer = nullptr;
    std::unique_ptr<WriteBuffer> make()
    {
        auto made = std::make_unique<WriteBufferFromOwnString>();
        buffer = made.get();
        return made;
    }
    std::unique_ptr<WriteBuffer> makeFailing() { return nullptr; }
    int failureCode() const { return 0; }
    std::optional<std::string> delivered(size_t)
    {
        if (!buffer->isFinalized())
            return std::nullopt;
        return buffer->str();
    }
    void checkCanceled() { }
};

struct DescriptorFixture
{
    static constexpr const char * NAME = "FileDescriptor";
    TemporaryFolder folder;
    int fd = -1;
    std::unique_ptr<WriteBuffer> make()
    {
        fd = ::open(folder.path("file").c_str(), O_RDWR | O_CREAT, 0666);
        return std::make_unique<WriteBufferFromFileDescriptor>(fd, "file", 64);
    }
    std::unique_ptr<WriteBuffer> makeFailing()
    {
        fd = ::open("/dev/full", O_WRONLY);
        return std::make_unique<WriteBufferFromFileDescriptor>(fd, "full", 64);
    }
    ~DescriptorFixture() { ::close(fd); }
    int failureCode() const { return ErrorCodes::CANNOT_WRITE_TO_FILE_DESCRIPTOR; }
    std::optional<std::string> delivered(size_t) { return readFile(folder.path("file")); }
    void checkCanceled() { }
};

/// How its system calls fail is the subject of tests/fault_injection.
struct FileFixture
{
    static constexpr const char * NAME = "File";
    TemporaryFolder folder;
    std::unique_ptr<WriteBuffer> make()
    {
        WriteBufferFromFile old(folder.path("file"));
        old.write("old", 3);
        old.finalize();
        return std::make_unique<WriteBufferFromFile>(folder.path("file"), 64);
    }
    std::unique_ptr<WriteBuffer> makeFailing() { return nullptr; }
    int failureCode() const { return 0; }
    std::optional<std::string> delivered(size_t)
    {
        for (const auto & entry : std::filesystem::directory_iterator(folder.get()))
            if (entry.path().extension() == ".tmp")
                return readFile(entry.path());
        return readFile(folder.path("file"));
    }
    void checkCanceled()
    {
        EXPECT_EQ(readFile(folder.path("file")), "old");
        EXPECT_EQ(folder.files(), 1u);
    }
};

struct ObjectFixture
{
    static constexpr const char * NAME = "Object";
    RecordingObject object;
    std::unique_ptr<WriteBuffer> make() { return std::make_unique<WriteBufferToObject<RecordingObject>>(object, 64); }
    std::unique_ptr<WriteBuffer> makeFailing()
    {
        object.calls_before_failure = 0;
        return make();
    }
    int failureCode() const { return ErrorCodes::CANNOT_WRITE_TO_FILE_DESCRIPTOR; }
    std::optional<std::string> delivered(size_t) { return object.received; }
    void checkCanceled() { }
};

struct CountingFixture
{
    static constexpr const char * NAME = "Counting";
    std::unique_ptr<WriteBuffer> make() { return std::make_unique<CountingWriteBuffer>(); }
    std::unique_ptr<WriteBuffer> makeFailing() { return nullptr; }
    int failureCode() const { return 0; }
    std::optional<std::string> delivered(size_t) { return std::nullopt; }
    void checkCanceled() { }
};

/// A decorator over a WriteBufferToObject; Make builds it from an owned or a borrowed nested buffer, Read is the way back.
template <typename Kind, bool owned>
struct DecoratorFixture
{
    static constexpr const char * NAME = owned ? Kind::NAME_OWNING : Kind::NAME_BORROWING;
    RecordingObject object;
    std::unique_ptr<WriteBufferToObject<RecordingObject>> nested;
    WriteBuffer * nested_ptr = nullptr;

    std::unique_ptr<WriteBuffer> make()
    {
        auto device = std::make_unique<WriteBufferToObject<RecordingObject>>(object, 64);
        nested_ptr = device.get();
        if constexpr (owned)
            return Kind::make(NestedBuffer<WriteBuffer>(std::move(device)));
        nested = std::move(device);
        return Kind::make(NestedBuffer<WriteBuffer>(*nested));
    }
    std::unique_ptr<WriteBuffer> makeFailing()
    {
        object.calls_before_failure = 0;
        return make();
    }
    ~DecoratorFixture()
    {
        if (nested)
            nested->cancel();
    }
    int failureCode() const { return ErrorCodes::CANNOT_WRITE_TO_FILE_DESCRIPTOR; }
    std::optional<std::string> delivered(size_t)
    {
        if (nested && !nested->isCanceled())
        {
            EXPECT_FALSE(nested->isFinalized()) << "a borrowed buffer was finalized";
            nested->next();
        }
        return Kind::read(object.received);
    }
    void checkCanceled()
    {
        if (nested && object.calls_before_failure < 0)
        {
            EXPECT_FALSE(nested->isCanceled()) << "a borrowed buffer was canceled";
            nested->write("more", 4);
        }
    }
};

struct Hashing
{
    static constexpr const char * NAME_OWNING = "HashingOwning";
    static constexpr const char * NAME_BORROWING = "HashingBorrowing";
    static std::unique_ptr<WriteBuffer> make(NestedBuffer<WriteBuffer> out) { return std::make_unique<HashingWriteBuffer>(std::move(out)); }
    static std::string read(const std::string & bytes) { return bytes; }
};

template <bool parallel>
struct Frames
{
    static constexpr const char * NAME_OWNING = parallel ? "ParallelCompressedOwning" : "CompressedOwning";
    static constexpr const char * NAME_BORROWING = parallel ? "ParallelCompressedBorrowing" : "CompressedBorrowing";
    static std::unique_ptr<WriteBuffer> make(NestedBuffer<WriteBuffer> out)
    {
        if constexpr (parallel)
            return std::make_unique<ParallelCompressedWriteBuffer>(std::move(out), createCompressionCodec("LZ4"), 3, 1000);
        else
            return std::make_unique<CompressedWriteBuffer>(std::move(out), createCompressionCodec("LZ4"), 1000);
    }
    static std::string read(const std::string & bytes)
    {
        ReadBufferFromMemory in(bytes);
        CompressedReadBuffer frames(in);
        return readAll(frames);
    }
};

template <StreamFormat format>
struct Stream
{
    static constexpr const char * NAME_OWNING = format == StreamFormat::ZSTD ? "StreamZSTDOwning" : "StreamLZ4Owning";
    static constexpr const char * NAME_BORROWING = format == StreamFormat::ZSTD ? "StreamZSTDBorrowing" : "StreamLZ4Borrowing";
    static std::unique_ptr<WriteBuffer> make(NestedBuffer<WriteBuffer> out)
    {
        return std::make_unique<StreamCompressingWriteBuffer>(std::move(out), format, StreamOptions{}, 1000);
    }
    /// Also of a stream that is not at its end.
    static std::string read(const std::string & bytes)
    {
        ReadBufferFromMemory in(bytes);
        StreamDecompressingReadBuffer stream(in, format);
        std::string result;
        try
        {
            while (!stream.eof())
                result += *stream.position()++;
        }
        catch (const Exception & exception)
        {
            EXPECT_EQ(exception.code(), ErrorCodes::CANNOT_READ_ALL_DATA);
        }
        return result;
    }
};

using Fixtures = ::testing::Types<
    MemoryFixture,
    ContainerFixture<std::string, false>,
    ContainerFixture<std::string, true>,
    ContainerFixture<std::vector<char>, false>,
    ContainerFixture<std::vector<UInt8>, true>,
    OwnStringFixture,
    DescriptorFixture,
    FileFixture,
    ObjectFixture,
    CountingFixture,
    DecoratorFixture<Hashing, false>,
    DecoratorFixture<Hashing, true>,
    DecoratorFixture<Frames<false>, false>,
    DecoratorFixture<Frames<false>, true>,
    DecoratorFixture<Frames<true>, false>,
    DecoratorFixture<Frames<true>, true>,
    DecoratorFixture<Stream<StreamFormat::ZSTD>, false>,
    DecoratorFixture<Stream<StreamFormat::ZSTD>, true>,
    DecoratorFixture<Stream<StreamFormat::LZ4>, false>,
    DecoratorFixture<Stream<StreamFormat::LZ4>, true>>;

struct Names
{
    template <typename Fixture>
    static std::string GetName(int)
    {
        return Fixture::NAME;
    }
};

int codeOfName(const std::string & name)
{
    static const std::map<std::string, int> CODES{
        {"LOGICAL_ERROR", ErrorCodes::LOGICAL_ERROR},
        {"CANNOT_WRITE_AFTER_BUFFER_CANCELED", ErrorCodes::CANNOT_WRITE_AFTER_BUFFER_CANCELED}};
    const auto found = CODES.find(name);
    EXPECT_NE(found, CODES.end()) << name;
    return found == CODES.end() ? 0 : found->second;
}
}

template <typename Fixture>
class WriteContract : public ::testing::Test
{
public:
    void check(const ContractRow & row)
    {
        Fixture fixture;
        if (row.call == "failing flush")
            return checkFailingFlush(fixture);
        std::unique_ptr<WriteBuffer> buffer = fixture.make();
        std::string taken = "some bytes";
        buffer->write(taken.data(), taken.size());
        if (row.state == "Finalized")
            buffer->finalize();
        if (row.state == "Canceled")
            buffer->cancel();
        if (row.call.starts_with("destroy"))
            return checkDestroy(row, std::move(buffer), fixture);
        call(row, *buffer, taken, fixture);
        EXPECT_EQ(buffer->count(), taken.size());
        EXPECT_EQ(buffer->isFinalized(), row.state_after == "Finalized");
        EXPECT_EQ(buffer->isCanceled(), row.state_after == "Canceled");
        if (row.state_after == "Canceled")
        {
            fixture.checkCanceled();
            return;
        }
        buffer->finalize();
        checkComplete(fixture, taken);
        EXPECT_EQ(buffer->count(), taken.size());
    }

private:
    void call(const ContractRow & row, WriteBuffer & buffer, std::string & taken, Fixture & fixture)
    {
        const std::map<std::string, std::function<void()>> calls{
            {"write", [&] { buffer.write("x", 1); }},
            {"write nothing", [&] { buffer.write(nullptr, 0); }},
            {"write large", [&] { buffer.write(LARGE.data(), LARGE.size()); }},
            {"next", [&] { buffer.next(); }},
            {"sync", [&] { buffer.sync(); }},
            {"finalize", [&] { buffer.finalize(); }},
            {"cancel", [&] { buffer.cancel(); }},
            {"count", [&] { EXPECT_EQ(buffer.count(), taken.size()); }}};
        ASSERT_TRUE(calls.contains(row.call)) << "no test knows this call";
        const auto & perform = calls.at(row.call);
        if (row.effect.starts_with("throws "))
        {
            EXPECT_EQ(codeOf(perform), codeOfName(row.effect.substr(7)));
            if (row.call == "write")
            {
                EXPECT_EQ(codeOf([&] { buffer.write('x'); }), codeOfName(row.effect.substr(7))) << "the one-byte write";
                EXPECT_EQ(buffer.available(), 0u) << "room for in-place writers";
            }
            return;
        }
        perform();
        if (row.effect == "takes the bytes")
            taken += row.call == "write" ? std::string("x") : LARGE;
        else if (row.effect == "hands the bytes to the device")
        {
            if (const auto delivered = fixture.delivered(taken.size()))
            {
                EXPECT_EQ(*delivered, taken);
            }
        }
        else
        {
            EXPECT_TRUE(
                row.effect == "does nothing" || row.effect == "does nothing to the bytes" || row.effect == "completes the device"
                || row.effect == "leaves the device as a failure would" || row.effect == "is the number of bytes taken")
                << "no test knows this effect";
        }
    }

    void checkComplete(Fixture & fixture, const std::string & taken)
    {
        if (const auto delivered = fixture.delivered(taken.size()))
        {
            EXPECT_TRUE(*delivered == taken) << delivered->size() << " bytes instead of " << taken.size();
        }
        if constexpr (requires { fixture.checkFinal(0); })
            fixture.checkFinal(taken.size());
    }

    void checkFailingFlush(Fixture & fixture)
    {
        std::unique_ptr<WriteBuffer> buffer = fixture.makeFailing();
        if (!buffer)
            return;
        const int code = codeOf([&] {
            for (int i = 0; i < 100; ++i)
                buffer->write(LARGE.data(), 5000);
            buffer->finalize();
        });
        EXPECT_EQ(code, fixture.failureCode());
        EXPECT_TRUE(buffer->isCanceled());
        EXPECT_EQ(codeOf([&] { buffer->next(); }), ErrorCodes::CANNOT_WRITE_AFTER_BUFFER_CANCELED);
        EXPECT_EQ(codeOf([&] { buffer->finalize(); }), ErrorCodes::LOGICAL_ERROR);
        buffer.reset();
        if constexpr (requires { fixture.object.calls; })
        {
            EXPECT_EQ(fixture.object.calls, 1) << "the device was asked again";
        }
    }

    void checkDestroy(const ContractRow & row, std::unique_ptr<WriteBuffer> buffer, [[maybe_unused]] Fixture & fixture)
    {
        if (row.effect == "asserts or logs, and cancels")
        {
#ifdef NDEBUG
            ::testing::internal::CaptureStderr();
            buffer.reset();
            const std::string log = ::testing::internal::GetCapturedStderr();
            EXPECT_NE(log.find("neither finalized nor canceled"), std::string::npos) << log;
            fixture.checkCanceled();
#else
            GTEST_FLAG_SET(death_test_style, "threadsafe");
            if (std::string_view(Fixture::NAME) == "Memory")
            {
                EXPECT_DEATH(buffer.reset(), "neither finalized nor canceled");
            }
            buffer->cancel();
#endif
            return;
        }
        ::testing::internal::CaptureStderr();
        if (row.call == "destroy while unwinding")
        {
            Fixture other;
            try
            {
                const std::unique_ptr<WriteBuffer> dropped = other.make();
                dropped->write("x", 1);
                throw 1;
            }
            catch (int)
            {
            }
            other.checkCanceled();
            buffer->cancel();
        }
        buffer.reset();
        EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    }
};

TYPED_TEST_SUITE(WriteContract, Fixtures, Names);

TYPED_TEST(WriteContract, HoldsInEveryRow)
{
    const std::vector<ContractRow> rows = readContract("Writing");
    std::set<std::string> calls;
    std::set<std::string> seen;
    for (const ContractRow & row : rows)
    {
        SCOPED_TRACE(row.text());
        EXPECT_TRUE(seen.insert(row.state + "/" + row.call).second) << "two rows for one thing";
        if (row.call != "failing flush" && row.call != "destroy while unwinding")
            calls.insert(row.call);
        this->check(row);
    }
    EXPECT_EQ(calls.size(), 9u);
    for (const char * state : {"Open", "Finalized", "Canceled"})
        for (const std::string & call : calls)
            EXPECT_TRUE(seen.contains(std::string(state) + "/" + call)) << "no row for " << state << " | " << call;
}
