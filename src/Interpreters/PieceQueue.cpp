#include "PieceQueue.h"

#include <algorithm>
#include <utility>

namespace DB::inline statewire
{

namespace
{
/// So many pieces that a worker rarely waits for the others, within so much memory.
constexpr size_t PIECES_OF_WORKER = 8;
constexpr UInt64 MAX_BYTES = UInt64{32} << 20;
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

PieceQueue::PieceQueue(const Aggregator & aggregator_, size_t workers_)
    : aggregator(aggregator_), workers(workers_), has_keys(aggregator_.getKeys().kind() != GroupKeys::Kind::None)
{
}

void PieceQueue::push(const Block & block, bool has_states)
{
    const auto held = std::make_shared<const Block>(block);
    const auto input = std::make_shared<const Aggregator::Input>(aggregator.findColumns(*held, has_states));
    const size_t rows = input->rows;
    UInt64 block_bytes = bytesOf(*held, has_states);
    Lock lock(mutex);
    for (size_t begin = 0; begin < rows; begin += Aggregator::PIECE_ROWS)
    {
        std::unique_ptr<Piece> piece = makePiece();
        piece->block = held;
        piece->input = input;
        piece->begin = begin;
        piece->end = std::min(rows, begin + Aggregator::PIECE_ROWS);
        /// The first one stands for the whole block.
        piece->bytes = std::exchange(block_bytes, 0);
        pushPiece(lock, std::move(piece));
    }
}

std::unique_ptr<PieceQueue::Piece> PieceQueue::makePiece()
{
    if (spare.empty())
        return std::make_unique<Piece>();
    std::unique_ptr<Piece> piece = std::move(spare.back());
    spare.pop_back();
    return piece;
}

void PieceQueue::pushPiece(Lock & lock, std::unique_ptr<Piece> piece)
{
    changed.wait(lock, [&] { return is_stopped || pieces.empty() || (pieces.size() < PIECES_OF_WORKER * workers && bytes < MAX_BYTES); });
    if (is_stopped)
        return;
    piece->state = Piece::State::Waiting;
    piece->takers_left = has_keys ? workers : 1;
    bytes += piece->bytes;
    pieces.push_back(std::move(piece));
    changed.notify_all();
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

bool PieceQueue::isStopped() const
{
    const Lock lock(mutex);
    return is_stopped;
}

void PieceQueue::work(const std::function<void(const Piece &)> & take)
{
    try
    {
        Lock lock(mutex);
        if (has_keys)
            takeAll(lock, take);
        else
            takeAny(lock, take);
    }
    catch (...)
    {
        stop();
        throw;
    }
}

void PieceQueue::takeAll(Lock & lock, const std::function<void(const Piece &)> & take)
{
    for (size_t i = first;; ++i)
    {
        changed.wait(lock, [&] { return is_stopped || is_closed || i < end(); });
        if (is_stopped || i == end())
            return;
        Piece & piece = *pieces[i - first];
        if (!encode(lock, piece))
            return;
        lock.unlock();
        take(piece);
        lock.lock();
        release(piece);
    }
}

void PieceQueue::takeAny(Lock & lock, const std::function<void(const Piece &)> & take)
{
    while (true)
    {
        changed.wait(lock, [&] { return is_stopped || is_closed || next < end(); });
        if (is_stopped || next == end())
            return;
        Piece & piece = *pieces[next++ - first];
        lock.unlock();
        take(piece);
        lock.lock();
        release(piece);
    }
}

bool PieceQueue::encode(Lock & lock, Piece & piece)
{
    while (!is_stopped && piece.state != Piece::State::Encoded)
    {
        if (next < end())
            encodeOne(lock, *pieces[next++ - first]);
        else
            changed.wait(lock);
    }
    return !is_stopped;
}

void PieceQueue::encodeOne(Lock & lock, Piece & piece)
{
    piece.state = Piece::State::Encoding;
    lock.unlock();
    aggregator.encodeKeys(*piece.input, piece.begin, piece.end, piece.encoded);
    distribute(piece);
    lock.lock();
    piece.state = Piece::State::Encoded;
    changed.notify_all();
}

void PieceQueue::distribute(Piece & piece) const
{
    const UInt64 count = workers;
    const size_t rows = piece.end - piece.begin;
    piece.rows.resize(workers);
    for (std::vector<UInt32> & own : piece.rows)
        own.resize(rows);
    std::vector<size_t> sizes(workers);
    for (size_t row = 0; row < rows; ++row)
    {
        const size_t owner = (piece.encoded.hashes[row] >> 32) * count >> 32;
        piece.rows[owner][sizes[owner]++] = static_cast<UInt32>(row);
    }
    for (size_t i = 0; i < workers; ++i)
        piece.rows[i].resize(sizes[i]);
}

void PieceQueue::release(Piece & piece)
{
    --piece.takers_left;
    bool any = false;
    for (; !pieces.empty() && pieces.front()->takers_left == 0; pieces.pop_front())
    {
        std::unique_ptr<Piece> & done = pieces.front();
        bytes -= done->bytes;
        done->input.reset();
        done->block.reset();
        spare.push_back(std::move(done));
        ++first;
        any = true;
    }
    if (any)
        changed.notify_all();
}

}
