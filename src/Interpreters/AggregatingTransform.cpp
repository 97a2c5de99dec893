#include "AggregatingTransform.h"

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
/// So many pieces that a worker rarely waits for the others.
constexpr size_t PIECES_OF_WORKER = 8;
/// What a row's key takes while it waits for its worker, about: all of them together stay below an eighth of the limit.
constexpr UInt64 ASSUMED_KEY_BYTES = 64;
/// How much a row makes memory grow, about: pieces are so small that all threads together stay below a quarter of the limit.
constexpr UInt64 ASSUMED_ROW_BYTES = 128;
constexpr UInt64 MIN_PIECE_ROWS = 1024;
/// By how much more than a small limit may be passed.
constexpr UInt64 MIN_ROOM_BYTES = UInt64{64} << 20;
/// Files of one level that are merged into one of the next: as many as have room for their readers in a quarter of the limit.
constexpr UInt64 MIN_FILES_OF_LEVEL = 4;
constexpr UInt64 MAX_FILES_OF_LEVEL = 64;

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

size_t countOfShares(const Aggregator & aggregator, size_t threads)
{
    if (threads == 0 || threads > MAX_THREADS)
        throwError(ErrorCodes::BAD_ARGUMENTS, concat("Bad number of threads ", threads, ", expected 1 to ", MAX_THREADS));
    /// Without keys, threads take any rows and their states are merged: one does the work where that shows.
    const std::vector<AggregateFunctionPtr> & functions = aggregator.getStates().functions;
    const bool is_any_thread = aggregator.getKeys().kind() != GroupKeys::Kind::None
        || std::all_of(functions.begin(), functions.end(), [](const AggregateFunctionPtr & f) { return f->isMergeExact(); });
    return is_any_thread ? threads : 1;
}

PieceQueue::Limits limitsFor(UInt64 memory_limit, size_t workers)
{
    PieceQueue::Limits limits;
    limits.max_pieces = PIECES_OF_WORKER * workers;
    if (memory_limit == 0)
        return limits;
    limits.piece_rows = std::clamp(memory_limit / 4 / ASSUMED_ROW_BYTES / workers, MIN_PIECE_ROWS, UInt64{Aggregator::PIECE_ROWS});
    limits.max_pieces = std::clamp(memory_limit / 8 / ASSUMED_KEY_BYTES / limits.piece_rows, UInt64{1}, UInt64{limits.max_pieces});
    limits.max_bytes = std::min(limits.max_bytes, memory_limit / 8);
    return limits;
}
}

AggregatingTransform::AggregatingTransform(const Aggregator & aggregator_, AggregatingSettings settings_)
    : aggregator(aggregator_), settings(std::move(settings_)), shares(countOfShares(aggregator, settings.threads))
{
    if (settings.memory_limit != 0 || settings.memory_tracker || settings.on_progress)
        tracker = std::make_shared<GroupsTracker>(settings.memory_limit, settings.memory_tracker);
    limits = limitsFor(settings.memory_limit, shares.size());
    MemoryTrackerScope scope(tracker);
    for (Share & share : shares)
        share.data = aggregator.createData();
}

AggregatingTransform::~AggregatingTransform()
{
    if (queue)
        queue->stop();
    threads.reset();
    queue.reset();
    destruction.emplace(tracker);
}

void AggregatingTransform::consume(const Block & block)
{
    progress.rows += block.rows();
    if (shares.size() > 1)
        pushBlock(block);
    else
    {
        const Aggregator::Input input = aggregator.findColumns(block, settings.has_states);
        for (size_t begin = 0; begin < input.rows; begin += limits.piece_rows)
        {
            if (shouldStore())
                store();
            aggregator.addRows(input, begin, std::min(input.rows, begin + limits.piece_rows), *shares[0].data);
        }
        shares[0].groups = shares[0].data->size();
    }
    checkMemory();
    reportProgress();
}

void AggregatingTransform::pushBlock(const Block & block)
{
    if (!queue)
    {
        queue = std::make_unique<PieceQueue>(
            aggregator, shares.size(), limits,
            PieceQueue::Callbacks{
                [this](size_t share, const PieceQueue::Piece & piece) { addPiece(share, piece); }, [this] { return shouldStore(); }},
            tracker);
        startThreads();
    }
    queue->add(block, settings.has_states);
    while (!queue->push())
    {
        threads->wait();
        storeAndGoOn();
    }
}

void AggregatingTransform::startThreads()
{
    threads = std::make_unique<WorkerThreads>(shares.size() - 1, [this](size_t number) { work(number + 1); });
}

void AggregatingTransform::work(size_t number)
{
    if (!queue->work(number) || !sorts_groups)
        return;
    while (const std::optional<size_t> share = queue->finishShare(number))
        sortGroups(shares[*share]);
}

