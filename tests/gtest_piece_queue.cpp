#include "AggregationTests.h"

#include <statewire/Columns/ColumnVector.h>
#include <statewire/DataTypes/parseDataType.h>
#include <statewire/Interpreters/PieceQueue.h>

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace DB;
using namespace statewire_tests;

namespace
{
constexpr std::string_view STRUCTURE = "k UInt32, v UInt32";
constexpr size_t PIECE_ROWS = 100;
constexpr size_t BLOCKS = 12;
/// Not a multiple of a piece's rows.
constexpr size_t BLOCK_ROWS = 950;

/// Keys in an order that looks random; values count on from block to block.
Block makeBlock(size_t number)
{
    const auto first = static_cast<UInt32>(number * BLOCK_ROWS);
    auto keys = std::make_shared<ColumnVector<UInt32>>();
    auto values = std::make_shared<ColumnVector<UInt32>>();
    for (UInt32 row = first; row < first + BLOCK_ROWS; ++row)
    {
        keys->getData().push_back(row * 2654435761u % 37);
        values->getData().push_back(row);
    }
    Block block;
    block.insert({keys, parseDataType("UInt32"), "k"});
    block.insert({values, parseDataType("UInt32"), "v"});
    return block;
}

const std::vector<UInt32> & numbersOf(const PieceQueue::Piece & piece, const char * name)
{
    const Block & block = piece.source->block;
    return static_cast<const ColumnVector<UInt32> &>(*block.getByPosition(findName(block.getNamesAndTypes(), name).value()).column).getData();
}

/// A queue, and the rows that were taken: keys and values of each share in the order in which they came.
struct Taken
{
    Aggregator aggregator;
    std::vector<std::vector<std::pair<UInt32, UInt32>>> shares;
    /// Counted down by one thread at a time, under the queue's lock; the next one by all who take rows.
    size_t until_pause = ~size_t{0};
    std::atomic<size_t> until_failure = ~size_t{0};
    PieceQueue queue;

    Taken(std::string_view keys, size_t workers, size_t max_pieces)
        : aggregator(aggregatorFor(STRUCTURE, keys, "groupBitmap(v) AS m")),
          shares(workers),
          queue(
              aggregator, workers, {.piece_rows = PIECE_ROWS, .max_pieces = max_pieces},
              {.take = [this](size_t share, const PieceQueue::Piece & piece) { take(share, piece); },
               .should_pause = [this] { return until_pause-- == 0; }},
              nullptr)
    {
    }

    void take(size_t share, const PieceQueue::Piece & piece)
    {
        if (until_failure-- == 0)
            throw std::runtime_error("not taken");
        const auto add = [&](size_t row) { shares[share].emplace_back(numbersOf(piece, "k")[row], numbersOf(piece, "v")[row]); };
        if (piece.shares.empty())
            for (size_t row = piece.begin; row < piece.end; ++row)
                add(row);
        else
            for (size_t i = 0; i < piece.shares[share].size; ++i)
                add(piece.begin + piece.shares[share].numbers[i]);
    }

    /// All blocks, and that no more come. `pause` is called where the queue is not open, which without it must not be.
    void pushAll(const std::function<void()> & pause = {})
    {
        for (size_t b = 0; b < BLOCKS; ++b)
        {
            queue.add(makeBlock(b), false);
            while (!queue.push())
            {
                ASSERT_TRUE(pause);
                pause();
            }
        }
        queue.close();
    }

    [[nodiscard]] size_t rows() const
    {
        size_t sum = 0;
        for (const auto & share : shares)
            sum += share.size();
        return sum;
    }

