#pragma once

#include "../Common/TrackedAllocator.h"
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
 * States: open; closed, when no more pieces come; paused, while workers are away; stopped, by stop() or when a worker has thrown. A piece
 * lives until all who take it are done with it; then its memory is used for another one.
 * Memory of pieces is counted by the tracker, blocks are not.
 * Errors: those of the Aggregator and of `take`, from work(). Threads: add, push, resume and close by one, work by each of the workers, stop by any.
 */
class PieceQueue
{
public:
    /// A block, and its columns as they are used.
    struct Source
    {
        Block block;
        Aggregator::Input input;
    };

    /// Rows [begin, end) of a block. Read only for whoever takes it.
    struct Piece
    {
        std::shared_ptr<const Source> source;
        size_t begin = 0;
        size_t end = 0;
        EncodedKeys encoded;
        /// With keys, for each worker which rows are its own, counted from `begin`.
        TrackedVector<TrackedVector<UInt32>> rows;

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

    struct Limits
    {
        size_t piece_rows = Aggregator::PIECE_ROWS;
        /// Of blocks, about.
        UInt64 max_bytes = UInt64{32} << 20;
    };

    PieceQueue(const Aggregator & aggregator_, size_t workers_, Limits limits_, MemoryTrackerPtr tracker_);
    ~PieceQueue();
    PieceQueue(const PieceQueue &) = delete;
    PieceQueue & operator=(const PieceQueue &) = delete;

    /// Cuts a block into pieces, which push() hands over.
    void add(const Block & block, bool has_states);
    /// Waits while the queue is full; without keys the caller is worker 0, and takes pieces itself instead (as in work()). True when all pieces are handed
    /// over; false while the queue is paused or stopped.
    [[nodiscard]] bool push(const std::function<void(const Piece &)> & take, const std::function<bool()> & should_pause);
    /// Whoever has taken all pieces then returns from work().
    void close();
    /// Workers end after the piece that they are at.
    void stop() noexcept;

    /// Worker `number`: calls take(piece) for each piece that is for it, until the queue is closed and empty, or stopped; or paused, which it is
    /// when should_pause() holds before a piece. True when there will be no more pieces for this worker.
    bool work(size_t number, const std::function<void(const Piece &)> & take, const std::function<bool()> & should_pause);
    [[nodiscard]] bool isPaused() const;
    /// When all workers have returned: they go on where they were when they call work() again.
    void resume();

private:
    using Lock = std::unique_lock<std::mutex>;

    /// Takes a piece off the spare ones, or makes one.
    [[nodiscard]] std::unique_ptr<Piece> makePiece();
    /// Whether a `part`-th of what the queue may hold is there; an empty one takes any piece.
    [[nodiscard]] bool isFull(size_t part) const noexcept;
    /// The piece that comes next for the worker, when there is one; null when it is to return.
    [[nodiscard]] Piece * next(Lock & lock, size_t & position, const std::function<bool()> & should_pause);
    /// Until the piece is encoded, with the lock given back meanwhile; false when the queue was stopped.
    bool encode(Lock & lock, Piece & piece);
    void encodeOne(Lock & lock, Piece & piece);
    void distribute(Piece & piece) const;
    /// Takes one piece, with the lock given back meanwhile; false when it is not to be taken any more.
    bool takeOne(Lock & lock, Piece & piece, const std::function<void(const Piece &)> & take);
    /// One taker is done with the piece; those at the front that nobody needs any more leave.
    void release(Piece & piece);

    [[nodiscard]] size_t end() const noexcept { return first + pieces.size(); }

    const Aggregator & aggregator;
    const bool has_keys;
    const Limits limits;
    const MemoryTrackerPtr tracker;
    /// Pieces that are not handed over yet, first of them the last.
    std::vector<std::unique_ptr<Piece>> waiting;

    mutable std::mutex mutex;
    /// For workers: there are more pieces, a piece is encoded, or it is time to return.
    std::condition_variable changed;
    /// For push(), which sleeps until half of the queue is free, so that it wakes rarely; or the queue is paused or stopped.
    std::condition_variable has_room;
    /// Pieces number first, first + 1...
    std::deque<std::unique_ptr<Piece>> pieces;
    size_t first = 0;
    /// The piece that each worker takes next; without keys only the first one counts, and is for all.
    std::vector<size_t> positions;
    /// The piece that is encoded next.
    size_t next_to_encode = 0;
    UInt64 bytes = 0;
    std::vector<std::unique_ptr<Piece>> spare;
    bool is_closed = false;
    bool is_paused = false;
    bool is_stopped = false;
};

}
