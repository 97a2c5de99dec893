#pragma once

#include "../Common/TrackedAllocator.h"
#include "Aggregator.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace DB::inline statewire
{

/** Pieces of blocks on their way to several workers, of whom the first is the thread that reads the blocks. With keys, groups belong to as many
 * shares as there are workers, by the hashes of their keys: the rows of a share are taken in order and by one worker at a time, by its own one or,
 * when that is busy with something else, by one that has nothing else to do. Without keys a piece is taken by any worker. Nobody waits for all: where
 * a piece's keys are not encoded yet, who comes first encodes them, and who comes second encodes those of the next piece meanwhile.
 *
 * States: open; closed, when no more pieces come; paused, while workers are away; stopped, by stop() or when a worker has thrown. A piece
 * lives until all who take it are done with it; then its memory is used for another one.
 * Memory of pieces is counted by the tracker, blocks are not.
 * Errors: those of the Aggregator and of `take`, from push() and work(). Threads: add, push, resume and close by one, work by each of the
 *     workers, stop by any.
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

    /// Some rows of a piece, counted from its begin, and their keys: the first `size` of each vector.
    struct Rows
    {
        size_t size = 0;
        TrackedVector<UInt32> numbers;
        EncodedKeys keys;
    };

    /// Rows [begin, end) of a block. Read only for whoever takes it.
    struct Piece
    {
        std::shared_ptr<const Source> source;
        size_t begin = 0;
        size_t end = 0;
        /// With keys, those of each share.
        std::vector<Rows> shares;

    private:
        friend class PieceQueue;

        enum class State : UInt8
        {
            Waiting,
            Encoding,
            Encoded
        };

        /// Of the rows that were encoded last; keys of shares point into it where they are bytes.
        EncodedKeys encoded;
        UInt64 bytes = 0;
        State state = State::Waiting;
        size_t takers_left = 0;
    };

    struct Limits
    {
        size_t piece_rows = Aggregator::PIECE_ROWS;
        /// That are handed over and not taken by all yet; with keys each has those of its rows in memory.
        size_t max_pieces = 1;
        /// Of blocks, about.
        UInt64 max_bytes = UInt64{32} << 20;
    };

    struct Callbacks
    {
        /// Takes the rows of a share; without keys all of a piece, and `share` is the worker's number. Called by any thread.
        std::function<void(size_t share, const Piece & piece)> take;
        /// Asked before each piece: whether workers are to go away.
        std::function<bool()> should_pause;
    };

    PieceQueue(const Aggregator & aggregator_, size_t workers_, Limits limits_, Callbacks callbacks_, MemoryTrackerPtr tracker_);
    ~PieceQueue();
    PieceQueue(const PieceQueue &) = delete;
    PieceQueue & operator=(const PieceQueue &) = delete;

    /// Cuts a block into pieces, which push() hands over.
    void add(const Block & block, bool has_states);
    /// The caller is worker 0, which takes pieces itself while the queue is full. True when all pieces are handed over; false while the queue is
    /// paused or stopped.
    [[nodiscard]] bool push();
    /// Whoever has taken all pieces then returns from work().
    void close();
    /// Workers end after the piece that they are at.
    void stop() noexcept;

    /// Takes pieces until the queue is closed and has nothing that this worker could take, or is stopped, or paused, which it is when
    /// should_pause() holds. True in the first case.
    bool work(size_t worker);
    /// When work() was true: a share of which all rows were taken, if there is one; each is given out once, to whoever asks first.
    [[nodiscard]] std::optional<size_t> finishShare(size_t worker);
    [[nodiscard]] bool isPaused() const;
    /// When all workers have returned: they go on where they were when they call work() again.
    void resume();

private:
    using Lock = std::unique_lock<std::mutex>;

    struct Share
    {
        /// The piece that is taken next; without keys only the first one counts, and is for all.
        size_t position = 0;
        bool is_taken = false;
        bool is_finished = false;
    };

    /// Takes a piece off the spare ones, or makes one.
    [[nodiscard]] std::unique_ptr<Piece> makePiece();
    /// An empty queue takes any piece.
    [[nodiscard]] bool isFull() const noexcept;
    /// The share whose next piece the worker can take: its own, or the one that is behind most; null when there is none.
    [[nodiscard]] Share * choose(size_t worker) noexcept;
    /// Takes the share's next piece, with the lock given back meanwhile, unless the queue is paused or stopped.
    void takeNext(Lock & lock, size_t worker, Share & share);
    /// Until the piece is encoded, with the lock given back meanwhile; false when the queue was stopped.
    bool encode(Lock & lock, Piece & piece);
    void encodeOne(Lock & lock, Piece & piece);
    /// Encodes the keys of `step` rows at a time and gives each to its share.
    template <typename Key>
    void distribute(Piece & piece, size_t step, TrackedVector<Key> EncodedKeys::*keys) const;
    /// One taker is done with the piece; those at the front that nobody needs any more leave.
    void release(Piece & piece);

    [[nodiscard]] size_t end() const noexcept { return first + pieces.size(); }
    [[nodiscard]] bool isOver() const noexcept { return is_stopped || is_paused; }

    const Aggregator & aggregator;
    const bool has_keys;
    const Limits limits;
    const Callbacks callbacks;
    const MemoryTrackerPtr tracker;
    /// Pieces that are not handed over yet, first of them the last.
    std::vector<std::unique_ptr<Piece>> waiting;

    mutable std::mutex mutex;
    /// There are more pieces, a share is free, a piece is encoded, there is room, or it is time to return.
    std::condition_variable changed;
    /// Pieces number first, first + 1...
    std::deque<std::unique_ptr<Piece>> pieces;
    size_t first = 0;
    std::vector<Share> shares;
    /// The piece that is encoded next.
    size_t next_to_encode = 0;
    UInt64 bytes = 0;
    std::vector<std::unique_ptr<Piece>> spare;
    bool is_closed = false;
    bool is_paused = false;
    bool is_stopped = false;
};

}
