#include "ParallelCompressedWriteBuffer.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "CompressedWriteBuffer.h"

namespace DB::inline statewire
{

namespace
{
constexpr size_t MAX_THREADS = 256;
}

ParallelCompressedWriteBuffer::ParallelCompressedWriteBuffer(
    NestedBuffer<WriteBuffer> out_, CompressionCodecPtr codec_, size_t threads, size_t block_size_)
    : WriteBuffer(nullptr, 0), out(std::move(out_)), codec(std::move(codec_)), block_size(block_size_)
{
    checkBlockSize(block_size);
    if (threads == 0 || threads > MAX_THREADS)
        throwError(ErrorCodes::BAD_ARGUMENTS, concat("Bad number of threads: expected 1..", MAX_THREADS, ", found ", threads));
    for (size_t i = 0; i < threads * 2; ++i)
    {
        blocks.push_back(std::make_unique<Block>());
        idle.push_back(blocks.back().get());
    }
    try
    {
        workers.reserve(threads);
        for (size_t i = 0; i < threads; ++i)
            workers.emplace_back([this] { work(); });
    }
    catch (const std::exception & error)
    {
        /// One thread is enough to go on; none is not.
        if (workers.empty())
            throwError(ErrorCodes::SYSTEM_ERROR, concat("Cannot start a thread: ", error.what()));
    }
}

ParallelCompressedWriteBuffer::~ParallelCompressedWriteBuffer()
{
    closeInDestructor();
    stop();
}

void ParallelCompressedWriteBuffer::nextImpl()
{
    if (offset() != 0)
    {
        current->raw_size = offset();
        current->done = false;
        handed_out.push_back(current);
        {
            const std::lock_guard lock(mutex);
            queue.push_back(current);
        }
        current = nullptr;
        work_is_there.notify_one();
    }
    if (!current)
    {
        if (idle.empty())
            writeOldest();
        current = idle.back();
        idle.pop_back();
        if (!current->raw)
            current->raw = std::make_unique_for_overwrite<char[]>(block_size);
    }
    internal_buffer = Buffer{current->raw.get(), current->raw.get() + block_size};
    working_buffer = internal_buffer;
}

void ParallelCompressedWriteBuffer::work() noexcept
{
    std::unique_lock lock(mutex);
    while (true)
    {
        work_is_there.wait(lock, [&] { return stopping || !queue.empty(); });
        if (stopping)
            return;
        Block & block = *queue.front();
        queue.pop_front();
        lock.unlock();
        try
        {
            compress(block);
        }
        catch (...)
        {
            block.error = std::current_exception();
        }
        lock.lock();
        block.done = true;
        work_is_done.notify_one();
    }
}

void ParallelCompressedWriteBuffer::compress(Block & block) const
{
    if (!block.frame)
        block.frame = std::make_unique_for_overwrite<char[]>(FRAME_PREFIX_SIZE + codec->maxCompressedSize(block_size));
    char * payload = block.frame.get() + FRAME_PREFIX_SIZE;
    const size_t payload_size = codec->compress(block.raw.get(), block.raw_size, payload);
    finishFrame(block.frame.get(), codec->method(), {payload, payload_size}, block.raw_size);
    block.frame_size = FRAME_PREFIX_SIZE + payload_size;
}

void ParallelCompressedWriteBuffer::writeOldest()
{
    Block & block = *handed_out.front();
    {
        std::unique_lock lock(mutex);
        work_is_done.wait(lock, [&] { return block.done; });
    }
    handed_out.pop_front();
    if (block.error)
        std::rethrow_exception(block.error);
    out->write(block.frame.get(), block.frame_size);
    idle.push_back(&block);
}

void ParallelCompressedWriteBuffer::finalizeImpl()
{
    if (offset() != 0)
        next();
    while (!handed_out.empty())
        writeOldest();
    stop();
    out.finalizeIfOwned();
}

void ParallelCompressedWriteBuffer::cancelImpl() noexcept
{
    stop();
    out.cancelIfOwned();
}

void ParallelCompressedWriteBuffer::syncImpl()
{
    while (!handed_out.empty())
        writeOldest();
    out->sync();
}

void ParallelCompressedWriteBuffer::stop() noexcept
{
    {
        const std::lock_guard lock(mutex);
        stopping = true;
    }
    work_is_there.notify_all();
    for (std::thread & worker : workers)
        worker.join();
    workers.clear();
}

}
