#include "AllocationCounter.h"
#include "IOTestHelpers.h"
#include "TornReadBuffer.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/IO/MMapReadBufferFromFile.h>
#include <statewire/IO/ReadBufferFromFileDescriptor.h>
#include <statewire/IO/ReadBufferFromMemory.h>
#include <statewire/IO/VarInt.h>
#include <statewire/IO/WriteBufferFromFile.h>
#include <statewire/IO/WriteBufferFromMemory.h>
#include <statewire/IO/WriteBufferFromOwnString.h>
#include <statewire/IO/ZeroCopyReader.h>

#include <thread>
#include <unistd.h>

using namespace DB;
using namespace statewire_tests;

namespace
{
std::string varUInt(UInt64 value)
{
    char bytes[VAR_UINT_MAX_SIZE];
    return {bytes, writeVarUInt(value, bytes)};
}
}

TEST(VarUInt, GoesBothWaysOverEveryCut)
{
    std::mt19937_64 random(1);
    std::vector<UInt64> values{0, 1, 127, 128, 16383, 16384, UINT64_MAX, UINT64_MAX - 1, UInt64{1} << 63};
    for (int i = 0; i < 1000; ++i)
        values.push_back(random() >> (random() % 64));
    WriteBufferFromOwnString out;
    for (const UInt64 value : values)
    {
        EXPECT_EQ(varUInt(value).size(), getLengthOfVarUInt(value));
        writeVarUInt(value, out);
    }
    for (const size_t piece : TORN_SIZES)
    {
        TornReadBuffer in(out.str(), piece);
        UInt64 value = 0;
        for (const UInt64 expected : values)
        {
            readVarUInt(value, in);
            ASSERT_EQ(value, expected);
        }
        EXPECT_TRUE(in.eof());
    }
    /// Where there is less room than the longest takes.
    char memory[3];
    WriteBufferFromMemory small(memory, sizeof(memory));
    writeVarUInt(300, small);
    writeVarUInt(5, small);
    small.finalize();
    EXPECT_EQ(std::string_view(memory, 3), std::string_view("\xac\x02\x05"));
}

TEST(VarUInt, RefusesWhatHasAnotherSpelling)
{
    struct Case
    {
        std::string bytes;
        int code;
        const char * text;
    };
    const std::string nine(9, '\xff');
    for (const Case & c :
         {Case{nine + '\x01', 0, ""},
          Case{nine + '\x02', ErrorCodes::INCORRECT_DATA, "at byte 2: expected at most 64 bits"},
          Case{nine + '\xff' + '\x01', ErrorCodes::INCORRECT_DATA, "at byte 2: expected at most 64 bits"},
          Case{nine + '\x80' + '\x00', ErrorCodes::INCORRECT_DATA, "at byte 2: expected at most 64 bits"},
          Case{std::string("\x80\x00", 2), ErrorCodes::INCORRECT_DATA, "at byte 2: expected the shortest form"},
          Case{std::string("\xff\x80\x00", 3), ErrorCodes::INCORRECT_DATA, "at byte 2: expected the shortest form"},
          Case{std::string("\x80", 1), ErrorCodes::ATTEMPT_TO_READ_AFTER_EOF, "at byte 2"},
          Case{nine, ErrorCodes::ATTEMPT_TO_READ_AFTER_EOF, "at byte 2"},
          Case{"", ErrorCodes::ATTEMPT_TO_READ_AFTER_EOF, "at byte 2"}})
        for (const size_t piece : TORN_SIZES)
        {
            const std::string bytes = "ab" + c.bytes;
            TornReadBuffer in(bytes, piece);
            in.ignore(2);
            ZeroCopyReader reader(in);
            const auto read = [&] { static_cast<void>(reader.readVarUInt()); };
            const std::string message = messageOf(read);
            TornReadBuffer again(bytes, piece);
            again.ignore(2);
            EXPECT_EQ(
                codeOf([&] {
                    UInt64 value;
                    readVarUInt(value, again);
                }),
                c.code)
                << "pieces of " << piece;
            EXPECT_NE(message.find(c.text), std::string::npos) << message;
        }
}

TEST(ZeroCopyReader, BorrowsInPlaceWhatLiesInOnePiece)
{
    const std::string text = compressibleBytes(1000, 1);
    ReadBufferFromMemory in(text);
    ZeroCopyReader reader(in);
    const std::string_view first = reader.borrow(100);
    const std::string_view second = reader.borrow(900);
    EXPECT_EQ(first.data(), text.data());
    EXPECT_EQ(second.data(), text.data() + 100);
    EXPECT_EQ(reader.copiedBytes(), 0u);
    EXPECT_TRUE(reader.eof());
}

TEST(ZeroCopyReader, GathersWhatIsTorn)
{
    const std::string text = compressibleBytes(10000, 2);
    for (const size_t piece : TORN_SIZES)
    {
        TornReadBuffer in(text, piece);
        ZeroCopyReader reader(in);
        Arena arena;
        std::vector<PinnedBytes> pinned;
        std::mt19937_64 random(piece);
        size_t at = 0;
        while (at < text.size())
        {
            const size_t size = std::min<size_t>(random() % 300, text.size() - at);
            if (random() % 2)
                ASSERT_EQ(reader.borrow(size), text.substr(at, size));
            else
                pinned.push_back(reader.pin(size));
            at += size;
        }
        EXPECT_TRUE(reader.eof());
        std::string all;
        for (const PinnedBytes & bytes : pinned)
            all += bytes.bytes();
        EXPECT_NE(text.find(pinned.back().bytes()), std::string::npos) << "pinned bytes outlive the pieces they came in";
        EXPECT_LE(reader.copiedBytes(), text.size()) << "nothing is copied twice";
    }
}

