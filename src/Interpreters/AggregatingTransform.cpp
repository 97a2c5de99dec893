#include "AggregatingTransform.h"

#include "../AggregateFunctions/AggregateFunctionCountMinSketch.h"
#include "../AggregateFunctions/AggregateFunctionGroupBitmap.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "SortedGroupsMerge.h"

#include <algorithm>
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

/// States are measured again when the rows have grown by one in so many.
constexpr UInt64 MEASURED_GROWTH = 8;
/// Files of one level that are merged into one of the next; each has a reader when they are merged.
constexpr size_t MAX_FILES_OF_LEVEL = 64;

size_t countOfWorkers(const Aggregator & aggregator, size_t threads)
{
    if (threads == 0 || threads > MAX_THREADS)
        throwError(ErrorCodes::BAD_ARGUMENTS, concat("Bad number of threads ", threads, ", expected 1 to ", MAX_THREADS));
    /// Without keys, threads take any rows and their states are merged: one does the work where that shows.
    const std::vector<AggregateFunctionPtr> & functions = aggregator.getStates().functions;
    const bool is_any_thread = aggregator.getKeys().kind() != GroupKeys::Kind::None
        || std::all_of(functions.begin(), functions.end(), [](const AggregateFunctionPtr & f) { return isMergeExact(*f); });
    return is_any_thread ? threads : 1;
}
}

AggregatingTransform::AggregatingTransform(const Aggregator & aggregator_, AggregatingSettings settings_)
    : aggregator(aggregator_), settings(std::move(settings_)), workers(countOfWorkers(aggregator, settings.threads))
{
    for (Worker & worker : workers)
        worker.data = aggregator.createData();
}

AggregatingTransform::~AggregatingTransform()
{
    if (queue)
        queue->stop();
}

void AggregatingTransform::consume(const Block & block)
{
    progress.rows += block.rows();
    if (workers.size() > 1)
        pushBlock(block);
    else
    {
        if (settings.has_states)
            aggregator.mergeOnBlock(block, *workers[0].data);
        else
            aggregator.executeOnBlock(block, *workers[0].data);
        rowsWereAdded(workers[0], block.rows());
    }
    checkMemory();
    reportProgress();
}

void AggregatingTransform::pushBlock(const Block & block)
{
    if (!queue)
    {
        queue = std::make_unique<PieceQueue>(aggregator, workers.size());
        threads = std::make_unique<WorkerThreads>(workers.size(), [this](size_t number) {
            queue->work([this, number](const PieceQueue::Piece & piece) { addPiece(number, piece); });
        });
    }
    queue->push(block, settings.has_states);
    if (queue->isStopped())
        drain();
}

void AggregatingTransform::drain()
{
    if (!queue)
        return;
    queue->close();
    threads->wait();
    threads.reset();
    queue.reset();
}

void AggregatingTransform::addPiece(size_t number, const PieceQueue::Piece & piece)
{
    const std::vector<UInt32> * rows = piece.rows.empty() ? nullptr : &piece.rows[number];
    aggregator.addPiece(*piece.input, piece.begin, piece.end, piece.encoded, rows, *workers[number].data);
    rowsWereAdded(workers[number], rows ? rows->size() : piece.end - piece.begin);
}

void AggregatingTransform::rowsWereAdded(Worker & worker, size_t rows) const
{
    worker.rows += rows;
    if (settings.memory_limit != 0 && worker.rows - worker.rows_when_measured > worker.rows_when_measured / MEASURED_GROWTH)
    {
        worker.data->measureStates();
        worker.rows_when_measured = worker.rows;
    }
    worker.groups.store(worker.data->size(), std::memory_order_relaxed);
    worker.bytes.store(worker.data->allocatedBytes(), std::memory_order_relaxed);
}

void AggregatingTransform::checkMemory()
{
    progress.groups = 0;
    progress.memory_bytes = 0;
    for (const Worker & worker : workers)
    {
        progress.groups += worker.groups.load(std::memory_order_relaxed);
        progress.memory_bytes += worker.bytes.load(std::memory_order_relaxed);
    }
    const UInt64 limit = settings.memory_limit;
    if (limit == 0)
        return;
    if (settings.temporary_directory.empty())
    {
        if (progress.memory_bytes > limit && !std::exchange(is_limit_reported, true))
            throwError(
                ErrorCodes::MEMORY_LIMIT_EXCEEDED,
                concat("Memory limit exceeded: ", progress.groups, " groups take ", progress.memory_bytes, " bytes, at most ", limit,
                       " are allowed, and there is no directory for temporary files"));
        return;
    }
    /// What grows until states are measured again has room.
    if (progress.memory_bytes <= limit - limit / 4)
        return;
    drain();
    store();
}

void AggregatingTransform::forEachWorker(const WorkerThreads::Job & run)
{
    if (workers.size() == 1)
        run(0);
    else
        WorkerThreads(workers.size(), run).wait();
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
        workers[i].data = aggregator.createData();
        workers[i].rows = workers[i].rows_when_measured = 0;
        workers[i].groups = workers[i].bytes = 0;
    }
    mergeStored();
}

void AggregatingTransform::mergeStored()
{
    for (size_t level = 0; level < stored.size() && stored[level].size() >= MAX_FILES_OF_LEVEL; ++level)
    {
        std::vector<SortedGroupsPtr> inputs;
        for (const auto & file : stored[level])
            inputs.push_back(file->read());
        auto merged = std::make_unique<StoredGroups>(aggregator, settings.temporary_directory, inputs, settings.memory_limit);
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
        drain();
        checkMemory();
    }
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
        },
        settings.memory_limit);
}

UInt64 AggregatingTransform::measureBytes()
{
    drain();
    UInt64 bytes = 0;
    for (const Worker & worker : workers)
    {
        worker.data->measureStates();
        bytes += worker.data->allocatedBytes();
    }
    return bytes;
}

void AggregatingTransform::reportProgress()
{
    if (settings.on_progress)
        settings.on_progress(progress);
}

}
