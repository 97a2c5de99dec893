#pragma once

#include "PieceQueue.h"
#include "StoredGroups.h"
#include "WorkerThreads.h"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace DB::inline statewire
{

/// How far an aggregation is.
struct AggregatingProgress
{
    UInt64 rows = 0;
    /// Groups in memory, and bytes of all that is counted.
    UInt64 groups = 0;
    UInt64 memory_bytes = 0;
    /// What was put aside in files so far.
    UInt64 stored_bytes = 0;
};

struct AggregatingSettings
{
    /// 1: everything in the caller's thread.
    size_t threads = 1;
    /// Bytes of groups, states and what is needed to work with them, about; 0 for no limit.
    UInt64 memory_limit = 0;
    /// Counts too, and its limit holds too; may be null.
    MemoryTrackerPtr memory_tracker = {};
    /// Where groups are put aside when memory is short; empty: they are not, and the limit is an error.
    std::string temporary_directory = {};
    /// The input's aggregate columns are states to merge.
    bool has_states = false;
    Aggregator::OutputLimits output = {};
    /// Called from consume() and generate() in the caller's thread; what it throws ends the aggregation.
    std::function<void(const AggregatingProgress &)> on_progress = {};
};

/** GROUP BY over a stream of blocks, by several threads and within a memory limit.
 *
 * Every group belongs to one share of the groups, chosen by the hash of its key, whose rows are taken in their order and by one thread at a
 * time, so the result has the same bytes with any number of threads. Without keys, threads take the rows piece by piece and their states are
 * merged, unless the functions say that merging is not exact; then one thread does the work. The caller's thread is one of them.
 * Memory is counted by a tracker (docs/memory.md) where there is a limit, a tracker or somebody who asks for progress. At half of the limit
 * all groups go to a temporary file, sorted (StoredGroups), and the aggregation begins afresh; at the end the files are merged, streaming.
 * The result is the same where merging is exact, and else (sketches of floats, conservative ones) as good. A few rows, and groups that are merged,
 * may pass the limit by as much again, or by 64 MiB: what needs more is refused.
 * The aggregator outlives it. Errors: as Aggregator and StoredGroups. MEMORY_LIMIT_EXCEEDED, once, from consume() or generate() without a
 *     temporary directory: all blocks were added, all states are whole, and generate() may still be called. The same code where a tracker
 *     refuses, for a group that is too large. After that, and after another exception, it may only be destroyed.
 * Threads: used by one.
 */
class AggregatingTransform
{
public:
    AggregatingTransform(const Aggregator & aggregator_, AggregatingSettings settings_);
    ~AggregatingTransform();
    AggregatingTransform(const AggregatingTransform &) = delete;
    AggregatingTransform & operator=(const AggregatingTransform &) = delete;

    void consume(const Block & block);
    /// All groups, sorted by the keys, block by block. To be called once.
    void generate(const std::function<void(const Block &)> & consume_block);

    /// What counts the memory; null for nothing. Whoever reads states for consume() in its scope has them counted, and the limit is one for both.
    [[nodiscard]] const MemoryTrackerPtr & memoryTracker() const noexcept { return tracker; }
    /// Waits for the threads. Bytes that are counted then; 0 without a tracker.
    [[nodiscard]] UInt64 measureBytes();
    [[nodiscard]] UInt64 storedBytes() const noexcept { return progress.stored_bytes; }

private:
    /// What groups of one share lie in (PieceQueue), or without keys what one worker made of its rows.
    struct Share
    {
        std::unique_ptr<AggregatedData> data;
        /// Its groups once nothing more comes; points into the data.
        SortedGroupsPtr sorted;
        /// Of its data, for whoever looks on.
        std::atomic<UInt64> groups{0};
    };

    /// Hands a block to the threads, which are made for the first one.
    void pushBlock(const Block & block);
    void startThreads();
    /// What worker `number` does until the queue is empty, or paused.
    void work(size_t number);
    /// Until all workers have ended, of whom the caller's thread is the first.
    void waitForThreads();
    /// After the threads have stopped because memory is short.
    void storeAndGoOn();
    /// Until all blocks that were handed over are added; the threads end.
    void drain();
    void addPiece(size_t share, const PieceQueue::Piece & piece);
    /// Whether memory is short, and putting groups aside helps.
    [[nodiscard]] bool shouldStore() const noexcept;
    void checkMemory();
    [[nodiscard]] UInt64 countedBytes() const noexcept;
    /// Calls run(share) for every share, each in a thread of its own, of which the caller's is one.
    void forEachShare(const WorkerThreads::Job & run);
    void sortGroups(Share & share) const;
    void store();
    void mergeStored();
    void reportProgress();

    const Aggregator & aggregator;
    AggregatingSettings settings;
    MemoryTrackerPtr tracker;
    /// From the destructor on: what members free is counted.
    std::optional<MemoryTrackerScope> destruction;
    PieceQueue::Limits limits;
    /// What was held when groups had been put aside.
    Int64 kept_bytes = 0;
    std::vector<Share> shares;
    /// By level: files of level n were merged n times.
    std::vector<std::vector<std::unique_ptr<StoredGroups>>> stored;
    AggregatingProgress progress;
    bool is_limit_reported = false;
    /// Threads sort what they have when they are done.
    bool sorts_groups = false;
    /// While blocks are added by several threads.
    std::unique_ptr<PieceQueue> queue;
    std::unique_ptr<WorkerThreads> threads;
};

}