TEST(ZeroCopyReader, PinsInPlaceWithAnOwner)
{
    const TemporaryFolder folder;
    const std::string text = compressibleBytes(100000, 3);
    WriteBufferFromFile out(folder.path("file"));
    out.write(text.data(), text.size());
    out.finalize();
    PinnedBytes pinned;
    {
        MMapReadBufferFromFile in(folder.path("file"));
        ZeroCopyReader reader(in, in.mapping());
        reader.skip(10);
        pinned = reader.pin(text.size() - 10);
        EXPECT_EQ(pinned.bytes().data(), in.mapping()->bytes().data() + 10);
        EXPECT_EQ(reader.copiedBytes(), 0u);
    }
    EXPECT_EQ(pinned.bytes(), std::string_view(text).substr(10)) << "the mapping lives as long as what is pinned";
}

TEST(ZeroCopyReader, PinsIntoAnArenaWithOneCopy)
{
    const std::string text = compressibleBytes(200000, 4);
    for (const size_t piece : {size_t{16}, size_t{4096}, size_t{1000000}})
    {
        TornReadBuffer in(text, piece);
        Arena arena;
        ZeroCopyReader reader(in, {}, &arena);
        const PinnedBytes small = reader.pin(50000);
        EXPECT_EQ(reader.copiedBytes(), 50000u);
        const PinnedBytes large = reader.pin(150000);
        EXPECT_EQ(reader.copiedBytes(), 200000u);
        EXPECT_TRUE(large.owner()) << "an arena cannot grow with what arrives";
        EXPECT_EQ(small.bytes(), std::string_view(text).substr(0, 50000));
        EXPECT_EQ(large.bytes(), std::string_view(text).substr(50000));
        EXPECT_FALSE(small.owner());
    }
}

TEST(ZeroCopyReader, SaysWhereAndHowMuch)
{
    for (const size_t piece : TORN_SIZES)
    {
        const std::string text(100, 'x');
        const auto message = [&](auto && call) {
            TornReadBuffer in(text, piece);
            ZeroCopyReader reader(in);
            reader.skip(90);
            return messageOf([&] { call(reader); });
        };
        const std::string expected = "Cannot read all data at byte 90. Bytes read: 10. Bytes expected: 11.";
        EXPECT_EQ(message([](ZeroCopyReader & reader) { static_cast<void>(reader.borrow(11)); }), expected);
        EXPECT_EQ(message([](ZeroCopyReader & reader) { static_cast<void>(reader.pin(11)); }), expected);
        EXPECT_EQ(message([](ZeroCopyReader & reader) { reader.skip(11); }), expected);
    }
}

TEST(ZeroCopyReader, ALengthAloneAllocatesNothing)
{
    const std::string text(1000, 'x');
    for (const UInt64 claimed : {UInt64{1} << 30, UInt64{1} << 40, UINT64_MAX})
        for (const bool with_arena : {false, true})
        {
            TornReadBuffer in(text, 100);
            Arena arena;
            const AllocationCounter counter;
            ZeroCopyReader reader(in, {}, with_arena ? &arena : nullptr);
            EXPECT_EQ(codeOf([&] { static_cast<void>(reader.borrow(claimed)); }), ErrorCodes::CANNOT_READ_ALL_DATA);
            TornReadBuffer again(text, 100);
            ZeroCopyReader other(again, {}, with_arena ? &arena : nullptr);
            EXPECT_EQ(codeOf([&] { static_cast<void>(other.pin(claimed)); }), ErrorCodes::CANNOT_READ_ALL_DATA);
            EXPECT_LE(counter.peakBytes(), 20000u);
        }
}

TEST(ZeroCopyReader, AStateFromAPipeGrowsWithWhatArrives)
{
    /// Declares 1 GiB, sends 8 MiB and stops.
    constexpr size_t SENT = 8 << 20;
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    std::thread writer([&] {
        WriteBufferFromFileDescriptor out(ends[1], "pipe");
        writeVarUInt(UInt64{1} << 30, out);
        const std::string bytes(SENT, 'x');
        out.write(bytes.data(), bytes.size());
        out.finalize();
        ::close(ends[1]);
    });
    {
        const AllocationCounter counter;
        ReadBufferFromFileDescriptor in(ends[0], "pipe", 65536);
        ZeroCopyReader reader(in);
        const UInt64 size = reader.readVarUInt();
        EXPECT_EQ(size, UInt64{1} << 30);
        EXPECT_EQ(
            messageOf([&] { static_cast<void>(reader.pin(size)); }),
            "Cannot read all data at byte 5. Bytes read: 8388608. Bytes expected: 1073741824.");
        EXPECT_LE(counter.peakBytes(), 3 * SENT + 200000);
    }
    writer.join();
    ::close(ends[0]);
}
