#include "AggregatingTransform.h"

#include "../AggregateFunctions/AggregateFunctionCountMinSketch.h"
#include "../AggregateFunctions/AggregateFunctionGroupBitmap.h"
#include "../Common/ErrorCodes.h"
#include "../Common/Exception.h"
#include "../Common/throwError.h"
#include "SortedGroupsMerge.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace DB::inline statewire
{

namespace
{
constexpr size_t MAX_THREADS = 256;
/// Whether merging states gives the bytes that adding everything to one gives, in any order: known of bitmaps and of sketches of integers. Not of
/// those with another update: a conservative one depends on the order of the rows, floats are rounded.
bool isMergeExact(const IAggregateFunction & function)
{
    if (groupBitmapElementType(function))
        return true;
    const auto sketch = countMinSketchArguments(function);
    return sketch && sketch->weight != TypeIndex::Float64 && sketch->sketch->option() == CountMinOption::Plain;
}

/// So many pieces that threads wait for each other rarely, within so much memory.
constexpr size_t PIECES_OF_THREAD = 8;
constexpr UInt64 MAX_BATCH_BYTES = UInt64{32} << 20;
/// A state that lies in the bytes it was read from says little about them.
constexpr UInt64 ASSUMED_STATE_BYTES = 1024;
/// How much a row makes memory grow, about: pieces are so small that all threads together stay below a quarter of the limit.
constexpr UInt64 ASSUMED_ROW_BYTES = 128;
constexpr UInt64 MIN_PIECE_ROWS = 1024;
/// By how much more than a small limit may be passed.
constexpr UInt64 MIN_ROOM_BYTES = UInt64{64} << 20;
/// Files of one level that are merged into one of the next; each has a reader when they are merged.
constexpr size_t MAX_FILES_OF_LEVEL = 64;

/// Refuses what is far above a limit near which groups are put aside, and says which limit that is.
class GroupsTracker final : public MemoryTracker
{
public:
    GroupsTracker(UInt64 memory_limit_, MemoryTrackerPtr parent_)
        : MemoryTracker(largestFor(memory_limit_), std::move(parent_)), memory_limit(memory_limit_)
    {
    }

    void alloc(Int64 bytes) override
    {
        try
        {
            MemoryTracker::alloc(bytes);
        }
        catch (Exception & exception)
        {
            if (memory_limit != 0)
                exception.addMessage(concat("while grouping with a memory limit of ", memory_limit, " bytes"));
            throw;
        }
    }

private:
    [[nodiscard]] static UInt64 largestFor(UInt64 limit) noexcept
    {
        const UInt64 room = std::max(limit, MIN_ROOM_BYTES);
        return limit == 0 || limit > std::numeric_limits<UInt64>::max() - room ? 0 : limit + room;
    }

    UInt64 memory_limit;
};
}

void AggregatingTransform::Batch::clear() noexcept
{
    size = 0;
    bytes = 0;
    inputs.clear();
    blocks.clear();
}

AggregatingTransform::AggregatingTransform(const Aggregator & aggregator_, AggregatingSettings settings_)
    : aggregator(aggregator_), settings(std::move(settings_)), workers(settings.threads)
{
    if (settings.threads == 0 || settings.threads > MAX_THREADS)
        throwError(ErrorCodes::BAD_ARGUMENTS, concat("Bad number of threads ", settings.threads, ", expected 1 to ", MAX_THREADS));
    if (settings.memory_limit != 0 || settings.memory_tracker || settings.on_progress)
        tracker = std::make_shared<GroupsTracker>(settings.memory_limit, settings.memory_tracker);
    max_batch_bytes = MAX_BATCH_BYTES;
    if (settings.memory_limit != 0)
    {
        piece_rows = std::clamp(settings.memory_limit / 4 / ASSUMED_ROW_BYTES / settings.threads, MIN_PIECE_ROWS, UInt64{Aggregator::PIECE_ROWS});
        max_batch_bytes = std::min(max_batch_bytes, settings.memory_limit / 8);
    }
    MemoryTrackerScope scope(tracker);
    for (Worker & worker : workers)
        worker.data = aggregator.createData();
    const std::vector<AggregateFunctionPtr> & functions = aggregator.getStates().functions;
    is_any_thread = aggregator.getKeys().kind() == GroupKeys::Kind::None
        && std::all_of(functions.begin(), functions.end(), [](const AggregateFunctionPtr & f) { return isMergeExact(*f); });
    if (settings.threads > 1)
        threads = std::make_unique<WorkerThreads>(settings.threads);
}

AggregatingTransform::~AggregatingTransform()
{
    try
    {
        if (threads)
            threads->wait();
    }
    catch (...) // NOLINT(bugprone-empty-catch): nobody waits for the result any more
    {
    }
    /// Blocks are the caller's, and nothing that is counted here.
    filling.clear();
    running.clear();
    destruction.emplace(tracker);
}

void AggregatingTransform::consume(const Block & block)
{
    progress.rows += block.rows();
    if (!threads)
    {
        const Aggregator::Input input = aggregator.findColumns(block, settings.has_states);
        for (size_t begin = 0; begin < input.rows; begin += piece_rows)
        {
            if (shouldStore())
                store();
            aggregator.addRows(input, begin, std::min(input.rows, begin + piece_rows), *workers[0].data);
        }
        checkMemory();
        reportProgress();
        return;
    }
    addToBatch(block);
    if (filling.size < threads->size() * PIECES_OF_THREAD && filling.bytes < max_batch_bytes)
        return;
    waitForBatch();
    checkMemory();
    startBatch();
    reportProgress();
}

void AggregatingTransform::addToBatch(const Block & block)
{
    filling.inputs.push_back(aggregator.findColumns(block, settings.has_states));
    filling.blocks.push_back(block);
    const size_t rows = block.rows();
    for (size_t begin = 0; begin < rows; begin += piece_rows)
    {
        if (filling.size == filling.pieces.size())
            filling.pieces.emplace_back();
        Piece & piece = filling.pieces[filling.size++];
        piece.input = filling.inputs.size() - 1;
        piece.begin = begin;
        piece.end = std::min(rows, begin + piece_rows);
    }
    for (size_t i = 0; i < block.columns(); ++i)
        filling.bytes += settings.has_states ? rows * ASSUMED_STATE_BYTES : block.getByPosition(i).column->byteSize();
}

void AggregatingTransform::startBatch()
{
    std::swap(filling, running);
    for (Worker & worker : workers)
        worker.next_piece = 0;
    threads->start({[this](size_t number) { encodePieces(number); }, [this](size_t number) { addPieces(number); }});
}

void AggregatingTransform::waitForBatch()
{
    threads->wait();
    /// A thread stops where memory is short.
    while (std::any_of(workers.begin(), workers.end(), [&](const Worker & worker) { return worker.next_piece < running.size; }))
    {
        store();
        threads->start({[this](size_t number) { addPieces(number); }});
        threads->wait();
    }
    running.clear();
}

void AggregatingTransform::encodePieces(size_t number)
{
    MemoryTrackerScope scope(tracker);
    for (size_t i = number; i < running.size; i += threads->size())
    {
        Piece & piece = running.pieces[i];
        aggregator.encodeKeys(running.inputs[piece.input], piece.begin, piece.end, piece.encoded);
        distribute(piece);
    }
}

void AggregatingTransform::distribute(Piece & piece) const
{
    if (aggregator.getKeys().kind() == GroupKeys::Kind::None)
        return;
    const UInt64 count = threads->size();
    const size_t rows = piece.end - piece.begin;
    piece.rows.resize(count);
    for (std::vector<UInt32> & own : piece.rows)
        own.resize(rows);
    std::vector<size_t> sizes(count);
    for (size_t row = 0; row < rows; ++row)
    {
        const size_t owner = (piece.encoded.hashes[row] >> 32) * count >> 32;
        piece.rows[owner][sizes[owner]++] = static_cast<UInt32>(row);
    }
    for (size_t i = 0; i < count; ++i)
        piece.rows[i].resize(sizes[i]);
}

void AggregatingTransform::addPieces(size_t number)
{
    Worker & worker = workers[number];
    const bool has_keys = aggregator.getKeys().kind() != GroupKeys::Kind::None;
    for (size_t & i = worker.next_piece; i < running.size; ++i)
    {
        const bool is_own = has_keys || (is_any_thread ? i % threads->size() == number : number == 0);
        if (!is_own)
            continue;
        if (shouldStore())
            return;
        const Piece & piece = running.pieces[i];
        const std::vector<UInt32> * rows = has_keys ? &piece.rows[number] : nullptr;
        aggregator.addPiece(running.inputs[piece.input], piece.begin, piece.end, piece.encoded, rows, *worker.data);
    }
}

bool AggregatingTransform::shouldStore() const noexcept
{
    if (settings.memory_limit == 0 || settings.temporary_directory.empty())
        return false;
    const auto limit = static_cast<Int64>(std::min<UInt64>(settings.memory_limit, std::numeric_limits<Int64>::max()));
    const Int64 held = tracker->amount();
    return held > limit / 2 && held - kept_bytes > limit / 4;
}

void AggregatingTransform::checkMemory()
{
    progress.groups = 0;
    for (const Worker & worker : workers)
        progress.groups += worker.data->size();
    progress.memory_bytes = tracker ? static_cast<UInt64>(std::max<Int64>(tracker->amount(), 0)) : 0;
    if (shouldStore())
        store();
    else if (
        settings.memory_limit != 0 && settings.temporary_directory.empty() && progress.memory_bytes > settings.memory_limit
        && !std::exchange(is_limit_reported, true))
        throwError(
            ErrorCodes::MEMORY_LIMIT_EXCEEDED,
            concat("Memory limit exceeded: ", progress.groups, " groups take ", progress.memory_bytes, " bytes, at most ", settings.memory_limit,
                   " are allowed, and there is no directory for temporary files"));
}

void AggregatingTransform::forEachWorker(const std::function<void(size_t)> & run)
{
    const auto run_counted = [&](size_t number) {
        MemoryTrackerScope scope(tracker);
        run(number);
    };
    if (threads)
    {
        threads->start({run_counted});
        threads->wait();
    }
    else
        run_counted(0);
}

std::vector<SortedGroupsPtr> AggregatingTransform::sortGroups()
{
    std::vector<SortedGroupsPtr> groups(workers.size());
    forEachWorker([&](size_t number) { groups[number] = aggregator.sortedGroups(*workers[number].data); });
    return groups;
}

void AggregatingTransform::store()
{
    std::vector<std::unique_ptr<StoredGroups>> files(workers.size());
    forEachWorker([&](size_t number) {
        const SortedGroupsPtr groups = aggregator.sortedGroups(*workers[number].data);
        files[number] = std::make_unique<StoredGroups>(aggregator, settings.temporary_directory, *groups);
    });
    if (stored.empty())
        stored.emplace_back();
    for (size_t i = 0; i < workers.size(); ++i)
    {
        progress.stored_bytes += files[i]->sizeInBytes();
        stored[0].push_back(std::move(files[i]));
        workers[i].data.reset();
    }
    mergeStored();
    MemoryTrackerScope scope(tracker);
    for (Worker & worker : workers)
        worker.data = aggregator.createData();
    scope.flush();
    kept_bytes = tracker->amount();
}

void AggregatingTransform::mergeStored()
{
    MemoryTrackerScope scope(tracker);
    for (size_t level = 0; level < stored.size() && stored[level].size() >= MAX_FILES_OF_LEVEL; ++level)
    {
        std::vector<SortedGroupsPtr> inputs;
        for (const auto & file : stored[level])
            inputs.push_back(file->read());
        auto merged = std::make_unique<StoredGroups>(aggregator, settings.temporary_directory, inputs);
        inputs.clear();
        stored[level].clear();
        if (level + 1 == stored.size())
            stored.emplace_back();
        progress.stored_bytes += merged->sizeInBytes();
        stored[level + 1].push_back(std::move(merged));
    }
}

void AggregatingTransform::generate(const std::function<void(const Block &)> & consume_block)
{
    if (threads)
    {
        waitForBatch();
        startBatch();
        waitForBatch();
        checkMemory();
    }
    MemoryTrackerScope scope(tracker);
    std::vector<SortedGroupsPtr> inputs;
    /// Oldest first.
    for (auto level = stored.rbegin(); level != stored.rend(); ++level)
        for (const auto & file : *level)
            inputs.push_back(file->read());
    for (SortedGroupsPtr & groups : sortGroups())
        inputs.push_back(std::move(groups));
    mergeSortedGroups(
        aggregator, inputs, settings.output,
        [&](const Block & block) {
            consume_block(block);
            reportProgress();
        });
}

UInt64 AggregatingTransform::measureBytes()
{
    if (threads)
        waitForBatch();
    return tracker ? static_cast<UInt64>(std::max<Int64>(tracker->amount(), 0)) : 0;
}

void AggregatingTransform::reportProgress()
{
    if (settings.on_progress)
        settings.on_progress(progress);
}

}