    /// Each row once, in order within its share, and each key in one share.
    void expectAllInOrder() const
    {
        EXPECT_EQ(rows(), BLOCKS * BLOCK_ROWS);
        std::map<UInt32, size_t> share_of_key;
        std::set<UInt32> values;
        for (size_t share = 0; share < shares.size(); ++share)
            for (size_t i = 0; i < shares[share].size(); ++i)
            {
                const auto [key, value] = shares[share][i];
                EXPECT_TRUE(i == 0 || value > shares[share][i - 1].second) << share << ", " << value;
                EXPECT_EQ(share_of_key.emplace(key, share).first->second, share) << key;
                values.insert(value);
            }
        EXPECT_EQ(values.size(), BLOCKS * BLOCK_ROWS);
    }
};
}

/// The other workers never come: the first one takes the rows of all shares, and waits for nobody.
TEST(PieceQueueWorkers, TakeSharesOfWorkersThatAreAway)
{
    for (const size_t workers : {1, 2, 4, 7})
        for (const size_t max_pieces : {1, 3, 100})
        {
            SCOPED_TRACE(std::to_string(workers) + " workers, " + std::to_string(max_pieces) + " pieces");
            Taken taken("k", workers, max_pieces);
            taken.pushAll();
            ASSERT_TRUE(taken.queue.work(0));
            taken.expectAllInOrder();
            std::set<size_t> finished;
            while (const std::optional<size_t> share = taken.queue.finishShare(0))
                EXPECT_TRUE(finished.insert(*share).second) << *share;
            EXPECT_EQ(finished.size(), workers);
        }
}

TEST(PieceQueueWorkers, TakeAnyPieceWithoutKeys)
{
    Taken taken("", 3, 4);
    taken.pushAll();
    ASSERT_TRUE(taken.queue.work(2));
    EXPECT_EQ(taken.rows(), BLOCKS * BLOCK_ROWS);
    EXPECT_FALSE(taken.shares[0].empty());
    EXPECT_TRUE(taken.shares[1].empty());
    EXPECT_FALSE(taken.shares[2].empty());
    EXPECT_EQ(taken.queue.finishShare(2), std::optional<size_t>(2));
    EXPECT_EQ(taken.queue.finishShare(2), std::nullopt);
    EXPECT_EQ(taken.queue.finishShare(0), std::optional<size_t>(0));
}

/// However threads come and go, rows of a share come in order.
TEST(PieceQueueWorkers, KeepTheOrderWithinAShare)
{
    for (const size_t workers : {2, 3, 5})
        for (const size_t max_pieces : {1, 5})
        {
            Taken taken("k", workers, max_pieces);
            std::vector<std::thread> threads;
            for (size_t worker = 1; worker < workers; ++worker)
                threads.emplace_back([&taken, worker] { EXPECT_TRUE(taken.queue.work(worker)); });
            taken.pushAll();
            EXPECT_TRUE(taken.queue.work(0));
            for (std::thread & thread : threads)
                thread.join();
            taken.expectAllInOrder();
            for (size_t share = 0; share < workers; ++share)
                EXPECT_TRUE(taken.queue.finishShare(0).has_value());
            EXPECT_FALSE(taken.queue.finishShare(0).has_value());
        }
}

TEST(PieceQueueWorkers, GoOnWhereTheyPaused)
{
    Taken taken("k", 3, 2);
    size_t pauses = 0;
    taken.until_pause = 5;
    const auto pause = [&] {
        EXPECT_TRUE(taken.queue.isPaused());
        ++pauses;
        taken.until_pause = 7;
        taken.queue.resume();
    };
    taken.pushAll(pause);
    while (!taken.queue.work(0))
        pause();
    EXPECT_GT(pauses, 10U);
    taken.expectAllInOrder();
}

TEST(PieceQueueWorkers, StopWhenOneFails)
{
    Taken taken("k", 3, 2);
    taken.until_failure = 4;
    taken.queue.add(makeBlock(0), false);
    EXPECT_THROW(static_cast<void>(taken.queue.push()), std::runtime_error);
    EXPECT_FALSE(taken.queue.push());
    EXPECT_FALSE(taken.queue.work(1));
    EXPECT_EQ(taken.until_failure, ~size_t{0});
}
