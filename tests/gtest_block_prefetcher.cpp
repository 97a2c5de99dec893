#include "FormatTests.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Formats/BlockPrefetcher.h>

#include <atomic>
#include <thread>

using namespace DB;
using namespace statewire_tests;

namespace
{
constexpr size_t ENDLESS = ~size_t{0};

/// Gives blocks of one row, its number, and then an error or the end.
class Numbers
{
public:
    explicit Numbers(size_t count_, bool fails_ = false) : count(count_), fails(fails_) { }

    bool operator()(Block & block)
    {
        EXPECT_NE(std::this_thread::get_id(), maker);
        EXPECT_FALSE(has_ended) << "it is not called again behind the end";
        if (calls == count)
        {
            has_ended = true;
            if (fails)
                throw Exception(ErrorCodes::INCORRECT_DATA, "bad block");
            return false;
        }
        EXPECT_LT(calls, given + BlockPrefetcher::MAX_BLOCKS) << "it runs no further ahead";
        block = blockOf("n UInt64", std::to_string(calls++) + "\n");
        return true;
    }

    std::atomic<size_t> calls{0};
    /// How many were asked for.
    std::atomic<size_t> given{0};

private:
    const std::thread::id maker = std::this_thread::get_id();
    const size_t count;
    const bool fails;
    bool has_ended = false;
};

/// The next block's number, or nothing at the end.
std::optional<std::string> next(BlockPrefetcher & ahead, Numbers & numbers)
{
    Block block;
    ++numbers.given;
    if (!ahead.read(block))
    {
        EXPECT_EQ(block.columns(), 0U);
        return std::nullopt;
    }
    return rowsOf({block});
}
}

TEST(BlockPrefetcher, GivesAllBlocksInTheirOrder)
{
    for (const size_t count : {0, 1, 2, 3, 1000})
    {
        SCOPED_TRACE(count);
        Numbers numbers(count);
        BlockPrefetcher ahead([&](Block & block) { return numbers(block); });
        for (size_t i = 0; i < count; ++i)
            ASSERT_EQ(next(ahead, numbers), std::to_string(i) + "\n");
        EXPECT_EQ(next(ahead, numbers), std::nullopt);
        EXPECT_EQ(next(ahead, numbers), std::nullopt) << "asked again";
    }
}

TEST(BlockPrefetcher, ThrowsBehindTheBlocksBeforeTheError)
{
    for (const size_t count : {0, 1, 5})
    {
        SCOPED_TRACE(count);
        Numbers numbers(count, true);
        BlockPrefetcher ahead([&](Block & block) { return numbers(block); });
        for (size_t i = 0; i < count; ++i)
            ASSERT_EQ(next(ahead, numbers), std::to_string(i) + "\n");
        for (int again = 0; again < 2; ++again)
            try
            {
                next(ahead, numbers);
                ADD_FAILURE() << "no error";
            }
            catch (const Exception & e)
            {
                EXPECT_EQ(e.code(), ErrorCodes::INCORRECT_DATA);
            }
    }
}

TEST(BlockPrefetcher, EndsEarly)
{
    for (size_t wanted = 0; wanted < 4; ++wanted)
    {
        SCOPED_TRACE(wanted);
        Numbers numbers(ENDLESS);
        {
            BlockPrefetcher ahead([&](Block & block) { return numbers(block); });
            for (size_t i = 0; i < wanted; ++i)
                ASSERT_EQ(next(ahead, numbers), std::to_string(i) + "\n");
        }
        const size_t calls = numbers.calls;
        EXPECT_LE(calls, wanted + BlockPrefetcher::MAX_BLOCKS);
        std::this_thread::yield();
        EXPECT_EQ(numbers.calls, calls) << "nothing runs on";
    }
    /// An error that nobody asked for.
    Numbers failing(1, true);
    BlockPrefetcher ahead([&](Block & block) { return failing(block); });
}

TEST(BlockPrefetcher, GivesWhatAFormatReads)
{
    std::string rows;
    for (int i = 0; i < 200000; ++i)
        rows += std::to_string(i) + "\t" + std::to_string(i % 7) + "\n";
    ReadBufferFromMemory in(rows);
    const auto format = createInputFormat("TabSeparated", in, structureOf("a UInt32, b String"));
    std::string result;
    BlockPrefetcher ahead([&](Block & block) { return format->read(block); });
    Block block;
    while (ahead.read(block))
        result += rowsOf({block});
    EXPECT_TRUE(result == rows);
    EXPECT_EQ(format->rowsRead(), 200000U) << "behind the end the format is the caller's again";
}
