#pragma once

#include "Aggregator.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace DB::inline statewire
{

/** Pieces of blocks on their way from the thread that reads them to several workers. With keys every worker takes the rows of its own groups
 * from every piece, in order and at its own pace; without keys a piece is taken by one of them. Nobody waits for all: where a piece's keys are
 * not encoded yet, who comes first encodes them, and who comes second encodes those of the next piece meanwhile.
 *
 * States: open; closed, when no more pieces come; stopped, by stop() or when a worker has thrown. A piece lives until all who take it are
 * done with it; then its memory is used for another one.
 * Errors: those of the Aggregator and of `take`, from work(). Threads: push and close by one, work by each of the workers, stop by any.
 */
class PieceQueue
{
public:
    /// Rows [begin, end) of a block. Read only for whoever takes it.
    struct Piece
    {
        std::shared_ptr<const Block> block;
        std::shared_ptr<const Aggregator::Input> input;
        size_t begin = 0;
        size_t end = 0;
        EncodedKeys encoded;
        /// With keys, for each worker which rows are its own, counted from `begin`.
        std::vector<std::vector<UInt32>> rows;

    private:
        friend class PieceQueue;

        enum class State : UInt8
        {
            Waiting,
            Encoding,
            Encoded
        };

        UInt64 bytes = 0;
        State state = State::Waiting;
        size_t takers_left = 0;
    };

    PieceQueue(const Aggregator & aggregator_, size_t workers_);

    /// Adds a block; waits while the queue is full. Of a stopped queue it does nothing.
    void push(const Block & block, bool has_states);
    /// Whoever has taken all pieces then returns from work().
    void close();
    /// Workers end after the piece that they are at.
    void stop() noexcept;
    [[nodiscard]] bool isStopped() const;

    /// A worker: calls take(piece) for each piece that is for it, until the queue is closed and empty, or stopped.
    void work(const std::function<void(const Piece &)> & take);

private:
    using Lock = std::unique_lock<std::mutex>;

    void pushPiece(Lock & lock, std::unique_ptr<Piece> piece);
    /// Takes a piece off the spare ones, or makes one.
    [[nodiscard]] std::unique_ptr<Piece> makePiece();
    void takeAll(Lock & lock, const std::function<void(const Piece &)> & take);
    void takeAny(Lock & lock, const std::function<void(const Piece &)> & take);
    /// Until the piece is encoded, with the lock given back meanwhile; false when the queue was stopped.
    bool encode(Lock & lock, Piece & piece);
    void encodeOne(Lock & lock, Piece & piece);
    void distribute(Piece & piece) const;
    /// One taker is done with the piece; those at the front that nobody needs any more leave.
    void release(Piece & piece);

    [[nodiscard]] size_t end() const noexcept { return first + pieces.size(); }

    const Aggregator & aggregator;
    const size_t workers;
    const bool has_keys;

    mutable std::mutex mutex;
    std::condition_variable changed;
    /// Pieces number first, first + 1...
    std::deque<std::unique_ptr<Piece>> pieces;
    size_t first = 0;
    /// The piece that is encoded next, or without keys taken next.
    size_t next = 0;
    UInt64 bytes = 0;
    std::vector<std::unique_ptr<Piece>> spare;
    bool is_closed = false;
    bool is_stopped = false;
};

}
