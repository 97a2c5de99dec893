#include "PieceQueue.h"

#include <algorithm>
#include <utility>

namespace DB::inline statewire
{

namespace
{
/// So many pieces that a worker rarely waits for the others.
constexpr size_t PIECES_OF_WORKER = 8;
/// A state that lies in the bytes it was read from says little about them.
constexpr UInt64 ASSUMED_STATE_BYTES = 1024;

UInt64 bytesOf(const Block & block, bool has_states)
{
    UInt64 bytes = 0;
    for (size_t i = 0; i < block.columns(); ++i)
        bytes += has_states ? block.rows() * ASSUMED_STATE_BYTES : block.getByPosition(i).column->byteSize();
    return bytes;
}
}

PieceQueue::PieceQueue(const Aggregator & aggregator_, size_t workers_, Limits limits_, MemoryTrackerPtr tracker_)
    : aggregator(aggregator_),
      has_keys(aggregator_.getKeys().kind() != GroupKeys::Kind::None),
      limits(limits_),
      tracker(std::move(tracker_)),
      positions(workers_)
{
}

PieceQueue::~PieceQueue()
{
    /// Blocks are the caller's, and nothing that is counted here.
    const auto drop_block = [](const std::unique_ptr<Piece> & piece) { piece->source.reset(); };
    std::for_each(waiting.begin(), waiting.end(), drop_block);
    std::for_each(pieces.begin(), pieces.end(), drop_block);
    const MemoryTrackerScope scope(tracker);
    waiting.clear();
    pieces.clear();
    spare.clear();
}

void PieceQueue::add(const Block & block, bool has_states)
{
    const auto source = std::make_shared<const Source>(Source{block, aggregator.findColumns(block, has_states)});
    const size_t rows = source->input.rows;
    const size_t count = (rows + limits.piece_rows - 1) / limits.piece_rows;
    for (size_t i = count; i-- != 0;)
    {
        std::unique_ptr<Piece> piece = makePiece();
        piece->source = source;
        piece->begin = i * limits.piece_rows;
        piece->end = std::min(rows, piece->begin + limits.piece_rows);
        /// The first one stands for the whole block.
        piece->bytes = i == 0 ? bytesOf(block, has_states) : 0;
        piece->state = Piece::State::Waiting;
        piece->takers_left = has_keys ? positions.size() : 1;
        waiting.push_back(std::move(piece));
    }
}

std::unique_ptr<PieceQueue::Piece> PieceQueue::makePiece()
{
    const Lock lock(mutex);
    if (spare.empty())
        return std::make_unique<Piece>();
    std::unique_ptr<Piece> piece = std::move(spare.back());
    spare.pop_back();
    return piece;
}

bool PieceQueue::push(const std::function<void(const Piece &)> & take, const std::function<bool()> & should_pause)
{
    Lock lock(mutex);
    while (!waiting.empty() && !is_stopped && !is_paused)
    {
        if (!isFull(1))
        {
            bytes += waiting.back()->bytes;
            pieces.push_back(std::move(waiting.back()));
            waiting.pop_back();
            changed.notify_all();
        }
        else if (has_keys || positions[0] == end())
            has_room.wait(lock, [this] { return is_stopped || is_paused || !isFull(2); });
        else if (Piece * const piece = next(lock, positions[0], should_pause))
            takeOne(lock, *piece, take);
    }
    return !is_stopped && !is_paused;
}

bool PieceQueue::isFull(size_t part) const noexcept
{
    const size_t most = PIECES_OF_WORKER * positions.size();
    return !pieces.empty() && (part * pieces.size() >= most || part * bytes >= limits.max_bytes);
}

void PieceQueue::close()
{
    const Lock lock(mutex);
    is_closed = true;
    changed.notify_all();
}

void PieceQueue::stop() noexcept
{
    const Lock lock(mutex);
    is_stopped = true;
    changed.notify_all();
    has_room.notify_all();
}

bool PieceQueue::isPaused() const
{
    const Lock lock(mutex);
    return is_paused;
}

void PieceQueue::resume()
{
    const Lock lock(mutex);
    is_paused = false;
}

bool PieceQueue::work(size_t number, const std::function<void(const Piece &)> & take, const std::function<bool()> & should_pause)
{
    Lock lock(mutex);
    size_t & position = positions[has_keys ? number : 0];
    while (Piece * const piece = next(lock, position, should_pause))
        if (!takeOne(lock, *piece, take))
            return false;
    return is_closed && !is_stopped && position == end();
}

bool PieceQueue::takeOne(Lock & lock, Piece & piece, const std::function<void(const Piece &)> & take)
{
    try
    {
        if (has_keys && !encode(lock, piece))
            return false;
        lock.unlock();
        take(piece);
        lock.lock();
        release(piece);
        return true;
    }
    catch (...)
    {
        if (lock.owns_lock())
            lock.unlock();
        stop();
        throw;
    }
}

PieceQueue::Piece * PieceQueue::next(Lock & lock, size_t & position, const std::function<bool()> & should_pause)
{
    changed.wait(lock, [&] { return is_stopped || is_paused || is_closed || position < end(); });
    if (is_stopped || is_paused || position == end())
        return nullptr;
    if (should_pause())
    {
        is_paused = true;
        changed.notify_all();
        has_room.notify_all();
        return nullptr;
    }
    return pieces[position++ - first].get();
}

bool PieceQueue::encode(Lock & lock, Piece & piece)
{
    while (!is_stopped && piece.state != Piece::State::Encoded)
    {
        if (next_to_encode < end())
            encodeOne(lock, *pieces[next_to_encode++ - first]);
        else
            changed.wait(lock);
    }
    return !is_stopped;
}

void PieceQueue::encodeOne(Lock & lock, Piece & piece)
{
    piece.state = Piece::State::Encoding;
    lock.unlock();
    {
        const MemoryTrackerScope scope(tracker);
        aggregator.encodeKeys(piece.source->input, piece.begin, piece.end, piece.encoded);
        distribute(piece);
    }
    lock.lock();
    piece.state = Piece::State::Encoded;
    changed.notify_all();
}

void PieceQueue::distribute(Piece & piece) const
{
    const UInt64 count = positions.size();
    const size_t rows = piece.end - piece.begin;
    piece.rows.resize(count);
    for (TrackedVector<UInt32> & own : piece.rows)
        own.resize(rows);
    TrackedVector<size_t> sizes(count);
    for (size_t row = 0; row < rows; ++row)
    {
        const size_t owner = (piece.encoded.hashes[row] >> 32) * count >> 32;
        piece.rows[owner][sizes[owner]++] = static_cast<UInt32>(row);
    }
    for (size_t i = 0; i < count; ++i)
        piece.rows[i].resize(sizes[i]);
}

void PieceQueue::release(Piece & piece)
{
    --piece.takers_left;
    for (; !pieces.empty() && pieces.front()->takers_left == 0; pieces.pop_front())
    {
        std::unique_ptr<Piece> & done = pieces.front();
        bytes -= done->bytes;
        done->source.reset();
        spare.push_back(std::move(done));
        ++first;
    }
    if (!isFull(2))
        has_room.notify_all();
}

}