void AggregatingTransform::waitForThreads()
{
    work(0);
    threads->wait();
}

void AggregatingTransform::storeAndGoOn()
{
    store();
    queue->resume();
    startThreads();
}

void AggregatingTransform::drain()
{
    if (!queue)
        return;
    queue->close();
    for (waitForThreads(); queue->isPaused(); waitForThreads())
        storeAndGoOn();
    threads.reset();
    queue.reset();
}

void AggregatingTransform::addPiece(size_t number, const PieceQueue::Piece & piece)
{
    Share & share = shares[number];
    const Aggregator::Input & input = piece.source->input;
    if (piece.shares.empty())
        aggregator.addRows(input, piece.begin, piece.end, *share.data);
    else
    {
        const PieceQueue::Rows & own = piece.shares[number];
        const std::span<const UInt32> rows(own.numbers.data(), own.size);
        aggregator.addPiece(input, piece.begin, piece.end, own.keys, &rows, *share.data);
    }
    share.groups.store(share.data->size(), std::memory_order_relaxed);
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
    for (const Share & share : shares)
        progress.groups += share.groups.load(std::memory_order_relaxed);
    progress.memory_bytes = countedBytes();
    if (!queue && shouldStore())
        store();
    else if (
        settings.memory_limit != 0 && settings.temporary_directory.empty() && progress.memory_bytes > settings.memory_limit
        && !std::exchange(is_limit_reported, true))
        throwError(
            ErrorCodes::MEMORY_LIMIT_EXCEEDED,
            concat("Memory limit exceeded: ", progress.groups, " groups take ", progress.memory_bytes, " bytes, at most ", settings.memory_limit,
                   " are allowed, and there is no directory for temporary files"));
}

void AggregatingTransform::forEachShare(const WorkerThreads::Job & run)
{
    const auto run_counted = [&](size_t share) {
        MemoryTrackerScope scope(tracker);
        run(share);
    };
    WorkerThreads others(shares.size() - 1, [&](size_t number) { run_counted(number + 1); });
    run_counted(0);
    others.wait();
}

void AggregatingTransform::sortGroups(Share & share) const
{
    if (!share.sorted)
        share.sorted = aggregator.sortedGroups(*share.data);
}

void AggregatingTransform::store()
{
    std::vector<std::unique_ptr<StoredGroups>> files(shares.size());
    forEachShare([&](size_t number) {
        sortGroups(shares[number]);
        files[number] = std::make_unique<StoredGroups>(aggregator, settings.temporary_directory, *shares[number].sorted);
    });
    if (stored.empty())
        stored.emplace_back();
    for (size_t i = 0; i < shares.size(); ++i)
    {
        progress.stored_bytes += files[i]->sizeInBytes();
        stored[0].push_back(std::move(files[i]));
        shares[i].sorted.reset();
        shares[i].data.reset();
        shares[i].groups = 0;
    }
    mergeStored();
    MemoryTrackerScope scope(tracker);
    for (Share & share : shares)
        share.data = aggregator.createData();
    scope.flush();
    kept_bytes = tracker->amount();
}

void AggregatingTransform::mergeStored()
{
    const UInt64 most = std::clamp<UInt64>(settings.memory_limit / 4 / StoredGroups::BUFFER_BYTES, MIN_FILES_OF_LEVEL, MAX_FILES_OF_LEVEL);
    MemoryTrackerScope scope(tracker);
    for (size_t level = 0; level < stored.size() && stored[level].size() >= most; ++level)
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
    if (queue)
    {
        /// Sorting takes memory, of which checkMemory() is not to know.
        sorts_groups = settings.memory_limit == 0;
        drain();
        checkMemory();
    }
    MemoryTrackerScope scope(tracker);
    std::vector<SortedGroupsPtr> inputs;
    /// Oldest first.
    for (auto level = stored.rbegin(); level != stored.rend(); ++level)
        for (const auto & file : *level)
            inputs.push_back(file->read());
    if (!shares.front().sorted)
        forEachShare([this](size_t number) { sortGroups(shares[number]); });
    for (Share & share : shares)
        inputs.push_back(std::move(share.sorted));
    mergeSortedGroups(
        aggregator, inputs, settings.output,
        [&](const Block & block) {
            consume_block(block);
            reportProgress();
        });
}

UInt64 AggregatingTransform::measureBytes()
{
    drain();
    return countedBytes();
}

UInt64 AggregatingTransform::countedBytes() const noexcept
{
    return tracker ? static_cast<UInt64>(std::max<Int64>(tracker->amount(), 0)) : 0;
}

void AggregatingTransform::reportProgress()
{
    if (settings.on_progress)
        settings.on_progress(progress);
}

}
