#include "PieceQueue.h"

#include <algorithm>
#include <utility>

namespace DB::inline statewire
{

namespace
{
/// Keys that are encoded before they are distributed, so few that they stay in the nearest cache.
constexpr size_t ENCODED_NUMBERS = 1024;
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

PieceQueue::PieceQueue(const Aggregator & aggregator_, size_t workers_, Limits limits_, Callbacks callbacks_, MemoryTrackerPtr tracker_)
    : aggregator(aggregator_),
      has_keys(aggregator_.getKeys().kind() != GroupKeys::Kind::None),
      limits(limits_),
      callbacks(std::move(callbacks_)),
      tracker(std::move(tracker_)),
      shares(workers_)
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
        piece->takers_left = has_keys ? shares.size() : 1;
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

bool PieceQueue::push()
{
    Lock lock(mutex);
    while (!waiting.empty() && !isOver())
    {
        if (!isFull())
        {
            bytes += waiting.back()->bytes;
            pieces.push_back(std::move(waiting.back()));
            waiting.pop_back();
            changed.notify_all();
        }
        else if (Share * const share = choose(0))
            takeNext(lock, 0, *share);
        else
            changed.wait(lock);
    }
    return !isOver();
}

bool PieceQueue::isFull() const noexcept
{
    return !pieces.empty() && (pieces.size() >= limits.max_pieces || bytes >= limits.max_bytes);
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

bool PieceQueue::work(size_t worker)
{
    Lock lock(mutex);
    for (const Share * last = nullptr;;)
    {
        Share * const share = choose(worker);
        /// Others may go on with what this worker leaves.
        if (share != std::exchange(last, share) && has_keys)
            changed.notify_all();
        if (isOver())
            return false;
        if (share)
            takeNext(lock, worker, *share);
        else if (is_closed)
            return true;
        else
            changed.wait(lock);
    }
}

std::optional<size_t> PieceQueue::finishShare(size_t worker)
{
    const Lock lock(mutex);
    for (size_t i = 0; i < (has_keys ? shares.size() : 1); ++i)
    {
        const size_t number = (worker + i) % shares.size();
        Share & share = shares[number];
        if ((!has_keys || (!share.is_taken && share.position == end())) && !std::exchange(share.is_finished, true))
            return number;
    }
    return {};
}

PieceQueue::Share * PieceQueue::choose(size_t worker) noexcept
{
    if (!has_keys)
        return shares[0].position < end() ? &shares[0] : nullptr;
    Share * best = nullptr;
    for (size_t i = 0; i < shares.size(); ++i)
    {
        Share & share = shares[(worker + i) % shares.size()];
        if (share.is_taken || share.position == end())
            continue;
        if (i == 0)
            return &share;
        if (!best || share.position < best->position)
            best = &share;
    }
    return best;
}

void PieceQueue::takeNext(Lock & lock, size_t worker, Share & share)
{
    try
    {
        if (callbacks.should_pause())
        {
            is_paused = true;
            changed.notify_all();
            return;
        }
        Piece & piece = *pieces[share.position++ - first];
        share.is_taken = has_keys;
        if (has_keys && !encode(lock, piece))
            return;
        lock.unlock();
        callbacks.take(has_keys ? static_cast<size_t>(&share - shares.data()) : worker, piece);
        lock.lock();
        share.is_taken = false;
        release(piece);
    }
    catch (...)
    {
        if (lock.owns_lock())
            lock.unlock();
        stop();
        throw;
    }
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
        if (aggregator.getKeys().kind() == GroupKeys::Kind::Number)
            distribute(piece, ENCODED_NUMBERS, &EncodedKeys::numbers);
        else
            distribute(piece, piece.end - piece.begin, &EncodedKeys::views);
    }
    lock.lock();
    piece.state = Piece::State::Encoded;
    changed.notify_all();
}

template <typename Key>
void PieceQueue::distribute(Piece & piece, size_t step, TrackedVector<Key> EncodedKeys::*keys) const
{
    const UInt64 count = shares.size();
    const size_t rows = piece.end - piece.begin;
    const auto grow = [&](Rows & share) {
        const size_t size = std::max(2 * share.numbers.size(), rows / count * 5 / 4 + 1);
        share.numbers.resize(size);
        (share.keys.*keys).resize(size);
        share.keys.hashes.resize(size);
    };
    piece.shares.resize(count);
    for (Rows & share : piece.shares)
        share.size = 0;
    for (size_t from = 0; from < rows; from += step)
    {
        const size_t n = std::min(step, rows - from);
        aggregator.encodeKeys(piece.source->input, piece.begin + from, piece.begin + from + n, piece.encoded);
        for (size_t i = 0; i < n; ++i)
        {
            const UInt64 hash = piece.encoded.hashes[i];
            Rows & share = piece.shares[(hash >> 32) * count >> 32];
            if (share.size == share.numbers.size()) [[unlikely]]
                grow(share);
            const size_t to = share.size++;
            share.numbers[to] = static_cast<UInt32>(from + i);
            (share.keys.*keys)[to] = (piece.encoded.*keys)[i];
            share.keys.hashes[to] = hash;
        }
    }
}

void PieceQueue::release(Piece & piece)
{
    --piece.takers_left;
    const size_t first_before = first;
    for (; !pieces.empty() && pieces.front()->takers_left == 0; pieces.pop_front())
    {
        std::unique_ptr<Piece> & done = pieces.front();
        bytes -= done->bytes;
        done->source.reset();
        spare.push_back(std::move(done));
        ++first;
    }
    if (first != first_before)
        changed.notify_all();
}

}
