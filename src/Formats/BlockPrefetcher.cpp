#include "BlockPrefetcher.h"

#include <utility>

namespace DB::inline statewire
{

BlockPrefetcher::BlockPrefetcher(ReadBlock read_block_) : read_block(std::move(read_block_)), thread([this] { work(); }) { }

BlockPrefetcher::~BlockPrefetcher()
{
    {
        const std::lock_guard lock(mutex);
        is_stopping = true;
    }
    changed.notify_all();
    thread.join();
}

bool BlockPrefetcher::read(Block & block)
{
    block.clear();
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return !blocks.empty() || is_ended; });
    if (!blocks.empty())
    {
        block = std::move(blocks.front());
        blocks.pop_front();
        changed.notify_all();
        return true;
    }
    if (error)
        std::rethrow_exception(error);
    return false;
}

void BlockPrefetcher::work()
{
    std::unique_lock lock(mutex);
    while (!is_ended)
    {
        changed.wait(lock, [this] { return is_stopping || blocks.size() < MAX_BLOCKS; });
        if (is_stopping)
            return;
        lock.unlock();
        Block block;
        bool any = false;
        std::exception_ptr thrown;
        try
        {
            any = read_block(block);
        }
        catch (...)
        {
            thrown = std::current_exception();
        }
        lock.lock();
        if (any)
            blocks.push_back(std::move(block));
        is_ended = !any;
        error = thrown;
        changed.notify_all();
    }
}

}
