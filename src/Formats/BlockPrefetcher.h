#pragma once

#include "Block.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace DB::inline statewire
{

/** Reads blocks ahead on a thread of its own, so that the next one is read and parsed while the caller works with the one before.
 *
 * The blocks come in the order in which they were read, and an error behind those that were read before it. At most MAX_BLOCKS are kept, beside the
 * one that is being read.
 * `read_block` runs in the thread alone: what it uses belongs to the thread until read() gave false or threw, or the object ended. It is called until
 * it gives false or throws, and then no more.
 * The destructor waits for a block that is being read. Errors: those of `read_block`; std::system_error when the thread cannot be made.
 * Threads: used by one.
 */
class BlockPrefetcher
{
public:
    static constexpr size_t MAX_BLOCKS = 2;
    /// As IInputFormat::read.
    using ReadBlock = std::function<bool(Block &)>;

    explicit BlockPrefetcher(ReadBlock read_block_);
    ~BlockPrefetcher();
    BlockPrefetcher(const BlockPrefetcher &) = delete;
    BlockPrefetcher & operator=(const BlockPrefetcher &) = delete;

    /// False at the end, also when called again; an error is thrown each time.
    [[nodiscard]] bool read(Block & block);

private:
    void work();

    ReadBlock read_block;
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Block> blocks;
    bool is_ended = false;
    bool is_stopping = false;
    std::exception_ptr error;
    /// Last, so that it begins when everything else is there.
    std::thread thread;
};

}
